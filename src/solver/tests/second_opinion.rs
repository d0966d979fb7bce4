//! A solver that calls programs infeasible is checked by another one.

use crate::fake::Fake;
use crate::second_opinion::Checked;
use crate::{Control, Request, Settings, Solver, solvers};
use good_lp::{constraint, variable};
use milp::{Outcome, Program, ProgramBuilder, StopReason, Work};

fn program(right: i32) -> Program {
    let mut builder = ProgramBuilder::new("parity");
    let x = builder.column("x", variable().integer().min(0).max(10));
    let y = builder.column("y", variable().integer().min(0).max(10));
    builder.row("sum", constraint!(2 * x + 4 * y == right));
    builder.build()
}

/// What a solver answers that calls everything infeasible.
fn answer(program: &Program) -> Outcome {
    let infeasible = Outcome {
        stop: StopReason::Infeasible,
        columns: None,
        primal: None,
        rejected: None,
        bound: None,
        work: Work::default(),
        seconds: 0.0,
    };
    let wrong: &'static Fake = Box::leak(Box::new(Fake::new([infeasible])));
    let all: &'static [&'static dyn Solver] =
        Box::leak(vec![wrong as &dyn Solver, solvers()[0]].into_boxed_slice());
    let checked = Checked { solver: wrong, all };
    let mut session = checked.open(program, &Settings::default()).unwrap();
    let control = Control::silent();
    session.solve(&Request { relaxation: false, ..Request::relaxation(None, &control) })
}

#[test]
fn a_point_of_another_solver_refutes_it() {
    let outcome = answer(&program(6));
    let words =
        format!("fake calls a program infeasible of which {} found a feasible point", solvers()[0].name());
    assert_eq!(outcome.stop, StopReason::SolverError(words));
    assert_eq!(program(6).violations(&outcome.columns.unwrap(), 1e-9), vec![]);
}

#[test]
fn what_another_solver_finds_no_point_of_is_infeasible() {
    let outcome = answer(&program(7));
    assert_eq!((outcome.stop, outcome.columns), (StopReason::Infeasible, None));
}

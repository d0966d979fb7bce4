//! A solver that calls programs infeasible is checked by another one.

use crate::solvers;
use good_lp::{constraint, variable};
use milp::{Outcome, Program, ProgramBuilder, Row, Stage, StopReason};
use solver::{
    Checked, Control, Loaded, Request, Session, Settings, Solver, SolverFailure, SolverOptions, Solvers,
};

/// A solver that calls everything infeasible.
struct Wrong;

/// A program that it was given.
struct WrongSession(Loaded);

impl Solver for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn version(&self) -> String {
        "0".to_owned()
    }

    fn options(&self) -> &'static SolverOptions {
        &SolverOptions { allowed: &[], refused: &[] }
    }

    fn open<'a>(
        &'a self,
        program: &Program,
        _settings: &Settings,
    ) -> Result<Box<dyn Session + 'a>, SolverFailure> {
        Ok(Box::new(WrongSession(Loaded::new(program))))
    }
}

impl Session for WrongSession {
    fn program(&self) -> &Program {
        &self.0.program
    }

    fn set_objective(&mut self, stage: &Stage) {
        self.0.objective = stage.clone();
    }

    fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.0.set_column_bounds(column, lower, upper);
    }

    fn add_row(&mut self, row: &Row) {
        self.0.add_row(row);
    }

    fn set_start(&mut self, columns: &[f64]) {
        self.0.start = Some(columns.to_vec());
    }

    fn solve(&mut self, _request: &Request) -> Outcome {
        self.0.outcome(StopReason::Infeasible)
    }
}

fn program(right: i32) -> Program {
    let mut builder = ProgramBuilder::new("parity");
    let x = builder.column("x", variable().integer().min(0).max(10));
    let y = builder.column("y", variable().integer().min(0).max(10));
    builder.row("sum", constraint!(2 * x + 4 * y == right));
    builder.build()
}

/// What it answers where another solver checks it.
fn answer(program: &Program) -> Outcome {
    let all: Solvers = Box::leak(vec![&Wrong as &dyn Solver, solvers()[0]].into_boxed_slice());
    let checked = Checked { solver: &Wrong, all };
    let mut session = checked.open(program, &Settings::default()).unwrap();
    let control = Control::silent();
    session.solve(&Request { relaxation: false, ..Request::relaxation(None, &control) })
}

#[test]
fn a_point_of_another_solver_refutes_it() {
    let outcome = answer(&program(6));
    let words =
        format!("wrong calls a program infeasible of which {} found a feasible point", solvers()[0].name());
    assert_eq!(outcome.stop, StopReason::SolverError(words));
    assert_eq!(program(6).violations(&outcome.columns.unwrap(), 1e-9), vec![]);
}

#[test]
fn what_another_solver_finds_no_point_of_is_infeasible() {
    let outcome = answer(&program(7));
    assert_eq!((outcome.stop, outcome.columns), (StopReason::Infeasible, None));
}

//! What every registered solver must do alike: one body each, run on all of them.

use crate::solvers;
use good_lp::{Expression, constraint, variable};
use milp::{Program, ProgramBuilder, Row, Sense, Stage, StopReason};
use solver::{Control, Options, Request, Session, Settings, Solver, Staged, solve_stages};

fn on_every_solver(body: impl Fn(&dyn Solver)) {
    for solver in solvers() {
        eprintln!("solver: {} {}", solver.name(), solver.version());
        body(*solver);
    }
}

fn solve(solver: &dyn Solver, program: &Program) -> Staged {
    solve_stages(solver, program, &Options::default(), &Control::silent())
}

fn open<'a>(solver: &'a dyn Solver, program: &Program) -> Box<dyn Session + 'a> {
    solver.open(program, &Settings::default()).expect("the program is valid")
}

fn request(control: &Control, relaxation: bool) -> Request<'_> {
    Request { relaxation, ..Request::relaxation(None, control) }
}

/// Five items of which the first, the fourth and the fifth are worth 16 together and fill 9 of 10 units.
fn knapsack(sense: Sense, sign: i32, constant: f64) -> Program {
    let mut builder = ProgramBuilder::new("knapsack");
    let take: Vec<_> = (0..5).map(|item| builder.column(format!("x[{item}]"), variable().binary())).collect();
    let sum =
        |weights: [i32; 5]| -> Expression { take.iter().zip(weights).map(|(x, weight)| weight * *x).sum() };
    builder.row("capacity", constraint!(sum([2, 8, 4, 2, 5]) <= 10));
    builder.stage("value", sense, sign * sum([5, 3, 2, 7, 4]) + constant, Some(1.0));
    builder.build()
}

#[test]
fn a_knapsack_is_proved_optimal() {
    on_every_solver(|solver| {
        let staged = solve(solver, &knapsack(Sense::Maximize, 1, 0.0));
        assert_eq!(staged.stop, StopReason::Proved);
        assert_eq!(staged.columns, Some(vec![1.0, 0.0, 0.0, 1.0, 1.0]));
        let stage = &staged.stages[0];
        assert_eq!((stage.value, stage.bound, stage.proved), (Some(16.0), Some(16.0), true));
        assert_eq!((staged.work.columns, staged.work.rows, staged.work.nonzeros), (5, 1, 5));
    });
}

#[test]
fn signs_and_constants_are_those_of_the_program() {
    on_every_solver(|solver| {
        for (sense, sign, optimum) in [(Sense::Maximize, 1, 16.0), (Sense::Minimize, -1, -16.0)] {
            for constant in [0.0, 100.0, -3.25] {
                let program = knapsack(sense, sign, constant);
                let stage = &solve(solver, &program).stages[0];
                assert_eq!((stage.value, stage.bound), (Some(optimum + constant), Some(optimum + constant)));

                let mut session = open(solver, &program);
                session.set_objective(&program.stages[0]);
                let control = Control::silent();
                for relaxation in [false, true] {
                    let outcome = session.solve(&request(&control, relaxation));
                    assert_eq!(outcome.stop, StopReason::Proved);
                    // The relaxation also takes a quarter of the third item.
                    let expected = optimum + constant + if relaxation { 0.5 * f64::from(sign) } else { 0.0 };
                    assert!((outcome.primal.unwrap() - expected).abs() < 1e-6, "{outcome:?}");
                    assert!((outcome.bound.unwrap() - expected).abs() < 1e-6, "{outcome:?}");
                }
            }
        }
    });
}

#[test]
fn an_infeasible_program_is_not_unbounded() {
    on_every_solver(|solver| {
        for integer in [false, true] {
            let mut builder = ProgramBuilder::new("infeasible");
            let definition = if integer { variable().integer().min(0) } else { variable().min(0) };
            let x = builder.column("x", definition.clone());
            let y = builder.column("y", definition);
            // The objective grows along (1, 1), but no point satisfies the first row.
            builder.row("low", constraint!(x <= -1));
            builder.row("ray", constraint!(x - y <= 4));
            builder.stage("sum", Sense::Maximize, x + y, Some(1.0));
            let staged = solve(solver, &builder.build());
            assert_eq!(staged.stop, StopReason::Infeasible);
            assert_eq!(staged.columns, None);
            assert_eq!((staged.stages[0].value, staged.stages[0].bound), (None, None));
        }
    });
}

#[test]
fn rows_without_an_integer_point_are_infeasible() {
    on_every_solver(|solver| {
        let mut builder = ProgramBuilder::new("parity");
        let x = builder.column("x", variable().integer().min(0).max(10));
        let y = builder.column("y", variable().integer().min(0).max(10));
        builder.row("odd", constraint!(2 * x + 4 * y == 7));
        builder.stage("sum", Sense::Minimize, x + y, Some(1.0));
        assert_eq!(solve(solver, &builder.build()).stop, StopReason::Infeasible);
    });
}

#[test]
fn an_unbounded_program_is_not_infeasible() {
    on_every_solver(|solver| {
        for integer in [false, true] {
            let mut builder = ProgramBuilder::new("unbounded");
            let definition = if integer { variable().integer().min(0) } else { variable().min(0) };
            let x = builder.column("x", definition.clone());
            let y = builder.column("y", definition);
            builder.row("ray", constraint!(x - y <= 4));
            builder.stage("sum", Sense::Maximize, x + y, Some(1.0));
            let staged = solve(solver, &builder.build());
            assert_eq!(staged.stop, StopReason::Unbounded);
            assert_eq!(staged.stages[0].bound, None);
        }
    });
}

#[test]
fn an_unbounded_relaxation_without_an_integer_point_is_infeasible() {
    on_every_solver(|solver| {
        let mut builder = ProgramBuilder::new("half");
        let x = builder.column("x", variable().integer().min(0));
        let y = builder.column("y", variable().min(0));
        builder.row("half", constraint!(2 * x == 1));
        builder.stage("growth", Sense::Maximize, Expression::from(y), None);
        assert_eq!(solve(solver, &builder.build()).stop, StopReason::Infeasible);
    });
}

#[test]
fn a_linear_program_is_proved_by_its_relaxation() {
    on_every_solver(|solver| {
        let mut builder = ProgramBuilder::new("linear");
        let x = builder.column("x", variable());
        let y = builder.column("y", variable().min(0));
        builder.row("equal", constraint!(x + 2 * y == 3));
        builder.range_row("range", -1.0, x - y, 1.5);
        builder.stage("mixed", Sense::Minimize, 2 * x + y - 0.5, None);
        let staged = solve(solver, &builder.build());
        // The least x with x - y >= -1 on the line.
        assert_eq!(staged.stop, StopReason::Proved);
        assert!((staged.stages[0].value.unwrap() - (2.0 / 3.0 + 4.0 / 3.0 - 0.5)).abs() < 1e-6);
    });
}

#[test]
fn degenerate_programs_have_answers() {
    on_every_solver(|solver| {
        let mut empty = ProgramBuilder::new("empty");
        empty.stage("constant", Sense::Maximize, Expression::from(7.0), Some(1.0));
        let staged = solve(solver, &empty.build());
        assert_eq!((staged.stop, staged.stages[0].value), (StopReason::Proved, Some(7.0)));

        let mut free = ProgramBuilder::new("no rows");
        let x = free.column("x", variable().integer().min(-3).max(4));
        free.stage("least", Sense::Minimize, 2 * x, Some(2.0));
        let staged = solve(solver, &free.build());
        assert_eq!((staged.stop, staged.columns), (StopReason::Proved, Some(vec![-3.0])));

        let mut feasibility = ProgramBuilder::new("no stages");
        let x = feasibility.column("x", variable().integer().min(0).max(9));
        feasibility.row("multiple", constraint!(3 * x == 12));
        let staged = solve(solver, &feasibility.build());
        assert_eq!(
            (staged.stop, staged.columns, staged.stages),
            (StopReason::Proved, Some(vec![4.0]), vec![])
        );

        let mut hopeless = ProgramBuilder::new("no columns");
        let x = hopeless.column("x", variable().integer().min(0).max(1));
        hopeless.row("nothing", constraint!(x - x >= 1));
        assert_eq!(solve(solver, &hopeless.build()).stop, StopReason::Infeasible);
    });
}

#[test]
fn a_session_is_modified_in_place() {
    on_every_solver(|solver| {
        let program = knapsack(Sense::Maximize, 1, 0.0);
        let mut session = open(solver, &program);
        let control = Control::silent();
        let value = |session: &mut Box<dyn Session + '_>, relaxation| {
            let outcome = session.solve(&request(&control, relaxation));
            (outcome.stop, outcome.primal.map(|value| (value * 1e6).round() / 1e6))
        };
        session.set_objective(&program.stages[0]);
        assert_eq!(value(&mut session, false), (StopReason::Proved, Some(16.0)));
        assert_eq!(value(&mut session, true), (StopReason::Proved, Some(16.5)));
        assert_eq!(value(&mut session, false), (StopReason::Proved, Some(16.0)));
        session.set_column_bounds(3, 0.0, 0.0);
        assert_eq!(value(&mut session, false), (StopReason::Proved, Some(9.0)));
        session.set_column_bounds(3, 0.0, 1.0);
        let pair = Row { label: "pair".to_owned(), lower: 2.0, upper: 2.0, terms: vec![(0, 1.0), (1, 1.0)] };
        session.add_row(&pair);
        assert_eq!(value(&mut session, false), (StopReason::Proved, Some(8.0)));
        session.set_start(&[1.0, 1.0, 0.0, 0.0, 0.0]);
        let weight = vec![(0, 2.0), (1, 8.0), (2, 4.0), (3, 2.0), (4, 5.0)];
        let least = Stage {
            name: "weight".to_owned(),
            sense: Sense::Minimize,
            terms: weight,
            constant: 1.0,
            step: None,
        };
        session.set_objective(&least);
        assert_eq!(value(&mut session, false), (StopReason::Proved, Some(11.0)));
        session.set_column_bounds(0, 0.0, 0.0);
        assert_eq!(value(&mut session, false), (StopReason::Infeasible, None));
        assert_eq!(value(&mut session, true), (StopReason::Infeasible, None));
    });
}

#[test]
fn stages_are_lexicographic() {
    on_every_solver(|solver| {
        let mut builder = ProgramBuilder::new("three stages");
        let x: Vec<_> = (0..4)
            .map(|index| builder.column(format!("x[{index}]"), variable().integer().min(0).max(3)))
            .collect();
        builder.row("total", constraint!(x[0] + x[1] + x[2] + x[3] <= 6));
        builder.stage("most", Sense::Maximize, x[0] + x[1] + x[2] + x[3], Some(1.0));
        builder.stage("least", Sense::Minimize, x[0] + 2 * x[1] + 2 * x[2] + 2 * x[3] - 1, Some(1.0));
        builder.stage("last", Sense::Maximize, 5 * x[1] + 6 * x[2] + 7 * x[3], Some(1.0));
        let staged = solve(solver, &builder.build());
        assert_eq!(staged.stop, StopReason::Proved);
        assert_eq!(staged.columns, Some(vec![3.0, 0.0, 0.0, 3.0]));
        let values: Vec<_> = staged
            .stages
            .iter()
            .map(|stage| (stage.name.as_str(), stage.value, stage.bound, stage.proved))
            .collect();
        assert_eq!(
            values,
            [
                ("most", Some(6.0), Some(6.0), true),
                ("least", Some(8.0), Some(8.0), true),
                ("last", Some(21.0), Some(21.0), true),
            ]
        );
    });
}

#[test]
fn a_wrong_step_is_an_error() {
    on_every_solver(|solver| {
        let mut builder = ProgramBuilder::new("wrong step");
        let x = builder.column("x", variable().integer().min(0).max(3));
        builder.row("odd", constraint!(x >= 1));
        builder.stage("value", Sense::Minimize, 3 * x, Some(2.0));
        let StopReason::SolverError(explanation) = solve(solver, &builder.build()).stop else {
            panic!("the step is not a divisor of the value");
        };
        assert!(explanation.contains("promised step 2"), "{explanation}");
    });
}

/// Small programs on which a release of a solver crashed or gave a wrong answer when it was called with its defaults.
mod known_defects {
    use super::*;

    /// HiGHS 1.15 crashes in its feasibility jump (issue 3262 of ERGO-Code/HiGHS).
    #[test]
    fn a_program_that_crashes_the_feasibility_jump() {
        on_every_solver(|solver| {
            let mut builder = ProgramBuilder::new("feasibility jump");
            let a = builder.column("a", variable().integer().min(1).max(4));
            let b = builder.column("b", variable().integer().min(-1).max(2));
            let c = builder.column("c", variable().min(1));
            let d = builder.column("d", variable().min(0));
            builder.row("first", constraint!(2 * a - b - c + 2 * d >= 6));
            builder.row("second", constraint!(-3 * a + 4 * b + 4 * c - 2 * d >= -6));
            builder.row("third", constraint!(-4 * a + b + c - 4 * d <= 7));
            builder.stage("value", Sense::Maximize, b - a - 2 * c - d + 1.5, Some(0.5));
            let staged = solve(solver, &builder.build());
            // With b = 2 and c = 1 the first row asks for a + d >= 4.5; every smaller b costs more than it saves.
            assert_eq!((staged.stop, staged.stages[0].value), (StopReason::Proved, Some(-3.0)));
        });
    }

    /// The presolve of HiGHS 1.15 calls this program infeasible: it contains the origin of the ray (2, 1, 0), (0, 1, 1).
    #[test]
    fn an_unbounded_program_that_is_called_infeasible() {
        on_every_solver(|solver| {
            for integer in [false, true] {
                let mut builder = ProgramBuilder::new("ray");
                let a = builder.column("a", variable().min(-1));
                let b = builder.column("b", variable().min(1));
                let definition = if integer { variable().integer() } else { variable() };
                let c = builder.column("c", definition.min(1));
                builder.row("first", constraint!(-4 * a - 2 * b - c <= 7));
                builder.row("second", constraint!(-2 * a + 4 * b + 3 * c >= 7));
                builder.row("third", constraint!(-2 * a + 4 * b + c <= 7));
                builder.stage("value", Sense::Minimize, -3 * a - 3 * b + 4 * c, None);
                assert_eq!(solve(solver, &builder.build()).stop, StopReason::Unbounded);
            }
        });
    }

    /// The integer search of HiGHS 1.15 calls this program solved: it grows by four along the ray (0, 1, 1, 0).
    #[test]
    fn an_unbounded_program_that_is_called_solved() {
        on_every_solver(|solver| {
            let mut builder = ProgramBuilder::new("ray");
            let a = builder.column("a", variable().min(1));
            let b = builder.column("b", variable().min(0));
            let c = builder.column("c", variable().min(0));
            let d = builder.column("d", variable().integer().min(-2).max(1));
            builder.row("first", constraint!(a + b - 2 * c + 4 * d <= -6));
            builder.row("second", constraint!(-1 * a - b + c - d <= 2));
            builder.stage("value", Sense::Maximize, 2 * b - 2 * a + 2 * c + d, None);
            assert_eq!(solve(solver, &builder.build()).stop, StopReason::Unbounded);
        });
    }
}

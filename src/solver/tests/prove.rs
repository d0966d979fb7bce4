//! The search for a proof, step by step, on a scripted solver.

use crate::fake::{Call, Fake};
use crate::{Control, Options, Settings, Solver, StageOptions, StageOutcome, prove_stage, solve_stages};
use good_lp::{constraint, variable};
use milp::{Outcome, Program, ProgramBuilder, Sense, StopReason, Work};

/// Two integer columns: a total between 0 and 9, and a part of it.
fn program(sense: Sense) -> Program {
    let mut builder = ProgramBuilder::new("scripted");
    let total = builder.column("total", variable().integer().min(0).max(9));
    let part = builder.column("part", variable().integer().min(0).max(9));
    builder.row("part", constraint!(part <= total));
    builder.stage("value", sense, total + part, Some(1.0));
    builder.dichotomy(total);
    builder.build()
}

fn outcome(stop: StopReason, columns: Option<[f64; 2]>, bound: Option<f64>) -> Outcome {
    let primal = columns.map(|columns| columns.iter().sum());
    let work = Work { columns: 2, rows: 1, nonzeros: 2, nodes: 3, iterations: 10 };
    Outcome { stop, columns: columns.map(Vec::from), primal, rejected: None, bound, work, seconds: 0.0 }
}

fn proved(columns: [f64; 2]) -> Outcome {
    let bound = columns.iter().sum();
    outcome(StopReason::Proved, Some(columns), Some(bound))
}

fn prove(program: &Program, options: &StageOptions, script: Vec<Outcome>) -> (StageOutcome, Vec<Call>) {
    let fake = Fake::new(script);
    let mut session = fake.open(program, &Settings::default()).unwrap();
    let outcome = prove_stage(session.as_mut(), program, &program.stages[0], options, &Control::silent());
    drop(session);
    (outcome, fake.calls())
}

fn solves(calls: &[Call]) -> String {
    let solves = calls.iter().filter_map(|call| match call {
        Call::Solve { relaxation: true } => Some("relaxation"),
        Call::Solve { relaxation: false } => Some("search"),
        _ => None,
    });
    solves.collect::<Vec<_>>().join(" ")
}

#[test]
fn an_integral_relaxation_is_the_optimum() {
    let (outcome, calls) =
        prove(&program(Sense::Maximize), &StageOptions::default(), vec![proved([3.0, 2.0])]);
    assert_eq!(solves(&calls), "relaxation");
    assert_eq!((outcome.stop, outcome.value, outcome.bound), (StopReason::Proved, Some(5.0), Some(5.0)));
    assert_eq!(outcome.columns, Some(vec![3.0, 2.0]));
    assert_eq!((outcome.work.nodes, outcome.work.iterations), (3, 10));
}

#[test]
fn one_side_is_searched_and_the_other_closed_by_its_relaxation() {
    let script = vec![
        proved([3.5, 2.2]),
        // At least 4, at most 3: the relaxation of the latter is worse by one unit after rounding.
        proved([4.0, 1.4]),
        proved([3.0, 1.9]),
        outcome(StopReason::Proved, Some([4.0, 1.0]), Some(5.4)),
    ];
    let (outcome, calls) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!((outcome.stop, outcome.value, outcome.bound), (StopReason::Proved, Some(5.0), Some(5.0)));
    let bounds = |lower, upper| Call::Bounds { column: 0, lower, upper };
    let relaxation = Call::Solve { relaxation: true };
    let search = Call::Solve { relaxation: false };
    assert_eq!(
        calls,
        [
            Call::Objective("value".to_owned()),
            relaxation.clone(),
            bounds(4.0, 9.0),
            relaxation.clone(),
            bounds(0.0, 9.0),
            bounds(0.0, 3.0),
            relaxation,
            bounds(0.0, 9.0),
            bounds(4.0, 9.0),
            search,
            bounds(0.0, 9.0),
        ]
    );
}

#[test]
fn the_side_with_the_better_bound_comes_first_in_both_senses() {
    for (sense, upper, lower, first) in [
        (Sense::Maximize, [4.0, 1.5], [3.0, 3.5], 3.0),
        (Sense::Minimize, [4.0, 1.5], [3.0, 0.5], 3.0),
        (Sense::Minimize, [4.0, 0.5], [3.0, 2.5], 9.0),
    ] {
        let script = vec![
            proved([3.5, if sense == Sense::Maximize { 3.2 } else { 0.2 }]),
            proved(upper),
            proved(lower),
            outcome(StopReason::TimeLimit, None, None),
        ];
        let (outcome, calls) = prove(&program(sense), &StageOptions::default(), script);
        let searched = calls.windows(2).find_map(|pair| match pair {
            [Call::Bounds { upper, .. }, Call::Solve { relaxation: false }] => Some(*upper),
            _ => None,
        });
        assert_eq!(searched, Some(first));
        assert_eq!(outcome.stop, StopReason::TimeLimit);
    }
}

#[test]
fn an_open_second_side_is_searched_as_well() {
    let script = vec![
        proved([3.5, 2.2]),
        proved([4.0, 1.4]),
        proved([3.0, 2.1]),
        proved([4.0, 0.0]),
        outcome(StopReason::Proved, Some([3.0, 2.0]), Some(5.0)),
    ];
    let (outcome, calls) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!(solves(&calls), "relaxation relaxation relaxation search search");
    assert_eq!((outcome.value, outcome.bound, outcome.proved), (Some(5.0), Some(5.0), true));
}

#[test]
fn a_limit_leaves_the_weakest_of_the_bounds_of_the_sides() {
    let script = vec![
        proved([3.5, 4.2]),
        proved([4.0, 3.4]),
        proved([3.0, 3.1]),
        outcome(StopReason::TimeLimit, Some([4.0, 1.0]), Some(5.7)),
    ];
    let (outcome, _) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    // The searched side is at most 5; the other one is only known to be at most 6.
    assert_eq!((outcome.stop, outcome.value, outcome.bound), (StopReason::TimeLimit, Some(5.0), Some(6.0)));
    assert!(!outcome.proved);
}

#[test]
fn a_limit_in_the_relaxation_of_a_side_leaves_the_bound_of_the_whole() {
    let script = vec![proved([3.5, 4.2]), proved([4.0, 1.4]), outcome(StopReason::Interrupted, None, None)];
    let (outcome, _) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!((outcome.stop, outcome.value, outcome.bound), (StopReason::Interrupted, None, Some(7.0)));
}

#[test]
fn only_all_sides_together_are_infeasible() {
    let infeasible = || outcome(StopReason::Infeasible, None, None);
    let script = vec![proved([3.5, 2.2]), infeasible(), infeasible()];
    let (none, _) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!((none.stop, none.bound), (StopReason::Infeasible, None));

    let script = vec![proved([3.5, 2.2]), infeasible(), proved([3.0, 2.0])];
    let (one, calls) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!(solves(&calls), "relaxation relaxation relaxation");
    assert_eq!((one.stop, one.value), (StopReason::Proved, Some(5.0)));

    let script = vec![proved([3.5, 2.2]), proved([4.0, 1.4]), proved([3.0, 1.9]), infeasible(), infeasible()];
    let (searched, _) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!((searched.stop, searched.bound), (StopReason::Infeasible, None));
}

#[test]
fn a_box_that_meets_the_bound_saves_the_search() {
    let mut program = program(Sense::Maximize);
    program.search.dichotomy = None;
    program.search.box_radius = Some(1);
    let script = vec![proved([3.5, 2.2]), proved([4.0, 1.0])];
    let (outcome, calls) = prove(&program, &StageOptions::default(), script);
    assert_eq!(solves(&calls), "relaxation search");
    assert_eq!((outcome.stop, outcome.value), (StopReason::Proved, Some(5.0)));
    let bounds: Vec<_> = calls.iter().filter(|call| matches!(call, Call::Bounds { .. })).cloned().collect();
    assert_eq!(
        bounds,
        [
            Call::Bounds { column: 0, lower: 2.0, upper: 5.0 },
            Call::Bounds { column: 1, lower: 1.0, upper: 4.0 },
            Call::Bounds { column: 0, lower: 0.0, upper: 9.0 },
            Call::Bounds { column: 1, lower: 0.0, upper: 9.0 },
        ]
    );
}

#[test]
fn a_box_proves_nothing_about_the_outside() {
    let mut program = program(Sense::Maximize);
    program.search.dichotomy = None;
    program.search.box_radius = Some(1);
    for boxed in [proved([3.0, 1.0]), outcome(StopReason::Infeasible, None, None)] {
        let script = vec![proved([3.5, 2.2]), boxed, proved([3.0, 2.0])];
        let (outcome, calls) = prove(&program, &StageOptions::default(), script);
        assert_eq!(solves(&calls), "relaxation search search");
        assert_eq!((outcome.stop, outcome.value), (StopReason::Proved, Some(5.0)));
    }
}

#[test]
fn a_start_is_never_lost() {
    let options = StageOptions { start: Some(vec![5.0, 5.0]), ..StageOptions::default() };
    let script = vec![proved([6.5, 4.0]), proved([7.0, 3.2]), proved([6.0, 4.1]), proved([7.0, 2.0])];
    let (outcome, _) = prove(&program(Sense::Maximize), &options, script);
    assert_eq!((outcome.stop, outcome.columns), (StopReason::Proved, Some(vec![5.0, 5.0])));

    let script = vec![outcome_of_failure(), outcome_of_failure()];
    let (outcome, _) = prove(&program(Sense::Maximize), &options, script);
    assert_eq!((outcome.value, outcome.bound), (Some(10.0), None));
    assert_eq!(outcome.stop, StopReason::SolverError("broken".to_owned()));
}

/// Relaxations promise ten and nine, and the solver stops at five: nothing is left to be searched.
#[test]
fn what_meets_a_bound_that_is_known_is_proved() {
    let options = StageOptions { bound: Some(5.0), ..StageOptions::default() };
    let met = outcome(StopReason::GapLimit, Some([3.0, 2.0]), Some(8.0));
    let script = vec![proved([6.5, 4.0]), proved([7.0, 3.2]), proved([6.0, 3.1]), met];
    let (outcome, calls) = prove(&program(Sense::Maximize), &options, script);
    assert_eq!(solves(&calls), "relaxation relaxation relaxation search");
    assert_eq!((outcome.stop, outcome.value, outcome.bound), (StopReason::Proved, Some(5.0), Some(5.0)));
}

#[test]
fn a_bound_that_is_known_proves_nothing_worse_and_is_never_lost() {
    let options = StageOptions { bound: Some(6.0), ..StageOptions::default() };
    let late = || outcome(StopReason::TimeLimit, Some([3.0, 2.0]), Some(8.0));
    let script = vec![proved([6.5, 4.0]), proved([7.0, 3.2]), proved([6.0, 3.1]), late()];
    let (searched, _) = prove(&program(Sense::Maximize), &options, script);
    assert_eq!(
        (searched.stop, searched.value, searched.bound),
        (StopReason::TimeLimit, Some(5.0), Some(6.0))
    );
    let (without, _) =
        prove(&program(Sense::Maximize), &options, vec![outcome(StopReason::TimeLimit, None, None)]);
    assert_eq!((without.value, without.bound), (None, Some(6.0)));
    // A value that the objective cannot take ends the search.
    let script = vec![proved([6.5, 4.0]), proved([7.0, 3.2]), proved([6.0, 3.1]), proved([3.0, 2.5])];
    let (failed, _) = prove(&program(Sense::Maximize), &options, script);
    assert!(matches!(failed.stop, StopReason::SolverError(_)), "{failed:?}");
    assert_eq!((failed.value, failed.bound), (None, Some(6.0)));
}

fn outcome_of_failure() -> Outcome {
    outcome(StopReason::SolverError("broken".to_owned()), None, None)
}

#[test]
fn an_infeasible_program_with_a_feasible_point_is_an_error() {
    let options = StageOptions { start: Some(vec![5.0, 5.0]), ..StageOptions::default() };
    let script = vec![outcome(StopReason::Infeasible, None, None)];
    let (outcome, _) = prove(&program(Sense::Maximize), &options, script);
    assert!(matches!(outcome.stop, StopReason::SolverError(_)), "{outcome:?}");
    assert_eq!(outcome.value, Some(10.0));
}

#[test]
fn a_failed_relaxation_is_made_up_for_by_the_search() {
    let script = vec![outcome_of_failure(), proved([3.0, 2.0])];
    let (outcome, _) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!((outcome.stop, outcome.value), (StopReason::Proved, Some(5.0)));
}

#[test]
fn an_unbounded_relaxation_decides_unless_there_is_no_point() {
    let unbounded = || outcome(StopReason::Unbounded, None, None);
    let script = vec![unbounded(), proved([0.0, 0.0])];
    let (outcome_with_point, calls) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!(outcome_with_point.stop, StopReason::Unbounded);
    assert_eq!(calls[2], Call::Objective("feasibility".to_owned()));
    assert_eq!(calls[4], Call::Objective("value".to_owned()));
    let script = vec![unbounded(), outcome(StopReason::Infeasible, None, None)];
    let (without, _) = prove(&program(Sense::Maximize), &StageOptions::default(), script);
    assert_eq!(without.stop, StopReason::Infeasible);
}

#[test]
fn an_allowed_gap_closes_sides() {
    let options = StageOptions { relative_gap: 0.5, start: Some(vec![4.0, 1.0]), ..StageOptions::default() };
    let script = vec![proved([4.5, 2.2])];
    let (outcome, calls) = prove(&program(Sense::Maximize), &options, script);
    assert_eq!(solves(&calls), "relaxation");
    assert_eq!((outcome.stop, outcome.value, outcome.bound), (StopReason::GapLimit, Some(5.0), Some(6.0)));
}

#[test]
fn a_guide_does_not_replace_a_better_start() {
    let mut builder = ProgramBuilder::new("guided");
    let x = builder.column("x", variable().integer().min(0).max(9));
    let y = builder.column("y", variable().integer().min(0).max(9));
    builder.stage("first", Sense::Maximize, 1 * x, Some(1.0));
    builder.stage("second", Sense::Maximize, 1 * y, Some(1.0));
    builder.guide(Sense::Maximize, 2 * x + y, Some(1.0));
    let program = builder.build();
    for (guided, kept) in [([3.0, 9.0], [4.0, 1.0]), ([4.0, 3.0], [4.0, 3.0]), ([5.0, 0.0], [5.0, 0.0])] {
        // The guide's relaxation is its optimum; the first stage gets no answer at all.
        let fake = Fake::new([proved(guided), outcome(StopReason::TimeLimit, None, None)]);
        let options = Options { start: Some(vec![4.0, 1.0]), ..Options::default() };
        let staged = solve_stages(&fake, &program, &options, &Control::silent());
        assert_eq!((staged.stop, staged.columns), (StopReason::TimeLimit, Some(Vec::from(kept))));
    }
}

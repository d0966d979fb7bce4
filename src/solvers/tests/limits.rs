//! What every registered solver must do when it is stopped early.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::solvers;
use good_lp::{Expression, constraint, variable};
use milp::{Program, ProgramBuilder, Sense, StopReason};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::{Control, Options, Progress, Solver, relative_gap, solve_stages};

fn on_every_solver(body: impl Fn(&dyn Solver)) {
    for solver in solvers() {
        eprintln!("solver: {} {}", solver.name(), solver.version());
        body(*solver);
    }
}

/// A market split: divide customers so that every product is split as evenly as possible. The relaxation splits all of them
/// exactly, whereas hardly any integer point does, so that branch and bound proves next to nothing for a long time.
fn market_split(products: usize) -> Program {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut builder = ProgramBuilder::new("market split");
    let customers: Vec<_> = (0..10 * (products - 1))
        .map(|customer| builder.column(format!("x[{customer}]"), variable().binary()))
        .collect();
    let mut unevenness = Expression::from(0.0);
    for product in 0..products {
        let over = builder.column(format!("over[{product}]"), variable().integer().min(0));
        let under = builder.column(format!("under[{product}]"), variable().integer().min(0));
        let demands: Vec<i32> = customers.iter().map(|_| random.random_range(0..100)).collect();
        let half = demands.iter().sum::<i32>() / 2;
        let sold: Expression = customers.iter().zip(&demands).map(|(x, demand)| *demand * *x).sum();
        builder.row(format!("split[{product}]"), constraint!(sold - over + under == half));
        unevenness += over + under;
    }
    builder.stage("unevenness", Sense::Minimize, unevenness, Some(1.0));
    builder.stage("customers", Sense::Maximize, customers.iter().sum::<Expression>(), Some(1.0));
    builder.build()
}

/// Gives everything to the competitor.
fn start_of(program: &Program) -> Vec<f64> {
    let mut start = vec![0.0; program.columns.len()];
    for row in &program.rows {
        let (under, _) = row.terms[row.terms.len() - 1];
        start[under] = row.upper;
    }
    assert_eq!(program.violations(&start, 1e-9), vec![]);
    start
}

/// HiGHS stops at once, which other solvers need not.
#[test]
fn a_search_ends_where_it_meets_a_bound_that_is_known() {
    let highs = solvers()[0];
    assert_eq!(highs.name(), "highs");
    let mut program = market_split(4);
    program.stages.truncate(1);
    let few = Options { node_limit: Some(300), ..Options::default() };
    let searched = solve_stages(highs, &program, &few, &Control::silent());
    assert_eq!(searched.stop, StopReason::NodeLimit);
    let met = searched.stages[0].value;
    let known = Options { bound: met, time_limit: Some(Duration::from_secs(60)), ..Options::default() };
    let ended = solve_stages(highs, &program, &known, &Control::silent());
    assert_eq!((ended.stop, ended.stages[0].bound), (StopReason::Proved, met));
    assert!(ended.work.nodes <= searched.work.nodes, "{} nodes", ended.work.nodes);
}

#[test]
fn no_time_is_no_answer_and_no_sentinel() {
    on_every_solver(|solver| {
        let options = Options { time_limit: Some(Duration::ZERO), ..Options::default() };
        let staged = solve_stages(solver, &market_split(4), &options, &Control::silent());
        assert_eq!(staged.stop, StopReason::TimeLimit);
        assert_eq!(staged.columns, None);
        for stage in &staged.stages {
            assert_eq!((stage.value, stage.bound, stage.proved), (None, None, false));
        }
    });
}

#[test]
fn a_start_is_kept_even_without_time() {
    on_every_solver(|solver| {
        let program = market_split(4);
        let start = start_of(&program);
        let options =
            Options { time_limit: Some(Duration::ZERO), start: Some(start.clone()), ..Options::default() };
        let staged = solve_stages(solver, &program, &options, &Control::silent());
        assert_eq!(staged.stop, StopReason::TimeLimit);
        assert_eq!(staged.stages[0].value, Some(program.stages[0].evaluate(&start)));
        assert_eq!(staged.stages[1].value, Some(0.0));
        assert!(staged.stages.iter().all(|stage| stage.bound.is_none() && !stage.proved));
        assert_eq!(staged.columns, Some(start));
    });
}

#[test]
fn a_start_that_breaks_the_program_is_no_incumbent() {
    on_every_solver(|solver| {
        let program = market_split(4);
        let options = Options {
            time_limit: Some(Duration::ZERO),
            start: Some(vec![0.0; program.columns.len()]),
            ..Options::default()
        };
        assert_eq!(solve_stages(solver, &program, &options, &Control::silent()).columns, None);
    });
}

#[test]
fn the_time_limit_leaves_an_incumbent_and_a_bound() {
    on_every_solver(|solver| {
        let program = market_split(6);
        let options = Options { time_limit: Some(Duration::from_secs(1)), ..Options::default() };
        let staged = solve_stages(solver, &program, &options, &Control::silent());
        assert_eq!(staged.stop, StopReason::TimeLimit);
        let (value, bound) = (staged.stages[0].value.unwrap(), staged.stages[0].bound.unwrap());
        assert!(0.0 <= bound && bound < value, "{bound} {value}");
        assert_eq!(program.violations(&staged.columns.unwrap(), 1e-6), vec![]);
        assert!(!staged.stages[0].proved);
        assert_eq!(staged.stages[1].bound, None);
        assert!(staged.seconds < 60.0, "{} seconds", staged.seconds);
    });
}

#[test]
fn an_interruption_before_the_search_ends_it() {
    on_every_solver(|solver| {
        let control = Control::new(Arc::new(AtomicBool::new(true)), None);
        let staged = solve_stages(solver, &market_split(4), &Options::default(), &control);
        assert_eq!(staged.stop, StopReason::Interrupted);
    });
}

#[test]
fn an_interruption_some_time_after_the_start_ends_the_search_soon() {
    on_every_solver(|solver| {
        let flag = Arc::new(AtomicBool::new(false));
        let control = Control::new(Arc::clone(&flag), None);
        let interrupted_at = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            flag.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let staged = solve_stages(solver, &market_split(6), &Options::default(), &control);
        let interrupted_at = interrupted_at.join().unwrap();
        assert!(interrupted_at.elapsed() < Duration::from_secs(10), "{:?}", interrupted_at.elapsed());
        assert_eq!(staged.stop, StopReason::Interrupted);
        assert!(!staged.stages[0].proved);
    });
}

/// CBC reports no progress.
#[test]
fn an_interruption_during_the_search_ends_it_soon() {
    let reporting = solvers().iter().filter(|solver| solver.name() != "cbc");
    for solver in reporting {
        let flag = Arc::new(AtomicBool::new(false));
        let reports = Arc::new(AtomicUsize::new(0));
        let interrupted_at = Arc::new(Mutex::new(None));
        let observer = {
            let (flag, reports, interrupted_at) =
                (Arc::clone(&flag), Arc::clone(&reports), Arc::clone(&interrupted_at));
            move |progress: &Progress| {
                assert_eq!(progress.stage, "unevenness");
                // The search itself is running from the first report with an incumbent on.
                if progress.incumbent.is_some() && reports.fetch_add(1, Ordering::Relaxed) == 2 {
                    *interrupted_at.lock().unwrap() = Some(Instant::now());
                    flag.store(true, Ordering::Relaxed);
                }
            }
        };
        let control = Control::new(flag, Some(Box::new(observer)));
        let staged = solve_stages(*solver, &market_split(6), &Options::default(), &control);
        let interrupted_at = interrupted_at.lock().unwrap().expect("the search is long enough");
        assert!(interrupted_at.elapsed() < Duration::from_secs(10), "{:?}", interrupted_at.elapsed());
        eprintln!("stopped {:?} after the interruption", interrupted_at.elapsed());
        assert_eq!(staged.stop, StopReason::Interrupted);
        assert!(staged.stages[0].bound.unwrap() < staged.stages[0].value.unwrap());
    }
}

#[test]
fn an_allowed_gap_ends_the_search_early() {
    on_every_solver(|solver| {
        // A knapsack whose relaxation is close to, but not at, the optimum.
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut builder = ProgramBuilder::new("knapsack");
        let items: Vec<_> =
            (0..60).map(|item| builder.column(format!("x[{item}]"), variable().binary())).collect();
        for resource in 0..5 {
            let weight: Expression = items.iter().map(|x| random.random_range(100..1000) * *x).sum();
            builder.row(format!("capacity[{resource}]"), constraint!(weight <= 9_000));
        }
        let value: Expression = items.iter().map(|x| random.random_range(100..1000) * *x).sum();
        builder.stage("value", Sense::Maximize, value, Some(1.0));
        let program = builder.build();

        let options = Options { relative_gap: 0.2, ..Options::default() };
        let staged = solve_stages(solver, &program, &options, &Control::silent());
        let stage = &staged.stages[0];
        let (value, bound) = (stage.value.unwrap(), stage.bound.unwrap());
        assert!(relative_gap(value, bound) <= 0.2);
        assert!(value <= bound);
        assert!(!stage.proved, "the test needs a program that is not solved at once: {stage:?}");
        assert_eq!(staged.stop, StopReason::GapLimit);
    });
}

//! Intervals with so many machines that stage migrations is left to prices of machines.

use kit::{Formulation, SolveOptions, Status};
use models::InstanceFile;
use siavashi::{
    COMPACT, COMPACT_BY_PROGRAMS, GeneratorOptions, Mix, Problem, Residents, Solved, Staged, verify,
};
use solver::{Control, Effort, Solver, solvers};
use std::time::Duration;
use support::instances::{posed, written};

fn interval(mix: Mix, workloads: u32, load: f64, setting: Residents, gpus_per_machine: u32) -> Problem {
    let options = GeneratorOptions {
        workloads,
        load,
        mix,
        gpus_per_machine,
        setting,
        seed: 3,
        ..GeneratorOptions::default()
    };
    let file = InstanceFile::of::<siavashi::Siavashi>(siavashi::generate(&options));
    posed::<siavashi::Siavashi>(&written(&file))
}

fn solve(problem: &Problem, formulation: &Staged, options: &SolveOptions) -> Solved {
    formulation.solve(problem, None, options, &Control::silent()).unwrap()
}

fn exact(solver: &'static dyn Solver) -> SolveOptions {
    SolveOptions::exact(solver)
}

/// Values and bounds of all stages, checked against the verifier.
fn stages(problem: &Problem, solved: &Solved) -> Vec<String> {
    assert_eq!(solved.status, Status::Optimal, "{:?}", solved.stages);
    let (placement, score) = solved.best.as_ref().unwrap();
    let verdict = verify(problem, placement);
    assert_eq!((verdict.violations, &verdict.score), (Vec::new(), score));
    solved.stages.iter().map(|stage| format!("{} {:?} {:?}", stage.name, stage.value, stage.bound)).collect()
}

#[test]
fn prices_and_programs_agree_on_whole_intervals() {
    let drawn = [
        (Mix::Trace, 30, 1.0, Residents::Evictable, 2),
        (Mix::Trace, 30, 0.8, Residents::Keep, 2),
        (Mix::Uniform, 30, 0.6, Residents::Keep, 2),
        (Mix::Light, 40, 0.6, Residents::Evictable, 2),
    ];
    for (mix, workloads, load, setting, gpus) in drawn {
        let problem = interval(mix, workloads, load, setting, gpus);
        let by_programs = stages(&problem, &solve(&problem, &COMPACT_BY_PROGRAMS, &exact(solvers()[0])));
        for &solver in solvers() {
            let solved = solve(&problem, &COMPACT, &exact(solver));
            assert_eq!(stages(&problem, &solved), by_programs, "{}", solver.name());
            assert!(
                solved.notes.iter().any(|note| note.starts_with("migrations by prices")),
                "{:?}",
                solved.notes
            );
        }
    }
}

#[test]
fn an_interval_with_many_machines_is_left_to_prices_with_the_same_work_every_time() {
    let problem = interval(Mix::Trace, 60, 0.6, Residents::Evictable, 4);
    let told = || solve(&problem, &COMPACT, &exact(solvers()[0])).notes;
    let first = told();
    assert!(first.iter().any(|note| note.starts_with("migrations by prices")), "{first:?}");
    assert_eq!(first, told());
}

#[test]
fn small_intervals_are_left_to_the_programs() {
    let problem = interval(Mix::Trace, 20, 1.2, Residents::Evictable, 4);
    assert_eq!(solve(&problem, &COMPACT, &exact(solvers()[0])).notes, Vec::<String>::new());
}

/// A limit keeps a bound that is none too high and a placement that is none too good.
#[test]
fn a_limit_keeps_bound_and_placement() {
    let problem = interval(Mix::Trace, 60, 0.6, Residents::Evictable, 4);
    let optimum = solve(&problem, &COMPACT, &exact(solvers()[0]));
    let optimum = optimum.stages[2].value.unwrap();
    for milliseconds in [1, 30, 100, 300] {
        let limit = Some(Duration::from_millis(milliseconds));
        let effort = Effort::exact(solvers()[0]).within(limit);
        let solved = solve(&problem, &COMPACT, &SolveOptions::new(effort));
        let stage = &solved.stages[2];
        let is_reached = solved.stages[..2].iter().all(|stage| stage.value == stage.bound);
        assert!(stage.bound.is_none_or(|bound| bound <= optimum), "{stage:?}");
        assert!(!is_reached || stage.value.is_none_or(|value| value >= optimum), "{stage:?}");
    }
}

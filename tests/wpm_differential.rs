//! Random small instances: every formulation, every solver and trying all placements agree.

mod common;

use common::{Case, brute_force, cases, problem, worth};
use migopt::cluster::Amount;
use migopt::model::wpm::heuristic::HEURISTICS;
use migopt::model::wpm::{self, FORMULATIONS, Formulation, Problem, Reading, Solved, proposal, verify};
use migopt::model::{SolveOptions, Status};
use migopt::solver::{Control, Solver, solvers};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Placements that brute force may try per instance.
const MOST_TRIALS: u64 = 40_000;

fn options(formulation: &str, solver: &'static dyn Solver) -> SolveOptions {
    SolveOptions {
        formulation: FORMULATIONS.iter().find(|entry| entry.name == formulation),
        ..SolveOptions::exact(solver)
    }
}

fn solve(problem: &Problem, formulation: &str, solver: &'static dyn Solver) -> Solved {
    let solved = wpm::solve(problem, &options(formulation, solver), &Control::silent());
    let solved = solved.unwrap_or_else(|error| panic!("{formulation} with {}: {error}", solver.name()));
    assert_eq!(solved.status, Status::Optimal, "{formulation} with {}", solver.name());
    solved
}

fn optimum(problem: &Problem, formulation: &str, solver: &'static dyn Solver) -> Vec<Amount> {
    let (_, score) = solve(problem, formulation, solver).best.expect("an optimum comes with a solution");
    worth(problem, &score)
}

/// The optimum's columns, whichever program it came from, satisfy each program that knows the reading, at the same worth.
fn check_encoding(problem: &Problem, formulation: &dyn Formulation, solved: &Solved, must: bool) {
    let (solution, score) = solved.best.as_ref().expect("an optimum comes with a solution");
    let program = formulation.program();
    let Some(columns) = formulation.encode(solution) else {
        assert!(!must, "{} cannot express its own optimum", program.name);
        return;
    };
    assert_eq!(program.violations(&columns, 1e-6), [], "{}", program.name);
    let stages = formulation.plan().stages();
    for (goal, stage) in stages.iter().zip(&program.stages) {
        let unit = formulation.plan().unit(goal.unwrap_or(wpm::Goal::Reward));
        let expected = goal.map_or(score.profit, |goal| score.goal(goal));
        assert_eq!(
            unit * stage.evaluate(&columns).round() as i128,
            expected,
            "{} {}",
            program.name,
            stage.name
        );
    }
    let decoded = formulation.decode(&columns);
    let verdict = verify(problem, &decoded);
    assert_eq!(verdict.violations, []);
    assert_eq!(worth(problem, &verdict.score), worth(problem, score));
}

fn check_case(case: &Case) {
    let yaml = case.yaml();
    let problem = problem(&yaml);
    let highs = solvers()[0];
    let compact = solve(&problem, "compact", highs);
    let best = worth(&problem, &compact.best.as_ref().unwrap().1);
    for solver in solvers() {
        for formulation in ["compact", "printed"] {
            assert_eq!(
                optimum(&problem, formulation, *solver),
                best,
                "{formulation} with {}\n{yaml}",
                solver.name()
            );
        }
    }
    let exact = solve(&problem, "exact-index", highs);
    let exact_best = worth(&problem, &exact.best.as_ref().unwrap().1);
    for solver in &solvers()[1..] {
        assert_eq!(
            optimum(&problem, "exact-index", *solver),
            exact_best,
            "exact-index with {}\n{yaml}",
            solver.name()
        );
    }
    if let Some(truth) = brute_force(&problem, Reading::Printed, MOST_TRIALS) {
        assert_eq!(best, truth, "printed reading by trying all\n{yaml}");
    }
    if let Some(truth) = brute_force(&problem, Reading::ExactIndex, MOST_TRIALS) {
        assert_eq!(exact_best, truth, "exact-index reading by trying all\n{yaml}");
    }
    for (name, solved, must) in
        [("compact", &compact, true), ("printed", &compact, false), ("exact-index", &exact, true)]
    {
        let formulation = wpm::build(&problem, name).expect("catalogue boards");
        check_encoding(&problem, formulation.as_ref(), solved, must);
    }
    for heuristic in HEURISTICS {
        for (reading, optimum) in [(Reading::Printed, &best), (Reading::ExactIndex, &exact_best)] {
            let solution = proposal(&problem, *heuristic, reading);
            let verdict = verify(&problem, &solution);
            assert_eq!(verdict.violations, [], "{}\n{yaml}", heuristic.name());
            assert!(
                worth(&problem, &verdict.score) <= *optimum,
                "{} beats the optimum\n{yaml}",
                heuristic.name()
            );
            assert_eq!(
                solution,
                proposal(&problem, *heuristic, reading),
                "{} is deterministic",
                heuristic.name()
            );
        }
    }
}

/// So many cases, the same in every run; or as many as the environment asks for, others in every run.
fn config(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    Config { cases: asked.unwrap_or(cases), failure_persistence: None, rng_seed, ..Config::default() }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn all_formulations_solvers_and_brute_force_agree(case in cases()) {
        check_case(&case);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn names_and_order_change_nothing_but_names(case in cases(), shuffle in any::<prop::sample::Index>()) {
        let highs = solvers()[0];
        let count = case.wishes.len();
        let first = problem(&case.yaml());
        let shift = shuffle.index(count);
        let order: Vec<usize> = (0..count).rev().map(|number| (number + shift) % count).collect();
        let names = |kind: &str, number: usize| format!("{}-{kind}", 'z' as usize - number);
        let second = problem(&case.yaml_with(&names, &order));
        for formulation in ["compact", "exact-index"] {
            prop_assert_eq!(optimum(&first, formulation, highs), optimum(&second, formulation, highs));
        }
    }
}

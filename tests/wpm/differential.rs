//! Random small instances: every formulation, every solver and trying all placements agree.

use crate::small::{brute_force, problem, samples, worth};
use ground::Amount;
use itertools::Itertools;
use kit::Formulation as _;
use kit::{SenseName, SolveOptions, Status};
use migopt::testing::strategies::Sample;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use solver::{Control, Solver};
use solvers::solvers;
use support::in_other_words::in_other_words;
use wpm::HEURISTICS;
use wpm::{Encoding, Goal, Objective, Problem, Reading, Solution, Solved, Violation, verify};

/// Placements that brute force may try per instance.
const MOST_TRIALS: u64 = 40_000;

pub fn solve(problem: &Problem, formulation: &str, solver: &'static dyn Solver) -> Solved {
    let options = SolveOptions::exact(solver);
    let solved = crate::formulation(formulation).solve(problem, None, &options, &Control::silent());
    let solved = solved.unwrap_or_else(|error| panic!("{formulation} with {}: {error}", solver.name()));
    let expected = if solved.best.is_some() { Status::Optimal } else { Status::Infeasible };
    assert_eq!(solved.status, expected, "{formulation} with {}", solver.name());
    solved
}

/// What the best solution is worth; `None` where no solution obeys all rules.
pub fn best(problem: &Problem, solved: &Solved) -> Option<Vec<Amount>> {
    solved.best.as_ref().map(|(_, score)| worth(problem, score))
}

fn optimum(problem: &Problem, formulation: &str, solver: &'static dyn Solver) -> Option<Vec<Amount>> {
    best(problem, &solve(problem, formulation, solver))
}

/// The optimum's columns, whichever program it came from, satisfy each program that knows the reading, at the same worth.
pub fn check_encoding(problem: &Problem, formulation: &dyn Encoding, solved: &Solved, must: bool) {
    let Some((solution, score)) = &solved.best else { return };
    let program = formulation.program();
    let Some(columns) = formulation.encode(solution) else {
        assert!(!must, "{} cannot express its own optimum", program.name);
        return;
    };
    assert_eq!(program.violations(&columns, 1e-6), [], "{}", program.name);
    let pending = usize::from(formulation.plan().begins_with_pending());
    for stage in &program.stages[..pending] {
        assert_eq!(stage.evaluate(&columns), 0.0, "{}: all are placed", program.name);
    }
    let stages = formulation.plan().stages();
    for (goal, stage) in stages.iter().zip(&program.stages[pending..]) {
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

fn check_sample(sample: &Sample) {
    let problem = problem(sample);
    // The printed program does not know every geometry.
    let printed = crate::formulation("printed").build(&problem).map(|_| "printed");
    assert!(printed.is_ok() || !sample.file.boards.is_empty(), "{sample:?}");
    let readings: [(Reading, Vec<&str>); 2] = [
        (Reading::Printed, std::iter::once("compact").chain(printed.ok()).collect()),
        (Reading::ExactIndex, vec!["exact-index"]),
    ];
    for (reading, formulations) in readings {
        let first = solve(&problem, formulations[0], solvers()[0]);
        let best = best(&problem, &first);
        for solver in solvers() {
            for formulation in &formulations {
                let found = optimum(&problem, formulation, *solver);
                assert_eq!(found, best, "{formulation} with {}{sample:?}", solver.name());
            }
        }
        if let Ok(truth) = brute_force(&problem, reading, MOST_TRIALS) {
            assert_eq!(best, truth.best, "{reading:?} by trying all{sample:?}");
        }
        for (number, name) in formulations.into_iter().enumerate() {
            let formulation = crate::formulation(name).build(&problem).expect("it was built before");
            check_encoding(&problem, formulation.as_ref(), &first, number == 0);
        }
        check_heuristics(&problem, reading, best.as_ref(), sample);
    }
}

/// Heuristics break no rule but the one that all must be placed, and never beat the optimum.
fn check_heuristics(problem: &Problem, reading: Reading, best: Option<&Vec<Amount>>, sample: &Sample) {
    for heuristic in HEURISTICS {
        let name = heuristic.name();
        let solution = Solution::from_placement(problem, reading, heuristic.propose(problem, 0));
        let verdict = verify(problem, &solution);
        let is_pending = |violation: &Violation| matches!(violation, Violation::Pending { .. });
        assert!(verdict.violations.iter().all(is_pending), "{name}: {:?}{sample:?}", verdict.violations);
        if verdict.violations.is_empty() {
            assert!(Some(&worth(problem, &verdict.score)) <= best, "{name} beats the optimum{sample:?}");
        }
        assert_eq!(
            solution,
            Solution::from_placement(problem, reading, heuristic.propose(problem, 0)),
            "{name} is deterministic"
        );
    }
}

/// Every pair of goals: the frontier of each formulation is that of all placements.
fn check_frontiers(sample: &Sample) {
    let problem = problem(sample);
    let printed = crate::formulation("printed").build(&problem).map(|_| "printed");
    let formulations = [
        (Reading::Printed, Ok("compact")),
        (Reading::Printed, printed),
        (Reading::ExactIndex, Ok("exact-index")),
    ];
    for (first, second) in
        (0..Goal::ALL.len()).tuple_combinations().flat_map(|(one, two)| [(one, two), (two, one)])
    {
        let pair = [first, second].map(|goal| Goal::ALL[goal]);
        let place_all = problem.place_all || !pair.contains(&Goal::Reward);
        let asked =
            Problem { place_all, objective: Objective::Lexicographic(pair.to_vec()), ..problem.clone() };
        for (reading, formulation) in &formulations {
            let (Ok(formulation), Ok(truth)) = (formulation, brute_force(&asked, *reading, MOST_TRIALS))
            else {
                continue;
            };
            let goals = pair.map(Goal::name).join(",");
            let options = SolveOptions::exact(solvers()[0]);
            let found =
                crate::formulation(formulation).frontier(&problem, &goals, &options, &Control::silent());
            let found = found.unwrap_or_else(|error| panic!("{formulation} {goals}: {error}{sample:?}"));
            let expected = if truth.attainable.is_empty() { Status::Infeasible } else { Status::Optimal };
            assert_eq!(found.status, expected, "{formulation} {goals}{sample:?}");
            assert_eq!(found.reason.is_some(), expected == Status::Infeasible);
            let values: Vec<[Amount; 2]> = found.points.iter().map(|point| point.values).collect();
            let attainable = truth.attainable.iter().map(|values| [values[first], values[second]]).collect();
            assert_eq!(values, non_dominated(pair, attainable), "{formulation} {goals}{sample:?}");
            for point in &found.points {
                let verdict = verify(&asked, &point.solution);
                assert_eq!(verdict.violations, [], "{formulation} {goals}");
                assert_eq!(pair.map(|goal| verdict.score.goal(goal)), point.values, "{formulation} {goals}");
            }
        }
    }
}

/// The values that no other values are as good as in one goal and better in the other, from the best of the first goal on.
fn non_dominated(pair: [Goal; 2], mut values: Vec<[Amount; 2]>) -> Vec<[Amount; 2]> {
    let better = |goal: usize, one: &[Amount; 2], two: &[Amount; 2]| match pair[goal].sense() {
        SenseName::Maximize => two[goal].cmp(&one[goal]),
        SenseName::Minimize => one[goal].cmp(&two[goal]),
    };
    values.sort_by(|one, two| better(0, one, two).then(better(1, one, two)));
    let mut found: Vec<[Amount; 2]> = Vec::new();
    for value in values {
        if found.last().is_none_or(|last| better(1, &value, last).is_lt()) {
            found.push(value);
        }
    }
    found
}

/// So many cases, the same in every run; or as many as the environment asks for, others in every run.
pub fn config(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    Config { cases: asked.unwrap_or(cases), failure_persistence: None, rng_seed, ..Config::default() }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn all_formulations_solvers_and_brute_force_agree(sample in samples()) {
        check_sample(&sample);
    }
}

proptest! {
    #![proptest_config(config(80))]

    #[test]
    fn frontiers_are_those_of_all_placements(sample in samples()) {
        check_frontiers(&sample);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn names_and_order_change_nothing_but_names(sample in samples(), shift in 0..6usize) {
        let highs = solvers()[0];
        let other = Sample::of(in_other_words(&sample.file, shift));
        for formulation in ["compact", "exact-index"] {
            let optima = [&sample, &other].map(|sample| optimum(&problem(sample), formulation, highs));
            prop_assert_eq!(&optima[0], &optima[1]);
        }
    }
}

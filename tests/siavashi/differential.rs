//! Random small instances: every formulation, every solver and trying all placements agree.

use cluster::Placement;
use ground::Amount;
use kit::Formulation as _;
use kit::{SolveOptions, StageDocument, Status};
use migopt::testing::strategies::siavashi::Parameters;
use migopt::testing::strategies::{Sample, siavashi_with};
use milp::Program;
use models::model_of;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use siavashi::{
    COMPACT_BY_PRICES, COMPACT_BY_TIGHT_MACHINES, Encoding, FORMULATIONS, MigrationCosts, Problem, Residents,
    Score, Settings, Solved, StagePlan, Values, verify,
};
use solver::{Control, Solver};
use solvers::solvers;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use support::in_other_words::in_other_words;
use support::siavashi::trial::{Goals, Trial};
use support::siavashi::{GOALS, Objective, problem};

/// Pairs of workloads on GPUs up to which the printed program is solved; it has a binary column for each of them.
const MOST_PAIRS: usize = 30;
/// Seconds after which the proof of a printed program is given up.
const PATIENCE: Duration = Duration::from_secs(3);

pub fn options(formulation: &str, solver: &'static dyn Solver) -> SolveOptions {
    SolveOptions {
        formulation: FORMULATIONS.iter().map(|known| known.entry()).find(|entry| entry.name == formulation),
        ..SolveOptions::exact(solver)
    }
}

pub fn solve(problem: &Problem, options: &SolveOptions, yaml: &str) -> Solved {
    let name = options.formulation.map_or("default", |entry| entry.name);
    let formulation =
        options.formulation.map_or(siavashi::suitable(problem), |entry| crate::formulation(entry.name));
    formulation
        .solve(problem, None, options, &Control::silent())
        .unwrap_or_else(|error| panic!("{name} with {}: {error}\n{yaml}", options.effort.solver.name()))
}

/// How a sample's file combines the goals.
pub fn objective(sample: &Sample) -> Objective {
    let settings = sample.file.siavashi.as_ref().expect("strategies write the section");
    Objective::read(&settings.objective.to_string())
}

/// The sample with other settings.
fn with(sample: &Sample, change: impl FnOnce(&mut Settings)) -> Sample {
    let mut file = sample.file.clone();
    change(file.siavashi.as_mut().expect("strategies write the section"));
    Sample::of(file)
}

/// The sample with costs, one of several, at which another start on the same GPU is not free.
pub fn where_starts_cost(sample: &Sample, number: u64) -> Sample {
    let costs = [["2", "1", "1", "2"], ["3", "2", "2", "0"], ["5", "1", "0.5", "9"], ["4", "4", "1", "3"]];
    let [move_machine, move_gpu, move_start, evict] =
        costs[(number % 4) as usize].map(|cost| cost.parse().expect("an amount"));
    let costs = MigrationCosts { move_machine, move_gpu, move_start, evict };
    with(sample, |settings| settings.migration_costs = costs)
}

pub fn goals(score: &Score) -> Goals {
    score.values().map(Amount::millionths)
}

/// The best that any of the placements is worth.
pub fn best(objective: &Objective, attainable: &BTreeSet<Goals>) -> Vec<i128> {
    attainable.iter().map(|goals| objective.worth(goals)).max().expect("the current state is legal")
}

/// What the weighted sum of a problem makes of the values of its goals.
fn weighted(problem: &Problem, values: Values) -> Amount {
    problem.weighted_sum().expect("a weighted objective has a sum").of(values)
}

/// What the stages of an answer must say: name and value.
pub fn expected_stages(objective: &Objective, problem: &Problem, score: &Score) -> Vec<(String, i128)> {
    match objective {
        Objective::Order(order) => {
            order.iter().map(|&goal| (GOALS[goal].to_owned(), goals(score)[goal])).collect()
        }
        // With weights left out, the answer's own say what it is worth.
        Objective::Weighted(None) => {
            vec![("weighted".to_owned(), weighted(problem, score.values()).millionths())]
        }
        // The weights are in millionths, too.
        Objective::Weighted(Some(_)) => {
            vec![("weighted".to_owned(), objective.worth(&goals(score))[0] / 1_000_000)]
        }
    }
}

fn check_proved(objective: &Objective, problem: &Problem, solved: &Solved, truth: &[i128], yaml: &str) {
    let formulation = solved.formulation;
    assert_eq!((solved.status, solved.gap), (Status::Optimal, Some(0.0)), "{formulation}\n{yaml}");
    let (placement, score) = solved.best.as_ref().expect("an optimum comes with a placement");
    let verdict = verify(problem, placement);
    assert_eq!((verdict.violations, &verdict.score), (Vec::new(), score), "{formulation}\n{yaml}");
    let counted = Trial::new(problem, problem.residents).goals_of(placement);
    assert_eq!(counted, Some(goals(score)), "{formulation}: the verifier counts otherwise\n{yaml}");
    assert_eq!(objective.worth(&goals(score)), truth, "{formulation} by trying all\n{yaml}");
    let said = |stage: &StageDocument| (stage.name.clone(), stage.value.expect("a value").millionths());
    let said: Vec<(String, i128)> = solved.stages.iter().map(said).collect();
    assert_eq!(said, expected_stages(objective, problem, score), "{formulation}\n{yaml}");
    for stage in &solved.stages {
        assert_eq!(stage.bound, stage.value, "{formulation} {}\n{yaml}", stage.name);
    }
}

/// A placement's columns satisfy the program and are worth what it is worth; so does the placement that they stand for.
pub fn check_columns(problem: &Problem, formulation: &dyn Encoding, placement: &Placement, yaml: &str) {
    let program = formulation.program();
    let columns = formulation.encode(placement);
    assert_eq!(program.violations(&columns, 1e-6), [], "{}\n{yaml}", program.name);
    let worth = verify(problem, placement).score;
    let plan = StagePlan::new(problem);
    let asked = plan.stages().iter().zip(&program.stages);
    for (goal, stage) in asked {
        let units = stage.evaluate(&columns);
        let expected = goal.map_or_else(|| weighted(problem, worth.values()), |goal| worth.goal(goal));
        let value = plan.unit_of_stage(&stage.name) * units.round() as i128;
        assert_eq!((value, units.fract()), (expected, 0.0), "{} {}\n{yaml}", program.name, stage.name);
    }
    let again = formulation.decode(&columns);
    let verdict = verify(problem, &again);
    assert_eq!(verdict.violations, [], "{}\n{yaml}", program.name);
    let [acceptance, hardware, migrations] = goals(&verdict.score);
    let least = goals(&worth);
    assert!(
        acceptance >= least[0] && hardware <= least[1] && migrations <= least[2],
        "{}: {placement:?} worth {least:?} becomes {again:?}\n{yaml}",
        program.name
    );
}

/// How many cases had what.
#[derive(Default)]
pub struct Tally(RefCell<BTreeMap<&'static str, u32>>);

impl Tally {
    pub fn count(&self, what: &'static str, is_there: bool) {
        *self.0.borrow_mut().entry(what).or_default() += u32::from(is_there);
    }

    /// Asserts that at least so many percent of some cases had something.
    pub fn at_least(&self, percent: u32, what: &str, of: &str) {
        let counts = self.0.borrow();
        let (some, all) = (counts[what], counts[of]);
        assert!(some * 100 >= all * percent, "{what}: {some} of {all} ({of}), of {counts:?}");
    }
}

/// What makes a case a hard one for the aggregated programs.
fn count_features(problem: &Problem, compact: &dyn Encoding, tally: &Tally) {
    let bins = compact.program();
    tally.count("patterns instead of facets", bins.column_families().contains_key("pattern"));
    tally.count("slots that are kept", bins.column_families().contains_key("keep"));
    tally.count("machines in order", bins.row_families().contains_key("order"));
    let machines = compact.preliminary();
    let is_ordered = |program: &Program| program.row_families().contains_key("order");
    let lifted = machines.as_ref().is_some_and(|machines| is_ordered(machines.program));
    let residents = problem.cluster.workloads.iter().any(|workload| workload.current.is_some());
    tally.count("counts by machine", machines.is_some());
    tally.count("machines with residents exchanged", lifted && residents);
    let pinned = problem.cluster.workload_indices().any(|workload| problem.is_pinned(workload));
    tally.count("pinned", pinned);
}

/// Prices of machines prove the same, wherever they can prove something; so they do where machines that are short of cores or memory
/// are told apart and no others.
fn check_prices(problem: &Problem, objective: &Objective, truth: &[i128], yaml: &str, tally: &Tally) {
    let solved = COMPACT_BY_TIGHT_MACHINES
        .solve(problem, None, &SolveOptions::exact(solvers()[0]), &Control::silent())
        .unwrap_or_else(|error| panic!("tight machines: {error}\n{yaml}"));
    check_proved(objective, problem, &solved, truth, yaml);
    let is_priced = |stage: &str| solved.notes.iter().any(|note| note.starts_with(stage));
    tally.count("migrations by tight machines", is_priced("migrations by prices"));
    tally.count("weighted sum by tight machines", is_priced("weighted by prices"));
    for &solver in solvers() {
        let solved = COMPACT_BY_PRICES
            .solve(problem, None, &SolveOptions::exact(solver), &Control::silent())
            .unwrap_or_else(|error| panic!("prices with {}: {error}\n{yaml}", solver.name()));
        check_proved(objective, problem, &solved, truth, yaml);
        let is_priced =
            |stage: &str| solved.notes.iter().any(|note| note.starts_with(&format!("{stage} by prices")));
        tally.count("acceptance by prices", is_priced("acceptance"));
        tally.count("hardware by prices", is_priced("hardware"));
        tally.count("migrations by prices", is_priced("migrations"));
        tally.count(
            "migrations by prices where starts cost",
            problem.starts_cost() && is_priced("migrations"),
        );
        tally.count("weighted sum by prices", is_priced("weighted"));
    }
}

fn check_sample(sample: &Sample, seed: u64, tally: &Tally) {
    let (yaml, objective) = (&sample.text, objective(sample));
    let problem = problem(yaml);
    let trial = Trial::new(&problem, problem.residents);
    let truth = best(&objective, &trial.attainable());
    tally.count("cases", true);
    tally.count("starts cost", problem.starts_cost());
    let compact =
        crate::formulation("compact").build(&problem).expect("it refuses limits of disruptions alone");
    count_features(&problem, compact.as_ref(), tally);
    let mut names = vec!["slots", "compact"];
    let mut optimum = None;
    for &solver in solvers() {
        for name in &names {
            let solved = solve(&problem, &options(name, solver), yaml);
            check_proved(&objective, &problem, &solved, &truth, yaml);
            optimum = solved.best.map(|(placement, _)| placement);
        }
    }
    check_prices(&problem, &objective, &truth, yaml, tally);
    match crate::formulation("printed").build(&problem) {
        Err(error) => assert_ne!(problem.costs, MigrationCosts::default(), "{error}\n{yaml}"),
        Ok(printed) => {
            names.push("printed");
            let pairs = printed.program().column_families().get("alpha").copied().unwrap_or_default();
            let exact = options("printed", solvers()[0]);
            let patience = SolveOptions { effort: exact.effort.within(Some(PATIENCE)), ..exact };
            let solved = (pairs <= MOST_PAIRS).then(|| solve(&problem, &patience, yaml));
            let proved = solved.filter(|solved| solved.status == Status::Optimal);
            tally.count("the paper's costs", true);
            tally.count("printed program proved", proved.is_some());
            if let Some(solved) = proved {
                check_proved(&objective, &problem, &solved, &truth, yaml);
            }
        }
    }
    let optimum = optimum.expect("there are solvers");
    let others = [problem.cluster.current_placement(), trial.random_placement(seed)];
    for name in names {
        let formulation = crate::formulation(name).build(&problem).expect("it was built before");
        for placement in others.iter().chain([&optimum]) {
            check_columns(&problem, formulation.as_ref(), placement, yaml);
        }
    }
}

/// Samples with several workloads, most of them on boards whose hulls hold more than the GPUs do, some on the paper's.
pub fn samples() -> impl Strategy<Value = Sample> {
    let usual = || Parameters::default().most_workloads(7);
    let drawn = prop_oneof![
        1 => siavashi_with(usual()),
        4 => siavashi_with(usual().boards(&[])),
        1 => siavashi_with(usual().boards(&["A100-40GB"]).own_geometry(false)),
    ];
    drawn.prop_filter("one workload alone", |sample| sample.file.workloads.len() > 1)
}

/// Checks so many samples, each with a number to draw more from: the same in every run; or as many as the environment asks for,
/// others in every run.
pub fn check_drawn(samples: impl Strategy<Value = Sample>, number: u32, check: impl Fn(&Sample, u64)) {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    let config =
        Config { cases: asked.unwrap_or(number), failure_persistence: None, rng_seed, ..Config::default() };
    let checked = TestRunner::new(config).run(&(samples, any::<u64>()), |(sample, seed)| {
        check(&sample, seed);
        Ok::<(), TestCaseError>(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
}

fn check_random(number: u32, check: impl Fn(&Sample, u64)) {
    check_drawn(samples(), number, check);
}

#[test]
fn all_formulations_solvers_and_trying_all_agree() {
    let tally = Tally::default();
    check_random(600, |sample, seed| check_sample(sample, seed, &tally));
    tally.at_least(60, "the paper's costs", "cases");
    tally.at_least(75, "printed program proved", "the paper's costs");
    tally.at_least(5, "starts cost", "cases");
    tally.at_least(50, "counts by machine", "cases");
    tally.at_least(5, "patterns instead of facets", "cases");
    tally.at_least(12, "machines in order", "cases");
    tally.at_least(20, "machines with residents exchanged", "counts by machine");
    tally.at_least(20, "pinned", "cases");
    tally.at_least(15, "migrations by tight machines", "cases");
    tally.at_least(10, "weighted sum by tight machines", "cases");
    // Each solver counts.
    tally.at_least(60, "acceptance by prices", "cases");
    tally.at_least(60, "hardware by prices", "cases");
    tally.at_least(30, "migrations by prices", "cases");
    tally.at_least(20, "weighted sum by prices", "cases");
}

#[test]
fn all_formulations_solvers_and_trying_all_agree_where_starts_cost() {
    let tally = Tally::default();
    check_random(200, |sample, seed| check_sample(&where_starts_cost(sample, seed), seed, &tally));
    tally.at_least(100, "starts cost", "cases");
    tally.at_least(60, "slots that are kept", "cases");
    tally.at_least(60, "migrations by prices where starts cost", "cases");
    tally.at_least(30, "migrations by tight machines", "cases");
}

/// Solves with the formulation that suits the problem.
fn optimum(problem: &Problem, yaml: &str) -> Vec<StageDocument> {
    let solved = solve(problem, &SolveOptions::exact(solvers()[0]), yaml);
    assert_eq!(solved.status, Status::Optimal, "{yaml}");
    solved.stages
}

#[test]
fn residents_that_keep_a_place_never_gain() {
    let (fewer, worse) = (Cell::new(0), Cell::new(0));
    check_random(200, |sample, _| {
        let objective = objective(sample);
        let [evictable, keep] = [Residents::Evictable, Residents::Keep].map(|residents| {
            let yaml = with(sample, |settings| settings.residents = residents).text;
            let problem = problem(&yaml);
            let attainable = Trial::new(&problem, problem.residents).attainable();
            let solved = solve(&problem, &SolveOptions::exact(solvers()[0]), &yaml);
            let score = solved.best.expect("an optimum comes with a placement").1;
            assert!(residents == Residents::Evictable || score.evicted == 0, "{yaml}");
            let worth = objective.worth(&goals(&score));
            assert_eq!(worth, best(&objective, &attainable), "{yaml}");
            (worth, attainable)
        });
        assert!(keep.1.is_subset(&evictable.1) && keep.0 <= evictable.0, "{sample:?}");
        let accepted = |(_, attainable): &(Vec<i128>, BTreeSet<Goals>)| {
            attainable.iter().map(|goals| goals[0]).max().expect("the current state is legal")
        };
        fewer.set(fewer.get() + u32::from(accepted(&keep) < accepted(&evictable)));
        worse.set(worse.get() + u32::from(keep.0 < evictable.0));
    });
    assert!(fewer.get() > 0 && worse.get() > 20, "{fewer:?} {worse:?}: keeping residents hardly matters");
}

#[test]
fn names_and_order_change_nothing_but_names() {
    check_random(120, |sample, shift| {
        let other = Sample::of(in_other_words(&sample.file, shift as usize));
        let optima = [sample, &other].map(|sample| optimum(&problem(&sample.text), &sample.text));
        assert_eq!(optima[0], optima[1], "{sample:?}{other:?}");
    });
}

/// Weights that are left out are chosen so that the sum has the optimum of the three goals one after the other.
#[test]
fn without_weights_the_sum_has_the_lexicographic_optimum() {
    check_random(120, |sample, _| {
        let scores = ["lexicographic:acceptance,hardware,migrations", "weighted"].map(|objective| {
            let objective = objective.parse().expect("an objective");
            let yaml = with(sample, |settings| settings.objective = objective).text;
            let solved = solve(&problem(&yaml), &SolveOptions::exact(solvers()[0]), &yaml);
            assert_eq!(solved.status, Status::Optimal, "{yaml}");
            solved.best.expect("an optimum comes with a placement").1.values()
        });
        assert_eq!(scores[0], scores[1], "{sample:?}");
    });
}

/// The pairs of two goals' values of which no other is as good in one goal and better in the other, the best of the first
/// goal first.
fn non_dominated(pair: [usize; 2], attainable: &BTreeSet<Goals>) -> Vec<[i128; 2]> {
    let less_is_better = |goals: &Goals| pair.map(|goal| if goal == 0 { -goals[0] } else { goals[goal] });
    let all: BTreeSet<[i128; 2]> = attainable.iter().map(less_is_better).collect();
    let mut kept: Vec<[i128; 2]> = Vec::new();
    for values in all {
        if kept.last().is_none_or(|last| values[1] < last[1]) {
            kept.push(values);
        }
    }
    kept.iter().map(|values| [0, 1].map(|at| if pair[at] == 0 { -values[at] } else { values[at] })).collect()
}

/// By the formulation that suits, and by prices wherever they can prove a stage.
#[test]
fn frontiers_are_those_of_all_placements() {
    let (longer, priced) = (Cell::new(0), Cell::new(0));
    check_random(150, |sample, _| {
        let yaml = &sample.text;
        let problem = sample.instance.problem::<siavashi::Siavashi>().expect("valid settings");
        let attainable = Trial::new(&problem, problem.residents).attainable();
        let question = model_of::<siavashi::Siavashi>().pose(&sample.instance).expect("valid settings");
        let by_prices = COMPACT_BY_PRICES.build(&problem).is_ok();
        for pair in [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]] {
            let goals = pair.map(|goal| GOALS[goal]).join(",");
            let options = SolveOptions::exact(solvers()[0]);
            let frontier = question.frontier(&goals, &options, &Control::silent());
            let frontier = frontier.unwrap_or_else(|error| panic!("{goals}: {error}\n{yaml}"));
            assert_eq!(frontier.status, Status::Optimal);
            let found: Vec<[i128; 2]> =
                frontier.points.iter().map(|point| point.values.map(Amount::millionths)).collect();
            assert_eq!(found, non_dominated(pair, &attainable), "{goals}\n{yaml}");
            longer.set(longer.get() + u32::from(found.len() > 2));
            if by_prices {
                let frontier = COMPACT_BY_PRICES.frontier(&problem, &goals, &options, &Control::silent());
                let frontier = frontier.unwrap_or_else(|error| panic!("{goals}: {error}\n{yaml}"));
                assert_eq!(frontier.status, Status::Optimal);
                let values = frontier.points.iter().map(|point| point.values.map(Amount::millionths));
                assert!(values.eq(found.iter().copied()), "{goals} by prices\n{yaml}");
                priced.set(priced.get() + frontier.notes.len());
            }
        }
    });
    assert!(longer.get() > 100 && priced.get() > 500, "{longer:?} {priced:?}");
}

/// Nothing to place, nowhere to place it, nothing that weighs anything.
#[test]
fn degenerate_problems_have_their_optimum() {
    let a30 = "gpus: [{name: g, board: A30}]\n";
    let empty = "hosts: [{name: h, gpus: []}]\ngpus: [{name: g, board: A30}]\n";
    let nothing = "hosts: [{name: h, weight: 0, gpus: [{board: A30, count: 2}]}]\n";
    let workload = "workloads: [{name: w, profile: 4g.24gb, acceptance_weight: 0}]\n";
    let foreign = "workloads: [{name: w, profile: 7g.40gb}]\n";
    for machines in [a30, empty, nothing] {
        for workloads in [workload, foreign, ""] {
            for objective in ["lexicographic", "weighted", "weighted:acceptance=0,hardware=1,migrations=0"] {
                let yaml =
                    format!("name: x\n{machines}{workloads}siavashi: {{objective: \"{objective}\"}}\n");
                let problem = problem(&yaml);
                for name in ["compact", "slots", "printed"] {
                    for &solver in solvers() {
                        let solved = solve(&problem, &options(name, solver), &yaml);
                        assert_eq!(solved.status, Status::Optimal, "{name} {}\n{yaml}", solver.name());
                        let zero = Some(Amount::ZERO);
                        assert!(
                            solved.stages.iter().all(|stage| stage.value == zero),
                            "{:?}\n{yaml}",
                            solved.stages
                        );
                        assert_eq!(
                            solved.notes.is_empty(),
                            workloads != foreign,
                            "{:?}\n{yaml}",
                            solved.notes
                        );
                    }
                }
            }
        }
    }
}

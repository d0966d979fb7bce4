//! Rules of clusters: every formulation, every solver and trying all placements agree on what is best, and on what is infeasible.

use crate::differential::{
    Tally, best, check_columns, check_drawn, expected_stages, goals, objective, options, solve,
    where_starts_cost,
};
use cluster::Placement;
use ground::Amount;
use kit::{Rule, SolveOptions, StageDocument, Status};
use migopt::testing::strategies::siavashi::Parameters;
use migopt::testing::strategies::{Sample, siavashi_with};
use proptest::prelude::*;
use siavashi::{MigrationCosts, Problem, Solved, heuristics, verify};
use solvers::solvers;
use std::time::Duration;
use support::siavashi::problem;
use support::siavashi::ruled::Ruled;

/// Pairs of workloads on GPUs up to which the printed program is solved.
const MOST_PAIRS: usize = 24;

pub fn samples() -> impl Strategy<Value = Sample> {
    let usual = || Parameters::default().rules(true).most_gpus(4).most_workloads(5);
    prop_oneof![
        1 => siavashi_with(usual()),
        2 => siavashi_with(usual().boards(&["A30-24GB"]).own_geometry(false)),
        2 => siavashi_with(usual().boards(&[])),
    ]
}

/// The formulations that apply, by name.
fn applicable(problem: &Problem, yaml: &str) -> Vec<&'static str> {
    let mut names = vec!["slots"];
    match crate::formulation("compact").build(problem) {
        Ok(_) => names.push("compact"),
        Err(error) => {
            assert!(error.to_string().contains("max_disrupted"), "{error}\n{yaml}");
        }
    }
    match crate::formulation("printed").build(problem) {
        Ok(printed) => {
            let pairs = printed.program().column_families().get("alpha").copied().unwrap_or_default();
            names.extend((pairs <= MOST_PAIRS).then_some("printed"));
        }
        Err(error) => assert_ne!(problem.costs, MigrationCosts::default(), "{error}\n{yaml}"),
    }
    names
}

fn check_optimum(sample: &Sample, problem: &Problem, solved: &Solved, truth: &[i128]) {
    let (yaml, formulation) = (&sample.text, solved.formulation);
    assert_eq!((solved.status, solved.gap), (Status::Optimal, Some(0.0)), "{formulation}\n{yaml}");
    let (placement, score) = solved.best.as_ref().expect("an optimum comes with a placement");
    let verdict = verify(problem, placement);
    assert_eq!((verdict.violations, &verdict.score), (Vec::new(), score), "{formulation}\n{yaml}");
    let counted = Ruled::new(problem).goals_of(placement);
    assert_eq!(counted, Some(goals(score)), "{formulation}: the verifier counts otherwise\n{yaml}");
    let objective = objective(sample);
    assert_eq!(objective.worth(&goals(score)), truth, "{formulation} by trying all\n{yaml}");
    let said = |stage: &StageDocument| (stage.name.clone(), stage.value.expect("a value").millionths());
    let said: Vec<(String, i128)> = solved.stages.iter().map(said).collect();
    assert_eq!(said, expected_stages(&objective, problem, score), "{formulation}\n{yaml}");
    for stage in &solved.stages {
        assert_eq!(stage.bound, stage.value, "{formulation} {}\n{yaml}", stage.name);
    }
}

fn check_sample(sample: &Sample, tally: &Tally) {
    let yaml = &sample.text;
    let problem = problem(yaml);
    let Some(attainable) = Ruled::new(&problem).attainable() else { return };
    let truth = (!attainable.is_empty()).then(|| best(&objective(sample), &attainable));
    let names = applicable(&problem, yaml);
    tally.count("cases", true);
    tally.count("compact", names.contains(&"compact"));
    tally.count("starts cost", problem.starts_cost() && names.contains(&"compact"));
    tally.count("printed", names.contains(&"printed"));
    tally.count("infeasible", truth.is_none());
    let asks = |broken: &str| {
        let verdict = verify(&problem, &problem.cluster.current_placement());
        verdict.violations.iter().any(|violation| violation.rule() == broken)
    };
    for rule in ["not-drained", "wrong-node", "not-as-one"] {
        tally.count(rule, asks(rule));
    }
    tally.count("migrations limited", problem.bounds_migrations());
    tally.count("disruptions limited", problem.bounds_disruptions());
    let mut optimum: Option<Placement> = None;
    for &name in &names {
        for &solver in solvers() {
            let exact = options(name, solver);
            let patient =
                SolveOptions { effort: exact.effort.within(Some(Duration::from_secs(20))), ..exact };
            let solved = solve(&problem, &patient, yaml);
            if name == "printed" && solved.status == Status::TimeLimit {
                continue;
            }
            match &truth {
                Some(truth) => check_optimum(sample, &problem, &solved, truth),
                None => {
                    assert_eq!(solved.status, Status::Infeasible, "{name}\n{yaml}");
                    assert!(solved.reason.is_some_and(|reason| !reason.is_empty()) && solved.best.is_none());
                }
            }
            optimum = solved.best.map(|(placement, _)| placement);
        }
    }
    for name in names {
        let formulation = crate::formulation(name).build(&problem).expect("it was built before");
        for placement in [Some(problem.cluster.current_placement()), optimum.clone()].into_iter().flatten() {
            if verify(&problem, &placement).violations.is_empty() {
                check_columns(&problem, formulation.as_ref(), &placement, yaml);
            }
        }
    }
}

#[test]
fn all_formulations_solvers_and_trying_all_agree_under_rules() {
    let tally = Tally::default();
    check_drawn(samples(), 500, |sample, _| check_sample(sample, &tally));
    tally.at_least(60, "compact", "cases");
    tally.at_least(4, "starts cost", "cases");
    tally.at_least(30, "printed", "cases");
    tally.at_least(3, "infeasible", "cases");
    for rule in ["not-drained", "wrong-node", "not-as-one"] {
        tally.at_least(2, rule, "cases");
    }
    tally.at_least(5, "migrations limited", "cases");
    tally.at_least(5, "disruptions limited", "cases");
}

#[test]
fn all_formulations_solvers_and_trying_all_agree_under_rules_where_starts_cost() {
    let tally = Tally::default();
    check_drawn(samples(), 200, |sample, seed| check_sample(&where_starts_cost(sample, seed), &tally));
    tally.at_least(60, "starts cost", "cases");
}

/// A heuristic may fail to place what must have a place, and moves what must leave whatever the budget; the rest it obeys.
#[test]
fn heuristics_look_for_places_that_the_rules_allow() {
    let (tally, may_fail) =
        (Tally::default(), ["evicted", "not-as-one", "too-many-migrations", "too-many-disrupted"]);
    check_drawn(samples(), 300, |sample, seed| {
        let problem = problem(&sample.text);
        for heuristic in heuristics() {
            let proposal = heuristic.propose(&problem, seed);
            let violations = verify(&problem, &proposal).violations;
            tally.count("proposals", true);
            tally.count("valid", violations.is_empty());
            for violation in violations {
                let name = heuristic.name();
                assert!(may_fail.contains(&violation.rule()), "{name}: {violation}\n{}", sample.text);
            }
        }
    });
    tally.at_least(60, "valid", "proposals");
}

// ---------------------------------------------------------------------------------------------------------------------
// By hand
// ---------------------------------------------------------------------------------------------------------------------

/// The answers of all formulations that apply, by all solvers.
fn answers(yaml: &str) -> Vec<Solved> {
    let problem = problem(yaml);
    let names = applicable(&problem, yaml);
    let pairs = names.iter().flat_map(|&name| solvers().iter().map(move |&solver| (name, solver)));
    pairs.map(|(name, solver)| solve(&problem, &options(name, solver), yaml)).collect()
}

/// Asserts acceptance, hardware and migrations of the optimum.
fn assert_optimum(yaml: &str, expected: [i128; 3]) {
    for solved in answers(yaml) {
        let (_, score) = solved.best.unwrap_or_else(|| panic!("{:?}\n{yaml}", solved.reason));
        assert_eq!(score.values(), expected.map(Amount::whole), "{}\n{yaml}", solved.formulation);
    }
}

/// Asserts that nothing obeys all rules, for a reason with these words.
fn assert_infeasible(yaml: &str, words: &str) {
    for solved in answers(yaml) {
        let reason = solved.reason.unwrap_or_default();
        assert_eq!(solved.status, Status::Infeasible, "{}\n{yaml}", solved.formulation);
        assert!(reason.contains(words), "{}: {reason}", solved.formulation);
    }
}

/// The names of the rules that a placement of `w` breaks.
fn broken(yaml: &str, places: &[Option<(u32, u8)>]) -> Vec<&'static str> {
    let problem = problem(yaml);
    let place = |place: &Option<(u32, u8)>| {
        place.map(|(gpu, start)| cluster::Location {
            gpu: cluster::GpuIndex(gpu),
            start: mig::SliceStart(start),
        })
    };
    let placement = Placement::new(places.iter().map(place).collect());
    verify(&problem, &placement).violations.iter().map(Rule::rule).collect()
}

#[test]
fn what_runs_leaves_a_gpu_that_is_drained() {
    let drained = "name: x\ngpus: [{name: a, board: A30, drain: true}, {name: b, board: A30}]
workloads: [{name: w, profile: 2g.12gb, current: {gpu: a, start: 0}}, {name: fixed, profile: 1g.6gb, movable: false, current: {gpu: a, start: 3}}]
";
    // The pinned workload keeps a in use: 2 machines and 2 GPUs.
    assert_optimum(drained, [2, 4, 4]);
    assert_eq!(broken(drained, &[Some((0, 0)), Some((0, 3))]), ["not-drained"]);
    assert_eq!(broken(drained, &[Some((0, 2)), Some((0, 3))])[..1], ["overlap"]);
    let alone = "name: x\ngpus: [{name: a, board: A30, drain: true}]
workloads: [{name: w, profile: 2g.12gb, current: {gpu: a, start: 0}}]
";
    assert_infeasible(alone, "1 running workload must leave and keep a place");
    assert_optimum(&format!("{alone}siavashi: {{residents: evictable}}\n"), [0, 0, 2]);
}

#[test]
fn nothing_starts_on_a_gpu_that_is_cordoned() {
    let cordoned = "name: x\ngpus: [{name: a, board: A30, cordoned: true}, {name: b, board: A30}]
workloads: [{name: w, profile: 2g.12gb, current: {gpu: a, start: 0}}, {name: new, profile: 1g.6gb, replicas: 5}]
";
    // Four of the newcomers fill b. Leaving a would cost acceptance.
    assert_optimum(cordoned, [5, 4, 0]);
    let nobody = [None; 4];
    let with = |w: u8, new: Option<(u32, u8)>| [&[Some((0, w)), new], &nobody[..]].concat();
    assert_eq!(broken(cordoned, &with(0, Some((0, 2)))), ["starts-out-of-service"]);
    assert_eq!(broken(cordoned, &with(2, None)), ["starts-out-of-service"]);
    assert!(broken(cordoned, &with(0, None)).is_empty());
}

#[test]
fn workloads_are_on_their_nodes() {
    let bound = "name: x\nhosts: [{name: h, labels: {zone: a}, gpus: {board: A30}}, {name: i, weight: 5, labels: {zone: b}, gpus: {board: A30}}]
workloads:
  - {name: w, profile: 2g.12gb, node_selector: {zone: b}, current: {gpu: h/0, start: 0}}
  - {name: new, profile: 4g.24gb, nodes: i}
";
    // w must go to i, where new then finds no room; h is empty.
    assert_optimum(bound, [1, 10, 4]);
    assert_eq!(broken(bound, &[Some((0, 0)), None]), ["wrong-node"]);
    assert_optimum(&bound.replace("current", "movable: false, current"), [2, 12, 0]);
}

#[test]
fn groups_keep_apart() {
    let apart = |kind: &str| {
        format!(
            "name: x\nhosts: [{{name: h, gpus: {{board: A30, count: 2}}}}]\ngroups: [{{name: g, apart: {kind}}}]
workloads: [{{name: new, profile: 1g.6gb, group: g, replicas: 3}}, {{name: other, profile: 1g.6gb, replicas: 2}}]
"
        )
    };
    assert_optimum(&apart("gpu"), [4, 3, 0]);
    assert_optimum(&apart("node"), [3, 2, 0]);
    assert_eq!(broken(&apart("gpu"), &[Some((0, 0)), Some((0, 1)), None, None, None]), ["not-apart"]);
    assert_eq!(broken(&apart("node"), &[Some((0, 0)), Some((1, 1)), None, None, None]), ["not-apart"]);
    let pinned = "name: x\ngpus: [{name: a, board: A30}]\ngroups: [{name: g, apart: gpu}]
workloads: [{name: fixed, profile: 1g.6gb, group: g, movable: false, current: {gpu: a, start: 0}}, {name: new, profile: 1g.6gb, group: g}]
";
    assert_optimum(pinned, [1, 2, 0]);
}

#[test]
fn groups_are_together() {
    let together = |kind: &str| {
        format!(
            "name: x\nhosts: [{{name: h, gpus: {{board: A30, count: 2}}}}, {{name: i, gpus: {{board: A30}}}}]\ngroups: [{{name: g, together: {kind}}}]
workloads: [{{name: new, profile: 2g.12gb, group: g, replicas: 5}}]
"
        )
    };
    assert_optimum(&together("gpu"), [2, 2, 0]);
    assert_optimum(&together("node"), [4, 3, 0]);
    assert_eq!(broken(&together("gpu"), &[Some((0, 0)), Some((1, 0)), None, None, None]), ["not-together"]);
    assert_eq!(broken(&together("node"), &[Some((0, 0)), Some((2, 0)), None, None, None]), ["not-together"]);
}

#[test]
fn groups_count_as_one() {
    let newcomers = "name: x\ngpus: [{name: a, board: A30}]\ngroups: [{name: g, as_one: true}]
workloads: [{name: new, profile: 2g.12gb, group: g, replicas: 3}, {name: other, profile: 4g.24gb}]
";
    assert_optimum(newcomers, [1, 2, 0]);
    assert_eq!(broken(newcomers, &[Some((0, 0)), None, None, None]), ["not-as-one"]);
    let moved = "name: x\nhosts: [{name: h, gpus: {board: A30, count: 2}}]\ngroups: [{name: g, as_one: true}]
workloads: [{name: one, profile: 2g.12gb, group: g, current: {gpu: h/0, start: 0}}, {name: two, profile: 1g.6gb, group: g, current: {gpu: h/1, start: 0}}]
";
    // One of them moves to the GPU of the other, which costs 2, and 2 for the other.
    assert_optimum(moved, [2, 2, 4]);
    assert_optimum(&format!("{moved}siavashi: {{max_migrations: 1}}\n"), [2, 3, 0]);
}

#[test]
fn migrations_are_limited() {
    let spread = "name: x\nhosts: [{name: h, gpus: {board: A30, count: 3}}]
workloads: [{name: w, profile: 1g.6gb, replicas: 3, current: [{gpu: h/0, start: 0}, {gpu: h/1, start: 0}, {gpu: h/2, start: 0}]}]
";
    assert_optimum(spread, [3, 2, 4]);
    let at_most = |most: u32| format!("{spread}siavashi: {{max_migrations: {most}}}\n");
    assert_optimum(&at_most(1), [3, 3, 2]);
    assert_optimum(&at_most(0), [3, 4, 0]);
    assert_eq!(broken(&at_most(0), &[Some((0, 0)), Some((1, 0)), Some((1, 1))]), ["too-many-migrations"]);
    assert!(broken(&at_most(0), &[Some((0, 0)), Some((1, 0)), Some((2, 1))]).is_empty(), "another start");
    let drained = at_most(0)
        .replace("gpus: {board: A30, count: 3}", "gpus: [{board: A30, drain: true}, {board: A30, count: 2}]");
    assert_infeasible(&drained, "`max_migrations` is 0. Raise it to 1 or more");
}

#[test]
fn disruptions_are_limited() {
    // For the 2g.12gb the 1g.6gb in the middle has to shift.
    let shifts = |host: &str, settings: &str| {
        format!(
            "name: x\nhosts: [{{name: h, {host}gpus: {{board: A30}}}}]
workloads: [{{name: w, profile: 1g.6gb, replicas: 2, current: [{{gpu: h/0, start: 0}}, {{gpu: h/0, start: 2}}]}}, {{name: new, profile: 2g.12gb}}]
siavashi: {{{settings}}}
"
        )
    };
    assert_optimum(&shifts("", ""), [3, 2, 0]);
    assert_optimum(&shifts("", "max_disrupted: 1"), [3, 2, 0]);
    assert_optimum(&shifts("", "max_disrupted: 0"), [2, 2, 0]);
    assert_optimum(&shifts("max_disrupted: 0, ", ""), [2, 2, 0]);
    assert_optimum(&shifts("", "max_migrations: 0"), [3, 2, 0]);
    let shifted = [Some((0, 0)), Some((0, 1)), Some((0, 2))];
    assert_eq!(broken(&shifts("", "max_disrupted: 0"), &shifted), ["too-many-disrupted"]);
    assert_eq!(broken(&shifts("max_disrupted: 0, ", ""), &shifted), ["too-many-disrupted"]);
    let yaml = shifts("", "max_disrupted: 0");
    let problem = problem(&yaml);
    assert_eq!(siavashi::suitable(&problem).name, "slots");
    let solved = solve(&problem, &SolveOptions::exact(solvers()[0]), &yaml);
    assert!(solved.notes.iter().any(|note| note.contains("solved by `slots`")), "{:?}", solved.notes);
}

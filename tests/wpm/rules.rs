//! The rules of clusters: on which nodes workloads may be, which keep apart or belong together, and how much may change.

use crate::differential::{best, check_encoding, config, solve};
use crate::small::{brute_force, problem as posed_by, worth};
use cluster::{Location, Placement};
use kit::{Formulation as _, Rule, SolveOptions, Status};
use mig::SliceStart;
use migopt::testing::strategies::wpm::Parameters;
use migopt::testing::strategies::{Sample, wpm_with};
use proptest::prelude::*;
use solver::Control;
use solvers::solvers;
use support::instances::problem;
use support::tried::Tried;
use support::wpm::trial::best_under;
use wpm::{HEURISTICS, Problem, Reading, Solution, Violation, verify};

/// Placements that are tried by the verifier per instance.
const MOST_TRIALS: u64 = 20_000;

fn samples() -> impl Strategy<Value = Sample> {
    let of = |gpus| Parameters::default().most_gpus(gpus).most_workloads(5).own_geometry(false).rules(true);
    prop_oneof![3 => wpm_with(of(2)), 2 => wpm_with(of(3).boards(&["A30-24GB"]))]
}

fn values(tried: Tried) -> Option<Vec<ground::Amount>> {
    match tried {
        Tried::TooMany => panic!("the instances are small"),
        Tried::Infeasible => None,
        Tried::Best(values) => Some(values),
    }
}

/// The values of the stages as they are compared: more is better.
fn stages(problem: &Problem, values: Vec<ground::Amount>) -> Vec<ground::Amount> {
    let goals = match &problem.objective {
        wpm::Objective::Weighted => return values,
        wpm::Objective::Lexicographic(goals) => goals,
    };
    let signed = goals.iter().zip(values).map(|(goal, value)| match goal {
        wpm::Goal::Reward => value,
        _ => ground::Amount::ZERO - value,
    });
    signed.collect()
}

fn truth(problem: &Problem, reading: Reading) -> Option<Vec<ground::Amount>> {
    values(best_under(problem, reading)).map(|values| stages(problem, values))
}

fn check_sample(sample: &Sample) {
    let problem = posed_by(sample);
    let expected = truth(&problem, Reading::Printed);
    let mut first = None;
    for solver in solvers() {
        let solved = solve(&problem, "printed", *solver);
        assert_eq!(best(&problem, &solved), expected, "printed with {}{sample:?}", solver.name());
        assert_eq!(solved.reason.is_some(), expected.is_none());
        first.get_or_insert(solved);
    }
    let encoding = crate::formulation("printed").build(&problem).expect("it was built before");
    check_encoding(&problem, encoding.as_ref(), &first.expect("there is a solver"), true);
    check_heuristics(&problem, expected.as_ref(), sample);
}

/// Heuristics obey all rules but the limits on changes, which they may miss.
fn check_heuristics(problem: &Problem, best: Option<&Vec<ground::Amount>>, sample: &Sample) {
    for heuristic in HEURISTICS {
        let name = heuristic.name();
        let solution = Solution::from_placement(problem, Reading::Printed, heuristic.propose(problem, 0));
        let verdict = verify(problem, &solution);
        let may_miss = |violation: &Violation| {
            ["pending", "too-many-migrations", "too-many-disrupted"].contains(&violation.rule())
        };
        assert!(verdict.violations.iter().all(may_miss), "{name}: {:?}{sample:?}", verdict.violations);
        if verdict.violations.is_empty() {
            assert!(Some(&worth(problem, &verdict.score)) <= best, "{name} beats the optimum{sample:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn the_printed_program_finds_what_trying_all_finds(sample in samples()) {
        check_sample(&sample);
    }
}

proptest! {
    #![proptest_config(config(300))]

    /// One counts GPU by GPU, the other passes every placement through the verifier.
    #[test]
    fn the_verifier_says_what_trying_all_says(sample in samples()) {
        let problem = posed_by(&sample);
        for reading in [Reading::Printed, Reading::ExactIndex] {
            if let Ok(tried) = brute_force(&problem, reading, MOST_TRIALS) {
                prop_assert_eq!(truth(&problem, reading), tried.best, "{:?}{:?}", reading, sample);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Cases by hand
// ---------------------------------------------------------------------------------------------------------------------

/// Hosts `a` with two GPUs and `b` with one, and a GPU `c` on its own. A workload earns 1000, a GPU costs 100.
fn cluster_of(groups: &str, workloads: &str, settings: &str) -> Problem {
    problem::<wpm::Wpm>(format!(
        "
name: rules
hosts:
  - {{name: a, labels: {{zone: east}}, cpu: 8, memory_gib: 64, gpus: {{board: A100-80GB, count: 2}}}}
  - {{name: b, labels: {{zone: west}}, cpu: 8, memory_gib: 64, max_disrupted: 0, gpus: {{board: A100-80GB}}}}
gpus:
  - {{name: c, board: A100-80GB, labels: {{zone: west}}}}
{groups}
workloads:
{workloads}
wpm: {{{settings}, costs: {{reward_per_slice: 1000, gpu: 100, repartition: 6, migration_per_slice: 4, waste: 1}}}}
"
    ))
}

/// The rules that a solution breaks in which the named workloads are elsewhere than now.
fn broken(problem: &Problem, moves: &[(&str, Option<(&str, u8)>)]) -> Vec<&'static str> {
    let cluster = &problem.cluster;
    let mut placement: Placement = cluster.current_placement();
    for (name, to) in moves {
        let is_named = |workload: &cluster::WorkloadIndex| cluster.workloads[workload.index()].name == *name;
        let workload = cluster.workload_indices().find(is_named).expect("there is such a workload");
        let place = to.map(|(gpu, start)| Location {
            gpu: cluster.gpu_indices().find(|index| cluster.gpus[index.index()].name == gpu).expect("a GPU"),
            start: SliceStart(start),
        });
        placement.set(workload, place);
    }
    let solution = Solution::from_placement(problem, Reading::ExactIndex, placement);
    verify(problem, &solution).violations.iter().map(Violation::rule).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn workloads_are_on_nodes_that_admit_them() {
    let workloads = "
  - {name: east, profile: 3g.40gb, node_selector: {zone: east}, current: {gpu: c, start: 0}}
  - {name: named, profile: 3g.40gb, nodes: [b, c], current: {gpu: a/0, start: 0}}
  - {name: stuck, profile: 1g.10gb, nodes: b, current: {gpu: a/0, start: 6}, movable: false}";
    let problem = cluster_of("", workloads, "use_case: joint");
    assert_eq!(broken(&problem, &[]), ["wrong-node", "wrong-node"], "what is pinned stays");
    assert_eq!(broken(&problem, &[("east", Some(("a/1", 0))), ("named", Some(("c", 4)))]), NONE);
    assert_eq!(broken(&problem, &[("east", Some(("b/0", 0))), ("named", None)]), ["wrong-node"]);
}

#[test]
fn groups_keep_apart_and_belong_together() {
    let groups = "groups:\n  - {name: far, apart: node}\n  - {name: near, together: node}\n  - {name: beside, together: gpu, as_one: true}";
    let workloads = "
  - {name: far, profile: 1g.10gb, replicas: 3, group: far}
  - {name: near, profile: 3g.40gb, replicas: 2, group: near}
  - {name: beside, profile: 1g.10gb, replicas: 2, group: beside}";
    let problem = cluster_of(groups, workloads, "use_case: joint");
    let at = |gpu, start| Some((gpu, start));
    assert_eq!(
        broken(&problem, &[("far#0", at("a/0", 0)), ("far#1", at("b/0", 0)), ("far#2", at("c", 0))]),
        NONE
    );
    assert_eq!(broken(&problem, &[("far#0", at("a/0", 0)), ("far#1", at("a/1", 0))]), ["not-apart"]);
    assert_eq!(broken(&problem, &[("near#0", at("a/0", 0)), ("near#1", at("a/1", 0))]), NONE);
    assert_eq!(broken(&problem, &[("near#0", at("a/0", 0)), ("near#1", at("b/0", 0))]), ["not-together"]);
    assert_eq!(broken(&problem, &[("near#0", at("a/0", 0))]), NONE, "one alone is together");
    assert_eq!(broken(&problem, &[("beside#0", at("a/0", 0)), ("beside#1", at("a/1", 0))]), ["not-together"]);
    assert_eq!(broken(&problem, &[("beside#0", at("a/0", 0))]), ["not-as-one"]);
}

#[test]
fn what_counts_as_one_counts_in_every_limit() {
    let groups = "groups:\n  - {name: pod, as_one: true}";
    let workloads = "
  - {name: pod, profile: 2g.20gb, group: pod, replicas: 2, current: [{gpu: a/0, start: 0}, {gpu: a/1, start: 0}]}
  - {name: lone, profile: 1g.10gb, current: {gpu: b/0, start: 0}}";
    let moved = [("pod#0", Some(("c", 0)))];
    let free = cluster_of(groups, workloads, "use_case: joint, max_migrations: 2, max_disrupted: 2");
    assert_eq!(broken(&free, &moved), NONE);
    let tight = cluster_of(groups, workloads, "use_case: joint, max_migrations: 1, max_disrupted: 1");
    assert_eq!(broken(&tight, &moved), ["too-many-migrations", "too-many-disrupted"]);
    assert_eq!(broken(&free, &[("lone", None)]), ["too-many-disrupted"], "host b allows none");
    let shifted = [("pod#0", Some(("a/0", 2)))];
    assert_eq!(broken(&tight, &shifted), ["too-many-disrupted"], "a repartition moves nobody");
    let counted = cluster_of(groups, workloads, "use_case: joint, max_migrations: 1, shifts: counted");
    assert_eq!(broken(&counted, &shifted), ["too-many-migrations"]);
}

#[test]
fn hosts_suffice_where_they_are_asked_to() {
    let workloads = "
  - {name: hungry, profile: 1g.10gb, replicas: 2, cpu: 5, memory_gib: 40}";
    let both = [("hungry#0", Some(("a/0", 0))), ("hungry#1", Some(("a/1", 0)))];
    assert_eq!(broken(&cluster_of("", workloads, "use_case: joint"), &both), NONE);
    let asked = cluster_of("", workloads, "use_case: joint, host_resources: true");
    assert_eq!(broken(&asked, &both), ["host-cpu", "host-memory"]);
}

/// The optimum of the printed program: workloads placed, GPUs in use, migrations.
fn optimum(problem: &Problem) -> (u64, u64, u64) {
    let mut found = None;
    for solver in solvers() {
        let solved = solve(problem, "printed", *solver);
        let (_, score) = solved.best.expect("a placement obeys the rules");
        let counts = (score.placed, score.gpus, score.migrations);
        assert_eq!(*found.get_or_insert(counts), counts);
    }
    found.expect("there is a solver")
}

#[test]
fn optima_by_hand() {
    let newcomers = "  - {name: new, profile: 1g.10gb, replicas: 3, group: g, cpu: 5}";
    let of = |rules: &str, settings: &str| {
        cluster_of(&format!("groups:\n  - {{name: g{rules}}}"), newcomers, settings)
    };
    assert_eq!(optimum(&of("", "use_case: joint")), (3, 1, 0), "all on one GPU");
    assert_eq!(optimum(&of(", apart: gpu", "use_case: joint")), (3, 3, 0));
    assert_eq!(optimum(&of(", apart: gpu, together: node", "use_case: joint")), (2, 2, 0), "host a has two");
    assert_eq!(optimum(&of(", apart: gpu, together: node, as_one: true", "use_case: joint")), (0, 0, 0));
    // Hosts take one each; the GPU on its own has no limit and takes all.
    assert_eq!(optimum(&of("", "use_case: joint, host_resources: true")), (3, 1, 0));

    // Three GPUs with a workload each: by two moves two of them become free.
    let running = "
  - {name: run, profile: 1g.10gb, group: g, replicas: 3, current: [{gpu: a/0, start: 0}, {gpu: a/1, start: 0}, {gpu: c, start: 0}]}";
    let of = |rules: &str, settings: &str| {
        cluster_of(
            &format!("groups:\n  - {{name: g{rules}}}"),
            running,
            &format!("use_case: compaction, {settings}"),
        )
    };
    assert_eq!(optimum(&of("", "max_migrations: 3")), (3, 1, 2));
    assert_eq!(optimum(&of("", "max_migrations: 1")), (3, 2, 1));
    assert_eq!(optimum(&of("", "max_disrupted: 0")), (3, 3, 0));
    assert_eq!(optimum(&of(", as_one: true", "max_migrations: 3")), (3, 1, 3), "if one moves, all do");
    assert_eq!(optimum(&of(", as_one: true", "max_migrations: 2")), (3, 3, 0));
}

#[test]
fn what_cannot_be_is_told_with_a_way_out() {
    let leaving = "
  - {name: out, profile: 1g.10gb, nodes: c, replicas: 2, current: [{gpu: a/0, start: 0}, {gpu: b/0, start: 0}]}";
    let cases = [
        (leaving, "max_migrations: 1", "2 workloads must leave", "`max_migrations` is 1"),
        (leaving, "max_disrupted: 2", "1 workload must leave", "`max_disrupted` of host `b` is 0"),
        (
            "  - {name: apart, profile: 1g.10gb, replicas: 2, group: g, current: [{gpu: a/0, start: 0}, {gpu: a/1, start: 0}]}",
            "max_migrations: 0",
            "no placement obeys all rules together (proved): `max_migrations: 0`",
            "rules for g",
        ),
        (
            "  - {name: apart, profile: 1g.10gb, replicas: 4, group: g}",
            "place_all: true",
            "at least 1 of 4 workloads must stay pending",
            "rules for g",
        ),
    ];
    for (workloads, settings, reason, way_out) in cases {
        let groups = "groups:\n  - {name: g, apart: node}";
        let problem = cluster_of(groups, workloads, &format!("use_case: joint, {settings}"));
        for solver in solvers() {
            let options = SolveOptions::exact(*solver);
            let printed = crate::formulation("printed");
            let solved = printed.solve(&problem, None, &options, &Control::silent()).unwrap();
            assert_eq!(solved.status, Status::Infeasible, "{settings}");
            let told = solved.reason.expect("infeasible");
            assert!(told.contains(reason) && told.contains(way_out), "{told}");
        }
    }
}

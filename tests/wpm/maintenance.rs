//! GPUs that are cordoned or to be drained: cases by hand.

use cluster::{Location, Maintenance, Placement};
use kit::{Rule, SolveOptions, Status};
use mig::SliceStart;
use solver::Control;
use solvers::solvers;
use support::instances::{instance, problem};
use wpm::{FORMULATIONS, HEURISTICS, Problem, Reading, Solution, Violation, verify};

/// `c` is cordoned, `d` to be drained, `o` in service and empty.
fn posed(workloads: &str, settings: &str) -> Problem {
    problem::<wpm::Wpm>(format!(
        "
name: maintenance
gpus:
  - {{name: c, board: A100-80GB, cordoned: true}}
  - {{name: d, board: A100-80GB, drain: true}}
  - {{name: o, board: A100-80GB}}
workloads:
{workloads}
wpm: {{{settings}, costs: {{reward_per_slice: 1000, gpu: 100, repartition: 6, migration_per_slice: 4, waste: 1}}}}
"
    ))
}

const RUNNING: &str = "
  - {name: kept, profile: 2g.20gb, current: {gpu: c, start: 0}}
  - {name: leaves, profile: 3g.40gb, current: {gpu: d, start: 0}}
  - {name: bound, profile: 1g.10gb, current: {gpu: d, start: 6}, movable: false}
";

/// Where the workloads are that differ from the present, by name.
fn moved(problem: &Problem, moves: &[(&str, Option<(&str, u8)>)]) -> Placement {
    let cluster = &problem.cluster;
    let mut placement = cluster.current_placement();
    for (name, to) in moves {
        let workload = cluster
            .workload_indices()
            .find(|workload| cluster.workloads[workload.index()].name == *name)
            .expect("there is such a workload");
        let to = to.map(|(gpu, start)| Location {
            gpu: cluster.gpu_indices().find(|index| cluster.gpus[index.index()].name == gpu).expect("a GPU"),
            start: SliceStart(start),
        });
        placement.set(workload, to);
    }
    placement
}

fn broken(
    problem: &Problem,
    reading: Reading,
    placement: Placement,
    repartitioned: [bool; 3],
) -> Vec<&'static str> {
    let solution = Solution { reading, placement, repartitioned: repartitioned.to_vec() };
    verify(problem, &solution).violations.iter().map(Violation::rule).collect()
}

#[test]
fn the_verifier_knows_every_rule_of_gpus_out_of_service() {
    let problem = posed(RUNNING, "use_case: joint");
    let no = [false; 3];
    let drained = ("leaves", Some(("o", 0)));
    // Without pinned workloads in its way, the printed reading judges as the other one does.
    for reading in [Reading::Printed, Reading::ExactIndex] {
        let rules =
            |moves: &[_], repartitioned| broken(&problem, reading, moved(&problem, moves), repartitioned);
        assert_eq!(rules(&[drained], no), [] as [&str; 0]);
        assert_eq!(rules(&[("leaves", None)], no), [] as [&str; 0]);
        assert_eq!(rules(&[drained, ("kept", Some(("o", 4)))], no), [] as [&str; 0]);
        assert_eq!(rules(&[], no), ["not-drained"]);
        assert_eq!(rules(&[drained, ("kept", Some(("c", 4)))], no), ["starts-out-of-service"]);
        assert_eq!(rules(&[("leaves", Some(("c", 4)))], no), ["starts-out-of-service"]);
        assert_eq!(rules(&[drained], [true, false, false]), ["repartitioned-out-of-service"]);
        assert_eq!(
            rules(&[("kept", Some(("d", 4))), drained], no),
            ["starts-out-of-service"],
            "not even on one to be drained"
        );
    }
}

#[test]
fn what_is_pinned_by_the_use_case_stays_on_a_gpu_to_be_drained() {
    let problem = posed(RUNNING, "use_case: initial");
    assert_eq!(broken(&problem, Reading::Printed, moved(&problem, &[]), [false; 3]), [] as [&str; 0]);
}

#[test]
fn all_formulations_and_solvers_obey_by_hand() {
    // In service is `o` alone: what leaves goes there, and what is on `c` as well, to save a GPU. A 7g instance needs `o` whole, so that
    // nothing may join it.
    let newcomer = format!("{RUNNING}  - {{name: wide, profile: 7g.80gb, reward: 100000}}\n");
    let cases = [
        (RUNNING, "use_case: joint", "leaves@o kept@o"),
        (RUNNING, "use_case: compaction", "leaves@- kept@c:0"),
        (RUNNING, "use_case: reconfiguration", "leaves@o kept@o"),
        (newcomer.as_str(), "use_case: joint", "leaves@- kept@c:0"),
        (newcomer.as_str(), "use_case: initial", "leaves@d:0 kept@c:0"),
    ];
    for (workloads, settings, expected) in cases {
        let problem = posed(workloads, settings);
        for formulation in FORMULATIONS {
            for solver in solvers() {
                let options = SolveOptions::exact(*solver);
                let solved = formulation.solve(&problem, None, &options, &Control::silent()).unwrap();
                assert_eq!(solved.status, Status::Optimal);
                let (solution, _) = solved.best.expect("optimal");
                let cluster = &problem.cluster;
                let place_of = |name: &str| {
                    let mut all = cluster.workload_indices();
                    let workload =
                        all.find(|workload| cluster.workloads[workload.index()].name == name).unwrap();
                    match solution.placement.of(workload) {
                        None => format!("{name}@-"),
                        Some(place) if cluster.gpus[place.gpu.index()].maintenance.is_in_service() => {
                            format!("{name}@{}", cluster.gpus[place.gpu.index()].name)
                        }
                        Some(place) => {
                            format!("{name}@{}:{}", cluster.gpus[place.gpu.index()].name, place.start.0)
                        }
                    }
                };
                let found = format!("{} {}", place_of("leaves"), place_of("kept"));
                let what = format!("{} with {}, {settings}", formulation.name(), solver.name());
                assert_eq!(found, expected, "{what}");
            }
        }
    }
}

#[test]
fn heuristics_drain_and_leave_cordoned_gpus_alone() {
    for use_case in ["joint", "reconfiguration"] {
        let problem = posed(RUNNING, &format!("use_case: {use_case}"));
        for heuristic in HEURISTICS {
            let placement = heuristic.propose(&problem, 0);
            let gpus: Vec<Option<u32>> = problem
                .cluster
                .workload_indices()
                .map(|workload| placement.of(workload).map(|place| place.gpu.0))
                .collect();
            assert_eq!(gpus, [Some(0), Some(2), Some(1)], "{} in {use_case}", heuristic.name());
        }
    }
}

#[test]
fn too_little_in_service_is_told_with_numbers() {
    let workloads = "  - {name: stuck, profile: 7g.80gb, current: {gpu: d, start: 0}}\n  - {name: new, profile: 7g.80gb}\n";
    let problem = posed(workloads, "use_case: joint, place_all: true");
    for formulation in FORMULATIONS {
        let options = SolveOptions::exact(solvers()[0]);
        let solved = formulation.solve(&problem, None, &options, &Control::silent()).unwrap();
        assert_eq!(solved.status, Status::Infeasible);
        let reason = solved.reason.expect("infeasible");
        assert!(reason.starts_with("at least 1 of 2 workloads must stay pending"), "{reason}");
        assert!(reason.contains("2 GPUs are cordoned or to be drained"), "{reason}");
    }
}

#[test]
fn hosts_groups_and_gpus_say_that_they_are_out_of_service_and_the_strictest_holds() {
    let instance = instance(
        "
name: hosts
hosts:
  - {name: a, cordoned: true, gpus: [{board: A30-24GB}, {board: A30-24GB, count: 2, drain: true}]}
  - {name: b, drain: true, gpus: {board: A30-24GB, cordoned: true}}
  - {name: e, gpus: [{board: A30-24GB, cordoned: true}, {board: A30-24GB, cordoned: false}]}
gpus:
  - {name: f, board: A30-24GB, count: 2, cordoned: true, drain: true}
workloads:
  - {name: w, profile: 1g.6gb}
wpm: {}
",
    );
    use Maintenance::{Cordoned, Draining, InService};
    let states: Vec<Maintenance> = instance.cluster.gpus.iter().map(|gpu| gpu.maintenance).collect();
    assert_eq!(states, [Cordoned, Draining, Draining, Draining, Cordoned, InService, Draining, Draining]);
}

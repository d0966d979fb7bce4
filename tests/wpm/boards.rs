//! Workloads that are bound to boards.

use ground::SourceText;
use kit::{SolveOptions, Status};
use models::{Instance, model_named};
use solver::Control;
use solvers::solvers;
use support::instances::{instance, posed};
use wpm::FORMULATIONS;

/// An A30, which would do for all, and an A100, which costs more.
const TEXT: &str = "
name: bound
gpus:
  - {name: old, board: A30-24GB}
  - {name: new, board: A100-80GB}
workloads:
  - {name: small, profile: [1g.6gb, 1g.10gb], boards: A100-80GB}
  - {name: free, profile: [1g.6gb, 1g.10gb]}
  - {name: both, profile: [1g.6gb, 1g.10gb], boards: [A30-24GB, a100-80gb]}
wpm: {costs: {reward_per_slice: 1000, gpu: 10, repartition: 1, migration_per_slice: 1, waste: 1, boards: {A100-80GB: {gpu: 100}}}}
siavashi: {}
";

#[test]
fn requests_of_bound_workloads_are_those_of_their_boards() {
    let instance = instance(TEXT);
    let cluster = &instance.cluster;
    let on_board = |workload: usize| {
        let request = &cluster.requests[cluster.workloads[workload].request.index()];
        request.on_board.iter().map(Option::is_some).collect::<Vec<bool>>()
    };
    assert_eq!([on_board(0), on_board(1), on_board(2)], [[false, true], [true, true], [true, true]]);
    assert_eq!(cluster.workloads[1].request, cluster.workloads[2].request, "all boards are no bound");
    assert_eq!(cluster.requests.len(), 2);
}

#[test]
fn all_formulations_keep_bound_workloads_on_their_boards() {
    let problem = posed::<wpm::Wpm>(&instance(TEXT));
    // The A30 would do for all three, and costs less.
    let unbound = posed::<wpm::Wpm>(&instance(TEXT.replace(", boards: A100-80GB", "")));
    for (problem, gpu) in [(&problem, 1), (&unbound, 0)] {
        for formulation in FORMULATIONS {
            for solver in solvers() {
                let options = SolveOptions::exact(*solver);
                let solved = formulation.solve(problem, None, &options, &Control::silent()).unwrap();
                let (solution, score) = solved.best.expect("optimal");
                assert_eq!((score.gpus, score.placed), (1, 3), "{}", formulation.name());
                let first = problem.cluster.workload_indices().next().unwrap();
                let place = solution.placement.of(first).unwrap();
                assert_eq!(place.gpu.index(), gpu, "{}", formulation.name());
            }
        }
    }
}

#[test]
fn a_bound_workload_waits_rather_than_go_elsewhere() {
    // The A100 is taken as a whole by what may not be moved; the A30 is empty.
    let taken =
        "workloads:\n  - {name: all, profile: 7g.80gb, current: {gpu: new, start: 0}, movable: false}";
    let instance = instance(TEXT.replace("workloads:", taken));
    for model in ["wpm", "siavashi"] {
        let question = model_named(model).unwrap().pose(&instance).unwrap();
        let options = SolveOptions::exact(solvers()[0]);
        let solved = question.solve(&options, &Control::silent()).unwrap();
        assert_eq!(solved.status, Status::Optimal);
        let document = solved.solution.expect("optimal");
        let placement = document.resolve(&instance.cluster, &instance.fingerprint, &instance.source).unwrap();
        let gpus: Vec<Option<u32>> = instance
            .cluster
            .workload_indices()
            .map(|workload| placement.of(workload).map(|place| place.gpu.0))
            .collect();
        assert_eq!(gpus, [Some(1), None, Some(0), Some(0)], "{model}");
    }
}

#[test]
fn boards_that_cannot_be_are_refused() {
    let cases = [
        (
            ", boards: A100-80GB}",
            ", boards: A100-80GBB}",
            "bound.yaml:7:",
            "board \"A100-80GBB\" is not known",
        ),
        (
            ", boards: A100-80GB}",
            ", boards: H100-80GB}",
            "bound.yaml:7:",
            "names no board of this cluster that has 1g.6gb or 1g.10gb",
        ),
        (", boards: A100-80GB}", ", boards: []}", "bound.yaml:7:", "names no board of this cluster"),
        (
            ", boards: A100-80GB}",
            ", boards: A100-80GB, current: {gpu: old, start: 0}}",
            "bound.yaml:7:",
            "whose board is not among its `boards`",
        ),
    ];
    for (from, to, place, what) in cases {
        let text = TEXT.replace(from, to);
        assert_ne!(text, TEXT);
        let error = Instance::parse(SourceText::new("bound.yaml", text)).unwrap_err().to_string();
        assert!(error.starts_with(place) && error.contains(what), "{error}");
    }
}

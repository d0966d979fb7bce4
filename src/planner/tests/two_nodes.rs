//! The small cluster that stands under `instances/operators`.

use super::theorems::{found, options};
use cluster::{GpuIndex, Location, Placement};
use mig::SliceStart;
use plan::{Backend, By, Kind, Limits, Transition};
use solver::Control;
use solvers::solvers;
use std::path::Path;

fn transition(backend: Backend) -> Transition {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../instances/operators/two-nodes/expected/instance.yaml");
    let instance = models::Instance::from_file(file).unwrap();
    let cluster = instance.cluster.clone();
    let gpu = |name: &str| GpuIndex::at(cluster.gpus.iter().position(|gpu| gpu.name == name).unwrap());
    let mut places: Vec<Option<Location>> =
        cluster.workloads.iter().map(|workload| workload.current).collect();
    for (name, start) in [("serving/embed-1", 4), ("research/train-1", 0)] {
        let workload = cluster.workloads.iter().position(|workload| workload.name == name).unwrap();
        places[workload] = Some(Location { gpu: gpu("gpu-b/1"), start: SliceStart(start) });
    }
    Transition::new(cluster, Placement::new(places), Limits::default(), backend).unwrap()
}

#[test]
fn one_workload_moves_in_two_rounds_and_nothing_stops() {
    let transition = transition(Backend::NvidiaSmi);
    for solver in solvers() {
        let found = found(&transition, &options(*solver)).unwrap();
        let rounds = &found.file.rounds;
        assert!(found.file.proved);
        assert_eq!(rounds.len(), 2);
        let [first] = rounds[0].moves.as_slice() else { panic!("{rounds:#?}") };
        assert_eq!((first.workload.as_str(), first.kind), ("serving/embed-1", Kind::Surge));
        assert_eq!((first.from.as_ref().unwrap().start, first.to.as_ref().unwrap().start), (2, 4));
        let [second] = rounds[1].moves.as_slice() else { panic!("{rounds:#?}") };
        assert_eq!((second.workload.as_str(), second.kind), ("research/train-1", Kind::Start));
        let counts = found.judgement.counts;
        assert_eq!((counts.stops, counts.bounces, counts.moves, counts.starts, counts.gpus), (0, 0, 1, 1, 1));
        let bounds = found.file.bounds.unwrap();
        let rounds = bounds.rounds.unwrap();
        assert_eq!((rounds.value, rounds.by, rounds.chain.len()), (2, By::Chain, 2));
        assert!(found.judgement.certified.iter().all(|bound| bound.checked));
    }
}

#[test]
fn a_backend_that_clears_the_gpu_cannot_do_it_beside_a_pinned_workload() {
    let answer =
        crate::plan(&transition(Backend::MigParted), &options(solvers()[0]), &Control::silent()).unwrap();
    let crate::Answer::Impossible(reason) = answer else { panic!("a pinned workload is in the way") };
    assert!(reason.contains("gpu-b/1") && reason.contains("serving/video-0"), "{reason}");
}

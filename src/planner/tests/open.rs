//! Targets of one round against all placements, tried out.

use super::cases::{PLAIN, Recipe, draw};
use super::theorems::options;
use crate::{Answer, Objective, OpenTarget, open_target, plan_open};
use cluster::{Cluster, GpuIndex, Handover, Location, Maintenance, Placement, WorkloadIndex};
use mig::{GpuInstance, SlotMask};
use plan::Transition;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::Control;
use solvers::solvers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What may be on a GPU at once.
fn is_legal(cluster: &Cluster, gpu: GpuIndex, instances: &BTreeSet<GpuInstance>) -> bool {
    let board = cluster.board_of(gpu);
    let mut used = SlotMask::EMPTY;
    instances.iter().all(|&instance| {
        let slots = board.footprint(instance);
        let is_free = !used.intersects(slots);
        used = used.union(slots);
        is_free
    }) && board.limits().iter().all(|limit| {
        instances.iter().map(|instance| limit.usage_of(instance.profile)).sum::<u32>() <= limit.capacity
    })
}

fn gpus_in_use(placement: &Placement, cluster: &Cluster) -> usize {
    let gpus = cluster.workload_indices().filter_map(|workload| placement.of(workload));
    gpus.map(|location| location.gpu).collect::<BTreeSet<_>>().len()
}

/// Stops and moves of a placement that one round reaches; none if it does not reach it.
fn in_one_round(transition: &Transition, target: &Placement) -> Option<[u64; 2]> {
    let cluster = &transition.cluster;
    let mut in_play: BTreeMap<GpuIndex, BTreeSet<GpuInstance>> = BTreeMap::new();
    let mut count = 0;
    let [mut stops, mut moves] = [0, 0];
    for workload in cluster.workload_indices() {
        let about = &cluster.workloads[workload.index()];
        let after = target.of(workload);
        let mut hold = |location: Location| {
            in_play.entry(location.gpu).or_default().insert(cluster.instance_at(workload, location).unwrap());
            count += 1;
        };
        about.current.into_iter().for_each(&mut hold);
        after.filter(|_| after != about.current).into_iter().for_each(&mut hold);
        if about.current.is_some() && after.is_some() && after != about.current {
            moves += 1;
            stops += u64::from(about.handover == Handover::Restart);
        }
    }
    let is_apart = in_play.values().map(BTreeSet::len).sum::<usize>() == count;
    let legal = in_play.iter().all(|(&gpu, instances)| is_legal(cluster, gpu, instances));
    (is_apart && legal).then_some([stops, moves])
}

/// The fewest stops and moves of any target that one round reaches.
fn fewest(transition: &Transition, placement: &mut Placement, next: usize) -> Option<[u64; 2]> {
    let cluster = &transition.cluster;
    if next == cluster.workloads.len() {
        let is_small = gpus_in_use(placement, cluster) <= gpus_in_use(&transition.target, cluster);
        return in_one_round(transition, placement).filter(|_| is_small);
    }
    let workload = WorkloadIndex::at(next);
    if transition.class_of[next].is_none() || transition.target.of(workload).is_none() {
        placement.set(workload, transition.target.of(workload));
        return fewest(transition, placement, next + 1);
    }
    let mut best: Option<[u64; 2]> = None;
    for gpu in cluster.gpu_indices() {
        let board = cluster.board_of(gpu);
        let maintenance = cluster.gpus[gpu.index()].maintenance;
        let current = cluster.workloads[next].current;
        let request = &cluster.requests[cluster.workloads[next].request.index()];
        let profile = request.on_board[cluster.gpus[gpu.index()].board.index()].unwrap();
        for &start in &board.profile(profile).starts {
            let place = Location { gpu, start };
            let stays = current == Some(place);
            let may_be_there = match maintenance {
                Maintenance::InService => true,
                Maintenance::Cordoned => stays,
                Maintenance::Draining => false,
            };
            if !may_be_there || !cluster.admits(workload, gpu) {
                continue;
            }
            placement.set(workload, Some(place));
            let found = fewest(transition, placement, next + 1);
            best = best.into_iter().chain(found).min();
        }
    }
    best
}

/// A draw, of which some workloads may have to end.
fn drawn(recipe: Recipe, random: &mut ChaCha8Rng) -> Transition {
    let drawn = draw(recipe, random);
    let mut target = drawn.target.clone();
    if random.random_bool(0.3) {
        target.set(WorkloadIndex::at(0), None);
    }
    let mut cluster = (*drawn.cluster).clone();
    if random.random_bool(0.3) {
        // What is to be drained is drained by the given target too.
        let first = &mut cluster.gpus[0].maintenance;
        let is_left = cluster.workloads.iter().enumerate().all(|(index, about)| {
            let stays = target.of(WorkloadIndex::at(index)).is_some_and(|place| place.gpu == GpuIndex::at(0));
            !about.movable || !stays
        });
        *first = if is_left { Maintenance::Draining } else { Maintenance::Cordoned };
    }
    Transition::new(Arc::new(cluster), target, drawn.limits, drawn.backend).unwrap_or(drawn)
}

#[test]
fn targets_of_one_round_have_the_fewest_stops_and_moves() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let recipe = Recipe { newcomers: true, restarts: true, pins: true, classes: true, ..PLAIN };
    let larger = Recipe { gpus: 3, ..recipe };
    let several = Recipe { board: "A100-40GB", gpus: 1, most_workloads: 3, ..recipe };
    let bound = Recipe { nodes: true, ..recipe };
    let [mut reached, mut not_reached, mut cheaper] = [0, 0, 0];
    for case in 0..300 {
        let recipe = [recipe, bound, larger, several][case % 4];
        let transition = drawn(recipe, &mut random);
        let truth = fewest(&transition, &mut transition.target.clone(), 0);
        for solver in solvers() {
            let about = format!("case {case} with {}", solver.name());
            let found = open_target(&transition, &options(*solver), &Control::silent()).unwrap();
            match (found, truth) {
                (OpenTarget::Found(target, true), Some(truth)) => {
                    assert_eq!(in_one_round(&transition, &target), Some(truth), "{about}");
                    let is_admitted = |workload: WorkloadIndex| {
                        let place =
                            target.of(workload).filter(|_| transition.class_of[workload.index()].is_some());
                        place.is_none_or(|place| transition.cluster.admits(workload, place.gpu))
                    };
                    assert!(transition.cluster.workload_indices().all(is_admitted), "{about}");
                    assert!(
                        gpus_in_use(&target, &transition.cluster)
                            <= gpus_in_use(&transition.target, &transition.cluster)
                    );
                    for workload in transition.cluster.workload_indices() {
                        let is_placed = |placement: &Placement| placement.of(workload).is_some();
                        assert_eq!(is_placed(&target), is_placed(&transition.target), "{about}");
                    }
                    reached += 1;
                    let given = in_one_round(&transition, &transition.target);
                    cheaper += usize::from(given.is_none_or(|given| truth < given));
                }
                (OpenTarget::None, None) => not_reached += 1,
                (found, truth) => panic!("{about}: {found:?}, {truth:?}"),
            }
        }
    }
    assert!(reached > 100 && not_reached > 10 && cheaper > 50, "{reached} {not_reached} {cheaper}");
}

#[test]
fn an_open_target_costs_no_more_than_the_given_one() {
    let mut random = ChaCha8Rng::seed_from_u64(42);
    let recipe = Recipe { newcomers: true, restarts: true, pins: true, ..PLAIN };
    let mut less = 0;
    for case in 0..60 {
        let transition = draw(recipe, &mut random);
        let mut options = options(solvers()[0]);
        if case % 2 == 1 {
            options.order = vec![Objective::Moves, Objective::Stops, Objective::Rounds];
        }
        let cost = |answer: Answer| match answer {
            Answer::Found(found) => {
                Some(options.order.iter().map(|objective| objective.of(&found.judgement.counts)).collect())
            }
            _ => None,
        };
        let fixed: Option<Vec<u64>> = cost(crate::plan(&transition, &options, &Control::silent()).unwrap());
        let open = cost(plan_open(&transition, &options, &Control::silent()).unwrap().0);
        assert!(open.is_some() || fixed.is_none(), "case {case}");
        if let (Some(open), Some(fixed)) = (open, fixed) {
            assert!(open <= fixed, "case {case}: {open:?} {fixed:?}");
            less += usize::from(open < fixed);
        }
    }
    assert!(less > 10, "{less}");
}

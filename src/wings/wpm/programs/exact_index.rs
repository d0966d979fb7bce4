//! The aggregated program with exact indexes: freed slots are used again, pinned instances worked around.

use super::lattice::Lattice;
use super::stage_plan::StagePlan;
use super::states::{Occupants, Way};
use crate::instance::Problem;
use crate::rules::Reading;
use crate::section::UseCase;
use cluster::Maintenance;
use itertools::Itertools;
use mig::{Board, Counts, GpuInstance};

/// Builds the aggregated program of the exact-index reading.
pub fn exact_index(problem: &Problem, plan: StagePlan) -> Lattice<'_> {
    let ways = move |occupants: &Occupants<'_>| ways_to_stay(problem.use_case, occupants);
    Lattice::new(problem, plan, "wpm-exact-index", Reading::ExactIndex, Box::new(ways))
}

/// Any subset of the movable residents keeps its start slots; all other slots are free for additions. Around pinned
/// instances, kept residents may also be laid out anew together with the additions, as a repartition.
///
/// Exact without an argument, because every subset is listed.
fn ways_to_stay(use_case: UseCase, occupants: &Occupants<'_>) -> Vec<Way> {
    if occupants.maintenance != Maintenance::InService {
        return ways_out_of_service(occupants);
    }
    let has_pinned = !occupants.pinned.is_empty();
    if !has_pinned && use_case == UseCase::Reconfiguration {
        return Vec::new();
    }
    let none = Counts::zero(occupants.board.profiles().len());
    let mut ways = Vec::new();
    for kept in (0..occupants.movable.len()).powerset() {
        let instances = kept.iter().map(|&position| occupants.movable[position].instance).collect_vec();
        let staying = [occupants.pinned, &instances].concat();
        let repartition = has_pinned && !kept.is_empty();
        ways.push(Way { kept: kept.clone(), ..beside(occupants.board, &staying, none.clone()) });
        if repartition {
            let anew = Counts::from_instances(none.len(), &instances);
            ways.push(Way { kept, repartition, ..beside(occupants.board, occupants.pinned, anew) });
        }
    }
    ways
}

/// Out of service a GPU takes nothing and is not repartitioned: any subset of the movable residents stays; of one that is to be drained, none.
fn ways_out_of_service(occupants: &Occupants<'_>) -> Vec<Way> {
    let most = if occupants.maintenance == Maintenance::Draining { 0 } else { occupants.movable.len() };
    let staying = |kept: &[usize]| {
        let movable = kept.iter().map(|&position| occupants.movable[position].instance);
        occupants.pinned.iter().copied().chain(movable).collect_vec()
    };
    let waste =
        |kept: &[usize]| staying(kept).into_iter().map(|instance| occupants.board.waste(instance)).sum();
    (0..most).powerset().map(|kept| Way { waste: waste(&kept), ..occupants.alone(kept) }).collect()
}

/// A way in which these instances keep their start slots, and others are laid out anew beside them.
fn beside(board: &Board, staying: &[GpuInstance], laid_out_anew: Counts) -> Way {
    let remaining = staying.iter().fold(board.full_limits(), |left, instance| {
        left.take(board, instance.profile).expect("the current state is legal")
    });
    Way {
        kept: Vec::new(),
        occupied: board.used_slots(staying),
        remaining: Some(remaining),
        laid_out_anew,
        waste: staying.iter().map(|&instance| board.waste(instance)).sum(),
        repartition: false,
    }
}

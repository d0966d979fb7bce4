//! The aggregated program with exact indexes: freed slots are used again, pinned instances worked around.

use super::instance::Problem;
use super::lattice::Lattice;
use super::objective::Plan;
use super::settings::UseCase;
use super::solution::Reading;
use super::states::{Occupants, Way};
use crate::mig::{Counts, GpuInstance};
use itertools::Itertools;

/// Builds the aggregated program of the exact-index reading.
pub fn exact_index(problem: &Problem, plan: Plan) -> Lattice<'_> {
    let ways = move |occupants: &Occupants<'_>| ways_to_stay(problem.use_case, occupants);
    Lattice::new(problem, plan, "wpm-exact-index", Reading::ExactIndex, Box::new(ways))
}

/// Any subset of the movable residents keeps its start slots; all other slots are free for additions. Around pinned
/// instances, kept residents may also be laid out anew together with the additions, as a repartition.
fn ways_to_stay(use_case: UseCase, occupants: &Occupants<'_>) -> Vec<Way> {
    let board = occupants.board;
    let pinned = !occupants.pinned.is_empty();
    if !pinned && use_case == UseCase::Reconfiguration {
        return Vec::new();
    }
    let none = Counts::zero(board.profiles().len());
    let waste =
        |instances: &[GpuInstance]| instances.iter().map(|&instance| board.waste(instance)).sum::<u32>();
    let remaining = |instances: &mut dyn Iterator<Item = GpuInstance>| {
        instances.fold(board.full_limits(), |left, instance| {
            left.take(board, instance.profile).expect("the current state is legal")
        })
    };
    let mut ways = Vec::new();
    for kept in (0..occupants.movable.len()).powerset() {
        let kept_instances = kept.iter().map(|&position| occupants.movable[position].instance);
        let staying = occupants.pinned.iter().copied().chain(kept_instances.clone()).collect_vec();
        ways.push(Way {
            kept: kept.clone(),
            occupied: board.used_slots(&staying),
            remaining: remaining(&mut staying.iter().copied()),
            laid_out_anew: none.clone(),
            waste: waste(&staying),
            repartition: false,
        });
        if pinned && !kept.is_empty() {
            let laid_out_anew = Counts::from_instances(none.len(), &kept_instances.collect_vec());
            ways.push(Way {
                kept,
                occupied: board.used_slots(occupants.pinned),
                remaining: remaining(&mut occupants.pinned.iter().copied()),
                laid_out_anew,
                waste: waste(occupants.pinned),
                repartition: true,
            });
        }
    }
    ways
}

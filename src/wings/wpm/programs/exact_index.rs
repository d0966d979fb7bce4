//! The aggregated program with exact indexes: freed slots are used again, pinned instances worked around.

use super::concerns::{Concerns, Slots};
use super::lattice::Lattice;
use super::stage_plan::StagePlan;
use super::states::{Occupants, Pools, Way};
use crate::instance::Problem;
use crate::rules::Reading;
use crate::section::UseCase;
use cluster::Maintenance;
use itertools::Itertools;

/// Builds the aggregated program of the exact-index reading.
pub fn exact_index(problem: &Problem, plan: StagePlan) -> Lattice<'_> {
    let concerns = Concerns::of(problem);
    let pools = Pools::of(problem, &concerns);
    let ways = move |occupants: &Occupants<'_>| ways_to_stay(problem.use_case, occupants);
    let name = ("wpm-exact-index", Reading::ExactIndex);
    Lattice::new(problem, plan, name, concerns, pools, Box::new(ways))
}

/// Any subset of the movable residents keeps its start slots; all other slots are free for additions. Around pinned
/// instances, kept residents may also be laid out anew together with the additions, as a repartition. Where slots matter, any
/// residents may keep theirs in a repartition, with or without something pinned.
///
/// Exact without an argument, because every subset is listed.
fn ways_to_stay(use_case: UseCase, occupants: &Occupants<'_>) -> Vec<Way> {
    if occupants.maintenance != Maintenance::InService {
        return ways_out_of_service(occupants);
    }
    let has_pinned = !occupants.pinned.is_empty();
    let mut ways = Vec::new();
    if has_pinned || use_case != UseCase::Reconfiguration {
        ways.extend(occupants.may_stay().into_iter().powerset().map(|kept| occupants.beside(kept)));
    }
    if occupants.slots != Slots::Indifferent {
        ways.extend(occupants.repartitions_by_slot());
    } else if has_pinned {
        let anew = |kept: Vec<usize>| Way {
            shifted: kept.clone(),
            kept,
            repartition: true,
            ..occupants.beside(Vec::new())
        };
        let some = occupants.may_stay().into_iter().powerset().filter(|kept| !kept.is_empty());
        ways.extend(some.map(anew));
    }
    ways
}

/// Out of service a GPU takes nothing and is not repartitioned: any subset of the movable residents stays; of one that is to be drained, none.
fn ways_out_of_service(occupants: &Occupants<'_>) -> Vec<Way> {
    let may_stay = match occupants.maintenance {
        Maintenance::Draining => Vec::new(),
        Maintenance::InService | Maintenance::Cordoned => occupants.may_stay(),
    };
    may_stay.into_iter().powerset().map(|kept| Way { remaining: None, ..occupants.beside(kept) }).collect()
}

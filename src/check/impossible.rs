//! Why instances have no layout.

use super::lattice::Lattice;
use ground::counted;
use itertools::Itertools;
use mig::{Board, Counts, Limit, patterns};

/// A multiset without a layout, in its smallest part that has none.
#[derive(Clone, PartialEq, Debug)]
pub struct Impossible {
    /// A part with as few instances as possible that has no layout; without any of its instances it has one.
    pub smallest: Counts,
    /// Why it has none, at least one reason.
    pub reasons: Vec<Reason>,
}

/// Why some instances have no layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// They need more memory slots than there are.
    Slots {
        /// What they need.
        needed: u32,
        /// What there is.
        available: u32,
    },
    /// Their legal starts collide, whatever the limits.
    Starts {
        /// The legal starts of each profile, in words.
        starts: String,
    },
    /// They need more of something else than there is.
    Limit {
        /// What it is.
        of: String,
        /// What they need.
        needed: u32,
        /// What there is.
        available: u32,
    },
}

impl Reason {
    /// The reason's short, stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Slots { .. } => "slots",
            Reason::Starts { .. } => "starts",
            Reason::Limit { .. } => "limit",
        }
    }

    /// What is wrong with the instances, as what follows their names.
    pub fn words(&self) -> String {
        match self {
            Reason::Slots { needed, available } => {
                format!("need {needed} memory slots, the board has {available}")
            }
            Reason::Starts { starts } => {
                format!("have no starts at which none overlaps another (legal: {starts})")
            }
            Reason::Limit { of, needed, available } => {
                format!("need {needed} {of}, the board has {available}")
            }
        }
    }
}

impl Impossible {
    /// What is wrong with a multiset that has no layout.
    pub fn of(board: &Board, counts: &Counts) -> Self {
        let smallest = smallest_without_layout(board, counts);
        let reasons = reasons(board, &smallest);
        Impossible { smallest, reasons }
    }
}

/// Every part without a layout contains one of which each smaller part has one, so one of those is the smallest.
fn smallest_without_layout(board: &Board, counts: &Counts) -> Counts {
    let feasible = patterns(board);
    let within = feasible.waste_of.keys().filter(|part| part.fits_within(counts));
    let one_more = within.flat_map(|part| {
        let profiles = board.profile_indices().filter(|&profile| part.get(profile) < counts.get(profile));
        profiles.map(|profile| part.add_one(profile))
    });
    let refused = one_more.filter(|part| !feasible.allows(part));
    refused.min_by_key(|part| (part.total(), part.clone())).expect("some part has no layout")
}

fn reasons(board: &Board, counts: &Counts) -> Vec<Reason> {
    let needed: u32 = counts.iter().map(|(profile, count)| board.profile(profile).size * count).sum();
    let exceeded = |limit: &Limit| Reason::Limit {
        of: limit.name.clone(),
        needed: limit.used_by(counts),
        available: limit.capacity,
    };
    let lattice = Lattice::of(board, counts);
    let of_slots = if needed > board.slots() {
        Some(Reason::Slots { needed, available: board.slots() })
    } else if !lattice.laid_out().contains(lattice.whole()) {
        Some(Reason::Starts { starts: starts_of(board, counts) })
    } else {
        None
    };
    let limits = board.implied_limits();
    of_slots.into_iter().chain(limits.iter().filter(|limit| limit.excludes(counts)).map(exceeded)).collect()
}

fn starts_of(board: &Board, counts: &Counts) -> String {
    let mut starts = counts.iter().map(|(index, _)| {
        let profile = board.profile(index);
        let slots = profile.starts.iter().map(|start| start.0).join(", ");
        format!("{} of {} at {slots}", profile.name, counted(profile.size, "slot"))
    });
    starts.join("; ")
}

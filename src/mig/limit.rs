//! Limits on the counts of a board other than its slots.

use std::collections::BTreeSet;

use super::counts::Counts;
use super::instance::ProfileIndex;
use super::profile::{Engines, Profile};

/// A linear limit over instance counts other than the slots: the compute slices, a pool of engines, or `Instances Total` of a
/// profile.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Limit {
    /// What is limited, in words, such as `optical flow accelerators (OFA)`.
    pub name: String,
    /// What one board has.
    pub capacity: u32,
    /// What one instance of every profile uses, in the board's order.
    pub usage: Vec<u32>,
}

impl Limit {
    /// What the instances of `counts` use together.
    pub fn used_by(&self, counts: &Counts) -> u32 {
        let of_profiles =
            self.usage.iter().zip(counts.as_slice()).map(|(usage, count)| usage.saturating_mul(*count));
        of_profiles.fold(0, u32::saturating_add)
    }

    /// What one instance of `profile` uses.
    pub fn usage_of(&self, profile: ProfileIndex) -> u32 {
        self.usage[profile.index()]
    }

    /// Whether the instances of `counts` use more than there is.
    pub fn excludes(&self, counts: &Counts) -> bool {
        self.used_by(counts) > self.capacity
    }
}

/// The limits that matter: a subset of all limits, none of them redundant, that excludes the same `laid_out` multisets.
///
/// `laid_out` are the multisets that have a layout when slots alone count. Every limit that some others make redundant
/// is dropped, in the order of [`all_limits`], so what is left does not depend on anything but the board.
pub(super) fn binding_limits(
    slots: u32,
    compute: u32,
    profiles: &[Profile],
    laid_out: &[Counts],
) -> Vec<Limit> {
    let mut limits = all_limits(slots, compute, profiles);
    let excluded: Vec<BTreeSet<usize>> = limits
        .iter()
        .map(|limit| (0..laid_out.len()).filter(|index| limit.excludes(&laid_out[*index])).collect())
        .collect();
    let mut kept: Vec<usize> = (0..limits.len()).collect();
    for candidate in 0..limits.len() {
        let covered = |multiset: &usize| {
            kept.iter().any(|other| *other != candidate && excluded[*other].contains(multiset))
        };
        if excluded[candidate].iter().all(covered) {
            kept.retain(|other| *other != candidate);
        }
    }
    let mut position = 0..;
    limits.retain(|_| position.next().is_some_and(|index| kept.contains(&index)));
    limits
}

/// All limits that the profiles imply, those that are dropped first at the front.
///
/// Compute slices come first because every instance has some, so that a limit of one profile says the same in less. A board has
/// as many engines as its profile that spans all slots. `Instances Total` comes last because the driver
/// states it, whereas the sharing of engines is inferred; optical flow comes last of the engines because the `+me`
/// profiles are sold by it.
pub(super) fn all_limits(slots: u32, compute: u32, profiles: &[Profile]) -> Vec<Limit> {
    let engines: Vec<Engines> = profiles.iter().filter_map(|profile| profile.engines).collect();
    let of_whole_board =
        profiles.iter().filter(|profile| profile.size == slots).filter_map(|profile| profile.engines);
    let mut limits = vec![Limit {
        name: "compute slices".to_owned(),
        capacity: compute,
        usage: profiles.iter().map(|profile| profile.compute).collect(),
    }];
    if let Some(pool) = of_whole_board.reduce(Engines::maximum) {
        limits.extend(ENGINE_POOLS.iter().map(|(name, number)| Limit {
            name: (*name).to_owned(),
            capacity: number(&pool),
            usage: engines.iter().map(*number).collect(),
        }));
    }
    limits.extend(profiles.iter().enumerate().map(|(index, profile)| Limit {
        name: format!("instances of {}", profile.name),
        capacity: profile.maximum,
        usage: (0..profiles.len()).map(|other| u32::from(other == index)).collect(),
    }));
    limits
}

/// Name of every kind of engine, and how to read its number.
type EnginePool = (&'static str, fn(&Engines) -> u32);
const ENGINE_POOLS: [EnginePool; 5] = [
    ("copy engines (CE)", |engines| engines.copy),
    ("JPEG decoders (NVJPG)", |engines| engines.jpeg),
    ("video encoders (NVENC)", |engines| engines.encode),
    ("video decoders (NVDEC)", |engines| engines.decode),
    ("optical flow accelerators (OFA)", |engines| engines.optical_flow),
];

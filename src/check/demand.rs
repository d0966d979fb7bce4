//! The GPU instances that a list of MIG devices needs on a board.

use super::configuration::MigDevices;
use ground::did_you_mean;
use itertools::Itertools;
use mig::{Board, Counts, ProfileIndex, catalogue};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What devices need on a board.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The GPU instances.
    pub counts: Counts,
    /// The devices by profile and compute slices, as `nvidia-mig-parted export` counts them.
    pub devices: BTreeMap<(ProfileIndex, u32), u32>,
    /// Whether some devices are parts of GPU instances.
    pub has_parts: bool,
}

/// A profile that a board does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownProfile {
    /// What is there instead, in words.
    pub message: String,
}

impl Demand {
    /// Resolves a list of devices on a board.
    ///
    /// # Errors
    /// With the profiles that the board does not have.
    pub fn of(board: &Board, listed: &[MigDevices]) -> Result<Self, Vec<UnknownProfile>> {
        let mut devices: BTreeMap<(ProfileIndex, u32), u32> = BTreeMap::new();
        let mut unknown = Vec::new();
        let mut has_parts = false;
        for MigDevices { profile: name, count, .. } in listed {
            let profile = board.find_profile(&name.of);
            let Some(profile) = profile.filter(|&profile| name.slices(0) <= board.profile(profile).compute)
            else {
                unknown.push(UnknownProfile { message: advice(board, &name.of) });
                continue;
            };
            let whole = board.profile(profile).compute;
            let slices = name.slices(whole);
            has_parts |= slices < whole && *count > 0;
            // More than there can be anywhere is not told apart.
            let count = (*count).min(board.slots() * board.compute() + 1);
            *devices.entry((profile, slices)).or_default() += count;
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let mut counts = Counts::zero(board.profiles().len());
        for profile in board.profile_indices() {
            let parts = devices.iter().filter(|((of, _), _)| *of == profile);
            let parts: Vec<(u32, u32)> = parts.map(|(&(_, slices), &count)| (slices, count)).collect();
            counts.set(profile, instances_for(board.profile(profile).compute, &parts));
        }
        devices.retain(|_, count| *count > 0);
        Ok(Demand { counts, devices, has_parts })
    }
}

/// GPU instances of so many compute slices for parts, given by their compute slices and their number: each where it fits first, the largest
/// ones first. That is the least number up to six slices, and tells one from several at seven, of which no board has two.
fn instances_for(compute: u32, parts: &[(u32, u32)]) -> u32 {
    let mut parts = parts.to_vec();
    parts.sort_by_key(|&(slices, _)| Reverse(slices));
    let mut free: Vec<u32> = Vec::new();
    for (slices, count) in parts {
        for _ in 0..count {
            match free.iter_mut().find(|free| **free >= slices) {
                Some(free) => *free -= slices,
                None => free.push(compute - slices),
            }
        }
    }
    free.len() as u32
}

/// What to write instead of a profile that the board does not have.
fn advice(board: &Board, name: &str) -> String {
    let known: Vec<&str> = board.profiles().iter().map(|profile| profile.name.as_str()).collect();
    let has_it = |other: &&Arc<Board>| other.profiles().iter().any(|profile| profile.name == name);
    let owners = catalogue().boards().iter().filter(has_it).map(|other| other.name()).join(", ");
    let owners = if owners.is_empty() { owners } else { format!("; a profile of that name is on {owners}") };
    let guess = did_you_mean(name, known.iter().copied());
    format!("{} has no profile {name}{guess}. It has {}{owners}", board.name(), known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::instances_for;

    /// The least number of bins by trying all places for each part.
    fn least(compute: u32, parts: &[u32], free: &mut Vec<u32>) -> usize {
        let Some((&first, rest)) = parts.split_first() else { return free.len() };
        let mut best = usize::MAX;
        for bin in 0..free.len() {
            if free[bin] >= first {
                free[bin] -= first;
                best = best.min(least(compute, rest, free));
                free[bin] += first;
            }
        }
        free.push(compute - first);
        best = best.min(least(compute, rest, free));
        free.pop();
        best
    }

    #[test]
    fn parts_share_as_few_instances_as_possible() {
        for compute in 1..=7u32 {
            for coded in 0..4096u32 {
                let parts: Vec<u32> = (0..6).map(|position| coded >> (2 * position) & 3).collect();
                let parts: Vec<u32> =
                    parts.into_iter().filter(|&slices| slices > 0 && slices <= compute).collect();
                let grouped: Vec<(u32, u32)> = (1..=3)
                    .map(|slices| (slices, parts.iter().filter(|&&other| other == slices).count() as u32))
                    .collect();
                let (found, least) =
                    (instances_for(compute, &grouped) as usize, least(compute, &parts, &mut Vec::new()));
                // Of seven slices only one instance fits on a board.
                assert!(found == least || (compute == 7 && found > 1 && least > 1), "{compute}: {parts:?}");
            }
        }
    }
}

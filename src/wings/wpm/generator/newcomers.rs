//! The workloads that ask for a place.

use super::layouts::free_instances;
use super::mix::Frequencies;
use super::parameters::GeneratorOptions;
use mig::{Board, GpuInstance, ProfileIndex, Remaining, SlotMask, preferred_starts};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Newcomers beside what runs, until their share of memory slices is filled or no other would be allowed.
pub fn random_newcomers(
    options: &GeneratorOptions,
    frequencies: &Frequencies,
    layouts: &[Vec<GpuInstance>],
    random: &mut ChaCha8Rng,
) -> Vec<ProfileIndex> {
    let board = options.board.as_ref();
    let mut left = slices_for_newcomers(options, layouts);
    let mut room: Vec<u32> = board
        .limits()
        .iter()
        .map(|limit| {
            let used: u32 = layouts.iter().flatten().map(|instance| limit.usage_of(instance.profile)).sum();
            (limit.capacity * options.gpus).saturating_sub(used)
        })
        .collect();
    let mut places = options.newcomers_fit.then(|| Places::beside(board, layouts));
    let mut newcomers = Vec::new();
    loop {
        let limited = |profile: ProfileIndex| {
            board.limits().iter().zip(&room).any(|(limit, &room)| limit.usage_of(profile) > room)
        };
        let has_place =
            |profile| places.as_ref().is_none_or(|places| places.fullest_with_room(profile).is_some());
        let fitting: Vec<ProfileIndex> = frequencies
            .drawn()
            .filter(|&profile| board.profile(profile).size <= left && !limited(profile) && has_place(profile))
            .collect();
        let Some(profile) = frequencies.choose(&fitting, random) else { return newcomers };
        left -= board.profile(profile).size;
        for (limit, room) in board.limits().iter().zip(&mut room) {
            *room -= limit.usage_of(profile);
        }
        places.iter_mut().for_each(|places| places.fill(profile));
        newcomers.push(profile);
    }
}

/// Memory slices that newcomers ask for at most.
fn slices_for_newcomers(options: &GeneratorOptions, layouts: &[Vec<GpuInstance>]) -> u32 {
    let board = options.board.as_ref();
    let capacity = f64::from(options.gpus) * f64::from(board.slots());
    let share_of_all = |share: f64| (share * capacity + 1e-9).floor() as u32;
    let running: u32 = layouts.iter().flatten().map(|instance| board.profile(instance.profile).size).sum();
    let bound = options.utilisation.map_or(u32::MAX, |share| share_of_all(share).saturating_sub(running));
    share_of_all(options.newcomer_share).min(bound)
}

/// What is free on the GPUs while newcomers get a place, to show that all of them have one.
struct Places<'b> {
    board: &'b Board,
    /// GPUs by what is free on them.
    gpus: BTreeMap<(SlotMask, Remaining), usize>,
}

impl<'b> Places<'b> {
    fn beside(board: &'b Board, layouts: &[Vec<GpuInstance>]) -> Self {
        let mut gpus = BTreeMap::new();
        for layout in layouts {
            let take = |left: Remaining, instance: &GpuInstance| {
                left.take(board, instance.profile).expect("layouts are within the limits")
            };
            let left = layout.iter().fold(board.full_limits(), take);
            *gpus.entry((board.used_slots(layout), left)).or_default() += 1;
        }
        Places { board, gpus }
    }

    /// The state with the most occupied slots in which a GPU has room.
    fn fullest_with_room(&self, profile: ProfileIndex) -> Option<&(SlotMask, Remaining)> {
        let has_room = |state: &&(SlotMask, Remaining)| {
            !free_instances(self.board, profile, state.0, &state.1).is_empty()
        };
        self.gpus.keys().filter(has_room).max_by_key(|state| state.0.count())
    }

    /// Gives an instance the preferred start on the fullest GPU with room.
    fn fill(&mut self, profile: ProfileIndex) {
        let before = self.fullest_with_room(profile).expect("there is room").clone();
        let mut starts = preferred_starts(self.board, profile).into_iter();
        let footprint = |start| self.board.footprint(GpuInstance { profile, start });
        let free = starts.find(|&start| !footprint(start).intersects(before.0)).expect("a start is free");
        let remaining = before.1.take(self.board, profile).expect("the limits allow it");
        let after = (before.0.union(footprint(free)), remaining);
        *self.gpus.entry(after).or_default() += 1;
        let alike = self.gpus.get_mut(&before).expect("there is such a GPU");
        *alike -= 1;
        if *alike == 0 {
            self.gpus.remove(&before);
        }
    }
}

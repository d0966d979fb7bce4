//! What runs on a GPU.

use super::mix::Frequencies;
use mig::{Board, GpuInstance, ProfileIndex, Remaining, SlotMask};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Instances of random profiles at random starts, up to a random share of the slots; at least one.
pub fn random_layout(board: &Board, frequencies: &Frequencies, random: &mut ChaCha8Rng) -> Vec<GpuInstance> {
    let smallest = frequencies.drawn().map(|profile| board.profile(profile).size).min().unwrap_or_default();
    let target = random.random::<f64>() * f64::from(board.slots());
    let mut layout: Vec<GpuInstance> = Vec::new();
    let mut occupied = SlotMask::EMPTY;
    let mut remaining = board.full_limits();
    let mut used = 0;
    loop {
        let within = |profile: ProfileIndex| {
            let size = f64::from(used + board.profile(profile).size);
            // The first instance may exceed a target below the smallest profile.
            size <= target || (layout.is_empty() && board.profile(profile).size == smallest)
        };
        let free = |profile: ProfileIndex| free_instances(board, profile, occupied, &remaining);
        let fitting: Vec<ProfileIndex> =
            frequencies.drawn().filter(|&profile| within(profile) && !free(profile).is_empty()).collect();
        let Some(profile) = frequencies.choose(&fitting, random) else { return layout };
        let instance = *free(profile).choose(random).expect("fitting profiles have a free start");
        occupied = occupied.union(board.footprint(instance));
        remaining = remaining.take(board, profile).expect("fitting profiles are within the limits");
        used += board.profile(profile).size;
        layout.push(instance);
    }
}

/// The instances of a profile for which there is room.
pub fn free_instances(
    board: &Board,
    profile: ProfileIndex,
    occupied: SlotMask,
    remaining: &Remaining,
) -> Vec<GpuInstance> {
    if remaining.take(board, profile).is_none() {
        return Vec::new();
    }
    let starts = board.profile(profile).starts.iter();
    starts
        .map(|&start| GpuInstance { profile, start })
        .filter(|&instance| !board.footprint(instance).intersects(occupied))
        .collect()
}

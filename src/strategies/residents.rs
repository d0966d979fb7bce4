//! Which profiles workloads ask for, and where they run now, so that the current state is legal by construction.

use cluster::OneOrMany;
use cluster::{GpuSection, Spot};
use mig::{Board, GpuInstance, Remaining, SlotMask};
use proptest::prelude::*;
use std::sync::Arc;

/// What a workload asks for, and where it would like to be. All numbers are taken modulo what there is.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// Number of the profile among those of the board that it would like to be on.
    profile: usize,
    /// Another profile that serves it as well, by a GPU and the number among the profiles of its board.
    other_profile: Option<(usize, usize)>,
    /// GPU and number of the start among the profile's starts; taken back where that is not legal.
    pub place: Option<(usize, usize)>,
    /// Whether it may not be moved from its place.
    pub is_pinned: bool,
}

/// Wishes; the plainest is one for the first profile of the board, by a newcomer.
pub(super) fn wishes() -> impl Strategy<Value = Wish> {
    (
        0..32usize,
        proptest::option::weighted(0.15, (0..8usize, 0..32usize)),
        proptest::option::weighted(0.55, (0..8usize, 0..16usize)),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(profile, other_profile, place, is_pinned)| Wish {
            profile,
            other_profile,
            place,
            is_pinned,
        })
}

impl Wish {
    /// The profiles that serve the workload of this number, most wanted first.
    pub fn profiles(&self, number: usize, rooms: &[GpuRoom]) -> OneOrMany<String> {
        let of_gpu = |gpu: usize, profile: usize| {
            let profiles = rooms[gpu % rooms.len()].board.profiles();
            profiles[profile % profiles.len()].name.clone()
        };
        let wanted = of_gpu(self.place.map_or(number, |(gpu, _)| gpu), self.profile);
        match self.other_profile.map(|(gpu, profile)| of_gpu(gpu, profile)) {
            Some(other) if other != wanted => OneOrMany::Many(vec![wanted, other]),
            _ => OneOrMany::One(wanted),
        }
    }
}

/// What residents leave free on a GPU.
pub(super) struct GpuRoom {
    name: String,
    board: Arc<Board>,
    occupied: SlotMask,
    remaining: Remaining,
}

impl GpuRoom {
    /// A GPU on which nothing runs.
    pub fn empty(name: String, board: Arc<Board>) -> Self {
        GpuRoom { name, occupied: SlotMask::EMPTY, remaining: board.full_limits(), board }
    }

    /// The GPU without a host.
    pub fn section(&self) -> GpuSection {
        GpuSection::new(self.name.clone(), self.board.name().to_owned())
    }

    /// Takes a place for a workload that these profiles serve, at the start of this number among those of the first; none if the
    /// board does not have that profile, or the place is not free.
    pub fn take(&mut self, profiles: &OneOrMany<String>, start: usize) -> Option<Spot> {
        let profile = self.board.find_profile(&profiles.as_slice()[0])?;
        let starts = &self.board.profile(profile).starts;
        let instance = GpuInstance { profile, start: starts[start % starts.len()] };
        let footprint = self.board.footprint(instance);
        if footprint.intersects(self.occupied) {
            return None;
        }
        self.remaining = self.remaining.take(&self.board, profile)?;
        self.occupied = self.occupied.union(footprint);
        Some(Spot { gpu: self.name.clone(), start: instance.start.0 })
    }
}

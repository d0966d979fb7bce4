//! Which places of a fleet a request could take, and the best of them.

use super::groups::Alike;
use super::state::{Fleet, Request};
use cluster::{BoardIndex, GpuIndex, Location};
use mig::{GpuInstance, ProfileIndex, SliceStart, SlotMask};
use std::collections::BTreeSet;

impl Fleet<'_> {
    /// The place that a request would take on a GPU, at the driver's default start; `None` if the board does not serve it, or if the
    /// slots, the limits of the board or what is left of the host do not suffice.
    pub fn fit(&self, gpu: GpuIndex, request: Request<'_>) -> Option<Location> {
        let profile = self.profile_on(gpu, request)?;
        if !self.admits(gpu, request) {
            return None;
        }
        let start = self.board_of(gpu).start(self.occupied(gpu), profile)?;
        self.allows(gpu, profile, request).then_some(Location { gpu, start })
    }

    /// The place of least score among those that a request would take at the driver's default start; of several, the one on the first
    /// GPU in global order. The score is a function of a type of board and of the slots of the GPU that are then occupied.
    pub fn best<S: Ord>(
        &self,
        request: Request<'_>,
        score: impl Fn(BoardIndex, SlotMask) -> S,
    ) -> Option<Location> {
        self.least(request, |group, profile| {
            let placements = &self.boards()[group.board.index()];
            let start = placements.start(group.occupied, profile)?;
            let footprint = placements.board().footprint(GpuInstance { profile, start });
            Some((score(group.board, group.occupied.union(footprint)), start))
        })
    }

    /// The place of least score among those that `place` names for the groups of GPUs of which every policy thinks alike: a start that
    /// is free there, and its score. Of several, the one on the first GPU in global order.
    pub fn least<S: Ord>(
        &self,
        request: Request<'_>,
        place: impl Fn(Alike, ProfileIndex) -> Option<(S, SliceStart)>,
    ) -> Option<Location> {
        let scored = |(group, gpus)| {
            let (score, start) = place(group, request.on_board[group.board.index()]?)?;
            Some((score, start, gpus))
        };
        let mut groups: Vec<(S, SliceStart, &BTreeSet<GpuIndex>)> =
            self.groups().iter().filter_map(scored).collect();
        groups.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        groups.chunk_by(|(one, ..), (other, ..)| one == other).find_map(|equal| {
            let mut first: Option<Location> = None;
            for &(_, start, gpus) in equal {
                let earlier = match &first {
                    Some(found) => gpus.range(..found.gpu),
                    None => gpus.range(..),
                };
                let mut places = earlier.map(|&gpu| Location { gpu, start });
                first = places.find(|&place| self.can_take(request, place)).or(first);
            }
            first
        })
    }

    /// Free starts over all profiles that count and all GPUs: the configuration capability of the fleet.
    pub fn capability(&self) -> u64 {
        let of_group = |(group, gpus): (Alike, &BTreeSet<GpuIndex>)| {
            u64::from(self.boards()[group.board.index()].capability(group.occupied)) * gpus.len() as u64
        };
        self.groups().iter().map(of_group).sum()
    }
}

//! Tight moments: when those chosen take all GPUs.

use super::content::Content;
use super::scene::Scene;
use cluster::GpuIndex;
use itertools::Itertools;
use mig::{GpuInstance, Remaining, SlotMask};
use std::cmp::Reverse;

/// How many moments ahead are looked at.
const AHEAD: usize = 100;

/// The tight moments.
pub struct Moments(Vec<Moment>);

struct Moment {
    time: usize,
    /// The chosen ones that are there, the greatest first.
    there: Vec<usize>,
}

/// How many find no place at tight moments, by number of the moment; those at which all do are left out.
pub type Shortages = Vec<(usize, u32)>;

impl Moments {
    /// None.
    pub fn none() -> Self {
        Moments(Vec::new())
    }

    /// Those of the chosen.
    pub fn of(scene: &Scene<'_>) -> Self {
        let chosen = scene.chosen.iter().positions(|&chosen| chosen).collect_vec();
        let empty: Vec<Content> = scene.cluster.gpu_indices().map(|gpu| Content::empty(scene, gpu)).collect();
        let mut moments = Vec::new();
        scene.timeline.sweep(&scene.timeline.peaks_among(&chosen), |time, there| {
            let there = there.iter().copied().filter(|&position| scene.chosen[position]);
            let there = there.sorted_by_key(|&position| (Reverse(size(scene, position)), position));
            let there = there.collect_vec();
            let mut rooms = Rooms::of(scene, empty.iter(), time);
            rooms.pack(scene, there.iter().copied());
            if rooms.0.iter().all(|room| !room.occupied.is_empty()) {
                moments.push(Moment { time, there });
            }
        });
        Moments(moments)
    }

    /// What is short when one virtual machine more has been decided: the same as before where it is not there.
    pub fn update<'c>(
        &self,
        scene: &Scene<'_>,
        before: &Shortages,
        contents: impl Iterator<Item = &'c Content> + Clone,
        decided: usize,
    ) -> Shortages {
        let (first, last) = self.with(scene, decided);
        let short = |number: usize| {
            let Moment { time, there } = &self.0[number];
            let mut rooms = Rooms::of(scene, contents.clone(), *time);
            let short = rooms.pack(scene, there.iter().copied().filter(|&position| position > decided));
            (short > 0).then_some((number, short))
        };
        let later = before.iter().copied().filter(|&(number, _)| number >= last);
        (first..last).filter_map(short).chain(later).collect()
    }

    /// The moments ahead at which a virtual machine is there that arrives now: the first, and the one after the last.
    pub fn with(&self, scene: &Scene<'_>, position: usize) -> (usize, usize) {
        let first = self.0.partition_point(|moment| moment.time <= position);
        let last = self.0.partition_point(|moment| moment.time < scene.timeline.end(position));
        (first, last.clamp(first, first + AHEAD))
    }
}

/// How many are likely to be lost: what is short at one moment is the same that is short at the next.
pub fn foreseen(shortages: &Shortages) -> u32 {
    let mut before = (usize::MAX, 0);
    let mut sum = 0;
    for &(number, short) in shortages {
        let already = if before.0.wrapping_add(1) == number { before.1 } else { 0 };
        sum += short.saturating_sub(already);
        before = (number, short);
    }
    sum
}

/// How many slots a virtual machine takes, on a board that takes it.
fn size(scene: &Scene<'_>, position: usize) -> (u32, u32) {
    let cluster = scene.cluster;
    let on_board = &cluster.requests[cluster.workloads[position].request.index()].on_board;
    let sizes = cluster.boards.iter().zip(on_board).filter_map(|(board, profile)| {
        let profile = board.profile((*profile)?);
        Some((profile.size, profile.compute))
    });
    sizes.max().unwrap_or_default()
}

/// What is free on each GPU.
struct Rooms(Vec<Room>);

struct Room {
    gpu: GpuIndex,
    occupied: SlotMask,
    remaining: Remaining,
}

impl Rooms {
    /// Beside the guests that are still there at a time.
    fn of<'c>(scene: &Scene<'_>, contents: impl Iterator<Item = &'c Content>, time: usize) -> Self {
        let room = |(gpu, content): (GpuIndex, &Content)| {
            let board = scene.placements_of(gpu).board();
            if content.first_end > time {
                let (occupied, remaining) = (content.occupied, content.remaining.clone());
                return Room { gpu, occupied, remaining };
            }
            let mut room = Room { gpu, occupied: SlotMask::EMPTY, remaining: board.full_limits() };
            for &(position, start) in content.guests.iter().filter(|guest| scene.timeline.end(guest.0) > time)
            {
                let profile = scene.profile(gpu, position).expect("it is there");
                room.take(scene, GpuInstance { profile, start });
            }
            room
        };
        Rooms(scene.cluster.gpu_indices().zip(contents).map(room).collect())
    }

    /// Packs virtual machines one after the other, each into the fullest GPU that takes it; how many find no place. CPU and main memory
    /// do not count.
    fn pack(&mut self, scene: &Scene<'_>, arrivals: impl Iterator<Item = usize>) -> u32 {
        let mut short = 0;
        for position in arrivals {
            let fitting = self.0.iter_mut().filter_map(|room| {
                let profile = scene.profile(room.gpu, position)?;
                let placements = scene.placements_of(room.gpu);
                let start = placements.start(room.occupied, profile)?;
                room.remaining.take(placements.board(), profile)?;
                let free = placements.board().free_slots(room.occupied).count();
                Some((free, room, GpuInstance { profile, start }))
            });
            match fitting.min_by_key(|&(free, ..)| free) {
                Some((_, room, instance)) => room.take(scene, instance),
                None => short += 1,
            }
        }
        short
    }
}

impl Room {
    fn take(&mut self, scene: &Scene<'_>, instance: GpuInstance) {
        let board = scene.placements_of(self.gpu).board();
        self.occupied = self.occupied.union(board.footprint(instance));
        self.remaining = self.remaining.take(board, instance.profile).expect("it fits");
    }
}

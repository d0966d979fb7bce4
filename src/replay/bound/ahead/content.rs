//! What a GPU holds in a partial schedule.

use super::scene::Scene;
use cluster::{GpuIndex, Location};
use mig::{GpuInstance, Remaining, SliceStart, SlotMask};

/// The guests of a GPU.
#[derive(Clone)]
pub struct Content {
    /// By position in the trace, with their starts.
    pub guests: Vec<(usize, SliceStart)>,
    /// The slots that they occupy.
    pub occupied: SlotMask,
    /// What they leave of the limits of the board.
    pub remaining: Remaining,
    /// When the first of them has left; the greatest number where there is none.
    pub first_end: usize,
    /// When the last of them has left; 0 where there is none.
    pub last_end: usize,
    /// Equal for GPUs of a kind with guests that are alike at the same starts, and hardly ever for others.
    pub key: u64,
}

impl Content {
    /// Nothing.
    pub fn empty(scene: &Scene<'_>, gpu: GpuIndex) -> Self {
        Content::of(scene, gpu, Vec::new())
    }

    /// Guests that fit together.
    pub fn of(scene: &Scene<'_>, gpu: GpuIndex, guests: Vec<(usize, SliceStart)>) -> Self {
        let board = scene.placements_of(gpu).board();
        let mut content = Content {
            guests,
            occupied: SlotMask::EMPTY,
            remaining: board.full_limits(),
            first_end: usize::MAX,
            last_end: 0,
            key: 0,
        };
        let mut sum = scene.kinds[gpu.index()];
        for &(position, start) in &content.guests {
            let instance = scene.instance(position, Location { gpu, start });
            content.occupied = content.occupied.union(board.footprint(instance));
            content.remaining =
                content.remaining.take(board, instance.profile).expect("the guests fit together");
            let end = scene.timeline.end(position);
            content.first_end = content.first_end.min(end);
            content.last_end = content.last_end.max(end);
            sum = sum.wrapping_add(mixed(scene.likeness[position] << 8 | u64::from(start.0)));
        }
        content.key = mixed(sum);
        content
    }

    /// With one more guest; `None` where slots or limits do not suffice.
    pub fn with(&self, scene: &Scene<'_>, gpu: GpuIndex, position: usize, start: SliceStart) -> Option<Self> {
        let board = scene.placements_of(gpu).board();
        let profile = scene.profile(gpu, position)?;
        let footprint = board.footprint(GpuInstance { profile, start });
        if self.occupied.intersects(footprint) || self.remaining.take(board, profile).is_none() {
            return None;
        }
        let guests = self.guests.iter().copied().chain([(position, start)]).collect();
        Some(Content::of(scene, gpu, guests))
    }

    /// Only the guests to keep.
    #[must_use]
    pub fn only(&self, scene: &Scene<'_>, gpu: GpuIndex, keep: impl Fn(usize) -> bool) -> Self {
        Content::of(scene, gpu, self.guests.iter().copied().filter(|guest| keep(guest.0)).collect())
    }
}

/// A number with its bits well mixed (the finalizer of SplitMix64).
pub fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

//! One GPU instance on a board: a profile at a start slot.

/// Position of a profile in its board's list of profiles.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct ProfileIndex(pub u8);

impl ProfileIndex {
    /// The position as an index into slices that have one entry per profile.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// First memory slot of a GPU instance, counted from 0; the `start` of `nvidia-smi mig -lgi`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct SliceStart(pub u8);

impl SliceStart {
    /// The slot as an index into slices that have one entry per memory slot.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One GPU instance on a board. Instances are ordered by profile, then by start.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct GpuInstance {
    /// The kind of instance, in the board's list.
    pub profile: ProfileIndex,
    /// The first memory slot that it occupies.
    pub start: SliceStart,
}

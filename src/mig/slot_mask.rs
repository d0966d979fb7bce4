//! Sets of memory slots.

use super::instance::SliceStart;

/// A set of memory slots: bit i stands for slot i. Boards have at most 64 slots.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Default)]
pub struct SlotMask(pub u64);

impl SlotMask {
    /// No slot.
    pub const EMPTY: SlotMask = SlotMask(0);

    /// The slots 0 to `count` - 1. Counts above 64 give all 64 slots.
    pub fn first(count: u32) -> SlotMask {
        SlotMask(u64::MAX.checked_shr(64 - count.min(64)).unwrap_or(0))
    }

    /// The `size` consecutive slots from `start` on; slots from 64 on are dropped.
    pub fn interval(start: SliceStart, size: u32) -> SlotMask {
        SlotMask(SlotMask::first(size).0.checked_shl(u32::from(start.0)).unwrap_or(0))
    }

    /// Whether the two sets have a slot in common.
    pub fn intersects(self, other: SlotMask) -> bool {
        self.0 & other.0 != 0
    }

    /// The slots of either set.
    #[must_use]
    pub fn union(self, other: SlotMask) -> SlotMask {
        SlotMask(self.0 | other.0)
    }

    /// The slots of both sets.
    #[must_use]
    pub fn intersection(self, other: SlotMask) -> SlotMask {
        SlotMask(self.0 & other.0)
    }

    /// The slots of this set that are not in `other`.
    #[must_use]
    pub fn without(self, other: SlotMask) -> SlotMask {
        SlotMask(self.0 & !other.0)
    }

    /// Whether every slot of `other` is in this set.
    pub fn contains(self, other: SlotMask) -> bool {
        other.0 & !self.0 == 0
    }

    /// Number of slots.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no slot.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The slots in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |slot| self.0 >> slot & 1 == 1)
    }
}

impl FromIterator<u32> for SlotMask {
    /// The set of the given slots, each below 64.
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> SlotMask {
        SlotMask(slots.into_iter().fold(0, |bits, slot| bits | 1 << slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_reach_the_last_slot() {
        assert_eq!(SlotMask::first(0), SlotMask::EMPTY);
        assert_eq!(SlotMask::first(64).count(), 64);
        assert_eq!(SlotMask::interval(SliceStart(60), 4).iter().collect::<Vec<_>>(), [60, 61, 62, 63]);
    }

    #[test]
    fn set_algebra() {
        let low: SlotMask = [0, 1, 2].into_iter().collect();
        let high: SlotMask = [2, 3].into_iter().collect();
        assert!(low.intersects(high));
        assert_eq!(low.union(high), SlotMask::first(4));
        assert_eq!(low.without(high), SlotMask::first(2));
        assert_eq!(low.intersection(high).count(), 1);
        assert!(SlotMask::first(4).contains(high) && !low.contains(high));
    }
}

//! Arrangements: the layouts of a given multiset in the free slots of a board.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::board::Board;
use super::counts::Counts;
use super::instance::GpuInstance;
use super::packing::instances_at;
use super::slot_mask::SlotMask;

/// What matters first when several arrangements of the same instances exist.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum ArrangePriority {
    /// Least physical waste, then most instances where they are preferred.
    LeastWaste,
    /// Most instances where they are preferred, then least physical waste.
    KeepFirst,
}

/// The best arrangement of `counts` in the slots that are not `occupied`, in ascending order of instances.
///
/// Waste and the number of instances that are equal to one in `preferred` decide in the order of `priority`; what is
/// still tied is decided for the lexicographically smallest list. `None` if the slots do not allow it, or if `counts`
/// alone exceed a limit of the board; limits that the occupants have used up are the caller's to check.
pub fn arrange(
    board: &Board,
    occupied: SlotMask,
    counts: &Counts,
    preferred: &[GpuInstance],
    priority: ArrangePriority,
) -> Option<Vec<GpuInstance>> {
    if !board.full_limits().allows(board, counts) {
        return None;
    }
    let mut search =
        Search { board, free: board.free_slots(occupied), preferred, priority, known: BTreeMap::new() };
    search.best(0, counts).map(|found| found.instances)
}

/// All arrangements of `counts` in the slots that are not `occupied`, in ascending order, each in ascending order of
/// instances; empty if the slots do not allow one, or if `counts` alone exceed a limit of the board.
pub fn arrangements(board: &Board, occupied: SlotMask, counts: &Counts) -> Vec<Vec<GpuInstance>> {
    let mut found = Vec::new();
    if board.full_limits().allows(board, counts) {
        extend(board, board.free_slots(occupied), 0, counts, &mut Vec::new(), &mut found);
        found.sort_unstable();
    }
    found
}

fn extend(
    board: &Board,
    free: SlotMask,
    slot: u32,
    missing: &Counts,
    standing: &mut Vec<GpuInstance>,
    found: &mut Vec<Vec<GpuInstance>>,
) {
    if missing.is_zero() {
        let mut arrangement = standing.clone();
        arrangement.sort_unstable();
        found.push(arrangement);
        return;
    }
    if slot == board.slots() {
        return;
    }
    extend(board, free, slot + 1, missing, standing, found);
    for instance in instances_at(board.profiles(), slot) {
        if let Some(missing) = missing.remove_one(instance.profile)
            && free.contains(board.footprint(instance))
        {
            standing.push(instance);
            extend(board, free, slot + board.profile(instance.profile).size, &missing, standing, found);
            standing.pop();
        }
    }
}

/// An arrangement of some instances from some slot on. The order is the order of preference: smaller is better.
///
/// Two candidates for the same counts stay in the same order when the same instances are added to both, because their
/// sorted lists have equally many instances of every profile and first differ at the smallest instance that only one of
/// them has. That makes the recursion over slots exact for the list as well.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd)]
struct Candidate {
    first: (u32, Reverse<u32>),
    second: (u32, Reverse<u32>),
    instances: Vec<GpuInstance>,
}

struct Search<'a> {
    board: &'a Board,
    free: SlotMask,
    preferred: &'a [GpuInstance],
    priority: ArrangePriority,
    known: BTreeMap<(u32, Counts), Option<Candidate>>,
}

impl Search<'_> {
    /// The best arrangement of the `missing` instances from `slot` on.
    fn best(&mut self, slot: u32, missing: &Counts) -> Option<Candidate> {
        if missing.is_zero() {
            let nothing = (0, Reverse(0));
            return Some(Candidate { first: nothing, second: nothing, instances: Vec::new() });
        }
        if slot == self.board.slots() {
            return None;
        }
        let key = (slot, missing.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut best = self.best(slot + 1, missing);
        for instance in instances_at(self.board.profiles(), slot) {
            if let Some(rest) = missing.remove_one(instance.profile)
                && self.free.contains(self.board.footprint(instance))
                && let Some(tail) = self.best(slot + self.board.profile(instance.profile).size, &rest)
            {
                let candidate = self.prepend(instance, tail);
                if best.as_ref().is_none_or(|best| candidate < *best) {
                    best = Some(candidate);
                }
            }
        }
        self.known.insert(key, best.clone());
        best
    }

    fn prepend(&self, instance: GpuInstance, mut tail: Candidate) -> Candidate {
        let waste = (self.board.waste(instance), 0);
        let kept = (0, u32::from(self.preferred.contains(&instance)));
        let (first, second) = match self.priority {
            ArrangePriority::LeastWaste => (waste, kept),
            ArrangePriority::KeepFirst => (kept, waste),
        };
        tail.first = (tail.first.0 + first.0, Reverse(tail.first.1.0 + first.1));
        tail.second = (tail.second.0 + second.0, Reverse(tail.second.1.0 + second.1));
        let position = tail.instances.partition_point(|other| *other < instance);
        tail.instances.insert(position, instance);
        tail
    }
}

//! What a sweep keeps of a slot.

use super::index::StateIndex;
use super::joint::Joint;
use super::list::List;
use super::rests::Phase;
use crate::instance::ModelIndex;

/// The phases of all models.
pub type Phases = List<ModelIndex, Phase>;

/// What has been kept of a slot: a joint state under some phases.
#[derive(Clone, Copy)]
pub struct Kept {
    /// What has been lost.
    pub loss: i64,
    /// Position of the phases among those of the slot.
    pub phases: u32,
    /// Where it came from: its position among those kept of the slot before.
    pub from: u32,
    /// The states of all models.
    pub states: u128,
}

/// A joint state of the slot before.
pub struct Old {
    /// Its position among those kept.
    pub position: u32,
    /// What was lost until then.
    pub loss: i64,
    /// None before the window.
    pub states: Option<u128>,
    /// What the models' rests are worth from there on.
    pub values: List<ModelIndex, i64>,
}

/// How the states of all models become one number.
#[derive(Clone, Copy)]
pub struct Packing {
    bits: u32,
}

impl Packing {
    /// For the states of these tasks.
    pub fn of(joint: &Joint<'_>) -> Self {
        let most = joint.tasks.iter().map(|task| task.count()).max().unwrap_or(1);
        Packing { bits: usize::BITS - most.leading_zeros() }
    }

    /// With the state of one more model.
    pub fn with(self, states: u128, model: ModelIndex, state: StateIndex) -> u128 {
        states | u128::from(state.0) << (self.bits * model.0)
    }

    /// The state of a model.
    pub fn state(self, states: u128, model: ModelIndex) -> StateIndex {
        let state = states >> (self.bits * model.0) & ((1 << self.bits) - 1);
        StateIndex(state as u32)
    }
}

/// What may be kept.
#[derive(Clone, Copy)]
pub struct Width {
    /// The most that a plan may lose.
    pub loss: i64,
    /// The most that is kept of a slot.
    pub of_slot: usize,
    /// The most that is kept of all slots together.
    pub of_all: usize,
}

/// The part of what is left for all slots that one of them may use, as a multiple of an equal share.
const SHARES: usize = 8;

impl Width {
    /// Nothing is too much.
    pub fn unlimited(loss: i64) -> Self {
        Width { loss, of_slot: usize::MAX, of_all: usize::MAX }
    }

    /// The most that is kept of a slot when so many have been kept and so many slots are left, this one included.
    pub fn of_slot(&self, kept: usize, slots: usize) -> usize {
        let share = self.of_all.saturating_sub(kept).div_ceil(slots.max(1));
        self.of_slot.min(share.saturating_mul(SHARES).min(self.of_all)).max(1)
    }
}

/// What a step gathers: as many as may be kept, and some more on the way.
pub struct Gathered {
    /// Sorted by phases and states, after the end.
    pub kept: Vec<Kept>,
    /// What loses more is not taken.
    pub most: i64,
    /// The most that may be kept.
    count: usize,
    /// What was dropped, and not for losing more than a plan may, lost this at least.
    dropped: Option<i64>,
}

impl Gathered {
    /// Nothing yet.
    pub fn new(most: i64, count: usize) -> Self {
        Gathered { kept: Vec::new(), most, count, dropped: None }
    }

    /// Takes one that does not lose more than `most`.
    pub fn push(&mut self, kept: Kept) {
        self.kept.push(kept);
        if self.kept.len() >= self.count.saturating_mul(4).saturating_add(1000) {
            self.tidy();
        }
    }

    /// Keeps one of those that agree in phases and states, and of these the ones that lost least.
    fn tidy(&mut self) {
        self.kept.sort_unstable_by_key(|kept| (kept.phases, kept.states, kept.loss, kept.from));
        self.kept.dedup_by_key(|kept| (kept.phases, kept.states));
        if self.kept.len() <= self.count {
            return;
        }
        let mut losses: Vec<i64> = self.kept.iter().map(|kept| kept.loss).collect();
        let (less, &mut limit, _) = losses.select_nth_unstable(self.count);
        // Of those that lost as much as the first one that is too many, the first ones stay.
        let mut left = self.count - less.iter().filter(|&&loss| loss < limit).count();
        self.kept.retain(|kept| {
            let is_at_limit = kept.loss == limit;
            let stays = kept.loss < limit || is_at_limit && left > 0;
            left -= usize::from(stays && is_at_limit);
            stays
        });
        self.dropped = Some(limit);
        self.most = self.most.min(limit);
    }

    /// Ends it; what was dropped lost this at least, if it was dropped for being too much.
    pub fn finish(&mut self) -> Option<i64> {
        self.tidy();
        self.kept.shrink_to_fit();
        self.dropped
    }
}

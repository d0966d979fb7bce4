//! The best layout of one board at given worths, by a search over its slots from the lowest up.
//!
//! What came before matters only by how many workloads of every profile were taken, as far as their worths differ, by what is used of
//! the limits, and by which of the residents that are told apart have a place. The search keeps the best of every such state.

use crate::refusal::Refusal;
use mig::{Board, GpuInstance, ProfileIndex, SliceStart, SlotMask};
use std::collections::BTreeMap;

/// Worths of the first, the second, … workload of a profile, in descending order.
#[derive(Clone, Default)]
pub struct Gains {
    /// The worths.
    values: Vec<i128>,
    /// Whether all further ones are worth the last.
    is_endless: bool,
}

impl Gains {
    /// From the best worths, in descending order, of which a board can take at most this many.
    pub fn new(mut values: Vec<i128>, most: usize) -> Self {
        values.truncate(most);
        let is_endless = !values.is_empty() && values.len() == most;
        while is_endless && values.len() > 1 && values[values.len() - 1] == values[values.len() - 2] {
            values.pop();
        }
        Gains { values, is_endless }
    }

    /// How many different numbers taken there are to remember, less one.
    fn greatest_state(&self) -> usize {
        self.values.len() - usize::from(self.is_endless)
    }

    /// What one more is worth after so many, and how many it is then.
    fn next(&self, taken: usize) -> Option<(i128, usize)> {
        Some((*self.values.get(taken)?, (taken + 1).min(self.greatest_state())))
    }
}

/// A resident that may keep its slot.
#[derive(Clone, Copy)]
pub struct Kept {
    /// The slot.
    pub instance: GpuInstance,
    /// What that is worth, waste included.
    pub worth: i128,
    /// What another place on the same GPU is worth, waste not included, where it is told apart from workloads elsewhere.
    pub elsewhere: Option<i128>,
}

/// What a GPU may become, and what that is worth.
pub struct Layouts<'l> {
    /// The board.
    pub board: &'l Board,
    /// What stays in any case.
    pub pinned: Vec<GpuInstance>,
    /// The slots in which something may start.
    pub open: SlotMask,
    /// Residents that may keep their slots.
    pub kept: Vec<Kept>,
    /// Per profile: the worths of workloads that may start, waste not included.
    pub gains: Vec<Gains>,
    /// What a wasted slice of something that starts costs.
    pub waste: i128,
}

/// A whole number in some bits of a state.
#[derive(Clone, Copy)]
struct Field {
    shift: u32,
    bits: u32,
}

impl Field {
    fn get(self, state: u128) -> usize {
        (state >> self.shift & ((1 << self.bits) - 1)) as usize
    }

    fn set(self, state: u128, number: usize) -> u128 {
        let mask = ((1u128 << self.bits) - 1) << self.shift;
        state & !mask | (number as u128) << self.shift
    }
}

/// Lays out fields one after the other.
#[derive(Default)]
struct Fields {
    next: u32,
}

impl Fields {
    /// A field for the numbers up to `greatest`.
    fn add(&mut self, greatest: usize) -> Result<Field, Refusal> {
        let bits = usize::BITS - greatest.leading_zeros();
        let field = Field { shift: self.next, bits };
        self.next += bits;
        if self.next >= u128::BITS {
            return Err(Refusal::of("a GPU has more workloads to tell apart than this checker can."));
        }
        Ok(field)
    }
}

/// Which field of a state is what.
struct Plan {
    /// Whether there is an instance.
    begun: Field,
    taken: Vec<Field>,
    used: Vec<Field>,
    /// Per resident that is told apart.
    placed: Vec<Option<Field>>,
}

/// States that are reached, with the best worth of each.
type Reached = BTreeMap<u128, i128>;

impl Layouts<'_> {
    /// The best worth of a layout that is not empty; `None` if there is none.
    ///
    /// # Errors
    /// When the states are too many for the checker.
    pub fn best(&self) -> Result<Option<i128>, Refusal> {
        let plan = self.plan()?;
        let slots = self.board.slots() as usize;
        let mut start = plan.begun.set(0, usize::from(!self.pinned.is_empty()));
        for &instance in &self.pinned {
            start = self
                .use_limits(&plan, start, instance.profile)
                .ok_or_else(|| Refusal::of("pinned workloads exceed a limit of their board."))?;
        }
        let mut reached: Vec<Reached> = vec![Reached::new(); slots + 1];
        reached[0].insert(start, 0);
        for slot in 0..slots {
            let here = std::mem::take(&mut reached[slot]);
            let starts = self.starts_at(slot);
            for (&state, &worth) in &here {
                self.keep(&plan, slot, (state, worth), &mut reached);
                for &(profile, waste) in &starts {
                    let end = &mut reached[slot + self.size(profile)];
                    self.start(&plan, profile, (state, worth - waste), end);
                }
            }
            for (state, worth) in here {
                improve(&mut reached[slot + 1], state, worth);
            }
        }
        let last = reached.pop().unwrap_or_default();
        Ok(last.into_iter().filter(|(state, _)| plan.begun.get(*state) == 1).map(|(_, worth)| worth).max())
    }

    fn plan(&self) -> Result<Plan, Refusal> {
        let mut fields = Fields::default();
        let begun = fields.add(1)?;
        let taken =
            self.gains.iter().map(|gains| fields.add(gains.greatest_state())).collect::<Result<_, _>>()?;
        let limits = self.board.limits();
        let used =
            limits.iter().map(|limit| fields.add(limit.capacity as usize)).collect::<Result<_, _>>()?;
        let placed = self
            .kept
            .iter()
            .map(|kept| kept.elsewhere.map(|_| fields.add(1)).transpose())
            .collect::<Result<_, _>>()?;
        Ok(Plan { begun, taken, used, placed })
    }

    /// A state with one more instance of a profile, if the limits allow it.
    fn use_limits(&self, plan: &Plan, state: u128, profile: ProfileIndex) -> Option<u128> {
        let mut next = plan.begun.set(state, 1);
        for (limit, field) in self.board.limits().iter().zip(&plan.used) {
            let used = field.get(state) + limit.usage_of(profile) as usize;
            if used > limit.capacity as usize {
                return None;
            }
            next = field.set(next, used);
        }
        Some(next)
    }

    /// Residents whose slots begin here keep them.
    fn keep(&self, plan: &Plan, slot: usize, (state, worth): (u128, i128), reached: &mut [Reached]) {
        for (kept, placed) in self.kept.iter().zip(&plan.placed) {
            if kept.instance.start.index() != slot || placed.is_some_and(|placed| placed.get(state) == 1) {
                continue;
            }
            if let Some(mut next) = self.use_limits(plan, state, kept.instance.profile) {
                if let Some(placed) = placed {
                    next = placed.set(next, 1);
                }
                improve(&mut reached[slot + self.size(kept.instance.profile)], next, worth + kept.worth);
            }
        }
    }

    /// The profiles that may start at a slot, with what their waste costs there.
    fn starts_at(&self, slot: usize) -> Vec<(ProfileIndex, i128)> {
        let instances = self.board.profile_indices().filter_map(|profile| {
            let instance = GpuInstance { profile, start: SliceStart(u8::try_from(slot).ok()?) };
            let is_open = self.board.is_legal(instance) && self.open.contains(self.board.footprint(instance));
            is_open.then(|| (profile, self.waste * i128::from(self.board.waste(instance))))
        });
        instances.collect()
    }

    /// A workload of a profile starts: the next one that there is, or a resident that is told apart.
    fn start(&self, plan: &Plan, profile: ProfileIndex, (state, worth): (u128, i128), end: &mut Reached) {
        let Some(next) = self.use_limits(plan, state, profile) else { return };
        let (gains, taken) = (&self.gains[profile.index()], plan.taken[profile.index()]);
        if let Some((gain, number)) = gains.next(taken.get(state)) {
            improve(end, taken.set(next, number), worth + gain);
        }
        for (kept, placed) in self.kept.iter().zip(&plan.placed) {
            let (Some(elsewhere), Some(placed)) = (kept.elsewhere, placed) else { continue };
            if kept.instance.profile == profile && placed.get(state) == 0 {
                improve(end, placed.set(next, 1), worth + elsewhere);
            }
        }
    }

    fn size(&self, profile: ProfileIndex) -> usize {
        self.board.profile(profile).size as usize
    }
}

fn improve(reached: &mut Reached, state: u128, worth: i128) {
    reached.entry(state).and_modify(|known| *known = (*known).max(worth)).or_insert(worth);
}

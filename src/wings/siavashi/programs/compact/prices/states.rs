//! Contents of a machine, GPU by GPU: partial contents that may become one that is worth enough.

use super::slot::Slot;
use super::table::{Relaxed, Table, Valued};
use std::cmp::Reverse;

/// How numbers of each shape are packed into one number.
pub struct Keys {
    /// By shape: the lowest bit.
    shift: Vec<u32>,
    /// By shape: the most that the machine can hold.
    most: Vec<u32>,
    /// The lowest bit of the number of GPUs in use.
    gpus: u32,
}

impl Keys {
    /// Room for so many of each shape, and of GPUs; none if that is too much for a number.
    pub fn new(most: Vec<u32>, gpus: u32) -> Option<Self> {
        let bits = |number: u32| u32::BITS - number.leading_zeros();
        let mut shift = Vec::with_capacity(most.len());
        let mut next = 0;
        for &number in &most {
            shift.push(next);
            next += bits(number);
        }
        (next + bits(gpus) <= u128::BITS).then_some(Keys { shift, most, gpus: next })
    }

    fn of(&self, key: u128, shape: usize) -> u32 {
        let bits = u32::BITS - self.most[shape].leading_zeros();
        (key >> self.shift[shape]) as u32 & ((1u64 << bits) - 1) as u32
    }
}

/// What is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Worth alone: partial contents to which the same can be added at the same worth are one.
    Worth,
    /// What is held, and on how many GPUs.
    Content,
}

/// A search through the contents of a machine.
pub struct States<'m> {
    /// Its GPUs.
    pub slots: &'m [Slot],
    /// What runs there now, by shape.
    pub residents: &'m [u32],
    /// Cores and memory, in units, where they are limited.
    pub capacities: (Option<i64>, Option<i64>),
    /// What GPUs from each one on can add at most.
    pub table: &'m Table,
    /// The worths at which the table was filled.
    pub relaxed: &'m Relaxed,
    /// How numbers are packed.
    pub keys: &'m Keys,
}

/// Contents that are not empty.
pub struct Contents {
    /// Their worths and fills, the best first.
    pub contents: Vec<(i64, Vec<u32>)>,
    /// Nothing that was dropped is worth more; the least number if nothing was.
    pub dropped: i64,
}

/// What the first GPUs hold.
#[derive(Clone, Copy, Debug)]
struct State {
    key: u128,
    cpu: i64,
    memory: i64,
    worth: i64,
    /// With all that the other GPUs may add.
    potential: i64,
    parent: u32,
    fill: u32,
}

/// A fill that no other one outdoes.
struct Useful {
    valued: Valued,
    /// What it is worth with the reliefs that were taken.
    worth: i64,
    /// The shapes whose numbers matter.
    counted: Vec<(usize, u32)>,
}

/// The extension of partial contents by one GPU.
struct Step<'m> {
    slot: usize,
    useful: &'m [Valued],
    caps: &'m [u32],
    detail: Detail,
    /// What promises less is left out.
    least: i64,
    next: Vec<State>,
}

impl States<'_> {
    /// All contents that are worth at least so much, keeping so many partial ones at a time; where contents are told apart, none if
    /// there are more.
    pub fn run(&self, least: i64, beam: usize, detail: Detail) -> Contents {
        let caps = self.caps(detail);
        let (cpu, memory) = self.capacities;
        let first = State {
            key: 0,
            cpu: cpu.unwrap_or(0),
            memory: memory.unwrap_or(0),
            worth: self.relaxed.base,
            potential: i64::MAX,
            parent: 0,
            fill: 0,
        };
        let mut layers = vec![vec![first]];
        let mut dropped = i64::MIN;
        let mut useful: Vec<Valued> = Vec::new();
        for slot in 0..self.slots.len() {
            if slot == 0 || self.slots[slot] != self.slots[slot - 1] {
                useful = self.useful(slot, &caps, detail);
            }
            let mut step = Step { slot, useful: &useful, caps: &caps, detail, least, next: Vec::new() };
            let mut merged = 0;
            for (parent, state) in layers[slot].iter().enumerate() {
                self.extend(&mut step, parent as u32, state);
                if step.next.len() > 2 * merged + 2 * beam {
                    merge(&mut step.next, detail);
                    merged = step.next.len().min(beam);
                    step.confine(beam, &mut dropped);
                    if detail == Detail::Content && dropped > i64::MIN {
                        return Contents { contents: Vec::new(), dropped };
                    }
                }
            }
            merge(&mut step.next, detail);
            step.confine(beam, &mut dropped);
            layers.push(step.next);
        }
        let mut contents: Vec<(i64, Vec<u32>)> = Vec::new();
        let last = layers.len() - 1;
        for state in &layers[last] {
            let worth = self.settled(state, &caps);
            if worth >= least && state.key >> self.keys.gpus > 0 {
                contents.push((worth, fills(&layers, state)));
            }
        }
        contents.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        Contents { contents, dropped }
    }

    /// By shape: up to which number it matters how many there are.
    fn caps(&self, detail: Detail) -> Vec<u32> {
        let cap = |shape: usize| {
            let most = self.keys.most[shape];
            let held: u32 = self.slots.iter().map(|slot| slot.fills.most(shape)).sum();
            let keeps = self.relaxed.worths.kept[shape] > 0;
            match detail {
                Detail::Content => most,
                // There are fewer workloads than room for them.
                Detail::Worth if held > most => most,
                Detail::Worth if keeps => self.residents[shape].min(most),
                Detail::Worth => 0,
            }
        };
        (0..self.residents.len()).map(cap).collect()
    }

    /// The fills of a GPU that no other one outdoes: with no less worth, no more cores and memory, and no more of what is counted. The
    /// empty one outdoes none, as a machine in use holds something.
    fn useful(&self, slot: usize, caps: &[u32], detail: Detail) -> Vec<Valued> {
        let valued = &self.relaxed.valued[slot];
        if detail == Detail::Content {
            return valued.clone();
        }
        let fills = &self.slots[slot].fills.all;
        let mut kept: Vec<Useful> = Vec::new();
        for entry in valued {
            let fill = &fills[entry.fill as usize];
            let counted: Vec<(usize, u32)> =
                fill.counts.iter().copied().filter(|&(shape, _)| caps[shape] > 0).collect();
            let relieved = |&(shape, number): &(usize, u32)| {
                self.relaxed.reliefs[shape] * i64::from(number.min(self.residents[shape]))
            };
            let worth = entry.worth + counted.iter().map(relieved).sum::<i64>();
            let outdoes = |other: &Useful| {
                other.worth >= worth
                    && !fills[other.valued.fill as usize].counts.is_empty()
                    && other.valued.cpu <= entry.cpu
                    && other.valued.memory <= entry.memory
                    && other
                        .counted
                        .iter()
                        .all(|few| counted.iter().any(|many| many.0 == few.0 && many.1 >= few.1))
            };
            if !kept.iter().any(outdoes) {
                kept.push(Useful { valued: *entry, worth, counted });
            }
        }
        kept.into_iter().map(|useful| useful.valued).collect()
    }

    fn extend(&self, step: &mut Step<'_>, parent: u32, state: &State) {
        let (slot, caps, detail, least) = (step.slot, step.caps, step.detail, step.least);
        let about = &self.slots[slot];
        let (has_cpu, has_memory) = (self.capacities.0.is_some(), self.capacities.1.is_some());
        let rest = self.table.most(slot + 1, state.cpu, state.memory);
        for valued in step.useful {
            if state.worth + valued.worth + rest < least {
                break;
            }
            let cpu = if has_cpu { state.cpu - valued.cpu } else { 0 };
            let memory = if has_memory { state.memory - valued.memory } else { 0 };
            if cpu < 0 || memory < 0 {
                continue;
            }
            let others = self.table.most(slot + 1, cpu, memory);
            if state.worth + valued.worth + others < least {
                continue;
            }
            let fill = &about.fills.all[valued.fill as usize];
            let mut worth = state.worth + valued.worth;
            let mut key = state.key;
            let mut fits = true;
            for &(shape, number) in &fill.counts {
                let cap = caps[shape];
                if cap == 0 {
                    continue;
                }
                let (before, most) = (self.keys.of(state.key, shape), self.keys.most[shape]);
                let after = before + number;
                if cap == most && after > most {
                    fits = false;
                    break;
                }
                key += u128::from(after.min(cap) - before) << self.keys.shift[shape];
                let residents = self.residents[shape];
                let more = (after.min(residents) - before.min(residents)) as i64;
                let counted = i64::from(number.min(residents));
                worth -= (self.relaxed.worths.kept[shape] - self.relaxed.reliefs[shape]) * (counted - more);
            }
            let potential = worth + others;
            if !fits || potential < least {
                continue;
            }
            let is_used = about.is_pinned || !fill.counts.is_empty();
            let gpus = key >> self.keys.gpus;
            key += match detail {
                Detail::Content => u128::from(is_used),
                Detail::Worth => u128::from(is_used && gpus == 0),
            } << self.keys.gpus;
            step.next.push(State { key, cpu, memory, worth, potential, parent, fill: valued.fill });
        }
    }

    /// What a content is worth without the reliefs of residents that it does not keep.
    fn settled(&self, state: &State, caps: &[u32]) -> i64 {
        let mut worth = state.worth;
        for (shape, &residents) in self.residents.iter().enumerate() {
            if self.relaxed.reliefs[shape] > 0 {
                let kept = if caps[shape] == 0 { 0 } else { self.keys.of(state.key, shape).min(residents) };
                worth -= self.relaxed.reliefs[shape] * i64::from(residents - kept);
            }
        }
        worth
    }
}

/// Keeps, of partial contents that are told apart by worth and what is left alone, those that no other one outdoes.
fn merge(states: &mut Vec<State>, detail: Detail) {
    states.sort_unstable_by_key(|state| {
        (state.key, Reverse(state.worth), Reverse(state.cpu), Reverse(state.memory), state.parent, state.fill)
    });
    let mut kept: Vec<State> = Vec::with_capacity(states.len());
    let mut first = 0;
    for state in states.iter() {
        if kept.last().is_none_or(|last| last.key != state.key) {
            first = kept.len();
        }
        let outdone = match detail {
            Detail::Content => kept.len() > first,
            Detail::Worth => {
                kept[first..].iter().any(|other| other.cpu >= state.cpu && other.memory >= state.memory)
            }
        };
        if !outdone {
            kept.push(*state);
        }
    }
    *states = kept;
}

impl Step<'_> {
    /// Keeps the most promising ones, and from then on adds none that promise less; notes what those that are dropped may be worth.
    fn confine(&mut self, beam: usize, dropped: &mut i64) {
        let states = &mut self.next;
        if states.len() <= beam {
            return;
        }
        states.select_nth_unstable_by_key(beam, |state| {
            (Reverse(state.potential), state.key, state.parent, state.fill)
        });
        let most = states[beam].potential;
        *dropped = (*dropped).max(most);
        states.truncate(beam);
        self.least = self.least.max(most);
    }
}

/// The fills of all GPUs.
fn fills(layers: &[Vec<State>], last: &State) -> Vec<u32> {
    let mut fills = vec![last.fill];
    let mut parent = last.parent;
    for layer in layers[1..layers.len() - 1].iter().rev() {
        let state = &layer[parent as usize];
        fills.push(state.fill);
        parent = state.parent;
    }
    fills.reverse();
    fills
}

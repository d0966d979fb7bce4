//! Contents of a machine, GPU by GPU: partial contents that may become one that is worth enough.

use super::keys::Keys;
use super::numbers::Numbers;
use super::relaxed::Relaxed;
use super::slot::Slot;
use super::state::{State, merge};
use super::table::{Table, Valued};
use std::cmp::Reverse;

/// What is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail<'d> {
    /// Worth alone: partial contents to which the same can be added at the same worth are one. The numbers of some shapes are
    /// followed; those of the others count with their reliefs, and may exceed what there is.
    Worth(&'d [bool]),
    /// What is held, and on how many GPUs.
    Content {
        /// Whether only all contents are of use.
        all: bool,
    },
}

/// A search through the contents of a machine.
pub struct States<'m> {
    /// Its GPUs.
    pub slots: &'m [Slot],
    /// How many workloads it has and can have.
    pub numbers: &'m Numbers,
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
    /// What is worth most while numbers that are not followed count with their reliefs, if it is no content of that worth.
    pub loose: Option<Loose>,
}

/// Something that is worth less than it seems, or no content.
pub struct Loose {
    /// What it seems to be worth: no content that it outdoes is worth more.
    pub worth: i64,
    /// The shapes whose numbers must be followed for it to be seen as what it is, those first that matter most.
    pub shapes: Vec<usize>,
}

/// A fill that no other one outdoes.
struct Useful {
    valued: Valued,
    /// What it is worth with the reliefs of followed shapes.
    worth: i64,
    /// The shapes whose numbers matter.
    counted: Vec<(usize, u32)>,
}

/// The extension of partial contents by one GPU.
struct Step<'m> {
    slot: usize,
    useful: &'m [Valued],
    caps: &'m [u32],
    tells_gpus: bool,
    /// What promises less is left out.
    least: i64,
    next: Vec<State>,
}

impl States<'_> {
    /// All contents that are worth at least so much, keeping so many partial ones at a time; where all contents are asked
    /// for, none if there are more.
    pub fn run(&self, least: i64, beam: usize, detail: Detail<'_>) -> Contents {
        let caps = self.caps(detail);
        let tells_contents = matches!(detail, Detail::Content { .. });
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
                useful = match detail {
                    Detail::Content { .. } => self.relaxed.valued[slot].clone(),
                    Detail::Worth(_) => self.useful(slot, &caps),
                };
            }
            let mut step = Step {
                slot,
                useful: &useful,
                caps: &caps,
                tells_gpus: tells_contents,
                least,
                next: Vec::new(),
            };
            let mut merged = 0;
            for (parent, state) in layers[slot].iter().enumerate() {
                self.extend(&mut step, parent as u32, state);
                if step.next.len() > 2 * merged + 2 * beam {
                    merge(&mut step.next, tells_contents);
                    merged = step.next.len().min(beam);
                    step.confine(beam, &mut dropped);
                    if detail == (Detail::Content { all: true }) && dropped > i64::MIN {
                        return Contents { contents: Vec::new(), dropped, loose: None };
                    }
                }
            }
            merge(&mut step.next, tells_contents);
            step.confine(beam, &mut dropped);
            layers.push(step.next);
        }
        let (contents, loose) = self.settled(&layers, least, &caps);
        Contents { contents, dropped, loose }
    }

    /// By shape: up to which number it matters how many there are.
    fn caps(&self, detail: Detail<'_>) -> Vec<u32> {
        let cap = |shape: usize| {
            let most = self.numbers.most[shape];
            match detail {
                Detail::Content { .. } => most,
                Detail::Worth(follows) if !follows[shape] => 0,
                Detail::Worth(_) if self.numbers.is_short[shape] => most,
                Detail::Worth(_) => self.numbers.residents[shape].min(most),
            }
        };
        (0..self.numbers.shapes()).map(cap).collect()
    }

    /// The fills of a GPU that no other one outdoes: with no less worth, no more cores and memory, and no more of what is counted. The
    /// empty one outdoes none, as a machine in use holds something.
    fn useful(&self, slot: usize, caps: &[u32]) -> Vec<Valued> {
        let fills = &self.slots[slot].fills.all;
        let mut kept: Vec<Useful> = Vec::new();
        for entry in &self.relaxed.valued[slot] {
            let fill = &fills[entry.fill as usize];
            let counted: Vec<(usize, u32)> =
                fill.counts.iter().copied().filter(|&(shape, _)| caps[shape] > 0).collect();
            // Reliefs are given back for what the machine holds in the end.
            let taken = |&(shape, number): &(usize, u32)| self.relaxed.taken(self.numbers, shape, number);
            let worth = entry.worth + counted.iter().map(taken).sum::<i64>();
            let outdoes = |other: &Useful| {
                let fewer =
                    |few: &(usize, u32)| counted.iter().any(|many| many.0 == few.0 && many.1 >= few.1);
                other.worth >= worth
                    && !fills[other.valued.fill as usize].counts.is_empty()
                    && other.valued.cpu <= entry.cpu
                    && other.valued.memory <= entry.memory
                    && other.counted.iter().all(fewer)
            };
            if !kept.iter().any(outdoes) {
                kept.push(Useful { valued: *entry, worth, counted });
            }
        }
        kept.into_iter().map(|useful| useful.valued).collect()
    }

    fn extend(&self, step: &mut Step<'_>, parent: u32, state: &State) {
        let (slot, caps, least) = (step.slot, step.caps, step.least);
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
                let (before, most) = (self.keys.of(state.key, shape), self.numbers.most[shape]);
                let after = before + number;
                if cap == most && after > most {
                    fits = false;
                    break;
                }
                key += self.keys.packed(shape, after.min(cap) - before);
                let more = self.numbers.kept(shape, after) - self.numbers.kept(shape, before);
                worth -= self.relaxed.kept_once(shape) * (self.numbers.kept(shape, number) - more);
            }
            let potential = worth + others;
            if !fits || potential < least {
                continue;
            }
            let is_used = about.is_pinned || !fill.counts.is_empty();
            if is_used && (step.tells_gpus || self.keys.gpus(key) == 0) {
                key += self.keys.packed_gpu();
            }
            step.next.push(State { key, cpu, memory, worth, potential, parent, fill: valued.fill });
        }
    }

    /// The contents that are worth at least so much, and what seems to be worth most but is not.
    fn settled(
        &self,
        layers: &[Vec<State>],
        least: i64,
        caps: &[u32],
    ) -> (Vec<(i64, Vec<u32>)>, Option<Loose>) {
        let mut contents: Vec<(i64, Vec<u32>)> = Vec::new();
        let mut loose: Option<(i64, Vec<u32>)> = None;
        for state in &layers[layers.len() - 1] {
            if self.keys.gpus(state.key) == 0 {
                continue;
            }
            let fills = fills(layers, state);
            let held = self.held(&fills);
            let followed = |shape: &usize| caps[*shape] > 0;
            let not_taken =
                |shape| self.relaxed.not_taken(self.numbers, shape, self.keys.of(state.key, shape));
            let seems = state.worth - (0..held.len()).filter(followed).map(not_taken).sum::<i64>();
            if seems < least {
                continue;
            }
            let excess = self.excess(&fills, &held, caps);
            if excess.iter().any(|&excess| excess != 0) && loose.as_ref().is_none_or(|loose| seems > loose.0)
            {
                loose = Some((seems, fills.clone()));
            }
            let is_content = held.iter().zip(&self.numbers.most).all(|(held, most)| held <= most);
            let worth = seems - excess.iter().sum::<i64>();
            if is_content && worth >= least {
                contents.push((worth, fills));
            }
        }
        contents.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let loose = loose.map(|(worth, fills)| {
            let excess = self.excess(&fills, &self.held(&fills), caps);
            let mut shapes: Vec<usize> = (0..excess.len()).filter(|&shape| excess[shape] != 0).collect();
            shapes.sort_by_key(|&shape| Reverse(excess[shape]));
            Loose { worth, shapes }
        });
        (contents, loose)
    }

    /// How many of each shape these fills hold.
    fn held(&self, fills: &[u32]) -> Vec<u32> {
        let mut held = vec![0; self.numbers.shapes()];
        for (slot, &fill) in self.slots.iter().zip(fills) {
            for &(shape, number) in &slot.fills.all[fill as usize].counts {
                held[shape] += number;
            }
        }
        held
    }

    /// By shape: by how much what is not followed seems to be worth more than it is; the worth of what is more than there is
    /// counts, too.
    fn excess(&self, fills: &[u32], held: &[u32], caps: &[u32]) -> Vec<i64> {
        let mut seen = vec![0; held.len()];
        for (slot, &fill) in self.slots.iter().zip(fills) {
            for &(shape, number) in &slot.fills.all[fill as usize].counts {
                seen[shape] += self.numbers.kept(shape, number);
            }
        }
        let excess = |shape: usize| {
            if caps[shape] > 0 {
                return 0;
            }
            let (number, most) = (held[shape], self.numbers.most[shape]);
            let stays = seen[shape] - self.numbers.kept(shape, number);
            let too_many = i64::from(number.saturating_sub(most));
            self.relaxed.not_taken(self.numbers, shape, number.min(most))
                + self.relaxed.kept_once(shape) * stays
                + too_many * self.relaxed.worths.each[shape].max(1)
        };
        (0..held.len()).map(excess).collect()
    }
}

impl Step<'_> {
    /// Keeps the most promising ones, and from then on adds none that promise less; notes what those that are dropped may be worth.
    fn confine(&mut self, beam: usize, dropped: &mut i64) {
        let states = &mut self.next;
        if states.len() <= beam {
            return;
        }
        states.select_nth_unstable_by_key(beam, |state| {
            (Reverse((state.potential, state.key)), state.parent, state.fill)
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

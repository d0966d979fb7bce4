//! Contents of a machine, GPU by GPU: partial contents that may become one that is worth enough.

use super::fills::Demand;
use super::keys::Keys;
use super::numbers::Numbers;
use super::relaxed::Relaxed;
use super::slot::Slot;
use super::state::{Left, State, merge};
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
    /// The fills of each GPU, the most valuable first.
    pub valued: &'m [Vec<Valued>],
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

/// What a fill has to have for it to outdo others.
struct Outdoing {
    /// What it is worth with the reliefs of followed shapes.
    worth: i64,
    demand: Demand,
    /// The shapes whose numbers matter.
    counted: Vec<(usize, u32)>,
}

impl Outdoing {
    /// Whether a fill is worth no more and holds and needs no less.
    fn outdoes(&self, worth: i64, demand: Demand, counted: &[(usize, u32)]) -> bool {
        let fewer = |few: &(usize, u32)| counted.iter().any(|many| many.0 == few.0 && many.1 >= few.1);
        self.worth >= worth
            && self.demand.0 <= demand.0
            && self.demand.1 <= demand.1
            && self.counted.iter().all(fewer)
    }
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
        for slot in 0..self.slots.len() {
            let near = self.near(slot, &layers[slot], least);
            let useful = match detail {
                Detail::Content { .. } => near.to_vec(),
                Detail::Worth(_) => self.useful(slot, near, &caps),
            };
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

    /// The fills of a GPU that may make any of some partial contents one that is worth at least so much.
    fn near(&self, slot: usize, states: &[State], least: i64) -> &[Valued] {
        let most = |state: &State| state.worth + self.table.most(slot + 1, state.cpu, state.memory);
        let Some(most) = states.iter().map(most).max() else { return &[] };
        let valued = &self.valued[slot];
        &valued[..valued.partition_point(|entry| most + entry.worth >= least)]
    }

    /// Of fills of a GPU, the most valuable first, those that no other one outdoes: with no less worth, no more cores and memory, and no
    /// more of what is counted. The empty one outdoes none, as a machine in use holds something.
    fn useful(&self, slot: usize, valued: &[Valued], caps: &[u32]) -> Vec<Valued> {
        let fills = &self.slots[slot].fills.all;
        let mut useful: Vec<Valued> = Vec::new();
        let mut outdoing: Vec<Outdoing> = Vec::new();
        // What those need that hold nothing counted: of these, the ones before are worth no less.
        let mut plain = Left::default();
        for entry in valued {
            let held = &fills[entry.fill as usize].counts;
            let counted: Vec<(usize, u32)> =
                held.iter().copied().filter(|&(shape, _)| caps[shape] > 0).collect();
            // Reliefs are given back for what the machine holds in the end.
            let taken = |&(shape, number): &(usize, u32)| self.relaxed.taken(self.numbers, shape, number);
            let worth = entry.worth + counted.iter().map(taken).sum::<i64>();
            let demand = (entry.cpu, entry.memory);
            let is_outdone = match counted.is_empty() {
                true => plain.outdoes(-demand.0, -demand.1),
                false => outdoing.iter().any(|other| other.outdoes(worth, demand, &counted)),
            };
            if is_outdone {
                continue;
            }
            useful.push(*entry);
            if !held.is_empty() {
                if counted.is_empty() {
                    plain.add(-demand.0, -demand.1);
                }
                outdoing.push(Outdoing { worth, demand, counted });
            }
        }
        useful
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

//! The most that a content of a machine can be worth, GPU by GPU: partial contents that may become one that is worth enough.
//!
//! What GPUs hold that are alike can change places: of all contents that differ in this alone, the one is followed in which their fills come in
//! the order of the list, the most valuable first. So none of them is worth more than the one before.

use super::machine::Machine;
use super::reliefs::Reliefs;
use super::table::{Table, Valued};
use std::cmp::Reverse;
use std::rc::Rc;

/// How hard the best content of a machine is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The most partial contents that are followed at a time; none where tables alone are asked.
    pub states: usize,
    /// The most steps from one partial content to the next.
    pub steps: u64,
}

impl Effort {
    /// What tables show.
    pub const TABLES: Effort = Effort { states: 0, steps: 0 };
    /// As much as a checker does at most.
    pub const FULL: Effort = Effort { states: 100_000, steps: 20_000_000 };
}

/// How many partial contents a glance follows at a time.
const GLANCE: usize = 64;

/// Numbers of demands, and whether the machine is in use, packed into one number; the machine has the lowest bit.
type Key = u128;

/// The demands whose numbers matter, with the lowest bit of each and a mask of so many bits.
struct Place {
    demand: usize,
    shift: u32,
    mask: u128,
}

/// What a number of workloads of a demand costs, against what they count with their reliefs.
struct Toll {
    /// Up to which number it matters how many there are.
    cap: usize,
    /// How many there are at most.
    most: usize,
    /// By number, and beyond the cap by as much each.
    paid: Vec<i64>,
    /// By number, up to the cap: what those that are missing were to gain.
    missed: Vec<i64>,
    /// By number: what so many gain at most.
    gained: Vec<i64>,
}

/// A partial content. The rest of the GPUs can add no more than a table says.
#[derive(Clone)]
struct State {
    key: Key,
    cpu: i64,
    memory: i64,
    worth: i64,
    potential: i64,
    parent: u32,
    fill: u32,
    /// The position of the first fill that the next GPU may hold.
    first: usize,
}

/// A fill that no other one outdoes.
struct Useful {
    valued: Valued,
    /// Places, by position, with how many are held.
    counts: Vec<(usize, usize)>,
    is_used: bool,
}

/// A search through the contents of a machine.
pub struct Search<'s> {
    machine: &'s Machine<'s>,
    table: &'s Table,
    reliefs: &'s Reliefs,
    places: Vec<Place>,
    tolls: Vec<Toll>,
    /// By GPU: its fills, the most valuable first.
    useful: Vec<Rc<Vec<Useful>>>,
    /// By GPU: how many of those after it, up to the next that differs, are like it.
    alike: Vec<usize>,
    /// By GPU: what those from it on need at most of cores and memory.
    usable: Vec<(i64, i64)>,
}

/// What one run comes to.
struct Run {
    best: Option<(i64, Vec<usize>)>,
    /// Nothing that was left out is worth more.
    dropped: i64,
}

impl<'s> Search<'s> {
    /// A search; none if what is told apart does not fit a key.
    pub fn new(
        machine: &'s Machine<'s>,
        table: &'s Table,
        reliefs: &'s Reliefs,
        largest: &[(i64, i64)],
    ) -> Option<Self> {
        let (mut places, mut tolls, mut shift) = (Vec::new(), Vec::new(), 1);
        for &demand in &machine.demands {
            let gains = &machine.gains[demand];
            let cap = gains.told_apart();
            if cap == 0 && !gains.is_scarce {
                continue;
            }
            let each = reliefs.each[demand];
            let bits = usize::BITS - cap.leading_zeros();
            places.push(Place { demand, shift, mask: (1u128 << bits) - 1 });
            shift += bits;
            let last = gains.values.last().map_or(0, |&last| (each - last).max(0));
            let room = gains.values.len() + cap + 64;
            let toll = |number: usize| gains.values.get(number).map_or(last, |&value| (each - value).max(0));
            let mut paid = vec![0];
            for number in 0..room {
                paid.push(paid[number] + toll(number));
            }
            let missed =
                |number: usize| gains.values[number..].iter().map(|&value| (value - each).max(0)).sum();
            let missed = (0..=cap).map(missed).collect();
            let mut gained = vec![0];
            for &value in &gains.values {
                gained.push(gained[gained.len() - 1] + (value - each).max(0));
            }
            let most = if gains.is_scarce { gains.values.len() } else { usize::MAX };
            tolls.push(Toll { cap, most, paid, missed, gained });
        }
        if shift > Key::BITS {
            return None;
        }
        let mut usable = vec![(0, 0); largest.len() + 1];
        for slot in (0..largest.len()).rev() {
            usable[slot] = (usable[slot + 1].0 + largest[slot].0, usable[slot + 1].1 + largest[slot].1);
        }
        let slots = &machine.kind.slots;
        let mut alike = vec![0; slots.len()];
        for slot in (1..slots.len()).rev().filter(|&slot| slots[slot - 1] == slots[slot]) {
            alike[slot - 1] = alike[slot] + 1;
        }
        let mut search = Search { machine, table, reliefs, places, tolls, useful: Vec::new(), alike, usable };
        for slot in 0..slots.len() {
            let before = slot.checked_sub(1).filter(|&before| search.alike[before] > 0);
            let useful = match before {
                Some(before) => search.useful[before].clone(),
                None => Rc::new(search.useful(slot)),
            };
            search.useful.push(useful);
        }
        Some(search)
    }

    /// The fills of a GPU that no other one outdoes with no more cores and memory, no more of what is told apart, and no less worth, what
    /// those that it has less of may gain included. The empty one outdoes none, as a machine in use holds something.
    fn useful(&self, slot: usize) -> Vec<Useful> {
        let fills = self.machine.fills(slot);
        let mut all: Vec<Useful> = (0..fills.len())
            .map(|fill| {
                let (cpu, memory) = self.machine.needs((fills[fill].cpu, fills[fill].memory));
                let valued =
                    Valued { worth: self.reliefs.worth(self.machine, slot, fill), fill, cpu, memory };
                let counts = self.places.iter().enumerate();
                let counts =
                    counts.map(|(place, about)| (place, fills[fill].number_of(about.demand) as usize));
                let counts = counts.filter(|counted| counted.1 > 0).collect();
                Useful { valued, counts, is_used: !fills[fill].counts.is_empty() }
            })
            .collect();
        all.sort_by_key(|useful| {
            (Reverse(useful.valued.worth), useful.valued.cpu, useful.valued.memory, useful.valued.fill)
        });
        let mut kept: Vec<Useful> = Vec::new();
        for one in all {
            let outdoes = |other: &Useful| {
                other.is_used
                    && other.valued.cpu <= one.valued.cpu
                    && other.valued.memory <= one.valued.memory
                    && self
                        .gained_without(&one, other)
                        .is_some_and(|gained| other.valued.worth >= one.valued.worth + gained)
            };
            if !kept.iter().any(outdoes) {
                kept.push(one);
            }
        }
        kept
    }

    /// What workloads may gain at most of which one fill has more than another; none where the other has more of any.
    fn gained_without(&self, one: &Useful, other: &Useful) -> Option<i64> {
        let number = |useful: &Useful, place: usize| {
            useful.counts.iter().find(|counted| counted.0 == place).map_or(0, |counted| counted.1)
        };
        let is_less = |&(place, few): &(usize, usize)| few <= number(one, place);
        let gained = |&(place, many): &(usize, usize)| {
            let (more, toll) = (many - number(other, place), &self.tolls[place]);
            toll.gained[more.min(toll.gained.len() - 1)]
        };
        other.counts.iter().all(is_less).then(|| one.counts.iter().map(gained).sum())
    }

    /// The most that the machine can be worth, given a bound; contents that are worth no more than the floor do not matter.
    ///
    /// A glance finds a content, mostly the best; then only what may be worth more is followed, from the bound down.
    pub fn most(&self, mut bound: i64, floor: i64, effort: Effort) -> (i64, Option<Vec<usize>>) {
        let mut steps = effort.steps;
        let glance = self.run(floor, effort.states.min(GLANCE), &mut steps).best;
        let known = glance.as_ref().map_or(floor, |best| best.0);
        let largest =
            self.machine.gains.iter().flat_map(|gains| gains.values.first()).map(|value| value.abs());
        let mut beyond = largest.max().unwrap_or(1).div_euclid(64) + 1;
        while bound > known {
            let least = bound.saturating_sub(beyond).max(known) + 1;
            let run = self.run(least, effort.states, &mut steps);
            let best = run.best.as_ref().map_or(i64::MIN, |best| best.0);
            bound = bound.min(best.max(run.dropped).max(least - 1));
            if run.best.is_some() {
                return (bound, run.best.map(|best| best.1));
            }
            if run.dropped > i64::MIN || steps == 0 {
                break;
            }
            beyond = beyond.saturating_mul(4);
        }
        (bound, glance.map(|best| best.1))
    }

    /// The best content that is worth at least so much, as far as so many partial contents at a time show it.
    fn run(&self, least: i64, states: usize, steps: &mut u64) -> Run {
        let (cpu, memory) = self.machine.capacities();
        let key = Key::from(self.machine.kind.pinned() > 0);
        let (worth, potential) = (self.reliefs.base, i64::MAX);
        let empty = State { key, cpu, memory, worth, potential, parent: 0, fill: 0, first: 0 };
        let (mut layers, mut dropped) = (vec![vec![empty]], i64::MIN);
        for slot in 0..self.useful.len() {
            let mut next: Vec<State> = Vec::new();
            let mut merged = 0;
            for (parent, state) in layers[slot].iter().enumerate() {
                if *steps == 0 {
                    dropped = dropped.max(state.potential);
                    continue;
                }
                self.extend(slot, parent as u32, state, least, &mut next, steps);
                if next.len() > 2 * merged + 2 * states {
                    merge(&mut next);
                    confine(&mut next, states, &mut dropped);
                    merged = next.len();
                }
            }
            merge(&mut next);
            confine(&mut next, states, &mut dropped);
            layers.push(next);
        }
        let last = layers.len() - 1;
        let mut best: Option<(i64, usize)> = None;
        for (position, state) in layers[last].iter().enumerate().filter(|(_, state)| state.key & 1 == 1) {
            let missed: i64 = self
                .places
                .iter()
                .zip(&self.tolls)
                .map(|(place, toll)| toll.missed[place.number(state.key).min(toll.cap)])
                .sum();
            let worth = state.worth - missed;
            if worth >= least && best.is_none_or(|best| worth > best.0) {
                best = Some((worth, position));
            }
        }
        let best = best.map(|(worth, position)| (worth, fills(&layers, last, position)));
        Run { best, dropped }
    }

    /// Partial contents with one GPU more.
    fn extend(
        &self,
        slot: usize,
        parent: u32,
        state: &State,
        least: i64,
        next: &mut Vec<State>,
        steps: &mut u64,
    ) {
        let (usable, alike) = (self.usable[slot + 1], self.alike[slot]);
        let rest = self.table.most(slot + 1, state.cpu, state.memory);
        for (position, useful) in self.useful[slot].iter().enumerate().skip(state.first) {
            let valued = &useful.valued;
            if state.worth + valued.worth + rest < least {
                break;
            }
            *steps = steps.saturating_sub(1);
            let (cpu, memory) = (state.cpu - valued.cpu, state.memory - valued.memory);
            if cpu < 0 || memory < 0 {
                continue;
            }
            let (cpu, memory) = (cpu.min(usable.0), memory.min(usable.1));
            let others = self.table.most(slot + 1, cpu, memory);
            let further = self.table.most(slot + 1 + alike, cpu, memory);
            let others = others.min(alike as i64 * valued.worth + further);
            let mut worth = state.worth + valued.worth;
            if worth + others < least {
                continue;
            }
            let mut key = state.key | Key::from(useful.is_used);
            let mut is_there = true;
            for &(place, number) in &useful.counts {
                let (about, toll) = (&self.places[place], &self.tolls[place]);
                let before = about.number(state.key);
                is_there &= before + number <= toll.most;
                worth -= toll.paid[before + number] - toll.paid[before];
                let after = (before + number).min(toll.cap);
                key += ((after - before) as u128) << about.shift;
            }
            let potential = worth + others;
            if is_there && potential >= least {
                let first = if alike > 0 { position } else { 0 };
                next.push(State {
                    key,
                    cpu,
                    memory,
                    worth,
                    potential,
                    parent,
                    fill: valued.fill as u32,
                    first,
                });
            }
        }
    }
}

impl Place {
    fn number(&self, key: Key) -> usize {
        (key >> self.shift & self.mask) as usize
    }
}

/// Drops the states that another one outdoes with the same numbers, no less worth, no less cores and memory left, and no less to choose from.
fn merge(states: &mut Vec<State>) {
    states.sort_unstable_by_key(|state| {
        let left = (Reverse(state.cpu), Reverse(state.memory), state.first);
        (state.key, Reverse(state.worth), left, state.parent, state.fill)
    });
    let mut kept: Vec<(i64, i64, usize)> = Vec::new();
    let mut key = None;
    states.retain(|state| {
        if key != Some(state.key) {
            key = Some(state.key);
            kept.clear();
        }
        let outdoes = |&(cpu, memory, first): &(i64, i64, usize)| {
            cpu >= state.cpu && memory >= state.memory && first <= state.first
        };
        let is_outdone = kept.iter().any(outdoes);
        if !is_outdone {
            kept.push((state.cpu, state.memory, state.first));
        }
        !is_outdone
    });
}

/// Keeps the most promising states; notes what those that are dropped may be worth.
fn confine(states: &mut Vec<State>, most: usize, dropped: &mut i64) {
    if states.len() > most {
        states.select_nth_unstable_by_key(most, |state| {
            (Reverse((state.potential, state.key)), state.parent, state.fill)
        });
        *dropped = (*dropped).max(states[most].potential);
        states.truncate(most);
    }
}

/// The fills of a content.
fn fills(layers: &[Vec<State>], last: usize, position: usize) -> Vec<usize> {
    let (mut fills, mut position) = (Vec::new(), position);
    for layer in layers[1..=last].iter().rev() {
        fills.push(layer[position].fill as usize);
        position = layer[position].parent as usize;
    }
    fills.reverse();
    fills
}

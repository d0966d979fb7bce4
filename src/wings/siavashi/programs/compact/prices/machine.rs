//! A machine, or several that are alike, as a part of the problem: what it can hold.

use super::content::{Content, Frame};
use super::fills::Fill;
use super::keys::Keys;
use super::numbers::Numbers;
use super::relaxed::Relaxed;
use super::slot::Slot;
use super::states::{Detail, States};
use super::table::{Table, Valued};
use super::terms::Worths;
use itertools::Itertools;
use prices::{BEAM, Column, Effort, ONE, Part, Priced};
use std::rc::Rc;

/// The most partial contents that an exact search keeps at a time, and a listing.
const MOST_STATES: usize = 200_000;

/// How many partial contents a listing keeps at a time for each content that is asked for at most.
const STATES_OF_CONTENT: usize = 4;

/// The beam of what tables show without a search.
pub const GLANCE: usize = 0;

/// How far below the bound contents are looked for at first.
const DEPTH: i64 = ONE / 32;

/// How many shapes more are followed at a time.
const SHAPES_AT_A_TIME: usize = 2;

/// Machines that are alike.
pub struct Machine {
    frame: Rc<Frame>,
    number: u32,
    /// Its GPUs.
    pub slots: Vec<Slot>,
    /// Cores and memory that are left beside what is pinned, in units, where they are limited.
    pub capacities: (Option<i64>, Option<i64>),
    /// Units of hardware of the machine, and of each of its GPUs.
    weights: (i64, i64),
    /// How many workloads it has and can have.
    numbers: Numbers,
    /// The shapes whose numbers are followed where worth alone is asked for.
    follows: Vec<bool>,
    is_pinned: bool,
    keys: Keys,
    table: Table,
    relaxed: Relaxed,
}

impl Machine {
    /// Machines with these GPUs; none if what they hold cannot be written as a number.
    pub fn new(
        frame: Rc<Frame>,
        number: u32,
        slots: Vec<Slot>,
        capacities: (Option<i64>, Option<i64>),
        weights: (i64, i64),
    ) -> Option<Self> {
        let shapes = frame.shapes.len();
        let numbers = Numbers::of(&slots, frame.shapes.iter().map(|shape| shape.number));
        let keys = Keys::new(&numbers.most, slots.len() as u32)?;
        let is_pinned = slots.iter().any(|slot| slot.is_pinned);
        let table = Table::new(&slots, capacities);
        let relaxed = Relaxed::new(shapes);
        Some(Machine {
            frame,
            number,
            slots,
            capacities,
            weights,
            numbers,
            follows: vec![false; shapes],
            is_pinned,
            keys,
            table,
            relaxed,
        })
    }

    /// The content with these fills.
    pub fn content(&self, fills: Vec<u32>) -> Content {
        Content::of(&self.slots, self.frame.shapes.len(), fills)
    }

    /// What the machine costs in units of migrations with a content.
    fn migrations(&self, content: &Content) -> i64 {
        let shapes = self.frame.shapes.iter().zip(&self.numbers.residents).zip(&content.counts);
        let moved = shapes.map(|((shape, &residents), &count)| {
            let kept = count.min(residents);
            i64::from(residents - kept) * shape.leave + i64::from(kept) * shape.move_gpu
        });
        moved.sum::<i64>() - content.stay
    }

    /// What it is worth that nothing stays on the machine.
    fn left_worth(&self, worths: &Worths) -> i64 {
        let shapes = self.frame.shapes.iter().zip(&self.numbers.residents);
        worths.migration * shapes.map(|(shape, &residents)| i64::from(residents) * shape.leave).sum::<i64>()
    }

    /// Bounds the worth of what is not empty, and what it is worth to be empty, where that can be. What seems to be worth most goes to
    /// `seen`.
    fn relax(&mut self, prices: &[i64], seen: &mut Vec<Vec<u32>>) -> (i64, Option<i64>) {
        let Frame { shapes, rows, aim, .. } = &*self.frame;
        let worths = Worths::new(prices, rows, aim, shapes, self.weights);
        let left = self.left_worth(&worths);
        let pinned = self.slots.iter().filter(|slot| slot.is_pinned).count() as i64;
        let base = left + worths.machine + pinned * worths.gpu;
        let most = self.relaxed.tighten(&mut self.table, &self.slots, &self.numbers, worths, base, seen);
        (most, (!self.is_pinned).then_some(left))
    }

    /// Those of some fills that are contents, with their worths, the best first.
    fn contents(&self, prices: &[i64], seen: Vec<Vec<u32>>) -> Vec<(i64, Content)> {
        let is_held = |fills: &Vec<u32>| {
            let held = || self.slots.iter().zip(fills).map(|(slot, &fill)| &slot.fills.all[fill as usize]);
            let within = |most: Option<i64>, of: fn(&Fill) -> i64| {
                most.is_none_or(|most| held().map(of).sum::<i64>() <= most)
            };
            within(self.capacities.0, |fill| fill.cpu) && within(self.capacities.1, |fill| fill.memory)
        };
        let of_fills = |fills| {
            let content = self.content(fills);
            (self.column(&content).worth(prices), content)
        };
        let mut contents: Vec<(i64, Content)> =
            seen.into_iter().unique().filter(is_held).map(of_fills).collect();
        contents.retain(|(_, content)| {
            content.gpus > 0 && content.counts.iter().zip(&self.numbers.most).all(|(held, most)| held <= most)
        });
        contents.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        contents
    }

    /// The fills of each GPU, the most valuable first.
    fn valued(&self) -> Vec<Vec<Valued>> {
        let mut valued: Vec<Vec<Valued>> = Vec::with_capacity(self.slots.len());
        for (position, slot) in self.slots.iter().enumerate() {
            let before = position.checked_sub(1).filter(|&before| self.slots[before] == *slot);
            let of_slot = || self.relaxed.valued(slot, &self.numbers);
            valued.push(before.map_or_else(of_slot, |before| valued[before].clone()));
        }
        valued
    }

    fn states<'m>(&'m self, valued: &'m [Vec<Valued>]) -> States<'m> {
        States {
            slots: &self.slots,
            numbers: &self.numbers,
            capacities: self.capacities,
            table: &self.table,
            relaxed: &self.relaxed,
            valued,
            keys: &self.keys,
        }
    }

    /// Contents, and perhaps the empty one, but for those that others replace.
    fn listed(&self, contents: Vec<(i64, Vec<u32>)>, with_empty: bool) -> Vec<Content> {
        let mut contents: Vec<Content> = contents.into_iter().map(|(_, fills)| self.content(fills)).collect();
        contents.extend(with_empty.then(|| self.plain()));
        contents.sort_unstable();
        // Of contents with the same counts, one on more GPUs is of use only if more stays.
        let mut listed: Vec<Content> = Vec::with_capacity(contents.len());
        let mut stay = i64::MIN;
        for content in contents {
            if listed.last().is_none_or(|last| last.counts != content.counts) {
                stay = i64::MIN;
            }
            if content.stay > stay {
                stay = content.stay;
                match listed.last_mut() {
                    Some(last) if last.counts == content.counts && last.gpus == content.gpus => {
                        *last = content
                    }
                    _ => listed.push(content),
                }
            }
        }
        listed
    }
}

impl Part for Machine {
    type Content = Content;

    fn number(&self) -> u32 {
        self.number
    }

    fn first_beam(&self) -> usize {
        if self.frame.has_many { GLANCE } else { BEAM }
    }

    fn plain(&self) -> Content {
        self.content(vec![0; self.slots.len()])
    }

    fn column(&self, content: &Content) -> Column {
        let Frame { shapes, rows, aim, .. } = &*self.frame;
        let is_used = content.gpus > 0;
        let hardware = i64::from(is_used) * self.weights.0 + i64::from(content.gpus) * self.weights.1;
        let accepted =
            shapes.iter().zip(&content.counts).map(|(shape, &count)| shape.acceptance * i64::from(count));
        let (accepted, migrations): (i64, i64) = (accepted.sum(), self.migrations(content));
        let mut terms = vec![(rows.machines, i64::from(is_used)), (rows.gpus, i64::from(content.gpus))];
        terms.extend(rows.acceptance.map(|row| (row, accepted)));
        terms.extend(rows.hardware.map(|row| (row, hardware)));
        terms.extend(rows.migrations.map(|row| (row, migrations)));
        for ((shape, &count), &residents) in shapes.iter().zip(&content.counts).zip(&self.numbers.residents) {
            terms.push((rows.placed + shape.total, i64::from(count)));
            let inflow = count.saturating_sub(residents);
            terms.extend(rows.inflow.map(|first| (first + shape.total, i64::from(inflow))));
        }
        terms.sort_unstable();
        terms.dedup_by(|next, term| {
            let is_same = next.0 == term.0;
            term.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        terms.retain(|term| term.1 != 0);
        let cost = aim.hardware * hardware + aim.migrations * migrations - aim.acceptance * accepted;
        Column { cost, terms }
    }

    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<Content> {
        let mut seen = Vec::new();
        let (mut most, empty) = self.relax(prices, &mut seen);
        let floor = empty.unwrap_or(i64::MIN / 2);
        if most <= floor {
            return Priced { most: floor, is_exact: true, contents: vec![self.plain()] };
        }
        let seen = self.contents(prices, seen);
        let is_exact = seen.first().is_some_and(|&(worth, _)| worth == most);
        if effort == Effort::Beam(GLANCE) || (is_exact && self.frame.has_many) {
            let contents = seen.into_iter().filter(|content| content.0 > floor).map(|content| content.1);
            return Priced { most, is_exact, contents: contents.collect() };
        }
        let beam = match effort {
            Effort::Beam(beam) => beam,
            Effort::Exact => MOST_STATES,
        };
        let valued = self.valued();
        let mut depth = DEPTH;
        loop {
            let least = floor.max(most - depth);
            let found = self.states(&valued).run(least, beam, Detail::Worth(&self.follows));
            let best = found.contents.first().map_or(floor, |content| content.0);
            if let Some(loose) = found.loose.filter(|loose| loose.worth > best.max(found.dropped)) {
                most = most.min(loose.worth);
                loose.shapes.iter().take(SHAPES_AT_A_TIME).for_each(|&shape| self.follows[shape] = true);
                continue;
            }
            most = most.min(best.max(found.dropped).max(least));
            if found.contents.is_empty() && least > floor {
                // What the beam keeps may end far below what it drops.
                depth = if found.dropped > i64::MIN { most - floor } else { 2 * depth };
                continue;
            }
            if found.contents.is_empty() {
                let is_exact = most == floor;
                let contents = if is_exact { vec![self.plain()] } else { Vec::new() };
                return Priced { most, is_exact, contents };
            }
            let contents = found.contents.iter().map(|(_, fills)| self.content(fills.clone())).collect();
            return Priced { most, is_exact: most == best, contents };
        }
    }

    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<Content>> {
        let (seems, empty) = self.relax(prices, &mut Vec::new());
        let empty = empty.is_some_and(|worth| worth >= least);
        if seems < least {
            return Some(self.listed(Vec::new(), empty));
        }
        let beam = MOST_STATES.min(STATES_OF_CONTENT * most + 100);
        let found = self.states(&self.valued()).run(least, beam, Detail::Content { all: true });
        let are_all = found.dropped == i64::MIN && found.contents.len() <= most;
        are_all.then(|| self.listed(found.contents, empty))
    }

    fn sample(&mut self, prices: &[i64], least: i64, most: usize) -> Vec<Content> {
        let (_, empty) = self.relax(prices, &mut Vec::new());
        let mut found =
            self.states(&self.valued()).run(least, STATES_OF_CONTENT * most, Detail::Content { all: false });
        found.contents.truncate(most);
        self.listed(found.contents, empty.is_some_and(|worth| worth >= least))
    }
}

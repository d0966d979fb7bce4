//! Worths of single GPUs that together are no less than the worth of the machine.
//!
//! Residents that stay on their machine are worth something up to their number, and there may be fewer workloads of a shape than the
//! machine has room for; each GPU by itself does not see what the others hold. A *relief* is taken from each workload. Up to what it is
//! worth that one stays, it is taken from those that a GPU may keep, and given back once for every resident; what it exceeds that is taken
//! from every workload, and given back once for each that there is. That is at most too much, whatever the contents are. Reliefs that
//! make the bound low are found by bisection.

use super::numbers::Numbers;
use super::slot::Slot;
use super::table::{Table, Valued};
use super::terms::Worths;
use std::cmp::{Ordering, Reverse};

/// How often reliefs are halved towards the best ones.
const TRIES: u32 = 8;

/// The worths at which a table was filled.
pub struct Relaxed {
    /// What everything is worth.
    pub worths: Worths,
    /// By shape.
    reliefs: Vec<i64>,
    /// What the machine is worth before it holds anything, reliefs given back.
    pub base: i64,
    /// Of the fills of each GPU that need the same cores and memory the most valuable one, the best first.
    best: Vec<Vec<Valued>>,
}

/// The relief of a shape: what is taken from each workload that may stay, and from each workload.
#[derive(Clone, Copy)]
struct Relief {
    kept: i64,
    each: i64,
}

impl Relaxed {
    /// Nothing is worth anything.
    pub fn new(shapes: usize) -> Self {
        Relaxed { worths: Worths::default(), reliefs: vec![0; shapes], base: 0, best: Vec::new() }
    }

    fn relief(&self, shape: usize) -> Relief {
        let (relief, kept) = (self.reliefs[shape], self.worths.kept[shape]);
        Relief { kept: relief.min(kept), each: (relief - kept).max(0) }
    }

    /// What a GPU by itself does not see of what it is worth that workloads of the shape stay.
    pub fn kept_once(&self, shape: usize) -> i64 {
        self.worths.kept[shape] - self.relief(shape).kept
    }

    /// What was given back of the reliefs of a shape and has not been taken, where a machine holds so many of it.
    pub fn not_taken(&self, numbers: &Numbers, shape: usize, number: u32) -> i64 {
        let relief = self.relief(shape);
        let residents = i64::from(numbers.residents[shape]) - numbers.kept(shape, number);
        relief.kept * residents + relief.each * (i64::from(numbers.most[shape]) - i64::from(number))
    }

    /// What is taken where a machine holds so many of a shape.
    pub fn taken(&self, numbers: &Numbers, shape: usize, number: u32) -> i64 {
        let relief = self.relief(shape);
        relief.kept * numbers.kept(shape, number) + relief.each * i64::from(number)
    }

    /// Fills a table at these worths, with reliefs that make it low; what a content is worth at most, given what the machine is worth
    /// before it holds anything. The fills by which a table says so go to `seen`.
    pub fn tighten(
        &mut self,
        table: &mut Table,
        slots: &[Slot],
        numbers: &Numbers,
        worths: Worths,
        base: i64,
        seen: &mut Vec<Vec<u32>>,
    ) -> i64 {
        self.worths = worths;
        let most = |shape: usize| {
            let kept = if numbers.residents[shape] > 0 { self.worths.kept[shape] } else { 0 };
            match numbers.is_short[shape] && self.worths.each[shape] > 0 {
                true => self.worths.kept[shape] + self.worths.each[shape],
                false => kept,
            }
        };
        let most: Vec<i64> = (0..numbers.shapes()).map(most).collect();
        let matters: Vec<usize> = (0..most.len()).filter(|&shape| most[shape] > 0).collect();
        for (relief, &most) in self.reliefs.iter_mut().zip(&most) {
            *relief = (*relief).min(most);
        }
        let mut bound = self.fill(table, slots, numbers, base);
        let (mut best, mut is_best) = (self.reliefs.clone(), true);
        let mut between: Vec<(i64, i64)> = most.iter().map(|&most| (0, most)).collect();
        for _ in 0..TRIES {
            let fills = table.fills(&self.best);
            let moves = self.halve(&fills, slots, numbers, &matters, &mut between);
            seen.push(fills.into_iter().map(Option::unwrap_or_default).collect());
            if !moves {
                break;
            }
            let next = self.fill(table, slots, numbers, base);
            is_best = next < bound;
            if is_best {
                bound = next;
                best.clone_from(&self.reliefs);
            }
        }
        if !is_best && best != self.reliefs {
            self.reliefs = best;
            self.fill(table, slots, numbers, base);
        }
        bound
    }

    /// Moves reliefs to where the fills of the bound hold neither more nor less than gives them back; whether any moves.
    fn halve(
        &mut self,
        fills: &[Option<u32>],
        slots: &[Slot],
        numbers: &Numbers,
        matters: &[usize],
        between: &mut [(i64, i64)],
    ) -> bool {
        let mut held = vec![(0, 0); numbers.shapes()];
        for (slot, fill) in slots.iter().zip(fills) {
            for &(shape, number) in fill.iter().flat_map(|&fill| &slot.fills.all[fill as usize].counts) {
                held[shape].0 += number;
                held[shape].1 += number.min(numbers.residents[shape]);
            }
        }
        let mut moves = false;
        for &shape in matters {
            let (relief, kept) = (self.reliefs[shape], self.worths.kept[shape]);
            let of_kept = held[shape].1.cmp(&numbers.residents[shape]);
            let of_all = held[shape].0.cmp(&numbers.most[shape]);
            let excess = match (relief.cmp(&kept), of_all) {
                (_, Ordering::Greater) => Ordering::Greater,
                (Ordering::Greater, _) => of_all,
                (Ordering::Equal, _) => of_kept.min(Ordering::Equal),
                (Ordering::Less, _) => of_kept,
            };
            let (low, high) = &mut between[shape];
            match excess {
                Ordering::Greater => *low = relief,
                Ordering::Less => *high = relief,
                Ordering::Equal => continue,
            }
            let middle = if *low < kept && kept < *high { kept } else { *low + (*high - *low) / 2 };
            moves |= middle != relief;
            self.reliefs[shape] = middle;
        }
        moves
    }

    /// Fills a table at the present reliefs, and bounds the worth of any content.
    fn fill(&mut self, table: &mut Table, slots: &[Slot], numbers: &Numbers, base: i64) -> i64 {
        let given_back = (0..numbers.shapes()).map(|shape| self.not_taken(numbers, shape, 0));
        self.base = base + given_back.sum::<i64>();
        self.best.clear();
        for slot in 0..slots.len() {
            let best = match slot.checked_sub(1).filter(|&before| slots[before] == slots[slot]) {
                Some(before) => self.best[before].clone(),
                None => self.best(&slots[slot], numbers),
            };
            self.best.push(best);
        }
        table.fill(&self.best);
        self.base + table.most_of_all()
    }

    /// The fills of a GPU, the most valuable first.
    pub fn valued(&self, slot: &Slot, numbers: &Numbers) -> Vec<Valued> {
        let about = &slot.fills;
        let fills = about.all.iter().zip(self.worths_of(slot, numbers)).zip(0..);
        let mut valued: Vec<Valued> = fills
            .map(|((fill, worth), number)| Valued { worth, fill: number, cpu: fill.cpu, memory: fill.memory })
            .collect();
        valued.sort_unstable_by_key(|valued| (Reverse(valued.worth), valued.fill));
        valued
    }

    /// Of the fills of a GPU that need the same cores and memory the most valuable one, the best first.
    fn best(&self, slot: &Slot, numbers: &Numbers) -> Vec<Valued> {
        let about = &slot.fills;
        let none = |&(cpu, memory): &(i64, i64)| Valued { worth: i64::MIN, fill: 0, cpu, memory };
        let mut best: Vec<Valued> = about.demands.iter().map(none).collect();
        for ((&demand, worth), fill) in about.demand_of.iter().zip(self.worths_of(slot, numbers)).zip(0..) {
            let best = &mut best[demand as usize];
            if worth > best.worth {
                (best.worth, best.fill) = (worth, fill);
            }
        }
        best.sort_unstable_by_key(|valued| (Reverse(valued.worth), valued.fill));
        best
    }

    /// What the fills of a GPU are worth, reliefs taken.
    fn worths_of<'s>(&self, slot: &'s Slot, numbers: &Numbers) -> impl Iterator<Item = i64> + use<'s> {
        let of_gpu = if slot.is_pinned { 0 } else { self.worths.gpu };
        let migration = self.worths.migration;
        let of_shape = |(shape, &most): (usize, &u32)| {
            let relief = self.relief(shape);
            let (each, kept) = (self.worths.each[shape] - relief.each, self.kept_once(shape));
            (0..=most).map(|number| each * i64::from(number) + kept * numbers.kept(shape, number)).collect()
        };
        let worths: Vec<Vec<i64>> = slot.fills.most.iter().enumerate().map(of_shape).collect();
        slot.fills.all.iter().zip(slot.saved.iter()).map(move |(fill, saved)| {
            let held: i64 = fill.counts.iter().map(|&(shape, number)| worths[shape][number as usize]).sum();
            held - migration * saved + if fill.counts.is_empty() { 0 } else { of_gpu }
        })
    }
}

//! What GPUs of a machine can add at most, by the cores and the memory that are left.

use super::slot::Slot;

/// More cells than this make a table slow; cores and memory are then counted in coarser units.
const MOST_CELLS: usize = 10_000;

/// Sums of worths below two to this power are exact as floats, even after each worth is rounded up.
const EXACT_BITS: u32 = 50;

/// How the cores or the memory of a machine are counted in a table.
#[derive(Clone, Debug)]
struct Scale {
    capacity: Option<i64>,
    /// Cells are so many bits coarser than units.
    coarseness: u32,
    /// What matters before each GPU is filled, and in the end.
    windows: Vec<Window>,
}

/// The cells that matter: GPUs before leave no less than the first one, and what is beyond the last one is of no use to those that follow.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: usize,
    last: usize,
}

impl Window {
    fn cells(self) -> usize {
        self.last - self.first + 1
    }

    /// The position of a cell, which GPUs before can leave.
    fn position(self, cell: usize) -> usize {
        cell.min(self.last) - self.first
    }
}

impl Scale {
    /// For GPUs that need so much at most.
    fn new(capacity: Option<i64>, coarseness: u32, largest: &[i64]) -> Self {
        let mut scale = Scale { capacity, coarseness, windows: Vec::new() };
        let all = scale.cell(capacity.unwrap_or(0));
        let window = |slot: usize| {
            let before: i64 = largest[..slot].iter().sum();
            let after: usize = largest[slot..].iter().map(|&most| scale.cell(most)).sum();
            let (last, least) = (all.min(after), scale.cell((capacity.unwrap_or(0) - before).max(0)));
            Window { first: least.min(last), last }
        };
        let windows = (0..=largest.len()).map(window).collect();
        scale.windows = windows;
        scale
    }

    fn cell(&self, amount: i64) -> usize {
        if self.capacity.is_some() { (amount >> self.coarseness) as usize } else { 0 }
    }

    /// Where it is most, how many cells matter.
    fn most_cells(&self) -> usize {
        self.windows.iter().map(|window| window.cells()).max().unwrap_or(1)
    }
}

/// What GPUs from each one on can add at most, by what is left.
pub struct Table {
    cpu: Scale,
    memory: Scale,
    /// By GPU, then cores, then memory, as far as these matter; the last one holds nothing. These are whole numbers, kept as floats
    /// because the maximum of two floats is one instruction everywhere, and that of two 64-bit integers is not.
    most: Vec<Vec<f64>>,
    /// Worths are counted in units of two to this power, rounded up, so that all sums are exact. It is 0 unless worths are very great.
    shift: u32,
}

/// A fill with its worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Valued {
    /// What it is worth, reliefs taken.
    pub worth: i64,
    /// Its number.
    pub fill: u32,
    /// Cores, in units.
    pub cpu: i64,
    /// Main memory, in units.
    pub memory: i64,
}

/// A fill in cells.
struct Step {
    cpu: usize,
    memory: usize,
    worth: f64,
}

impl Table {
    /// A table for GPUs in a machine with so many units of cores and memory.
    pub fn new(slots: &[Slot], capacities: (Option<i64>, Option<i64>)) -> Self {
        let largest: Vec<(i64, i64)> = slots.iter().map(|slot| slot.fills.largest()).collect();
        let cpu: Vec<i64> = largest.iter().map(|largest| largest.0).collect();
        let memory: Vec<i64> = largest.iter().map(|largest| largest.1).collect();
        let scales = |coarseness: (u32, u32)| {
            (Scale::new(capacities.0, coarseness.0, &cpu), Scale::new(capacities.1, coarseness.1, &memory))
        };
        let mut coarseness = (0, 0);
        let (mut cpu, mut memory) = scales(coarseness);
        while cpu.most_cells() * memory.most_cells() > MOST_CELLS {
            match memory.most_cells() > cpu.most_cells() {
                true => coarseness.1 += 1,
                false => coarseness.0 += 1,
            }
            (cpu, memory) = scales(coarseness);
        }
        let cells = |slot: usize| cpu.windows[slot].cells() * memory.windows[slot].cells();
        let most = (0..=slots.len()).map(|slot| vec![0.0; cells(slot)]).collect();
        Table { cpu, memory, most, shift: 0 }
    }

    /// What the GPUs from one on can add at most, so much being left by those before.
    pub fn most(&self, slot: usize, cpu: i64, memory: i64) -> i64 {
        self.worth(self.at(slot, self.cpu.cell(cpu), self.memory.cell(memory)))
    }

    /// What so many units are worth.
    fn worth(&self, units: f64) -> i64 {
        (units as i64) << self.shift
    }

    /// The least number of units that are worth so much.
    fn units(&self, worth: i64) -> f64 {
        ((worth + (1 << self.shift) - 1) >> self.shift) as f64
    }

    fn at(&self, slot: usize, cpu: usize, memory: usize) -> f64 {
        let (rows, columns) = (self.cpu.windows[slot], self.memory.windows[slot]);
        self.most[slot][rows.position(cpu) * columns.cells() + columns.position(memory)]
    }

    /// What all GPUs can hold at most.
    pub fn most_of_all(&self) -> i64 {
        self.worth(*self.most[0].last().expect("there is a cell"))
    }

    /// Fills the table. `valued` are fills of each GPU, the most valuable first, of which those that are missing are outdone.
    pub fn fill(&mut self, valued: &[Vec<Valued>]) {
        let best = valued.iter().filter_map(|valued| valued.first());
        // No sum in the table exceeds this one, but for what is rounded up.
        let most: i64 = best.map(|best| best.worth.max(0)).sum();
        self.shift = (u64::BITS - most.leading_zeros()).saturating_sub(EXACT_BITS);
        for slot in (0..valued.len()).rev() {
            let steps = self.steps(&valued[slot]);
            let (before, after) = self.most.split_at_mut(slot + 1);
            let (most, rest) = (&mut before[slot], &after[0]);
            let (rows, columns) = (self.cpu.windows[slot], self.memory.windows[slot]);
            let (rest_rows, rest_columns) = (self.cpu.windows[slot + 1], self.memory.windows[slot + 1]);
            most.fill(0.0);
            for Step { cpu, memory, worth } in steps {
                let first = columns.first.max(memory);
                for row in rows.first.max(cpu)..=rows.last {
                    let to = &mut most[(row - rows.first) * columns.cells()..][..columns.cells()];
                    let from =
                        &rest[rest_rows.position(row - cpu) * rest_columns.cells()..][..rest_columns.cells()];
                    let Some(to) = to.get_mut(first - columns.first..) else { continue };
                    let from = &from[rest_columns.position(first - memory)..];
                    let beyond = worth + from[from.len() - 1];
                    let (near, far) = to.split_at_mut(from.len().min(to.len()));
                    for (to, from) in near.iter_mut().zip(from) {
                        *to = greater(worth + *from, *to);
                    }
                    far.iter_mut().for_each(|to| *to = greater(beyond, *to));
                }
            }
        }
    }

    /// The fills that no other one with no more cores and memory outdoes, and the empty one; no other that is worth nothing.
    fn steps(&self, valued: &[Valued]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for entry in valued.iter().take_while(|entry| entry.worth > 0) {
            let (cpu, memory) = (self.cpu.cell(entry.cpu), self.memory.cell(entry.memory));
            if !steps.iter().any(|other| other.cpu <= cpu && other.memory <= memory) {
                steps.push(Step { cpu, memory, worth: self.units(entry.worth) });
            }
        }
        steps.push(Step { cpu: 0, memory: 0, worth: 0.0 });
        steps
    }

    /// The fills by which the GPUs hold that most, in the order of the GPUs; nothing for those that are empty.
    pub fn fills(&self, valued: &[Vec<Valued>]) -> Vec<Option<u32>> {
        let (mut cpu, mut memory) = (self.cpu.windows[0].last, self.memory.windows[0].last);
        let of_slot = |slot: usize| {
            let most = self.at(slot, cpu, memory);
            let (fill, left_cpu, left_memory) = valued[slot].iter().find_map(|entry| {
                let left_cpu = cpu.checked_sub(self.cpu.cell(entry.cpu))?;
                let left_memory = memory.checked_sub(self.memory.cell(entry.memory))?;
                let is_chosen = self.units(entry.worth) + self.at(slot + 1, left_cpu, left_memory) == most;
                is_chosen.then_some((entry.fill, left_cpu, left_memory))
            })?;
            (cpu, memory) = (left_cpu, left_memory);
            Some(fill)
        };
        (0..valued.len()).map(of_slot).collect()
    }
}

/// The greater of two numbers. Neither is NaN, for which `f64::max` would have to look.
fn greater(one: f64, other: f64) -> f64 {
    if one > other { one } else { other }
}

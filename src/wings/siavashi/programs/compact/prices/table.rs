//! What GPUs of a machine can add at most, by the cores and the memory that are left.

use super::slot::Slot;

/// More cells than this make a table slow; cores and memory are then counted in coarser units.
const MOST_CELLS: i64 = 40_000;

/// How the cores or the memory of a machine are counted in a table.
#[derive(Clone, Copy, Debug)]
struct Scale {
    capacity: Option<i64>,
    /// Cells are so many bits coarser than units.
    coarseness: u32,
}

impl Scale {
    fn cells(&self) -> usize {
        self.capacity.map_or(1, |capacity| (capacity >> self.coarseness) as usize + 1)
    }

    fn cell(&self, left: i64) -> usize {
        if self.capacity.is_some() { (left >> self.coarseness) as usize } else { 0 }
    }
}

/// What GPUs from each one on can add at most, by what is left.
pub struct Table {
    cpu: Scale,
    memory: Scale,
    /// By GPU, then cores, then memory; the last one holds nothing.
    most: Vec<Vec<i64>>,
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

impl Table {
    /// A table for GPUs in a machine with so many units of cores and memory.
    pub fn new(slots: &[Slot], capacities: (Option<i64>, Option<i64>)) -> Self {
        let mut scales = [capacities.0, capacities.1].map(|capacity| Scale { capacity, coarseness: 0 });
        while scales.iter().map(|scale| scale.cells() as i64).product::<i64>() > MOST_CELLS {
            let largest = usize::from(scales[1].cells() > scales[0].cells());
            scales[largest].coarseness += 1;
        }
        let [cpu, memory] = scales;
        let cells = cpu.cells() * memory.cells();
        Table { cpu, memory, most: vec![vec![0; cells]; slots.len() + 1] }
    }

    /// What the GPUs from one on can add at most.
    pub fn most(&self, slot: usize, cpu: i64, memory: i64) -> i64 {
        self.most[slot][self.cpu.cell(cpu) * self.memory.cells() + self.memory.cell(memory)]
    }

    /// What all GPUs can hold at most.
    pub fn most_of_all(&self) -> i64 {
        *self.most[0].last().expect("there is a cell")
    }

    /// Fills the table, the fills of each GPU being worth so much, the most valuable first.
    pub fn fill(&mut self, valued: &[Vec<Valued>]) {
        let (width, height) = (self.memory.cells(), self.cpu.cells());
        for slot in (0..valued.len()).rev() {
            let useful = self.useful(&valued[slot]);
            let (before, after) = self.most.split_at_mut(slot + 1);
            let (most, rest) = (&mut before[slot], &after[0]);
            most.copy_from_slice(rest);
            for (cpu, memory, worth) in useful {
                if cpu >= height || memory >= width {
                    continue;
                }
                for row in cpu..height {
                    let to = &mut most[row * width + memory..(row + 1) * width];
                    let from = &rest[(row - cpu) * width..(row - cpu + 1) * width - memory];
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = (*to).max(worth + from);
                    }
                }
            }
        }
    }

    /// The fills that no other one with no more cores and memory outdoes, with these in cells; none that is worth nothing.
    fn useful(&self, valued: &[Valued]) -> Vec<(usize, usize, i64)> {
        let mut useful: Vec<(usize, usize, i64)> = Vec::new();
        for entry in valued.iter().take_while(|entry| entry.worth > 0) {
            let (cpu, memory) = (self.cpu.cell(entry.cpu), self.memory.cell(entry.memory));
            if !useful.iter().any(|other| other.0 <= cpu && other.1 <= memory) {
                useful.push((cpu, memory, entry.worth));
            }
        }
        useful
    }

    /// The fills by which the GPUs hold that most, in the order of the GPUs; nothing for those that are empty.
    pub fn fills(&self, valued: &[Vec<Valued>]) -> Vec<Option<u32>> {
        let (mut cpu, mut memory) = (self.cpu.cells() - 1, self.memory.cells() - 1);
        let at = |slot: usize, cpu: usize, memory: usize| self.most[slot][cpu * self.memory.cells() + memory];
        let of_slot = |slot: usize| {
            let most = at(slot, cpu, memory);
            let (fill, left_cpu, left_memory) = valued[slot].iter().find_map(|entry| {
                let left_cpu = cpu.checked_sub(self.cpu.cell(entry.cpu))?;
                let left_memory = memory.checked_sub(self.memory.cell(entry.memory))?;
                let is_chosen = entry.worth + at(slot + 1, left_cpu, left_memory) == most;
                is_chosen.then_some((entry.fill, left_cpu, left_memory))
            })?;
            (cpu, memory) = (left_cpu, left_memory);
            Some(fill)
        };
        (0..valued.len()).map(of_slot).collect()
    }
}

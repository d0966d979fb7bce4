//! Bounds on what GPUs of a machine can add, by the cores and the memory that are left.
//!
//! Residents that stay on their machine are worth something up to their number; each GPU by itself does not see how many the others
//! keep. A *relief* between nothing and that worth is taken from each workload that a GPU may keep, and given back once for every
//! resident: at most too much, whatever the contents are. Reliefs that make the bound low are found by bisection.

use super::slot::Slot;
use super::terms::Worths;

/// More cells than this make a table slow; cores and memory are then counted in coarser units.
const MOST_CELLS: i64 = 40_000;

/// How often reliefs are halved towards the best ones.
const TRIES: u32 = 8;

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

/// The worths at which a table was filled.
pub struct Relaxed {
    /// What everything is worth.
    pub worths: Worths,
    /// By shape.
    pub reliefs: Vec<i64>,
    /// What the machine is worth before it holds anything, reliefs given back.
    pub base: i64,
    /// The fills of each GPU, the most valuable first.
    pub valued: Vec<Vec<Valued>>,
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

    fn fill(&mut self, slots: &[Slot], valued: &[Vec<Valued>]) {
        let (width, height) = (self.memory.cells(), self.cpu.cells());
        for slot in (0..slots.len()).rev() {
            let useful =
                useful(&slots[slot], &valued[slot], |fill| (self.cpu.cell(fill.0), self.memory.cell(fill.1)));
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
}

/// The fills that no other one with no more cores and memory outdoes, with these in cells; none that is worth nothing.
fn useful(
    slot: &Slot,
    valued: &[Valued],
    cells: impl Fn((i64, i64)) -> (usize, usize),
) -> Vec<(usize, usize, i64)> {
    let mut useful: Vec<(usize, usize, i64)> = Vec::new();
    for entry in valued.iter().take_while(|entry| entry.worth > 0) {
        let fill = &slot.fills.all[entry.fill as usize];
        let (cpu, memory) = cells((fill.cpu, fill.memory));
        if !useful.iter().any(|other| other.0 <= cpu && other.1 <= memory) {
            useful.push((cpu, memory, entry.worth));
        }
    }
    useful
}

impl Relaxed {
    /// Nothing is worth anything.
    pub fn new(shapes: usize) -> Self {
        Relaxed { worths: Worths::default(), reliefs: vec![0; shapes], base: 0, valued: Vec::new() }
    }

    /// Fills a table at these worths, with reliefs that make it low; what a content is worth at most, given what the machine is worth
    /// before it holds anything.
    pub fn tighten(
        &mut self,
        table: &mut Table,
        slots: &[Slot],
        residents: &[u32],
        worths: Worths,
        base: i64,
    ) -> i64 {
        self.worths = worths;
        let most = self.worths.kept.clone();
        let matters: Vec<usize> =
            (0..most.len()).filter(|&shape| most[shape] > 0 && residents[shape] > 0).collect();
        for (shape, relief) in self.reliefs.iter_mut().enumerate() {
            *relief = if matters.contains(&shape) { (*relief).min(most[shape]) } else { 0 };
        }
        let mut bound = self.fill(table, slots, residents, base);
        let (mut best, mut is_best) = (self.reliefs.clone(), true);
        let mut between: Vec<(i64, i64)> = most.iter().map(|&most| (0, most)).collect();
        for _ in 0..if matters.is_empty() { 0 } else { TRIES } {
            let kept = self.kept(table, slots, residents);
            let mut changes = false;
            for &shape in &matters {
                let (low, high) = &mut between[shape];
                let relief = self.reliefs[shape];
                let next = match kept[shape].cmp(&residents[shape]) {
                    std::cmp::Ordering::Greater => {
                        *low = relief;
                        (relief + *high + 1) / 2
                    }
                    std::cmp::Ordering::Less => {
                        *high = relief;
                        (relief + *low) / 2
                    }
                    std::cmp::Ordering::Equal => continue,
                };
                changes |= next != relief;
                self.reliefs[shape] = next;
            }
            if !changes {
                break;
            }
            let next = self.fill(table, slots, residents, base);
            is_best = next < bound;
            if is_best {
                bound = next;
                best.clone_from(&self.reliefs);
            }
        }
        if !is_best && best != self.reliefs {
            self.reliefs = best;
            self.fill(table, slots, residents, base);
        }
        bound
    }

    /// Fills a table at the present reliefs, and bounds the worth of any content.
    fn fill(&mut self, table: &mut Table, slots: &[Slot], residents: &[u32], base: i64) -> i64 {
        let given_back = self.reliefs.iter().zip(residents);
        self.base = base + given_back.map(|(relief, &number)| relief * i64::from(number)).sum::<i64>();
        self.valued.clear();
        for slot in 0..slots.len() {
            let valued = match slot.checked_sub(1).filter(|&before| slots[before] == slots[slot]) {
                Some(before) => self.valued[before].clone(),
                None => self.value(&slots[slot], residents),
            };
            self.valued.push(valued);
        }
        table.fill(slots, &self.valued);
        let whole = |scale: Scale| scale.capacity.unwrap_or(0);
        self.base + table.most(0, whole(table.cpu), whole(table.memory))
    }

    fn value(&self, slot: &Slot, residents: &[u32]) -> Vec<Valued> {
        let of_gpu = if slot.is_pinned { 0 } else { self.worths.gpu };
        let worth = |counts: &[(usize, u32)]| {
            let of_shape = |&(shape, number): &(usize, u32)| {
                let kept = i64::from(number.min(residents[shape]));
                let stays = i64::from(number.min(slot.residents[shape]));
                self.worths.each[shape] * i64::from(number)
                    + (self.worths.kept[shape] - self.reliefs[shape]) * kept
                    + self.worths.stays[shape] * stays
            };
            let held: i64 = counts.iter().map(of_shape).sum();
            held + if counts.is_empty() { 0 } else { of_gpu }
        };
        let fills = slot.fills.all.iter().zip(0..);
        let mut valued: Vec<Valued> = fills
            .map(|(fill, number)| Valued {
                worth: worth(&fill.counts),
                fill: number,
                cpu: fill.cpu,
                memory: fill.memory,
            })
            .collect();
        valued.sort_unstable_by_key(|valued| (std::cmp::Reverse(valued.worth), valued.fill));
        valued
    }

    /// How many workloads of each shape the fills of the bound would keep, GPU by GPU.
    fn kept(&self, table: &Table, slots: &[Slot], residents: &[u32]) -> Vec<u32> {
        let mut kept = vec![0; residents.len()];
        let (mut cpu, mut memory) = (table.cpu.cells() - 1, table.memory.cells() - 1);
        let at =
            |slot: usize, cpu: usize, memory: usize| table.most[slot][cpu * table.memory.cells() + memory];
        for (slot, about) in slots.iter().enumerate() {
            let most = at(slot, cpu, memory);
            let chosen = self.valued[slot].iter().find_map(|entry| {
                let fill = &about.fills.all[entry.fill as usize];
                let left_cpu = cpu.checked_sub(table.cpu.cell(fill.cpu))?;
                let left_memory = memory.checked_sub(table.memory.cell(fill.memory))?;
                let is_chosen = entry.worth + at(slot + 1, left_cpu, left_memory) == most;
                is_chosen.then_some((fill, left_cpu, left_memory))
            });
            if let Some((fill, left_cpu, left_memory)) = chosen {
                (cpu, memory) = (left_cpu, left_memory);
                for &(shape, number) in &fill.counts {
                    kept[shape] += number.min(residents[shape]);
                }
            }
        }
        kept
    }
}

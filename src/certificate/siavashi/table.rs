//! What the GPUs of a machine can add at most, by the cores and the memory that are left.

/// With more cells than this, cores and memory are counted in coarser units.
const MOST_CELLS: usize = 40_000;

/// A fill as a table sees it.
#[derive(Clone, Copy, Debug)]
pub struct Valued {
    /// What it is worth.
    pub worth: i64,
    /// Its position among the fills of the GPU.
    pub fill: usize,
    /// Cores, in units.
    pub cpu: i64,
    /// Main memory, in units.
    pub memory: i64,
}

/// Cores or memory, in cells of 2^shift units. Both what there is and what fills need are rounded down, which leaves no less.
struct Axis {
    shift: u32,
    /// By GPU: the least that those before can leave, and the most that is of use to those from it on.
    windows: Vec<(i64, i64)>,
}

impl Axis {
    fn new(capacity: i64, largest: &[i64], shift: u32) -> Self {
        let mut useful: Vec<i64> = vec![0; largest.len() + 1];
        for slot in (0..largest.len()).rev() {
            useful[slot] = useful[slot + 1] + (largest[slot] >> shift);
        }
        let mut left = capacity >> shift;
        let mut windows = Vec::with_capacity(useful.len());
        for (slot, &useful) in useful.iter().enumerate() {
            let last = useful.min(capacity >> shift);
            windows.push((left.min(last), last));
            left = (left - largest.get(slot).map_or(0, |most| most >> shift)).max(0);
        }
        Axis { shift, windows }
    }

    fn cells(&self, slot: usize) -> usize {
        let (first, last) = self.windows[slot];
        (last - first + 1) as usize
    }

    fn index(&self, slot: usize, cell: i64) -> usize {
        let (first, last) = self.windows[slot];
        (cell.clamp(first, last) - first) as usize
    }
}

/// What the GPUs from each one on can add at most.
pub struct Table {
    cpu: Axis,
    memory: Axis,
    /// By GPU, and by what is left; the last one holds nothing.
    most: Vec<Vec<i64>>,
}

impl Table {
    /// A table for GPUs whose fills need so much at most, in a machine with so much; 0 where nothing is limited.
    pub fn new(largest: &[(i64, i64)], capacities: (i64, i64)) -> Self {
        let of_cpu: Vec<i64> = largest.iter().map(|largest| largest.0).collect();
        let of_memory: Vec<i64> = largest.iter().map(|largest| largest.1).collect();
        let (mut shifts, slots) = ((0, 0), largest.len());
        loop {
            let cpu = Axis::new(capacities.0, &of_cpu, shifts.0);
            let memory = Axis::new(capacities.1, &of_memory, shifts.1);
            let most = |axis: &Axis| (0..=slots).map(|slot| axis.cells(slot)).max().unwrap_or(1);
            let (rows, columns) = (most(&cpu), most(&memory));
            if rows.saturating_mul(columns) <= MOST_CELLS {
                let cells = |slot: usize| vec![0; cpu.cells(slot) * memory.cells(slot)];
                let most = (0..=slots).map(cells).collect();
                return Table { cpu, memory, most };
            }
            if rows > columns { shifts.0 += 1 } else { shifts.1 += 1 }
        }
    }

    /// What the GPUs from one on can add at most, with so much left.
    pub fn most(&self, slot: usize, cpu: i64, memory: i64) -> i64 {
        let row = self.cpu.index(slot, cpu >> self.cpu.shift);
        self.most[slot][row * self.memory.cells(slot) + self.memory.index(slot, memory >> self.memory.shift)]
    }

    /// Fills the table. Of the fills of each GPU those may be missing that others outdo.
    pub fn fill(&mut self, valued: &[Vec<Valued>]) {
        for slot in (0..valued.len()).rev() {
            let (before, after) = self.most.split_at_mut(slot + 1);
            let (most, rest) = (&mut before[slot], &after[0]);
            let ((first_row, last_row), (first_column, last_column)) =
                (self.cpu.windows[slot], self.memory.windows[slot]);
            let columns = self.memory.cells(slot + 1);
            let mut position = 0;
            for row in first_row..=last_row {
                for column in first_column..=last_column {
                    let mut best = i64::MIN;
                    for valued in &valued[slot] {
                        let row = row - (valued.cpu >> self.cpu.shift);
                        let column = column - (valued.memory >> self.memory.shift);
                        if row >= 0 && column >= 0 {
                            let next =
                                self.cpu.index(slot + 1, row) * columns + self.memory.index(slot + 1, column);
                            best = best.max(valued.worth + rest[next]);
                        }
                    }
                    most[position] = best;
                    position += 1;
                }
            }
        }
    }

    /// Fills by which the table reaches what all GPUs can add at most.
    pub fn fills(&self, valued: &[Vec<Valued>], (cpu, memory): (i64, i64)) -> Vec<usize> {
        let mut left = (cpu >> self.cpu.shift, memory >> self.memory.shift);
        let mut fills = Vec::with_capacity(valued.len());
        for (slot, valued) in valued.iter().enumerate() {
            let at = |slot: usize, (row, column): (i64, i64)| {
                self.most[slot]
                    [self.cpu.index(slot, row) * self.memory.cells(slot) + self.memory.index(slot, column)]
            };
            let after = |valued: &Valued| {
                // What is of no use is not left.
                let clamp = |axis: &Axis, cell: i64| cell.min(axis.windows[slot].1);
                (
                    clamp(&self.cpu, left.0) - (valued.cpu >> self.cpu.shift),
                    clamp(&self.memory, left.1) - (valued.memory >> self.memory.shift),
                )
            };
            let reaches = |valued: &&Valued| {
                let next = after(valued);
                next.0 >= 0 && next.1 >= 0 && valued.worth + at(slot + 1, next) == at(slot, left)
            };
            let Some(found) = valued.iter().find(reaches) else { return fills };
            left = after(found);
            fills.push(found.fill);
        }
        fills
    }
}

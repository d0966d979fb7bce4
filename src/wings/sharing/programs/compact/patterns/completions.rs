//! What can still be added to a pattern at most, in tables: dynamic programs that count loose classes in shares.
//!
//! For each step, each number of nested classes of its type that are here, and what is left of memory and of the scarcest resource in
//! coarse cells, a table holds the most that this step and the later ones can add. Needs are rounded down to cells and loose
//! classes are counted in shares, so that no pattern is worth more.

use super::steps::Steps;
use super::types::Types;

/// The most cells of memory, and of the resource.
const MOST_CELLS: i64 = 1_024;
const LEAST_CELLS: i64 = 64;
const MOST_OF_RESOURCE: i128 = 32;

/// The most that all prices may add up to in a table.
const MOST_SUM: i128 = 1 << 30;

/// The tables.
pub struct Completions {
    /// By step, and one for the end: by state, cells of the resource left, cells of memory left.
    tables: Vec<Vec<i32>>,
    width: usize,
    rows: usize,
    pages_of_cell: i64,
    resource: Option<Resource>,
    /// Prices are counted in units of 2 to this.
    shift: u32,
}

/// The resource that tables know of.
struct Resource {
    position: usize,
    of_cell: i128,
}

impl Completions {
    /// The tables of some steps, with about so many entries.
    pub fn new(types: &Types<'_>, steps: &Steps, entries: i64) -> Self {
        let resource = scarcest(types, steps);
        let capacity = resource.map_or(0, |position| steps.resources[position].unwrap_or(0));
        let of_cell = capacity.div_euclid(MOST_OF_RESOURCE + 1) + 1;
        let rows = (capacity / of_cell) as usize + 1;
        let states: usize = steps.steps.iter().map(|step| step.nested.len() + 1).sum();
        let cells = (entries / (states * rows).max(1) as i64).clamp(LEAST_CELLS, MOST_CELLS);
        let pages_of_cell = steps.pages / (cells + 1) + 1;
        let width = (steps.pages / pages_of_cell) as usize + 1;
        let sum: i128 = steps.steps.iter().map(|step| i128::from(step.price) * i128::from(step.most)).sum();
        let shift = (0..).find(|&shift| sum >> shift < MOST_SUM).expect("a sum has an end");
        let resource = resource.map(|position| Resource { position, of_cell });
        let mut completions = Completions { tables: Vec::new(), width, rows, pages_of_cell, resource, shift };
        completions.fill(types, steps);
        completions
    }

    fn fill(&mut self, types: &Types<'_>, steps: &Steps) {
        let size = self.width * self.rows;
        let mut tables = vec![vec![0; size]];
        for step in steps.steps.iter().rev() {
            let next = tables.last().expect("there is the end");
            let of_state = |state: usize| &next[state * size..(state + 1) * size];
            let price = i32::try_from((step.price + (1 << self.shift) - 1) >> self.shift);
            let price = price.expect("prices are scaled");
            let request = self.resource.as_ref().map_or(0, |resource| {
                let request = types.units.request(types.example(step.vm_type))[resource.position];
                (request / resource.of_cell) as usize
            });
            // The first one brings the classes, further ones their private pages alone.
            let mut rest = of_state(step.common).to_vec();
            for _ in 1..step.most {
                let mut more = of_state(step.common).to_vec();
                self.take(&mut more, &rest, price, self.cells(step.private), request);
                if more == rest {
                    break;
                }
                rest = more;
            }
            let shares: i64 = step.loose.iter().map(|loose| loose.share).sum();
            let mut table = Vec::with_capacity(size * (step.nested.len() + 1));
            for state in 0..=step.nested.len() {
                let mut skipped = of_state(state.min(step.common)).to_vec();
                let pages = step.private + shares + step.nested[state..].iter().sum::<i64>();
                self.take(&mut skipped, &rest, price, self.cells(pages), request);
                table.append(&mut skipped);
            }
            tables.push(table);
        }
        tables.reverse();
        self.tables = tables;
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.tables.iter().map(|table| table.len() as u64).sum()
    }

    fn cells(&self, pages: i64) -> usize {
        (pages / self.pages_of_cell) as usize
    }

    /// Puts in what is worth more when one is taken.
    fn take(&self, table: &mut [i32], rest: &[i32], price: i32, cells: usize, request: usize) {
        if cells >= self.width {
            return;
        }
        for row in request..self.rows {
            let to = &mut table[row * self.width + cells..(row + 1) * self.width];
            let from = &rest[(row - request) * self.width..(row - request + 1) * self.width - cells];
            for (to, from) in to.iter_mut().zip(from) {
                *to = (*to).max(from + price);
            }
        }
    }

    /// The most that all steps can add.
    pub fn all(&self, steps: &Steps) -> i64 {
        self.most(0, 0, steps.pages, &steps.resources)
    }

    /// The most that a step and the later ones can add, where so many nested classes of its type are here, with so many pages left, credit
    /// included, and this of the resources.
    pub fn most(&self, step: usize, state: usize, pages: i64, resources: &[Option<i128>]) -> i64 {
        let row = self.resource.as_ref().map_or(0, |resource| {
            let left = resources[resource.position].unwrap_or(0);
            ((left / resource.of_cell) as usize).min(self.rows - 1)
        });
        let cell = ((pages / self.pages_of_cell) as usize).min(self.width - 1);
        i64::from(self.tables[step][(state * self.rows + row) * self.width + cell]) << self.shift
    }
}

/// The limited resource of which types request most for what is left of it, among those of which memory leaves room to request more.
fn scarcest(types: &Types<'_>, steps: &Steps) -> Option<usize> {
    let limited = steps.resources.iter().enumerate();
    let limited = limited.filter_map(|(resource, capacity)| Some((resource, (*capacity)?)));
    let scarcity = |(resource, capacity): (usize, i128)| {
        let request = |vm_type: usize| types.units.request(types.example(vm_type))[resource];
        let requested: i128 =
            steps.steps.iter().map(|step| request(step.vm_type) * i128::from(step.most)).sum();
        let scarcity = requested as f64 / capacity.max(1) as f64;
        (capacity < most_requested(steps, request)).then_some((scarcity, resource))
    };
    let scarcest = limited.filter_map(scarcity).max_by(|one, other| one.0.total_cmp(&other.0));
    scarcest.map(|(_, resource)| resource)
}

/// The most of a resource that is requested as far as private pages leave room, the last type in part.
fn most_requested(steps: &Steps, request: impl Fn(usize) -> i128) -> i128 {
    let mut offers: Vec<(i128, i128, i128)> = (steps.steps.iter())
        .map(|step| (request(step.vm_type), i128::from(step.private), i128::from(step.most)))
        .filter(|offer| offer.0 > 0)
        .collect();
    offers.sort_by(|one, other| (other.0 * one.1).cmp(&(one.0 * other.1)));
    let (mut pages, mut requested) = (i128::from(steps.pages), 0);
    for (request, private, most) in offers {
        if private * most > pages {
            return requested + (request * pages + private - 1) / private;
        }
        pages -= private * most;
        requested += request * most;
    }
    requested
}

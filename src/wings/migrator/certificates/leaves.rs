//! Prices of the search in the words of certificates: counted in a coarser unit, and as differences from prices of sizes.

use crate::instance::{Allocation, Problem};
use crate::programs::Advised;
use certificate::migrator::{Question, allocation_name, retraining_name};
use certificate::{Leaf, Run, Series};

/// Millionths of a request in a request.
const MILLIONTHS: i128 = 1_000_000;

/// Writes prices.
pub struct Writer<'w> {
    /// The problem.
    pub problem: &'w Problem,
    /// The same in plain terms.
    pub question: &'w Question<'w>,
    /// What certificates call the models.
    pub models: &'w [String],
    /// Whether the checker knows a name.
    pub is_priced: &'w dyn Fn(&str) -> bool,
}

impl Writer<'_> {
    /// Prices counted in so many millionths of a request; of sizes alone, or of all contents.
    pub fn leaf(&self, advised: &Advised, unit: i64, is_of_sizes: bool) -> Leaf {
        let whole = |price: i64| self.in_units(price, unit);
        let inequalities: Vec<Vec<i64>> = advised
            .inequalities
            .iter()
            .map(|prices| prices.iter().map(|&price| whole(price)).collect())
            .collect();
        let by_size: Vec<Vec<i64>> = (0..self.question.sizes.len())
            .map(|size| {
                (0..self.question.slots).map(|slot| self.of_size(&inequalities, size, slot)).collect()
            })
            .collect();
        let mut leaf = Leaf { prices: vec![("unit".to_owned(), unit)], ..Leaf::default() };
        for (size, prices) in self.question.sizes.iter().zip(&by_size) {
            push(&mut leaf, size.name.to_owned(), prices.iter().copied());
        }
        if is_of_sizes {
            return leaf;
        }
        let held = |counts: &Allocation, slot: usize| -> i64 {
            counts.counts().iter().zip(&by_size).map(|(&count, prices)| i64::from(count) * prices[slot]).sum()
        };
        for (model, allocation, prices) in &advised.allocations {
            let name = allocation_name(self.question, &self.models[model.index()], allocation.counts());
            let more = prices.iter().enumerate().map(|(slot, &price)| whole(price) - held(allocation, slot));
            if (self.is_priced)(&name) {
                push(&mut leaf, name, more);
            }
        }
        for (model, size, prices) in &advised.retrainings {
            let name = retraining_name(self.question, &self.models[model.index()], size.index());
            let of_size = &by_size[size.index()];
            let more = prices.iter().zip(of_size).map(|(&price, &of_size)| whole(price) - of_size);
            if (self.is_priced)(&name) {
                push(&mut leaf, name, more);
            }
        }
        leaf
    }

    /// A price in units of goodput, in the nearest whole number of so many millionths of a request.
    fn in_units(&self, price: i64, unit: i64) -> i64 {
        let (scaled, of_unit) =
            (i128::from(price) * MILLIONTHS, i128::from(self.problem.units) * i128::from(unit));
        let nearest = (2 * scaled + of_unit).div_euclid(2 * of_unit);
        i64::try_from(nearest).unwrap_or_default()
    }

    /// What an instance of a size costs at prices of the inequalities.
    fn of_size(&self, inequalities: &[Vec<i64>], size: usize, slot: usize) -> i64 {
        let used = self.problem.gpu.knapsacks.iter().zip(inequalities);
        used.map(|(knapsack, prices)| i64::from(knapsack.weights[size]) * prices[slot]).sum()
    }
}

/// Adds a series, unless all of it is 0.
fn push(leaf: &mut Leaf, name: String, numbers: impl Iterator<Item = i64>) {
    let mut series = Series::new();
    for number in numbers {
        match series.last_mut() {
            Some(last) if last.number == number => last.count += 1,
            _ => series.push(Run { number, count: 1 }),
        }
    }
    if series.last().is_some_and(|last| last.number == 0) {
        series.pop();
    }
    if !series.is_empty() {
        leaf.series.push((name, series));
    }
}

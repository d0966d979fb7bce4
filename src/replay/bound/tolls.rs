//! What virtual machines pay for what they use, at the dual values of a relaxation.

use super::relaxation::Relaxation;
use itertools::Itertools;
use std::ops::Range;

/// What one unit of a measure costs at the peaks that have rows.
pub struct Tolls<'t> {
    relaxation: &'t Relaxation,
    /// By peak: the number of each measure that costs something, and the price of a unit.
    at: Vec<Vec<(usize, f64)>>,
}

impl<'t> Tolls<'t> {
    /// The tolls at some dual values of the rows of a relaxation, solved as a linear program.
    pub fn of(relaxation: &'t Relaxation, duals: &[f64]) -> Self {
        let mut at = vec![Vec::new(); relaxation.peaks.len()];
        for (peak, measure, price) in relaxation.prices(duals).filter(|priced| priced.2 > 0.0) {
            at[peak].push((measure, price));
        }
        Tolls { relaxation, at }
    }

    /// What one of a class pays while it is there within some times.
    pub fn paid(&self, class: usize, times: &Range<usize>) -> f64 {
        let Some((first, last)) = self.relaxation.classes[class].span else { return 0.0 };
        let number = |time: usize| self.relaxation.peaks.partition_point(|&peak| peak < time);
        let peaks = first.max(number(times.start))..(last + 1).min(number(times.end));
        peaks.map(|peak| self.paid_at(class, peak)).sum()
    }

    /// What one of a class pays at a peak at which it is there.
    pub fn paid_at(&self, class: usize, peak: usize) -> f64 {
        self.at[peak].iter().map(|&(measure, price)| self.relaxation.measures[measure][class] * price).sum()
    }

    /// The numbers of the peaks at which something is paid, ascending.
    pub fn peaks(&self) -> Vec<usize> {
        self.at.iter().positions(|prices| !prices.is_empty()).collect()
    }
}

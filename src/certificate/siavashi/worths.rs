//! What things are worth at the multipliers of a leaf, in whole numbers.

use super::counted::{Counted, Spared};
use super::question::{Stage, Term};
use super::totals::Total;
use crate::magnitude::{product, sum};
use crate::refusal::Refusal;
use std::collections::BTreeMap;

/// The worths at the multipliers of a leaf.
#[derive(Clone)]
pub struct Worths {
    /// Per type: a place of one of its workloads.
    place: Vec<i128>,
    /// A unit of acceptance.
    acceptance: i128,
    /// What a unit of hardware costs.
    hardware: i128,
    /// What a unit of migrations costs; not negative.
    migration: i128,
    /// The multipliers of totals.
    totals: BTreeMap<Total, i128>,
}

/// Whole multiples of the weights of a weighted sum in a common unit: by term, what one of its units is worth in the sum.
pub fn steps(stage: Stage, counted: &Counted) -> Result<[i128; 3], Refusal> {
    match stage {
        Stage::Of(term) => Ok(Term::ALL.map(|other| i128::from(other == term))),
        Stage::Weighted(weights) => {
            let unit = unit(stage, counted)?;
            let mut steps = [0; 3];
            for ((step, weight), &of_term) in steps.iter_mut().zip(weights).zip(&counted.units.terms) {
                let worth = weight.product(of_term).and_then(|worth| worth.in_units_of(unit));
                *step = worth.ok_or_else(too_fine)?;
            }
            Ok(steps)
        }
    }
}

/// The unit in which a goal is counted.
pub fn unit(stage: Stage, counted: &Counted) -> Result<ground::Amount, Refusal> {
    match stage {
        Stage::Of(term) => Ok(counted.units.terms[term as usize]),
        Stage::Weighted(weights) => {
            let worths = weights.iter().zip(&counted.units.terms).map(|(weight, &unit)| weight.product(unit));
            let worths: Option<Vec<_>> = worths.collect();
            Ok(ground::Amount::greatest_common_unit(worths.ok_or_else(too_fine)?))
        }
    }
}

fn too_fine() -> Refusal {
    Refusal::of("the weights of the sum are too fine to be counted.")
}

impl Worths {
    /// The worths at multipliers of terms, with their signs, and of totals.
    ///
    /// # Errors
    /// When they are too large, or prove nothing by their signs.
    pub fn new(counted: &Counted, terms: [i128; 3], totals: BTreeMap<Total, i128>) -> Result<Self, Refusal> {
        let [acceptance, hardware, migration] = terms;
        if migration < 0 {
            return Err(Refusal::of("the multiplier of migrations is negative: that proves nothing."));
        }
        let price = |of_type: usize| totals.get(&Total::Placed(of_type)).copied().unwrap_or_default();
        let place = counted.types.iter().enumerate();
        let place =
            place.map(|(of_type, about)| sum(product(acceptance, about.acceptance)?, -price(of_type)));
        Ok(Worths { place: place.collect::<Result<_, _>>()?, acceptance, hardware, migration, totals })
    }

    /// The same for a machine that is of none of the kinds.
    pub fn of_any_kind(&self) -> Worths {
        let mut worths = self.clone();
        worths.totals.retain(|total, _| !total.is_of_kind());
        worths
    }

    /// What a unit of acceptance is worth.
    pub fn acceptance(&self) -> i128 {
        self.acceptance
    }

    /// The multiplier of a total.
    pub fn of_total(&self, total: Total) -> i128 {
        self.totals.get(&total).copied().unwrap_or_default()
    }

    /// The totals with multipliers.
    pub fn totals(&self) -> impl Iterator<Item = (Total, i128)> + '_ {
        self.totals.iter().map(|(&total, &multiplier)| (total, multiplier))
    }

    /// Whether a total of single kinds has a multiplier.
    pub fn tells_kinds_apart(&self) -> bool {
        self.totals.keys().any(|total| total.is_of_kind())
    }

    /// Whether it matters where workloads run now.
    pub fn knows_places(&self) -> bool {
        self.migration != 0 || self.of_total(Total::Moved) != 0
    }

    /// What a machine of a kind is worth in use, that counts so many units of hardware.
    pub fn machine(&self, kind: usize, weight: i128) -> Result<i128, Refusal> {
        let priced = sum(self.of_total(Total::Machines), self.of_total(Total::MachinesOf(kind)))?;
        Ok(-sum(product(self.hardware, weight)?, priced)?)
    }

    /// What each of its GPUs is worth in use.
    pub fn gpu(&self, kind: usize, weight: i128) -> Result<i128, Refusal> {
        let priced = sum(self.of_total(Total::Gpus), self.of_total(Total::GpusOf(kind)))?;
        Ok(-sum(product(self.hardware, weight)?, priced)?)
    }

    /// What a place on a machine of a kind is worth to a type, what is spared left aside.
    pub fn place(&self, of_type: usize, kind: usize) -> Result<i128, Refusal> {
        sum(self.place_anywhere(of_type), -self.of_total(Total::PlacedOn(of_type, kind)))
    }

    /// The same where the kind of the machine does not matter.
    pub fn place_anywhere(&self, of_type: usize) -> i128 {
        self.place[of_type]
    }

    /// What so many units of migrations are worth.
    pub fn spared(&self, units: i128) -> Result<i128, Refusal> {
        product(self.migration, units)
    }

    /// What it is worth that a workload stays on its GPU instead of another one of its machine.
    ///
    /// # Errors
    /// When that is a loss: who stays is then not a matter of indifference.
    pub fn stay(&self, spared: Spared) -> Result<i128, Refusal> {
        let worth = sum(self.spared(spared.stays - spared.near)?, self.of_total(Total::Moved))?;
        if worth < 0 {
            return Err(Refusal::of("a move is a gain at these multipliers: that proves nothing."));
        }
        Ok(worth)
    }
}

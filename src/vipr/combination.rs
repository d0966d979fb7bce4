//! Linear combinations of rows, in whole numbers.

use super::claim::Claim;
use super::tree::Leaf;
use std::collections::BTreeMap;

/// The values that a column takes in a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub lower: i64,
    /// The greatest.
    pub upper: i64,
}

impl Range {
    /// The values between the bounds of each column.
    pub fn all(claim: &Claim) -> Vec<Range> {
        let columns = claim.program.columns.iter();
        columns.map(|column| Range { lower: column.lower, upper: column.upper }).collect()
    }
}

/// What multipliers make of rows and goal: every point that is better than the goal's value has a sum of `terms` of at least `least`.
pub struct Combination {
    /// Columns and coefficients other than 0.
    pub terms: BTreeMap<usize, i128>,
    /// The least value of the terms.
    pub least: i128,
}

impl Combination {
    /// The combination of a leaf; none where it uses a side that a row lacks, multiplies the goal by a negative number, or is too large
    /// to be added up in 128 bits.
    pub fn of(claim: &Claim, leaf: &Leaf) -> Option<Self> {
        let mut combination = Combination { terms: BTreeMap::new(), least: 0 };
        for &(row, multiplier) in &leaf.rows {
            let row = claim.program.rows.get(row)?;
            let side = match multiplier > 0 {
                true => row.lower?,
                false => row.upper?,
            };
            combination.add(&row.terms, side, multiplier)?;
        }
        match &claim.goal {
            Some(goal) => {
                let sign = goal.sign();
                // What is better is worth at most this when it is minimised.
                let most = sign.checked_mul(goal.value)?.checked_sub(1)?;
                let multiplier = i64::checked_neg(leaf.goal).filter(|negative| *negative <= 0)?;
                let signed: Vec<(usize, i64)> =
                    goal.terms.iter().map(|&(column, coefficient)| (column, sign * coefficient)).collect();
                combination.add(&signed, most, multiplier)?;
            }
            None if leaf.goal != 0 => return None,
            None => {}
        }
        combination.terms.retain(|_, coefficient| *coefficient != 0);
        Some(combination)
    }

    /// By how much the least value of the terms exceeds their greatest one in a box; where it does, no point is in the box.
    pub fn excess(&self, ranges: &[Range]) -> Option<i128> {
        self.terms.iter().try_fold(self.least, |excess, (&column, &coefficient)| {
            let range = ranges.get(column)?;
            let bound = if coefficient > 0 { range.upper } else { range.lower };
            excess.checked_sub(coefficient.checked_mul(i128::from(bound))?)
        })
    }

    fn add(&mut self, terms: &[(usize, i64)], side: i64, multiplier: i64) -> Option<()> {
        let times = |number: i64| i128::from(number) * i128::from(multiplier);
        self.least = self.least.checked_add(times(side))?;
        for &(column, coefficient) in terms {
            let sum = self.terms.entry(column).or_default();
            *sum = sum.checked_add(times(coefficient))?;
        }
        Some(())
    }
}

//! Totals over all parts.

use super::part::Column;

/// A total over all parts that stays between bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// Short and unique, for programs.
    pub name: String,
    /// The least value, if there is one.
    pub least: Option<i64>,
    /// The greatest value, if there is one.
    pub most: Option<i64>,
    /// What each unit above the greatest value costs, where it may be exceeded.
    pub excess_cost: Option<i64>,
    /// Whether the search may branch on its value.
    pub split: Split,
}

/// Whether and when a search branches on a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// As soon as its value is fractional.
    Early,
    /// When there are too many contents to list.
    Late,
    /// Never.
    Never,
}

/// Bounds of all totals in a part of the search: those of the totals, or narrower ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds(pub Vec<(Option<i64>, Option<i64>)>);

impl Bounds {
    /// The bounds of the totals themselves.
    pub fn of(totals: &[Total]) -> Self {
        Bounds(totals.iter().map(|total| (total.least, total.most)).collect())
    }

    /// With another greatest value of one total.
    pub fn at_most(&self, total: usize, most: i64) -> Self {
        let mut bounds = self.clone();
        bounds.0[total].1 = Some(most);
        bounds
    }

    /// With another least value of one total.
    pub fn at_least(&self, total: usize, least: i64) -> Self {
        let mut bounds = self.clone();
        bounds.0[total].0 = Some(least);
        bounds
    }

    /// What is left of them beside so many of a content.
    pub fn spend(&mut self, column: &Column, number: u32) {
        for &(total, amount) in &column.terms {
            let (least, most) = &mut self.0[total];
            *least = least.map(|least| least - amount * i64::from(number));
            *most = most.map(|most| most - amount * i64::from(number));
        }
    }

    /// Prices that prove something: those with a sign that the bounds do not allow become 0, and no price is lower than an excess is
    /// dear.
    pub fn clip(&self, totals: &[Total], prices: &mut [i64]) {
        for ((price, total), (least, most)) in prices.iter_mut().zip(totals).zip(&self.0) {
            if least.is_none() {
                *price = (*price).min(0);
            }
            if most.is_none() {
                *price = (*price).max(0);
            }
            if let Some(cost) = total.excess_cost {
                *price = (*price).max(-cost * super::ONE);
            }
        }
    }

    /// What terms that keep the bounds earn at least at these prices, which have been clipped.
    pub fn earned(&self, prices: &[i64]) -> i128 {
        let earned = |(&price, &(least, most)): (&i64, &(Option<i64>, Option<i64>))| {
            let bound = if price > 0 { least } else { most };
            if price == 0 { 0 } else { i128::from(price) * i128::from(bound.expect("prices are clipped")) }
        };
        prices.iter().zip(&self.0).map(earned).sum()
    }
}

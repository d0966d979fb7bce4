//! What is chosen from, and the program that chooses.
//!
//! Besides, it may choose none of them at a cost that is given: the program always has a solution, and a solver need not look for
//! dearer ones.

use super::part::Column;
use super::pool::Entry;
use super::total::{Bounds, Total};
use milp::{Program, Row, Search, Sense, Stage};

/// A content that may be chosen.
#[derive(Clone, Copy)]
pub struct Listed<'s> {
    /// Its part.
    pub part: usize,
    /// Its cost and terms.
    pub column: &'s Column,
}

impl<'s, C> From<&'s Entry<C>> for Listed<'s> {
    fn from(entry: &'s Entry<C>) -> Self {
        Listed { part: entry.part, column: &entry.column }
    }
}

/// What is chosen from, and what totals a choice has to keep.
#[derive(Clone, Copy)]
pub struct Selection<'s> {
    /// The totals.
    pub totals: &'s [Total],
    /// Their bounds.
    pub bounds: &'s Bounds,
    /// How many of each part are alike; none of a part that has made its choice.
    pub numbers: &'s [u32],
    /// The contents.
    pub listed: &'s [Listed<'s>],
}

/// A content that is taken: its position among those listed, and how many of the parts that are alike take it.
pub type Taken = (usize, u32);

impl Selection<'_> {
    /// What the contents cost that are taken, if each part has one and all totals keep their bounds.
    pub fn cost(&self, taken: &[Taken]) -> Option<i64> {
        let mut cost = 0;
        let mut left: Vec<i64> = self.numbers.iter().map(|&number| i64::from(number)).collect();
        let mut sums = vec![0; self.totals.len()];
        for &(position, number) in taken {
            let (Listed { part, column }, number) = (self.listed[position], i64::from(number));
            left[part] -= number;
            cost += column.cost * number;
            column.terms.iter().for_each(|&(total, amount)| sums[total] += amount * number);
        }
        if left.iter().any(|&left| left != 0) {
            return None;
        }
        for ((total, &(least, most)), sum) in self.totals.iter().zip(&self.bounds.0).zip(sums) {
            let excess = most.map_or(0, |most| (sum - most).max(0));
            if least.is_some_and(|least| sum < least) || (excess > 0 && total.excess_cost.is_none()) {
                return None;
            }
            cost += excess * total.excess_cost.unwrap_or(0);
        }
        Some(cost)
    }

    /// The program that chooses one of the contents for each part so that all totals keep their bounds at the least cost, or nothing at a
    /// cost of `nothing`. Its first columns are the contents, the last one is nothing.
    pub fn program(&self, nothing: i64) -> Program {
        let Selection { totals, bounds, numbers, listed } = *self;
        let mut columns: Vec<milp::Column> = Vec::with_capacity(listed.len());
        let mut costs: Vec<(usize, f64)> = Vec::new();
        let mut of_total: Vec<Vec<(usize, f64)>> = vec![Vec::new(); totals.len()];
        let mut of_part: Vec<Vec<(usize, f64)>> = vec![Vec::new(); numbers.len()];
        for (position, entry) in listed.iter().enumerate() {
            let upper = f64::from(numbers[entry.part]);
            columns.push(milp::Column {
                name: format!("content[{position}]"),
                lower: 0.0,
                upper,
                integer: true,
            });
            if entry.column.cost != 0 {
                costs.push((position, entry.column.cost as f64));
            }
            of_part[entry.part].push((position, 1.0));
            for &(total, amount) in &entry.column.terms {
                of_total[total].push((position, amount as f64));
            }
        }
        for (total, about) in totals.iter().enumerate() {
            let Some(cost) = about.excess_cost else { continue };
            let of_contents: f64 =
                of_total[total].iter().map(|&(position, amount)| amount * columns[position].upper).sum();
            // What has been chosen before may exceed the bound by itself.
            let upper = of_contents + bounds.0[total].1.map_or(0.0, |most| (-most).max(0) as f64);
            of_total[total].push((columns.len(), -1.0));
            costs.push((columns.len(), cost as f64));
            columns.push(milp::Column {
                name: format!("excess[{}]", about.name),
                lower: 0.0,
                upper,
                integer: true,
            });
        }
        let last = columns.len();
        columns.push(milp::Column { name: "nothing".to_owned(), lower: 0.0, upper: 1.0, integer: true });
        if nothing != 0 {
            costs.push((last, nothing as f64));
        }
        let mut rows: Vec<Row> = Vec::new();
        for ((about, &(least, most)), mut terms) in totals.iter().zip(&bounds.0).zip(of_total) {
            let lower = least.map_or(f64::NEG_INFINITY, |least| least as f64);
            let upper = most.map_or(f64::INFINITY, |most| most as f64);
            if let Some(kept) = least.or(most).filter(|&kept| kept != 0) {
                terms.push((last, kept as f64));
            }
            rows.push(Row { label: format!("total[{}]", about.name), lower, upper, terms });
        }
        for (part, mut terms) in of_part.into_iter().enumerate() {
            let number = f64::from(numbers[part]);
            terms.push((last, number));
            rows.push(Row { label: format!("part[{part}]"), lower: number, upper: number, terms });
        }
        let stage = Stage {
            name: "cost".to_owned(),
            sense: Sense::Minimize,
            terms: costs,
            constant: 0.0,
            step: Some(1.0),
        };
        Program {
            name: "listed".to_owned(),
            columns,
            rows,
            stages: vec![stage],
            guide: None,
            // Each part chooses one of hundreds of contents: to try them one by one takes longer than the search.
            search: Search { skips_probing: true, ..Search::default() },
        }
    }
}

//! Sums of columns, for rows and for points alike.

use good_lp::Expression;
use milp::{Handle, Row};
use std::collections::BTreeMap;

/// A sum of columns and a constant.
#[derive(Clone, Default)]
pub(super) struct Linear {
    terms: Vec<(Handle, f64)>,
    constant: f64,
}

impl Linear {
    /// Adds a number.
    pub fn add_constant(&mut self, number: f64) {
        self.constant += number;
    }

    /// Adds so many times a column.
    pub fn add(&mut self, coefficient: f64, column: Handle) {
        if coefficient != 0.0 {
            self.terms.push((column, coefficient));
        }
    }

    /// Adds so many times another sum.
    pub fn add_all(&mut self, coefficient: f64, other: &Linear) {
        self.constant += coefficient * other.constant;
        other.terms.iter().for_each(|&(column, factor)| self.add(coefficient * factor, column));
    }

    /// Whether it is the same whatever the columns are.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// As part of a row.
    pub(super) fn expression(&self) -> Expression {
        let terms: Expression = self.terms.iter().map(|&(column, factor)| factor * column.variable).sum();
        terms + self.constant
    }

    /// The row that keeps it between two values.
    pub fn row(&self, label: String, lower: f64, upper: f64) -> Row {
        let mut terms = BTreeMap::new();
        for (column, factor) in &self.terms {
            *terms.entry(column.index).or_insert(0.0) += factor;
        }
        let terms = terms.into_iter().filter(|(_, factor)| *factor != 0.0).collect();
        Row { label, lower: lower - self.constant, upper: upper - self.constant, terms }
    }

    /// What it is at a point.
    pub fn value(&self, columns: &[f64]) -> f64 {
        self.constant + self.terms.iter().map(|(column, factor)| factor * columns[column.index]).sum::<f64>()
    }
}

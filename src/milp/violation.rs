//! Where a point breaks a program.

use std::fmt;

use super::program::{Program, Row};

/// One restriction of a program that a point does not satisfy.
#[derive(Debug, Clone, PartialEq)]
pub enum Violation {
    /// The activity of a row lies outside its bounds.
    Row {
        /// The label of the row.
        label: String,
        /// The activity at the point.
        activity: f64,
        /// The least activity allowed.
        lower: f64,
        /// The greatest activity allowed.
        upper: f64,
    },
    /// A column lies outside its bounds.
    Bound {
        /// The name of the column.
        name: String,
        /// The value at the point.
        value: f64,
        /// The least value allowed.
        lower: f64,
        /// The greatest value allowed.
        upper: f64,
    },
    /// An integer column has a fractional value.
    Integrality {
        /// The name of the column.
        name: String,
        /// The value at the point.
        value: f64,
    },
    /// The point has the wrong number of values.
    Length {
        /// The number of columns of the program.
        expected: usize,
        /// The number of values of the point.
        found: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Row { label, activity, lower, upper } => {
                write!(f, "row {label} has activity {activity}, outside [{lower}, {upper}]")
            }
            Violation::Bound { name, value, lower, upper } => {
                write!(f, "column {name} has value {value}, outside [{lower}, {upper}]")
            }
            Violation::Integrality { name, value } => {
                write!(f, "integer column {name} has the fractional value {value}")
            }
            Violation::Length { expected, found } => {
                write!(f, "the point has {found} values for a program of {expected} columns")
            }
        }
    }
}

impl Program {
    /// Lists every row, column bound and integrality that a point breaks by more than a tolerance.
    ///
    /// Integrality and the rows whose columns and coefficients are all integers are held to the absolute tolerance, because
    /// floating-point arithmetic evaluates them exactly. Bounds and the other rows are held to the tolerance times the
    /// greatest magnitude among 1, the bound and the terms. A value that is not a number breaks everything it touches.
    pub fn violations(&self, columns: &[f64], tolerance: f64) -> Vec<Violation> {
        if columns.len() != self.columns.len() {
            return vec![Violation::Length { expected: self.columns.len(), found: columns.len() }];
        }
        let mut violations = Vec::new();
        for (column, &value) in self.columns.iter().zip(columns) {
            let scale = if column.integer { 1.0 } else { value.abs().max(1.0) };
            if !within(value, column.lower, column.upper, tolerance * scale) {
                violations.push(Violation::Bound {
                    name: column.name.clone(),
                    value,
                    lower: column.lower,
                    upper: column.upper,
                });
            }
            if column.integer && (value - value.round()).abs() > tolerance {
                violations.push(Violation::Integrality { name: column.name.clone(), value });
            }
        }
        violations.extend(self.rows.iter().filter_map(|row| self.row_violation(row, columns, tolerance)));
        violations
    }

    fn row_violation(&self, row: &Row, columns: &[f64], tolerance: f64) -> Option<Violation> {
        let activity = row.activity(columns);
        let scale = if self.is_integral(row) { 1.0 } else { row_scale(row, columns) };
        (!within(activity, row.lower, row.upper, tolerance * scale)).then(|| Violation::Row {
            label: row.label.clone(),
            activity,
            lower: row.lower,
            upper: row.upper,
        })
    }

    fn is_integral(&self, row: &Row) -> bool {
        row.terms
            .iter()
            .all(|&(column, coefficient)| self.columns[column].integer && coefficient.fract() == 0.0)
    }
}

fn row_scale(row: &Row, columns: &[f64]) -> f64 {
    let terms = row.terms.iter().map(|&(column, coefficient)| (coefficient * columns[column]).abs());
    let bounds = [row.lower, row.upper].into_iter().filter(|bound| bound.is_finite()).map(f64::abs);
    terms.chain(bounds).fold(1.0, f64::max)
}

/// Whether `lower - slack <= value <= upper + slack`; false when the value is not a number.
fn within(value: f64, lower: f64, upper: f64, slack: f64) -> bool {
    value >= lower - slack && value <= upper + slack
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Search};

    fn program() -> Program {
        let column =
            |name: &str, upper, integer| Column { name: name.to_owned(), lower: 0.0, upper, integer };
        Program {
            name: "small".to_owned(),
            columns: vec![column("x[a]", 5.0, true), column("y[a]", f64::INFINITY, false)],
            rows: vec![
                Row {
                    label: "cover[a]".to_owned(),
                    lower: 3.0,
                    upper: f64::INFINITY,
                    terms: vec![(0, 1.0), (1, 0.5)],
                },
                Row {
                    label: "whole[a]".to_owned(),
                    lower: 0.0,
                    upper: 4_000_000.0,
                    terms: vec![(0, 1_000_000.0)],
                },
            ],
            stages: Vec::new(),
            guide: None,
            search: Search::default(),
        }
    }

    #[test]
    fn a_feasible_point_has_no_violation() {
        assert_eq!(program().violations(&[3.0, 0.0], 1e-6), vec![]);
    }

    #[test]
    fn every_kind_of_violation_is_named() {
        let found = |point: &[f64]| -> Vec<String> {
            program().violations(point, 1e-6).iter().map(ToString::to_string).collect()
        };
        assert_eq!(found(&[2.0, 1.0]), ["row cover[a] has activity 2.5, outside [3, inf]"]);
        assert_eq!(found(&[2.5, 1.0]), ["integer column x[a] has the fractional value 2.5"]);
        assert_eq!(found(&[4.0, -1.0]), ["column y[a] has value -1, outside [0, inf]"]);
        assert_eq!(found(&[4.0]), ["the point has 1 values for a program of 2 columns"]);
        assert_eq!(found(&[3.0, f64::NAN]).len(), 2);
    }

    #[test]
    fn rows_of_integers_are_held_to_the_absolute_tolerance() {
        // Relative to its size, the second row would forgive an excess of four.
        let mut program = program();
        program.rows[1].upper = 3_999_999.0;
        assert_eq!(program.violations(&[4.0, 0.0], 1e-6).len(), 1);
    }
}

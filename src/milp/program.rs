//! The program itself: columns, rows, objective stages.

use std::collections::BTreeMap;

/// One decision variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The readable name, `x[llama-7b,gpu3]`. It is unique within the program; the part before `[` is the column's family.
    pub name: String,
    /// The least value, possibly negative infinity.
    pub lower: f64,
    /// The greatest value, possibly infinity.
    pub upper: f64,
    /// Whether the column takes integer values only.
    pub integer: bool,
}

/// One linear restriction `lower <= sum of coefficient * column <= upper`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The label of the equation and what it is instantiated for, `W2d[gpu3]`. It is unique within the program; the part
    /// before `[` is the row's family.
    pub label: String,
    /// The least activity, possibly negative infinity.
    pub lower: f64,
    /// The greatest activity, possibly infinity.
    pub upper: f64,
    /// Column index and coefficient, in ascending order of the column, without zeros and without duplicates.
    pub terms: Vec<(usize, f64)>,
}

impl Row {
    /// The value of the row's left-hand side at a point.
    pub fn activity(&self, columns: &[f64]) -> f64 {
        dot(&self.terms, columns)
    }
}

/// The direction of an objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Greater is better; a dual bound lies above.
    Maximize,
    /// Smaller is better; a dual bound lies below.
    Minimize,
}

impl Sense {
    /// Whether `value` is strictly better than `other`.
    pub fn better(self, value: f64, other: f64) -> bool {
        match self {
            Sense::Maximize => value > other,
            Sense::Minimize => value < other,
        }
    }

    /// The better of two objective values.
    pub fn best(self, value: f64, other: f64) -> f64 {
        if self.better(other, value) { other } else { value }
    }

    /// The weaker of two dual bounds, which holds wherever either of them holds.
    pub fn weakest(self, bound: f64, other: f64) -> f64 {
        // What is better for an objective value promises more, and therefore proves less.
        self.best(bound, other)
    }
}

/// One objective of a program; later stages only choose among the optima of the earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The name of the objective, such as `acceptance`, `hardware` or `migrations`.
    pub name: String,
    /// The direction.
    pub sense: Sense,
    /// Column index and coefficient, in ascending order of the column, without zeros and without duplicates.
    pub terms: Vec<(usize, f64)>,
    /// The value at the origin.
    pub constant: f64,
    /// When given, the value at every feasible point of the program is `constant + step * k` for an integer `k`. A gap below
    /// the step then proves optimality. It must be positive.
    pub step: Option<f64>,
}

impl Stage {
    /// The objective value at a point.
    pub fn evaluate(&self, columns: &[f64]) -> f64 {
        self.constant + dot(&self.terms, columns)
    }
}

/// How to search for the optimum; it changes the time a proof takes and never the answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// An integer column, typically a total, on which to split first when its value is fractional in the linear relaxation.
    pub dichotomy: Option<usize>,
    /// When given, the first search is confined to integer values that lie at most this far from the point of the linear
    /// relaxation.
    pub box_radius: Option<u32>,
    /// Integer columns, typically totals, whose bounds are moved to the least and the greatest value that the linear
    /// relaxation allows, rounded to integers, before each stage.
    pub tighten: Vec<usize>,
    /// Whether a presolve is not to try each integer column at its bounds to see what follows (probing).
    pub skips_probing: bool,
    /// Whether a search is not to begin again with a smaller program once its root has fixed columns (restart).
    pub skips_restarts: bool,
}

/// The name of the objective that is a program's [guide](Program::guide); no stage is called so.
pub const GUIDE: &str = "guide";

/// A mixed-integer linear program with one objective or several in lexicographic order.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The name of the formulation.
    pub name: String,
    /// The columns in the order of their creation.
    pub columns: Vec<Column>,
    /// The rows in the order of their creation.
    pub rows: Vec<Row>,
    /// The objectives, the most important first.
    pub stages: Vec<Stage>,
    /// An objective that blends those of all the stages. Its optimum, which need not be theirs, is a start that often
    /// leaves them nothing to search; it changes the time a proof takes and never the answer.
    pub guide: Option<Stage>,
    /// Advice for the search.
    pub search: Search,
}

/// The size of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// The number of coefficients in the rows.
    pub nonzeros: usize,
    /// The number of integer columns.
    pub integer_columns: usize,
}

impl Program {
    /// Counts the columns, the rows and the coefficients.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            columns: self.columns.len(),
            rows: self.rows.len(),
            nonzeros: self.rows.iter().map(|row| row.terms.len()).sum(),
            integer_columns: self.columns.iter().filter(|column| column.integer).count(),
        }
    }

    /// Counts the rows of each family, a family being the part of the label before `[`.
    pub fn row_families(&self) -> BTreeMap<String, usize> {
        families(self.rows.iter().map(|row| row.label.as_str()))
    }

    /// Counts the columns of each family, a family being the part of the name before `[`.
    pub fn column_families(&self) -> BTreeMap<String, usize> {
        families(self.columns.iter().map(|column| column.name.as_str()))
    }

    /// The index of the stage with the given name.
    pub fn stage_index(&self, name: &str) -> Option<usize> {
        self.stages.iter().position(|stage| stage.name == name)
    }
}

fn dot(terms: &[(usize, f64)], columns: &[f64]) -> f64 {
    terms.iter().map(|&(column, coefficient)| coefficient * columns[column]).sum()
}

fn families<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        let family = name.split('[').next().unwrap_or(name);
        // Most names meet a family that is already there: look before allocating a key.
        match counts.get_mut(family) {
            Some(count) => *count += 1,
            None => {
                counts.insert(family.to_owned(), 1);
            }
        }
    }
    counts
}

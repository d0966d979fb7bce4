//! Programs in whole numbers.

use milp::{Column, Program, Row, Stage};

/// A column, which takes whole values between its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeColumn {
    /// Its name.
    pub name: String,
    /// Its least value.
    pub lower: i64,
    /// Its greatest value.
    pub upper: i64,
}

/// A row, bounded on one side or on both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeRow {
    /// Its label.
    pub label: String,
    /// The least value of its terms.
    pub lower: Option<i64>,
    /// The greatest value of its terms.
    pub upper: Option<i64>,
    /// Columns and coefficients.
    pub terms: Vec<(usize, i64)>,
}

/// A program in whole numbers: every column takes whole values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WholeProgram {
    /// The columns.
    pub columns: Vec<WholeColumn>,
    /// The rows.
    pub rows: Vec<WholeRow>,
    /// Columns that are totals of others, on which splits come first.
    pub totals: Vec<usize>,
}

/// What cannot be said in whole numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWhole {
    /// A column has no bound on a side, or one that is no whole number.
    #[error("column {0} has no whole bounds")]
    Column(String),
    /// A row has a number that is not whole.
    #[error("row {0} has a number that is not whole")]
    Row(String),
    /// An objective has a number that is not whole.
    #[error("the objective {0} has a number that is not whole")]
    Objective(String),
}

impl WholeProgram {
    /// The columns and rows of a program, all columns whole.
    ///
    /// # Errors
    /// When a number of it is not whole, or a column is unbounded.
    pub fn of(program: &Program) -> Result<Self, NotWhole> {
        let mut totals: Vec<usize> = program.search.dichotomy.into_iter().collect();
        totals
            .extend(program.search.tighten.iter().filter(|total| program.search.dichotomy != Some(**total)));
        Ok(WholeProgram {
            columns: program.columns.iter().map(whole_column).collect::<Result<_, _>>()?,
            rows: program.rows.iter().map(whole_row).collect::<Result<_, _>>()?,
            totals,
        })
    }
}

fn whole_column(column: &Column) -> Result<WholeColumn, NotWhole> {
    let refused = || NotWhole::Column(column.name.clone());
    let lower = whole(column.lower).ok_or_else(refused)?;
    let upper = whole(column.upper).ok_or_else(refused)?;
    Ok(WholeColumn { name: column.name.clone(), lower, upper })
}

fn whole_row(row: &Row) -> Result<WholeRow, NotWhole> {
    let refused = || NotWhole::Row(row.label.clone());
    let side = |value: f64| match value.is_infinite() {
        true => Ok(None),
        false => whole(value).ok_or_else(refused).map(Some),
    };
    let (lower, upper) = (side(row.lower)?, side(row.upper)?);
    let terms = whole_terms(&row.terms).ok_or_else(refused)?;
    Ok(WholeRow { label: row.label.clone(), lower, upper, terms })
}

/// The terms and the constant of an objective, times a number with which they are whole.
///
/// # Errors
/// When one of them is not whole.
pub fn whole_objective(stage: &Stage, denominator: i64) -> Result<(Vec<(usize, i64)>, i64), NotWhole> {
    let terms = stage.terms.iter();
    let terms: Option<Vec<(usize, i64)>> =
        terms.map(|&(column, coefficient)| Some((column, numerator(coefficient, denominator)?))).collect();
    let found = terms.zip(numerator(stage.constant, denominator));
    found.ok_or_else(|| NotWhole::Objective(stage.name.clone()))
}

/// The whole number whose quotient by the denominator is a double. Below 2^50 the quotients of different numbers are different doubles,
/// of which the product with the denominator is nearer to the number than 1/2.
fn numerator(value: f64, denominator: i64) -> Option<i64> {
    let nearest = (value * denominator as f64).round();
    (nearest.abs() < 2f64.powi(50) && nearest / denominator as f64 == value).then_some(nearest as i64)
}

fn whole_terms(terms: &[(usize, f64)]) -> Option<Vec<(usize, i64)>> {
    terms.iter().map(|&(column, coefficient)| Some((column, whole(coefficient)?))).collect()
}

/// A double that is a whole number of less than 2^53 in magnitude, below which none are lost.
fn whole(value: f64) -> Option<i64> {
    (value.abs() < 2f64.powi(53) && value.fract() == 0.0).then_some(value as i64)
}

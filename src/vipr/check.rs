//! The checker of proofs: whole numbers, no solver.

use super::claim::{Claim, Goal};
use super::combination::{Combination, Range};
use super::tree::Tree;

/// Why a tree is no proof of a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The multipliers of a leaf refute nothing.
    #[error("leaf {0} refutes nothing")]
    Leaf(usize),
    /// A split asks about a column that there is not, or about a number that leaves nothing on a side.
    #[error("a split before leaf {0} leaves nothing on a side")]
    Split(usize),
    /// The point is none of the program, or has another value.
    #[error("the point breaks {0}")]
    Point(String),
}

/// Checks that a tree proves a claim, and that its point, if it has one, is a point of the program with the value.
///
/// # Errors
/// Where it does not.
pub fn check(claim: &Claim, tree: &Tree) -> Result<(), Refusal> {
    if let Some(point) = &claim.point {
        check_point(claim, point)?;
    }
    check_node(claim, tree, &mut Range::all(claim), &mut 0)
}

fn check_node(claim: &Claim, tree: &Tree, ranges: &mut [Range], leaves: &mut usize) -> Result<(), Refusal> {
    match tree {
        Tree::Leaf(leaf) => {
            let excess = Combination::of(claim, leaf).and_then(|combination| combination.excess(ranges));
            if excess.is_none_or(|excess| excess <= 0) {
                return Err(Refusal::Leaf(*leaves));
            }
            *leaves += 1;
            Ok(())
        }
        Tree::Split { column, at, below, above } => {
            let range = ranges.get(*column).copied();
            let splits = |range: &Range| range.lower <= *at && *at < range.upper;
            let range = range.filter(splits).ok_or(Refusal::Split(*leaves))?;
            for (side, tree) in
                [(Range { upper: *at, ..range }, below), (Range { lower: at + 1, ..range }, above)]
            {
                ranges[*column] = side;
                check_node(claim, tree, ranges, leaves)?;
            }
            ranges[*column] = range;
            Ok(())
        }
    }
}

/// Checks a point against columns, rows and the value of the goal.
///
/// # Errors
/// What it breaks.
pub fn check_point(claim: &Claim, point: &[i64]) -> Result<(), Refusal> {
    let broken = |what: &str| Err(Refusal::Point(what.to_owned()));
    if point.len() != claim.program.columns.len() {
        return broken("the number of columns");
    }
    for (column, &value) in claim.program.columns.iter().zip(point) {
        if value < column.lower || value > column.upper {
            return broken(&column.name);
        }
    }
    for row in &claim.program.rows {
        let value = sum(&row.terms, point);
        if row.lower.is_some_and(|lower| value < i128::from(lower))
            || row.upper.is_some_and(|upper| value > i128::from(upper))
        {
            return broken(&row.label);
        }
    }
    match &claim.goal {
        Some(Goal { terms, value, .. }) if sum(terms, point) != i128::from(*value) => {
            broken("the value of the objective")
        }
        _ => Ok(()),
    }
}

/// Products of 64 bits, of which there are fewer than 2^63, cannot leave 128 bits.
fn sum(terms: &[(usize, i64)], point: &[i64]) -> i128 {
    terms.iter().map(|&(column, coefficient)| i128::from(coefficient) * i128::from(point[column])).sum()
}

//! From dual values to whole multipliers.

use super::claim::Claim;
use super::combination::{Combination, Range};
use super::tree::Leaf;

/// What dual values are multiplied by before they are rounded, one after the other.
const SCALES: [i64; 17] =
    [1, 2, 3, 4, 6, 8, 12, 24, 60, 120, 840, 5040, 1 << 14, 1 << 17, 1 << 20, 1 << 24, 1 << 30];

/// What multipliers stay below.
const LARGEST: f64 = (1u64 << 62) as f64;

/// Dual values of a linear program.
pub struct Duals {
    /// Of the goal, which is minimised.
    pub goal: f64,
    /// Of the rows.
    pub rows: Vec<f64>,
}

/// The leaf that dual values, multiplied and rounded, are in a box, if they refute it. The least scale that does so is taken.
pub fn leaf(claim: &Claim, duals: &Duals, ranges: &[Range]) -> Option<Leaf> {
    SCALES.iter().find_map(|&scale| {
        let leaf = whole(claim, duals, scale as f64)?;
        let excess = Combination::of(claim, &leaf)?.excess(ranges)?;
        (excess > 0).then_some(leaf)
    })
}

/// Multipliers of sides that rows lack are 0.
fn whole(claim: &Claim, duals: &Duals, scale: f64) -> Option<Leaf> {
    let rounded = |value: f64| {
        let scaled = (value * scale).round();
        (scaled.abs() < LARGEST).then_some(scaled as i64)
    };
    let mut leaf = Leaf { goal: rounded(duals.goal)?.max(0), rows: Vec::new() };
    for (position, (row, &dual)) in claim.program.rows.iter().zip(&duals.rows).enumerate() {
        let multiplier = rounded(dual)?;
        let has_side = match multiplier > 0 {
            true => row.lower.is_some(),
            false => row.upper.is_some(),
        };
        if multiplier != 0 && has_side {
            leaf.rows.push((position, multiplier));
        }
    }
    Some(leaf)
}

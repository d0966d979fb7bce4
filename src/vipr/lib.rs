//! Proofs about programs in whole numbers, in the format VIPR (Cheung, Gleixner and Steffy, 2017).
//!
//! A [`Claim`] says that no point of a program is better than a value, or that the program has no point at all. A [`Tree`] proves it:
//! each leaf is a linear combination of rows that no point of its box satisfies, each split asks whether a column is at most a whole number
//! or at least the next one. Multipliers are whole numbers, so that [`check()`] decides with whole numbers alone; a solver only proposes them.
//! [`prove`] finds trees, and [`text`] writes what [`check()`] accepts for the checkers of others.
//!
//! **Leaf.** Rows are `lo <= a x <= hi`, columns `l <= x <= u`; a point that is better satisfies `c x <= K` (the goal is minimised; a maximum
//! is the negative of one). Take whole multipliers y of the rows, which use lo where they are positive and hi where they are negative, and
//! μ >= 0 of the goal. Every such point has `r x >= β` with r = Aᵀy − μc and β = Σ y·side − μK, but in the box of the leaf r x is at most
//! Σ max(r·l, r·u). Where that sum is below β, there is no such point. Wrong multipliers close nothing.

mod attained;
mod check;
mod claim;
mod combination;
mod file;
mod guide;
mod limits;
mod maker;
mod multipliers;
#[cfg(test)]
mod tests;
mod tree;
mod unproved;
mod whole;

pub use attained::attained;
pub use check::{Refusal, check, check_point};
pub use claim::{Claim, Goal};
pub use file::text;
pub use limits::Limits;
pub use maker::prove;
pub use tree::{Leaf, Tree};
pub use unproved::Unproved;
pub use whole::{NotWhole, WholeColumn, WholeProgram, WholeRow, whole_objective};

//! The multisets of profiles that an empty board can hold.

use super::board::Board;
use super::counts::Counts;
use super::fill::patterns;
use super::instance::ProfileIndex;

/// All multisets of the given profiles that the empty board can hold, the empty one included, in ascending order.
pub fn feasible_multisets(board: &Board, profiles: &[ProfileIndex]) -> Vec<Counts> {
    patterns(board).of_profiles(profiles).waste_of.into_keys().collect()
}

/// The feasible multisets to which no instance of the given profiles can be added, even after a rearrangement.
pub fn maximal_multisets(board: &Board, profiles: &[ProfileIndex]) -> Vec<Counts> {
    patterns(board).of_profiles(profiles).maximal().into_iter().cloned().collect()
}

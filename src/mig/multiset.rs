//! The multisets of profiles that an empty board can hold.

use super::board::Board;
use super::counts::Counts;
use super::fill::patterns;
use super::instance::ProfileIndex;

/// All multisets of the given profiles that the empty board can hold, the empty one included, in ascending order.
pub fn feasible_multisets(board: &Board, profiles: &[ProfileIndex]) -> Vec<Counts> {
    let only_given = |counts: &Counts| counts.iter().all(|(profile, _)| profiles.contains(&profile));
    patterns(board).waste_of.into_keys().filter(only_given).collect()
}

/// The feasible multisets to which no instance of the given profiles can be added, even after a rearrangement.
pub fn maximal_multisets(board: &Board, profiles: &[ProfileIndex]) -> Vec<Counts> {
    let feasible = feasible_multisets(board, profiles);
    let grows = |counts: &Counts| {
        profiles.iter().any(|profile| feasible.binary_search(&counts.add_one(*profile)).is_ok())
    };
    feasible.iter().filter(|counts| !grows(counts)).cloned().collect()
}

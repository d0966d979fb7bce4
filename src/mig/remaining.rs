//! What is left of a board's limits.

use super::board::Board;
use super::counts::Counts;
use super::instance::ProfileIndex;
use smallvec::SmallVec;

/// What is left of every limit of a board, in the order of [`Board::limits`].
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Remaining(SmallVec<[u32; 8]>);

impl Board {
    /// The limits of the empty board.
    pub fn full_limits(&self) -> Remaining {
        Remaining(self.limits().iter().map(|limit| limit.capacity).collect())
    }
}

impl Remaining {
    /// What is left after one more instance of `profile`; `None` if a limit does not allow it.
    #[must_use]
    pub fn take(&self, board: &Board, profile: ProfileIndex) -> Option<Remaining> {
        let left = |(left, limit): (&u32, &super::Limit)| left.checked_sub(limit.usage_of(profile));
        self.0.iter().zip(board.limits()).map(left).collect::<Option<_>>().map(Remaining)
    }

    /// What is left once an instance of `profile` is gone; the inverse of [`Remaining::take`].
    #[must_use]
    pub fn give_back(&self, board: &Board, profile: ProfileIndex) -> Remaining {
        let left = |(left, limit): (&u32, &super::Limit)| left + limit.usage_of(profile);
        Remaining(self.0.iter().zip(board.limits()).map(left).collect())
    }

    /// What is left after all instances of `counts`; `None` if a limit does not allow them.
    #[must_use]
    pub fn after(&self, board: &Board, counts: &Counts) -> Option<Remaining> {
        let left = |(left, limit): (&u32, &super::Limit)| left.checked_sub(limit.used_by(counts));
        self.0.iter().zip(board.limits()).map(left).collect::<Option<_>>().map(Remaining)
    }

    /// Whether the limits allow all instances of `counts`.
    pub fn allows(&self, board: &Board, counts: &Counts) -> bool {
        self.0.iter().zip(board.limits()).all(|(left, limit)| limit.used_by(counts) <= *left)
    }

    /// Whether nothing is scarcer here than in `other`.
    pub fn covers(&self, other: &Remaining) -> bool {
        self.0.iter().zip(&other.0).all(|(here, there)| here >= there)
    }

    /// What is left of every limit, in the order of [`Board::limits`].
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

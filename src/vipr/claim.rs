//! What is to be proved.

use super::whole::WholeProgram;
use milp::Sense;

/// An objective and its best value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The direction.
    pub sense: Sense,
    /// Columns and coefficients, whose greatest common divisor is 1.
    pub terms: Vec<(usize, i64)>,
    /// No point of the program is better than this.
    pub value: i64,
}

impl Goal {
    /// 1 for a minimum, −1 for a maximum: its negative is minimised.
    pub(crate) fn sign(&self) -> i64 {
        match self.sense {
            Sense::Minimize => 1,
            Sense::Maximize => -1,
        }
    }
}

/// A claim about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The program.
    pub program: WholeProgram,
    /// That nothing is better than the value of this objective; without one that the program has no point.
    pub goal: Option<Goal>,
    /// A point of the program with that value.
    pub point: Option<Vec<i64>>,
}

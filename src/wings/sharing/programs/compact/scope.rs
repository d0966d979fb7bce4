//! Which part of a problem a program is about.

use crate::instance::ServerIndex;
use crate::rules::Goal;
use ground::Amount;

/// What a program is about.
pub struct Scope<'s> {
    /// The servers that may be used, ascending.
    pub pool: &'s [ServerIndex],
    /// The objectives; without any the program looks for any packing.
    pub goals: &'s [Goal],
    /// The servers in use cost at least this.
    pub least: Amount,
    /// And at most this, if anything.
    pub most: Option<Amount>,
}

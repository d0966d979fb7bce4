//! The best packing so far.

use crate::heuristics::state::State;
use crate::instance::ServerIndex;
use ground::Amount;

/// A packing of all virtual machines.
pub struct Best<'p> {
    pub cost: Amount,
    /// Servers in use.
    pub servers: Vec<ServerIndex>,
    pub state: State<'p>,
}

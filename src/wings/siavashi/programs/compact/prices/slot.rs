//! What a GPU of a machine can hold, and holds now.

use super::fills::Fills;
use std::rc::Rc;

/// A GPU of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it can hold.
    pub fills: Rc<Fills>,
    /// What runs there now, by shape.
    pub residents: Vec<u32>,
    /// Whether something is pinned there.
    pub is_pinned: bool,
}

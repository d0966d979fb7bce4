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
    /// By fill: what is saved by the most valuable of these that stay there, some of them in their slots, in units of migrations.
    pub saved: Rc<Vec<i64>>,
    /// Whether something is pinned there.
    pub is_pinned: bool,
}

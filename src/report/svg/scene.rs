//! What all parts of a drawing need to know of the picture.

use std::collections::BTreeMap;

use crate::palette::Palette;
use crate::picture::Migration;

/// Colours and migrations of a picture.
pub(super) struct Scene<'p> {
    /// Colours of the profiles.
    pub palette: Palette<'p>,
    /// Migrations by workload.
    pub migrations: BTreeMap<&'p str, Migration<'p>>,
    /// Whether migrations are drawn as lines.
    pub lines: bool,
}

//! The rows of a drawing: GPUs by board, and GPUs that look alike together.

use cluster::Maintenance;
use std::collections::BTreeMap;

use super::picture::{GpuRow, Migration, Picture, Piece, PieceChange};

/// The rows of one board.
pub(super) struct Section<'p> {
    /// Name of the board.
    pub board: &'p str,
    /// Number of its slots.
    pub slots: u32,
    /// Rows in the order of their first GPUs.
    pub rows: Vec<Row<'p>>,
}

/// One GPU, or several that look alike.
pub(super) struct Row<'p> {
    /// At least one GPU.
    pub gpus: Vec<&'p GpuRow<'p>>,
}

impl<'p> Row<'p> {
    /// The GPU to draw.
    pub fn gpu(&self) -> &'p GpuRow<'p> {
        self.gpus[0]
    }
}

/// Which GPUs share a row.
#[derive(Copy, Clone)]
pub(super) enum Alike {
    /// None.
    Never,
    /// Those that look alike in the state that is shown.
    Shown,
    /// Those that look alike both before and after the change.
    BeforeAndAfter,
}

/// The rows of a picture, in the order in which boards and GPUs first occur.
pub(super) fn sections<'p>(picture: &'p Picture<'p>, alike: Alike) -> Vec<Section<'p>> {
    let migrations = picture.migrations();
    let looks = |pieces: &'p [Piece<'p>]| looks(pieces, &migrations);
    let mut sections: Vec<Section> = Vec::new();
    let mut section_of = BTreeMap::new();
    let mut row_of = BTreeMap::new();
    for (index, gpu) in picture.gpus.iter().enumerate() {
        let section = *section_of.entry((gpu.board.as_ref(), gpu.slots)).or_insert_with(|| {
            sections.push(Section { board: &gpu.board, slots: gpu.slots, rows: Vec::new() });
            sections.len() - 1
        });
        let rows = &mut sections[section].rows;
        let look = match alike {
            Alike::Never => Look::Own(index),
            Alike::Shown => {
                Look::Of(gpu.repartitioned, gpu.maintenance, gpu.is_freed(), looks(gpu.shown()), Vec::new())
            }
            Alike::BeforeAndAfter => Look::Of(
                gpu.repartitioned,
                gpu.maintenance,
                gpu.is_freed(),
                looks(gpu.shown()),
                looks(&gpu.before),
            ),
        };
        let row = *row_of.entry((section, look)).or_insert_with(|| {
            rows.push(Row { gpus: Vec::new() });
            rows.len() - 1
        });
        rows[row].gpus.push(gpu);
    }
    sections
}

/// What two GPUs of a board must share to share a row.
#[derive(Eq, PartialEq, Ord, PartialOrd)]
enum Look<'p> {
    Own(usize),
    Of(bool, Maintenance, bool, Vec<PieceLook<'p>>, Vec<PieceLook<'p>>),
}

type PieceLook<'p> = (u32, u32, &'p str, PieceChange, bool, u32, [bool; 3]);

fn looks<'p>(pieces: &'p [Piece<'p>], migrations: &BTreeMap<&str, Migration>) -> Vec<PieceLook<'p>> {
    let look = |piece: &'p Piece<'p>| {
        let may_migrate = matches!(piece.change, PieceChange::Migrates | PieceChange::Leaves);
        let migrates = may_migrate && migrations.contains_key(piece.workload.as_ref());
        let signs = [piece.pinned, piece.temporary, piece.interrupted];
        (piece.start, piece.size, piece.profile.as_ref(), piece.change, migrates, piece.wasted, signs)
    };
    let mut looks: Vec<_> = pieces.iter().map(look).collect();
    looks.sort_unstable();
    looks
}

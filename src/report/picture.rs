//! A placement as plain data, ready to be drawn.

use cluster::Maintenance;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A placement, or a change of one, on a row of memory slots per GPU. Names are those of what is drawn, or its own.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Picture<'p> {
    /// Heading.
    pub title: Cow<'p, str>,
    /// GPUs in the order of the cluster.
    pub gpus: Vec<GpuRow<'p>>,
    /// Workloads without a place.
    pub pending: Vec<Waiting<'p>>,
}

/// A workload without a place.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Waiting<'p> {
    /// Name of the workload.
    pub workload: Cow<'p, str>,
    /// Name of the profile it asks for.
    pub profile: Cow<'p, str>,
}

/// A GPU and the instances on it.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct GpuRow<'p> {
    /// Name of the GPU.
    pub name: Cow<'p, str>,
    /// Name of its board.
    pub board: Cow<'p, str>,
    /// Number of memory slots. Pieces are drawn only as far as they lie on them.
    pub slots: u32,
    /// Instances before the change, or now if there is no change to show.
    pub before: Vec<Piece<'p>>,
    /// Instances after the change; `None` when only a current state is shown.
    pub after: Option<Vec<Piece<'p>>>,
    /// Whether the change creates or destroys GPU instances here.
    pub repartitioned: bool,
    /// Whether it is in service.
    pub maintenance: Maintenance,
}

/// A GPU instance and the workload in it.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Piece<'p> {
    /// Name of the workload, unique in the picture on each side of the change.
    pub workload: Cow<'p, str>,
    /// Name of the profile, such as `1g.10gb+me`.
    pub profile: Cow<'p, str>,
    /// First slot.
    pub start: u32,
    /// Number of slots.
    pub size: u32,
    /// What the change does to it.
    pub change: PieceChange,
    /// Slices that this piece wastes.
    pub wasted: u32,
    /// Whether it must not move.
    pub pinned: bool,
    /// Whether it is only here until others have passed.
    pub temporary: bool,
    /// Whether the change interrupts its workload: before it, what stops; after it, what was stopped and started here.
    pub interrupted: bool,
}

/// What a change of placement does to a piece.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub enum PieceChange {
    /// Nothing.
    Stays,
    /// It gets another start slot on its GPU.
    Shifts,
    /// It comes from another GPU. Only in `after`.
    Migrates,
    /// It is new. Only in `after`.
    Starts,
    /// It goes to another GPU or is evicted. Only in `before`.
    Leaves,
}

impl<'p> Picture<'p> {
    /// Whether it shows a change rather than a current state.
    pub(super) fn is_change(&self) -> bool {
        self.gpus.iter().any(|gpu| gpu.after.is_some())
    }

    /// Every piece on either side of the change.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece<'p>> {
        self.gpus.iter().flat_map(|gpu| gpu.before.iter().chain(gpu.after.iter().flatten()))
    }

    /// The pieces that migrate, by workload: where each comes from and where it goes.
    pub(super) fn migrations(&self) -> BTreeMap<&str, Migration<'_>> {
        let mut sources = BTreeMap::new();
        for gpu in &self.gpus {
            for piece in gpu.before.iter().filter(|piece| piece.change == PieceChange::Leaves) {
                sources.insert(piece.workload.as_ref(), (gpu, piece));
            }
        }
        let mut migrations = BTreeMap::new();
        for gpu in &self.gpus {
            for piece in gpu.after.iter().flatten().filter(|piece| piece.change == PieceChange::Migrates) {
                if let Some(from) = sources.get(piece.workload.as_ref()) {
                    let migration = Migration { rank: 0, from: *from, to: (gpu, piece) };
                    migrations.insert(piece.workload.as_ref(), migration);
                }
            }
        }
        for (rank, migration) in migrations.values_mut().enumerate() {
            migration.rank = rank;
        }
        migrations
    }
}

/// A workload's way from one GPU to another.
#[derive(Copy, Clone, Debug)]
pub(super) struct Migration<'p> {
    /// Position among all migrations, in the order of the workloads' names.
    pub rank: usize,
    /// Where it was.
    pub from: (&'p GpuRow<'p>, &'p Piece<'p>),
    /// Where it goes.
    pub to: (&'p GpuRow<'p>, &'p Piece<'p>),
}

impl<'p> GpuRow<'p> {
    /// The final state, or the current one if there is no change.
    pub(super) fn shown(&self) -> &[Piece<'p>] {
        self.after.as_deref().unwrap_or(&self.before)
    }

    /// Whether the change empties it.
    pub(super) fn is_freed(&self) -> bool {
        !self.before.is_empty() && self.after.as_ref().is_some_and(Vec::is_empty)
    }

    /// What is said of it where it is out of service.
    pub(super) fn service(&self) -> Option<&'static str> {
        match self.maintenance {
            Maintenance::InService => None,
            Maintenance::Cordoned => Some("cordoned"),
            Maintenance::Draining => Some("to be drained"),
        }
    }

    /// Whether anything happens to it.
    pub(super) fn is_changed(&self) -> bool {
        let moves = |piece: &Piece| piece.change != PieceChange::Stays;
        self.repartitioned || self.is_freed() || self.before.iter().chain(self.shown()).any(moves)
    }
}

impl Piece<'_> {
    /// Whether its workload stops and has no place after the change, to start again later. Those that restart move or shift.
    pub(super) fn stops(&self) -> bool {
        self.interrupted && self.change == PieceChange::Leaves
    }

    /// Its slots, as far as they lie on a row of the given length.
    pub(super) fn span(&self, slots: u32) -> Range<u32> {
        self.start.min(slots)..self.start.saturating_add(self.size).min(slots)
    }
}

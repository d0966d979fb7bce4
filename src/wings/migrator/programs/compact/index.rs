//! What the numbers of the compact way stand for: a type for each kind of number.

use ground::index_type;
use std::ops::{Index, IndexMut, Range};

index_type!(
    /// A slot of the window, counted from 0; as the end of something, the slot after its last one.
    Slot
);
index_type!(
    /// An allocation of an inference task, by its position in `TaskStates::allocations`.
    AllocationIndex
);
index_type!(
    /// A size on which a model can be retrained, by its position in `TaskStates::retrainings`.
    RetrainingIndex
);
index_type!(
    /// A state of an inference task as one number; `TaskStates::index_of` and `TaskStates::state` translate.
    StateIndex
);
index_type!(
    /// What a state may need of the state before it; numbers belong to one task.
    Condition
);
index_type!(
    /// What tasks have in a slot, by its position in `Joint::contents`.
    ContentsIndex
);
index_type!(
    /// Instances that fit the GPU together, by their number in the `FitTable`.
    FitIndex
);

index_type!(
    /// An inequality of the GPU, by its position in `Gpu::knapsacks`.
    KnapsackIndex
);

index_type!(
    /// The room that running retrainings leave, by its position in `Joint::choices`.
    RoomIndex
);
index_type!(
    /// Allocations of all models that fit into a room together.
    ChoiceIndex
);

impl Slot {
    /// The first slot of every window.
    pub const FIRST: Slot = Slot(0);

    /// The slot before this one; none before the first.
    pub fn before(self) -> Option<Slot> {
        self.0.checked_sub(1).map(Slot)
    }

    /// So many slots later.
    pub fn later(self, slots: u32) -> Slot {
        Slot(self.0 + slots)
    }
}

/// The slots of a range, one after another.
pub fn each(range: Range<Slot>) -> impl DoubleEndedIterator<Item = Slot> + use<> {
    (range.start.0..range.end.0).map(Slot)
}

impl Condition {
    /// Nothing is needed: every state fulfils it.
    pub const NONE: Condition = Condition(0);
}

impl FitIndex {
    /// No instance at all.
    pub const NOTHING: FitIndex = FitIndex(0);
}

/// When and on what a model is retrained.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Start {
    /// Its size and length.
    pub retraining: RetrainingIndex,
    /// First slot.
    pub from: Slot,
}

/// Which accuracy an inference task has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Layer {
    /// Until its model's retraining is complete.
    Before,
    /// After that.
    After,
}

impl Layer {
    /// The layer of a slot if the retraining is complete before slot `completion`.
    pub fn of(slot: Slot, completion: Slot) -> Layer {
        if slot < completion { Layer::Before } else { Layer::After }
    }
}

/// One thing for each layer.
#[derive(Clone, Copy, Default, Debug)]
pub struct ByLayer<T> {
    /// Until the retraining is complete.
    pub before: T,
    /// After that.
    pub after: T,
}

impl<T> Index<Layer> for ByLayer<T> {
    type Output = T;

    fn index(&self, layer: Layer) -> &T {
        match layer {
            Layer::Before => &self.before,
            Layer::After => &self.after,
        }
    }
}

impl<T> IndexMut<Layer> for ByLayer<T> {
    fn index_mut(&mut self, layer: Layer) -> &mut T {
        match layer {
            Layer::Before => &mut self.before,
            Layer::After => &mut self.after,
        }
    }
}

//! Whether a multiset of instances comes about when the driver chooses the starts.

use super::impossible::Impossible;
use super::lattice::{Lattice, Part, Parts, ShapeIndex};
use mig::{ArrangePriority, Board, Counts, GpuInstance, ProfileIndex, SlotMask, arrange};

/// What becomes of a multiset on an empty GPU, on which the driver puts each new instance at any free legal start.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Every order of creation succeeds, whatever the driver chooses.
    Safe {
        /// A layout with least waste.
        layout: Vec<GpuInstance>,
    },
    /// Some orders succeed whatever the driver chooses, others may fail.
    SafeInOrder {
        /// An order that always succeeds.
        order: Vec<ProfileIndex>,
        /// How another order fails.
        trap: Trap,
        /// A layout with least waste.
        layout: Vec<GpuInstance>,
    },
    /// There is a layout, but each order of creation fails for some choices of the driver.
    DependsOnDriver {
        /// How it fails.
        trap: Trap,
        /// A layout with least waste.
        layout: Vec<GpuInstance>,
    },
    /// There is no layout.
    Impossible(Impossible),
}

/// A state of a GPU in which an instance of the multiset finds no start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// The instances that stand, from the lowest slot on: as few as possible.
    pub standing: Vec<GpuInstance>,
    /// What then fails.
    pub refused: ProfileIndex,
}

impl Verdict {
    /// A layout of the multiset with least waste; none where there is none.
    pub fn layout(&self) -> Option<&[GpuInstance]> {
        match self {
            Verdict::Safe { layout }
            | Verdict::SafeInOrder { layout, .. }
            | Verdict::DependsOnDriver { layout, .. } => Some(layout),
            Verdict::Impossible(_) => None,
        }
    }
}

/// Judges a multiset on a board. Exact on every board.
pub fn judge(board: &Board, counts: &Counts) -> Verdict {
    let Some(layout) = arrange(board, SlotMask::EMPTY, counts, &[], ArrangePriority::LeastWaste) else {
        return Verdict::Impossible(Impossible::of(board, counts));
    };
    let creation = Creation::of(board, counts);
    let Some(trap) = creation.smallest_trap() else { return Verdict::Safe { layout } };
    match creation.safe_order() {
        Some(order) => Verdict::SafeInOrder { order, trap, layout },
        None => Verdict::DependsOnDriver { trap, layout },
    }
}

/// Whether creating instances in this order succeeds whatever the driver chooses; they must have a layout together.
pub fn succeeds_in_order(board: &Board, order: &[ProfileIndex]) -> bool {
    let mut counts = Counts::zero(board.profiles().len());
    for profile in order {
        counts = counts.add_one(*profile);
    }
    let creation = Creation::of(board, &counts);
    let mut part = 0;
    order.iter().all(|profile| {
        let shape = creation.lattice.shape_of(*profile);
        let next = creation.step(part, shape);
        part = next.unwrap_or(part);
        next.is_some()
    })
}

/// The steps by which a multiset comes about.
struct Creation {
    lattice: Lattice,
    /// The parts after which each shape may find no start.
    blocking: Vec<(ShapeIndex, Parts)>,
}

impl Creation {
    fn of(board: &Board, counts: &Counts) -> Self {
        let lattice = Lattice::of(board, counts);
        let blocking = lattice.shapes().map(|shape| (shape, lattice.blocking(shape))).collect();
        Creation { lattice, blocking }
    }

    /// The part after one more instance of a shape is created; none if there is none left or if that may fail.
    fn step(&self, part: Part, shape: ShapeIndex) -> Option<Part> {
        let (_, blocking) = self.blocking.iter().find(|(other, _)| *other == shape)?;
        self.lattice.with(part, shape).filter(|_| !blocking.contains(part))
    }

    /// The failure with the fewest instances before it.
    fn smallest_trap(&self) -> Option<Trap> {
        let failures = self.blocking.iter().flat_map(|(shape, blocking)| {
            let parts = self.lattice.parts();
            let fails = |&part: &Part| blocking.contains(part) && self.lattice.with(part, *shape).is_some();
            parts.filter(fails).map(|part| (part, *shape))
        });
        let (part, shape) = failures.min_by_key(|(part, _)| (self.lattice.total(*part), *part))?;
        let (standing, refused) =
            self.lattice.layout_blocking(part, shape).expect("the part blocks the shape");
        Some(Trap { standing, refused })
    }

    /// An order in which no step can fail, the largest instances as early as possible.
    fn safe_order(&self) -> Option<Vec<ProfileIndex>> {
        let whole = self.lattice.whole();
        // From each part the first step of a way to the whole.
        let mut ways: Vec<Option<ShapeIndex>> = vec![None; whole + 1];
        let leads_on = |ways: &[Option<ShapeIndex>], part: Part, shape| {
            self.step(part, shape).is_some_and(|next| next == whole || ways[next].is_some())
        };
        for part in (0..whole).rev() {
            ways[part] = self.lattice.shapes().find(|&shape| leads_on(&ways, part, shape));
        }
        let mut order = Vec::new();
        let mut part = 0;
        while part != whole {
            let shape = ways[part]?;
            order.push(shape);
            part = self.step(part, shape)?;
        }
        Some(self.lattice.profiles_in(&order))
    }
}

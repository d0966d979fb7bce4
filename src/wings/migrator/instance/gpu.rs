//! The GPU of a window: the sizes of its instances, and which allocations fit it.

use super::allocation::Allocation;
pub use super::allocation::SizeIndex;
use mig::{Board, Counts, FillTable, Hull, ProfileIndex, patterns};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A size of GPU instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Name without the memory, such as `3g`.
    pub name: String,
    /// GPCs, of the name.
    pub gpcs: u32,
    /// The board's profile: of those with as many GPCs the first with the fewest memory slots.
    pub profile: ProfileIndex,
}

/// A linear inequality that everything that fits obeys: `weights * counts <= capacity`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knapsack {
    /// What an instance of each size uses.
    pub weights: Vec<u32>,
    /// What the GPU has.
    pub capacity: u32,
}

/// A GPU.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The board.
    pub board: Arc<Board>,
    /// Sizes of instances, in ascending order.
    pub sizes: Vec<Size>,
    /// Inequalities that together admit exactly what fits; on an A100 the GPCs (7) and the memory slots (8).
    pub knapsacks: Vec<Knapsack>,
    fitting: BTreeSet<Allocation>,
}

impl Gpu {
    /// A GPU with this board; `None` if the inequalities are too many to be listed, which no board of the catalogue is.
    pub fn new(board: Arc<Board>) -> Option<Self> {
        let mut sizes: Vec<Size> = Vec::new();
        for profile in board.profile_indices() {
            let offered = board.profile(profile);
            let smaller = |size: &Size| board.profile(size.profile).size <= offered.size;
            match sizes.iter_mut().find(|size| size.gpcs == offered.compute) {
                Some(size) if smaller(size) => {}
                Some(size) => size.profile = profile,
                None => {
                    let name = format!("{}g", offered.compute);
                    sizes.push(Size { name, gpcs: offered.compute, profile });
                }
            }
        }
        sizes.sort_by_key(|size| size.gpcs);
        let profiles: Vec<ProfileIndex> = sizes.iter().map(|size| size.profile).collect();
        let fills: FillTable = patterns(&board).of_profiles(&profiles);
        let hull = Hull::of(&fills)?;
        let knapsacks = hull.facets().iter().map(|facet| Knapsack {
            weights: profiles.iter().map(|profile| facet.coefficients[profile.index()]).collect(),
            capacity: facet.capacity,
        });
        let knapsacks: Vec<Knapsack> = knapsacks.collect();
        let counted = |counts: &Counts| {
            Allocation::from_counts(profiles.iter().map(|&profile| counts.get(profile) as u8).collect())
        };
        let fitting = fills.waste_of.keys().map(counted).collect();
        Some(Gpu { board, sizes, knapsacks, fitting })
    }

    /// Whether instances fit the GPU together.
    pub fn fits(&self, allocation: &Allocation) -> bool {
        self.fitting.contains(allocation)
    }

    /// Everything that fits, nothing included, in ascending order.
    pub fn fitting(&self) -> impl Iterator<Item = &Allocation> {
        self.fitting.iter()
    }

    /// Everything that fits and to which nothing can be added, in ascending order: the configurations.
    pub fn maximal(&self) -> impl Iterator<Item = &Allocation> {
        let can_grow =
            |allocation: &Allocation| self.size_indices().any(|size| self.fits(&allocation.plus_one(size)));
        self.fitting().filter(move |allocation| !can_grow(allocation))
    }

    /// The size of this name.
    pub fn size_named(&self, name: &str) -> Option<SizeIndex> {
        self.sizes.iter().position(|size| size.name == name).map(SizeIndex::at)
    }

    /// A size.
    pub fn size(&self, size: SizeIndex) -> &Size {
        &self.sizes[size.index()]
    }

    /// All sizes in ascending order.
    pub fn size_indices(&self) -> impl DoubleEndedIterator<Item = SizeIndex> + use<> {
        (0..self.sizes.len()).map(SizeIndex::at)
    }

    /// No instance.
    pub fn nothing(&self) -> Allocation {
        Allocation::from_counts(vec![0; self.sizes.len()])
    }

    /// One instance.
    pub fn one(&self, size: SizeIndex) -> Allocation {
        self.nothing().plus_one(size)
    }

    /// GPCs of an allocation.
    pub fn gpcs(&self, allocation: &Allocation) -> u32 {
        self.sizes.iter().zip(allocation.counts()).map(|(size, &count)| size.gpcs * u32::from(count)).sum()
    }

    /// The counts of the board's profiles.
    pub fn board_counts(&self, allocation: &Allocation) -> Counts {
        let mut counts = Counts::zero(self.board.profiles().len());
        for (size, &count) in self.sizes.iter().zip(allocation.counts()) {
            counts.set(size.profile, u32::from(count));
        }
        counts
    }

    /// An allocation for readers, the largest instances first, such as `3g+2x1g`.
    pub fn name(&self, allocation: &Allocation) -> String {
        let parts = self.sizes.iter().zip(allocation.counts()).rev().filter(|(_, count)| **count > 0);
        let parts: Vec<String> = parts
            .map(|(size, &count)| match count {
                1 => size.name.clone(),
                several => format!("{several}x{}", size.name),
            })
            .collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join("+") }
    }
}

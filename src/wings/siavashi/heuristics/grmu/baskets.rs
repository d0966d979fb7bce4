//! Algorithms 2 and 3: dual-basket pooling, and first fit within a basket.

use cluster::{GpuIndex, Location};
use fleet::{Fleet, Request};
use ground::Amount;
use kit::{Choice, Choices};

/// When a basket may take another GPU from the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BasketComparison {
    /// While it has at most as many GPUs as its capacity, line 13 of Algorithm 3 as printed: it may then outgrow its capacity
    /// by one.
    AtMost,
    /// While it has fewer GPUs than its capacity.
    Below,
}

impl Choices for BasketComparison {
    const ALL: &'static [Choice<BasketComparison>] = &[
        Choice {
            name: "at-most",
            help: "while it has at most as many GPUs as its capacity, as printed",
            value: BasketComparison::AtMost,
        },
        Choice {
            name: "below",
            help: "while it has fewer GPUs than its capacity",
            value: BasketComparison::Below,
        },
    ];
}

impl BasketComparison {
    fn has_room(self, size: usize, capacity: usize) -> bool {
        match self {
            BasketComparison::AtMost => size <= capacity,
            BasketComparison::Below => size < capacity,
        }
    }
}

/// A group of GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Basket {
    /// For profiles that take all slots of a board.
    Heavy,
    /// For all other profiles.
    Light,
}

/// Which GPU is in which basket.
///
/// - A GPU with a resident that takes all its slots begins in the heavy basket and any other GPU that is not empty in the
///   light one, even beyond the capacity. A basket without such a GPU gets the first one of the pool, the heavy basket
///   before the light one, as in Algorithm 2, whose fleet is empty.
/// - A basket is searched in global order, also where consolidation has returned GPUs to the pool in between.
/// - The pool gives its first GPU for good, even if its host then refuses the request, as printed. On a fleet with several
///   types of boards that is the first GPU whose board serves the request from a basket with room. The rules of a cluster are looked at
///   first: a GPU that they close to the request stays in the pool.
pub struct Baskets {
    /// The basket of every GPU; `None` in the pool.
    of_gpu: Vec<Option<Basket>>,
    /// Sizes of the heavy and of the light basket.
    sizes: [usize; 2],
    /// Their capacities.
    capacities: [usize; 2],
    comparison: BasketComparison,
}

impl Baskets {
    /// Algorithm 2, on a fleet that may have guests.
    pub fn new(fleet: &Fleet<'_>, heavy_capacity: Amount, comparison: BasketComparison) -> Self {
        let gpus = fleet.gpu_indices().count();
        let heavy = ((heavy_capacity * gpus as i128).millionths() / Amount::ONE.millionths()) as usize;
        let mut baskets = Baskets {
            of_gpu: vec![None; gpus],
            sizes: [0; 2],
            capacities: [heavy, gpus - heavy],
            comparison,
        };
        for gpu in fleet.gpu_indices().filter(|&gpu| !fleet.guests(gpu).is_empty()) {
            let is_heavy = |guest| basket_for(fleet, gpu, fleet.request(guest)) == Some(Basket::Heavy);
            let carries_heavy = fleet.guests(gpu).iter().copied().any(is_heavy);
            baskets.add(gpu, if carries_heavy { Basket::Heavy } else { Basket::Light });
        }
        for basket in [Basket::Heavy, Basket::Light] {
            let first = baskets.pool().next().filter(|_| baskets.sizes[basket as usize] == 0);
            first.into_iter().for_each(|gpu| baskets.add(gpu, basket));
        }
        baskets
    }

    /// Algorithm 3 for one request.
    pub fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let basket = |gpu: GpuIndex| basket_for(fleet, gpu, request);
        let mut in_basket = fleet.gpu_indices().filter(|&gpu| {
            let here = self.of_gpu[gpu.index()];
            here.is_some() && here == basket(gpu)
        });
        if let Some(location) = in_basket.find_map(|gpu| fleet.fit(gpu, request)) {
            return Some(location);
        }
        let can_grow = |&gpu: &GpuIndex| fleet.admits(gpu, request);
        let growing = |gpu| Some((gpu, basket(gpu).filter(|&basket| self.has_room(basket))?));
        let (gpu, basket) = self.pool().filter(can_grow).find_map(growing)?;
        self.add(gpu, basket);
        fleet.fit(gpu, request)
    }

    /// The GPUs of the light basket, in global order.
    pub fn light(&self) -> impl Iterator<Item = GpuIndex> + '_ {
        self.all(Some(Basket::Light))
    }

    /// Returns a GPU to the pool.
    pub fn release(&mut self, gpu: GpuIndex) {
        let basket = self.of_gpu[gpu.index()].take().expect("it is in a basket");
        self.sizes[basket as usize] -= 1;
    }

    fn pool(&self) -> impl Iterator<Item = GpuIndex> + '_ {
        self.all(None)
    }

    fn all(&self, basket: Option<Basket>) -> impl Iterator<Item = GpuIndex> + '_ {
        (0..self.of_gpu.len()).filter(move |&gpu| self.of_gpu[gpu] == basket).map(GpuIndex::at)
    }

    fn add(&mut self, gpu: GpuIndex, basket: Basket) {
        self.of_gpu[gpu.index()] = Some(basket);
        self.sizes[basket as usize] += 1;
    }

    fn has_room(&self, basket: Basket) -> bool {
        self.comparison.has_room(self.sizes[basket as usize], self.capacities[basket as usize])
    }
}

/// The basket from which a GPU serves a request; `None` if its board does not.
fn basket_for(fleet: &Fleet<'_>, gpu: GpuIndex, request: Request<'_>) -> Option<Basket> {
    let board = fleet.board_of(gpu).board();
    let profile = fleet.profile_on(gpu, request)?;
    let takes_all = board.profile(profile).size == board.slots();
    Some(if takes_all { Basket::Heavy } else { Basket::Light })
}

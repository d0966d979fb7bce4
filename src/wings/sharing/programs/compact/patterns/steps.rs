//! What each type counts while a pattern is completed, type by type in their order.

use super::filling::Filling;
use super::order::Order;

/// A type that a server of a kind may hold.
pub struct Step {
    /// The type, and its place in the order.
    pub vm_type: usize,
    pub place: usize,
    /// What each counts.
    pub price: i64,
    /// The most that have room.
    pub most: u32,
    /// Pages that each needs alone.
    pub private: i64,
    /// Pages of the nested classes, outermost first; 0 of those that were here before the first step.
    pub nested: Vec<i64>,
    /// How many of these classes the next type is in, too.
    pub common: usize,
    /// The other classes.
    pub loose: Vec<Loose>,
}

/// A loose class of a type.
///
/// What later types count of the pages of the class before it is here is a *share* each, in all no more than the class has pages. Once it
/// is here they count nothing; so that they may be treated alike, their shares are given back in advance, the *credit*.
pub struct Loose {
    /// The position among the loose classes of all steps.
    pub position: usize,
    /// Its pages.
    pub pages: i64,
    /// The part of the pages that each type with it counts at least.
    pub share: i64,
    /// The credit from this type on, and from the next one on.
    pub before: i64,
    pub after: i64,
}

/// The steps that complete a server at some prices.
pub struct Steps {
    /// In the order of types.
    pub steps: Vec<Step>,
    /// Memory that is left on the server.
    pub pages: i64,
    /// What is left of each resource.
    pub resources: Vec<Option<i128>>,
    /// How many loose classes there are that were not here before.
    pub loose: usize,
}

impl Steps {
    /// The steps from a place of the order on, for types that are worth at least so much and fit what is left of a server.
    pub fn new(order: &Order, server: &Filling<'_>, place: usize, prices: &[i64], least: i64) -> Self {
        let types = server.types;
        let classes = &types.problem.page_classes;
        let fits = |&place: &usize| prices[order.types[place]] >= least && server.fits(order.types[place]);
        let places: Vec<usize> = (place..order.types.len()).filter(fits).collect();
        let taken: Vec<usize> = places.iter().map(|&place| order.types[place]).collect();
        let most_types = most_types(server, &taken);
        let new = |class: &&usize| !server.room.holds(**class);
        let mut left: Vec<i64> = vec![0; classes.shared.len()];
        let loose = taken.iter().flat_map(|&vm_type| &order.loose[vm_type]);
        loose.filter(new).for_each(|&class| left[class] += 1);
        let shares: Vec<i64> = (left.iter().zip(&classes.shared))
            .map(|(&members, class)| class.pages as i64 / members.min(most_types).max(1))
            .collect();
        let mut positions: Vec<Option<usize>> = vec![None; classes.shared.len()];
        let mut loose_classes = 0;
        let mut steps: Vec<Step> = Vec::with_capacity(taken.len());
        for (&place, &vm_type) in places.iter().zip(&taken) {
            let loose = order.loose[vm_type].iter().filter(new).map(|&class| {
                let position = *positions[class].get_or_insert_with(|| {
                    loose_classes += 1;
                    loose_classes - 1
                });
                let (pages, share) = (classes.shared[class].pages as i64, shares[class]);
                let before = pages.min(share * left[class]);
                left[class] -= 1;
                Loose { position, pages, share, before, after: pages.min(share * left[class]) }
            });
            let loose = loose.collect();
            let nested = &order.nested[vm_type];
            if let Some(last) = steps.last_mut() {
                let before = &order.nested[last.vm_type];
                last.common = before.iter().zip(nested).take_while(|(one, other)| one == other).count();
            }
            let pages_of = |&class: &usize| {
                if server.room.holds(class) { 0 } else { classes.shared[class].pages as i64 }
            };
            steps.push(Step {
                vm_type,
                place,
                price: prices[vm_type],
                most: server.most(vm_type),
                private: classes.private[types.example(vm_type).index()] as i64,
                nested: nested.iter().map(pages_of).collect(),
                common: 0,
                loose,
            });
        }
        let (pages, resources) = (server.room.pages as i64, server.room.resources.clone());
        Steps { steps, pages, resources, loose: loose_classes }
    }
}

/// No more different types fit what is left of a server: so many of the least do.
fn most_types(server: &Filling<'_>, taken: &[usize]) -> i64 {
    let types = server.types;
    let fitting = |capacity: i128, mut needs: Vec<i128>| {
        needs.sort_unstable();
        let sums = needs.iter().scan(0, |sum, need| {
            *sum += need;
            Some(*sum)
        });
        sums.take_while(|&sum| sum <= capacity).count()
    };
    let private = &types.problem.page_classes.private;
    let pages = |&vm_type: &usize| i128::from(private[types.example(vm_type).index()]);
    let mut most = fitting(i128::from(server.room.pages), taken.iter().map(pages).collect());
    for (resource, left) in server.room.resources.iter().enumerate() {
        let Some(left) = left else { continue };
        let request = |&vm_type: &usize| types.units.request(types.example(vm_type))[resource];
        most = most.min(fitting(*left, taken.iter().map(request).collect()));
    }
    most as i64
}

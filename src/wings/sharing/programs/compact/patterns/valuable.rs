//! All patterns of a kind of server that are worth more than a threshold, or the most valuable one: a knapsack with page classes.
//!
//! The search decides type by type whether one more is taken, what is worth most for its room first. Where nothing can lift the value
//! above the threshold any more it turns back. What can still be added is bounded by fractional knapsacks, one for each resource, one
//! for memory and one for all of them together. In memory a virtual machine counts its private pages and, of each class that nobody
//! here is in yet, the part that falls to it when as many members as possible share the class: so a set of virtual machines never
//! counts more than it needs.

use super::filling::Filling;
use super::pattern::Pattern;
use super::types::Types;
use std::time::Instant;

/// What rounding may add to a bound, in units of prices, which are whole.
const ROUNDING: f64 = 1e-3;
/// Nodes between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 1 << 12;

/// How long a search may take.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Nodes left.
    pub nodes: u64,
    /// When to stop whatever is left.
    pub deadline: Option<Instant>,
}

impl Effort {
    /// Takes one node; whether there was one and time for it.
    fn goes_on(&mut self) -> bool {
        let late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.nodes == 0 || (self.nodes.is_multiple_of(NODES_BETWEEN_LOOKS) && late()) {
            return false;
        }
        self.nodes -= 1;
        true
    }
}

/// What a search found.
pub struct Finding {
    /// No pattern is worth more; none if the search was given up.
    pub bound: Option<i64>,
    /// The most valuable pattern, if it is worth more than the threshold.
    pub pattern: Option<Pattern>,
    /// Nodes of the search.
    pub nodes: u64,
}

/// The most valuable pattern of a kind, provided that it is worth more than the threshold.
pub fn most_valuable(
    types: &Types<'_>,
    kind: usize,
    prices: &[i64],
    threshold: i64,
    effort: Effort,
) -> Finding {
    let mut search = Valuable::new(types, kind, prices, threshold, effort);
    let mut pattern = None;
    let complete = search.walk(0, &mut |search| {
        search.threshold = search.value;
        pattern = Some(search.filling.pattern());
        true
    });
    Finding {
        bound: complete.then_some(search.threshold),
        pattern,
        nodes: effort.nodes - search.effort.nodes,
    }
}

/// All patterns of a kind that are worth more than the threshold and to which no virtual machine can be added; `None` when there are more than
/// `most` of them or the search takes too many nodes. With the nodes of the search.
pub fn all_valuable(
    types: &Types<'_>,
    kind: usize,
    prices: &[i64],
    threshold: i64,
    most: usize,
    effort: Effort,
) -> (Option<Vec<Pattern>>, u64) {
    let mut search = Valuable::new(types, kind, prices, threshold, effort);
    let mut patterns = Vec::new();
    let complete = search.walk(0, &mut |search| {
        if search.is_maximal() {
            patterns.push(search.filling.pattern());
        }
        patterns.len() <= most
    });
    (complete.then_some(patterns), effort.nodes - search.effort.nodes)
}

/// A search for patterns of a kind.
struct Valuable<'t> {
    filling: Filling<'t>,
    prices: &'t [i64],
    /// Types that may still be added, by type.
    open: Vec<bool>,
    value: i64,
    /// Only patterns worth more are of interest.
    threshold: i64,
    effort: Effort,
    /// What can still be added, by depth of the search; kept from node to node for their memory.
    offers: Vec<Offers>,
    /// How many of the offers are in each class.
    members: Vec<f64>,
}

/// What can still be added.
#[derive(Default)]
struct Offers {
    types: Vec<usize>,
    prices: Vec<f64>,
    numbers: Vec<f64>,
    /// By offer, what one takes as a share of what is left: of each limited resource, then memory, then all of them.
    takes: Vec<f64>,
    knapsacks: usize,
    order: Vec<usize>,
}

impl<'t> Valuable<'t> {
    fn new(types: &'t Types<'t>, kind: usize, prices: &'t [i64], threshold: i64, effort: Effort) -> Self {
        Valuable {
            filling: Filling::new(types, kind),
            prices,
            open: vec![true; types.vms.len()],
            value: 0,
            threshold,
            effort,
            offers: Vec::new(),
            members: vec![0.0; types.problem.page_classes.shared.len()],
        }
    }

    /// Visits the ends of the search whose value is above the threshold, until the visitor has enough; whether the search is
    /// complete.
    fn walk(&mut self, depth: usize, visit: &mut dyn FnMut(&mut Self) -> bool) -> bool {
        if !self.effort.goes_on() {
            return false;
        }
        if self.offers.len() <= depth {
            self.offers.push(Offers::default());
        }
        let mut offers = std::mem::take(&mut self.offers[depth]);
        self.collect(&mut offers);
        let (next, hopeless) = match offers.best() {
            Some(next) => (Some(next), self.value + offers.most_to_add() <= self.threshold),
            None => (None, self.value <= self.threshold),
        };
        self.offers[depth] = offers;
        if hopeless {
            return true;
        }
        let Some(vm_type) = next else { return visit(self) };
        self.filling.take(vm_type);
        self.value += self.prices[vm_type];
        let complete = self.walk(depth + 1, visit);
        self.value -= self.prices[vm_type];
        self.filling.put_back(vm_type);
        if !complete {
            return false;
        }
        self.open[vm_type] = false;
        let complete = self.walk(depth + 1, visit);
        self.open[vm_type] = true;
        complete
    }

    /// Looks up what can still be added.
    fn collect(&mut self, offers: &mut Offers) {
        let (types, filling) = (self.filling.types, &self.filling);
        offers.types.clear();
        offers.prices.clear();
        offers.numbers.clear();
        offers.takes.clear();
        offers
            .types
            .extend((0..self.open.len()).filter(|&vm_type| self.open[vm_type] && filling.fits(vm_type)));
        self.members.fill(0.0);
        for &vm_type in &offers.types {
            let number = f64::from(types.number(vm_type) - filling.count[vm_type]);
            offers.numbers.push(number);
            offers.prices.push(self.prices[vm_type] as f64);
            for &class in types.classes(vm_type) {
                self.members[class] += number;
            }
        }
        let most = self.most_in_number(&offers.types);
        let classes = &types.problem.page_classes;
        let pages_left = filling.room.pages as f64;
        offers.knapsacks = filling.room.resources.iter().flatten().count() + 1;
        for &vm_type in &offers.types {
            let vm = types.example(vm_type);
            let mut pages = classes.private[vm.index()] as f64;
            for &class in types.classes(vm_type).iter().filter(|&&class| !filling.room.holds(class)) {
                pages += classes.shared[class].pages as f64 / self.members[class].min(most).max(1.0);
            }
            let mut all = 0.0;
            for (left, &request) in filling.room.resources.iter().zip(types.units.request(vm)) {
                let Some(left) = left else { continue };
                let part = if request == 0 { 0.0 } else { request as f64 / *left as f64 };
                all += part;
                offers.takes.push(part);
            }
            let memory = if pages == 0.0 { 0.0 } else { pages / pages_left };
            offers.takes.extend([memory, all + memory]);
        }
    }

    /// How many more fit at most, by the smallest ones.
    fn most_in_number(&self, fitting: &[usize]) -> f64 {
        let types = self.filling.types;
        let mut most = f64::INFINITY;
        let mut limit = |left: i128, smallest: Option<i128>| {
            if let Some(smallest) = smallest.filter(|&smallest| smallest > 0) {
                most = most.min((left / smallest) as f64);
            }
        };
        for (resource, left) in self.filling.room.resources.iter().enumerate() {
            let Some(left) = left else { continue };
            let requests =
                fitting.iter().map(|&vm_type| types.units.request(types.example(vm_type))[resource]);
            limit(*left, requests.min());
        }
        let private = &types.problem.page_classes.private;
        let pages = fitting.iter().map(|&vm_type| i128::from(private[types.example(vm_type).index()]));
        limit(i128::from(self.filling.room.pages), pages.min());
        most
    }

    /// Whether no virtual machine can be added, not even of a type that the search has left out.
    fn is_maximal(&self) -> bool {
        (0..self.open.len()).all(|vm_type| !self.filling.fits(vm_type))
    }
}

impl Offers {
    fn takes(&self, offer: usize, knapsack: usize) -> f64 {
        self.takes[offer * (self.knapsacks + 1) + knapsack]
    }

    /// The type that is worth most for its room.
    fn best(&self) -> Option<usize> {
        let score = |offer: usize| self.prices[offer] / self.takes(offer, self.knapsacks).max(1e-12);
        let best = (0..self.types.len())
            .max_by(|&one, &other| score(one).total_cmp(&score(other)).then(other.cmp(&one)))?;
        Some(self.types[best])
    }

    /// What they can add to the value at most.
    fn most_to_add(&mut self) -> i64 {
        let mut most: f64 = self.prices.iter().zip(&self.numbers).map(|(price, number)| price * number).sum();
        for knapsack in 0..self.knapsacks {
            most = most.min(self.fractional(knapsack, 1.0));
        }
        most = most.min(self.fractional(self.knapsacks, self.knapsacks as f64));
        (most + ROUNDING).floor() as i64
    }

    /// The value of a fractional knapsack.
    fn fractional(&mut self, knapsack: usize, room: f64) -> f64 {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..self.types.len());
        order.sort_unstable_by(|&one, &other| {
            let (left, right) = (
                self.prices[other] * self.takes(one, knapsack),
                self.prices[one] * self.takes(other, knapsack),
            );
            left.total_cmp(&right).then(one.cmp(&other))
        });
        let (mut left, mut value) = (room, 0.0);
        for &offer in &order {
            let (takes, number) = (self.takes(offer, knapsack), self.numbers[offer]);
            if takes * number <= left {
                left -= takes * number;
                value += self.prices[offer] * number;
            } else {
                value += self.prices[offer] * left / takes;
                break;
            }
        }
        self.order = order;
        value
    }
}

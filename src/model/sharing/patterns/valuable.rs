//! All patterns of a kind of server that are worth more than a threshold, or the most valuable one: a knapsack with page classes.
//!
//! The search decides type by type whether one more is taken, what is worth most for its room first. Where no further type can lift
//! the value above the threshold it turns back. What can still be added is bounded by fractional knapsacks, one for each resource,
//! one for memory and one for all of them together. In memory a virtual machine counts its private pages and, of each class that
//! nobody here is in yet, the part that falls to it when as many members as possible share the class: so a set of virtual machines
//! never counts more than it needs.

use super::Pattern;
use super::filling::Filling;
use super::types::Types;

/// What rounding may add to a bound, in units of prices, which are whole.
const ROUNDING: f64 = 1e-3;

/// A search for patterns of a kind.
pub struct Valuable<'t> {
    filling: Filling<'t>,
    prices: &'t [i64],
    /// Types that may still be added, by type.
    open: Vec<bool>,
    value: i64,
    /// Only patterns worth more are of interest.
    threshold: i64,
    nodes_left: u64,
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

/// An offer to the fractional knapsacks.
struct Offer {
    vm_type: usize,
    price: f64,
    number: f64,
    /// What one takes, as a share of what is left: by limited resource, then memory.
    takes: Vec<f64>,
}

/// The most valuable pattern of a kind, provided that it is worth more than the threshold.
pub fn most_valuable(types: &Types<'_>, kind: usize, prices: &[i64], threshold: i64, nodes: u64) -> Finding {
    let mut search = Valuable::new(types, kind, prices, threshold, nodes);
    let mut pattern = None;
    let complete = search.walk(&mut |search| {
        search.threshold = search.value;
        pattern = Some(search.filling.pattern());
        true
    });
    Finding { bound: complete.then_some(search.threshold), pattern, nodes: nodes - search.nodes_left }
}

/// All patterns of a kind that are worth more than the threshold and to which nobody can be added; `None` when there are more than
/// `most` of them or the search takes too many nodes. With the nodes of the search.
pub fn all_valuable(
    types: &Types<'_>,
    kind: usize,
    prices: &[i64],
    threshold: i64,
    most: usize,
    nodes: u64,
) -> (Option<Vec<Pattern>>, u64) {
    let mut search = Valuable::new(types, kind, prices, threshold, nodes);
    let mut patterns = Vec::new();
    let complete = search.walk(&mut |search| {
        if search.is_maximal() {
            patterns.push(search.filling.pattern());
        }
        patterns.len() <= most
    });
    (complete.then_some(patterns), nodes - search.nodes_left)
}

impl<'t> Valuable<'t> {
    fn new(types: &'t Types<'t>, kind: usize, prices: &'t [i64], threshold: i64, nodes: u64) -> Self {
        Valuable {
            filling: Filling::new(types, kind),
            prices,
            open: vec![true; types.vms.len()],
            value: 0,
            threshold,
            nodes_left: nodes,
        }
    }

    /// Visits the ends of the search whose value is above the threshold, until the visitor has enough; whether the search is
    /// complete.
    fn walk(&mut self, visit: &mut dyn FnMut(&mut Self) -> bool) -> bool {
        if self.nodes_left == 0 {
            return false;
        }
        self.nodes_left -= 1;
        let offers = self.offers();
        if offers.is_empty() {
            return self.value <= self.threshold || visit(self);
        }
        if self.value + self.most_to_add(&offers) <= self.threshold {
            return true;
        }
        let score = |offer: &Offer| offer.price / offer.takes.iter().sum::<f64>().max(1e-12);
        let best = offers
            .iter()
            .max_by(|one, other| score(one).total_cmp(&score(other)).then(other.vm_type.cmp(&one.vm_type)));
        let vm_type = best.expect("there are offers").vm_type;
        self.filling.take(vm_type);
        self.value += self.prices[vm_type];
        let complete = self.walk(visit);
        self.value -= self.prices[vm_type];
        self.filling.put_back(vm_type);
        if !complete {
            return false;
        }
        self.open[vm_type] = false;
        let complete = self.walk(visit);
        self.open[vm_type] = true;
        complete
    }

    /// What can still be added.
    fn offers(&self) -> Vec<Offer> {
        let types = self.filling.types;
        let fitting: Vec<usize> = (0..self.open.len())
            .filter(|&vm_type| self.open[vm_type] && self.filling.fits(vm_type))
            .collect();
        let number = |vm_type: usize| types.number(vm_type) - self.filling.count[vm_type];
        let most = self.most_in_number(&fitting);
        let classes = &types.problem.page_classes;
        let mut members = vec![0u32; classes.shared.len()];
        for &vm_type in &fitting {
            for &class in &classes.of_vm[types.example(vm_type).index()] {
                members[class] += number(vm_type);
            }
        }
        let offer = |&vm_type: &usize| {
            let vm = types.example(vm_type);
            let unheld = classes.of_vm[vm.index()].iter().filter(|&&class| self.filling.lacks(class));
            let part = |&class: &usize| {
                classes.shared[class].pages as f64 / f64::from(members[class]).min(most).max(1.0)
            };
            let pages = classes.private[vm.index()] as f64 + unheld.map(part).sum::<f64>();
            let request = types.units.request(vm);
            let resources = self.filling.left.iter().zip(request).filter_map(|(left, &request)| {
                left.map(|left| if request == 0 { 0.0 } else { request as f64 / left as f64 })
            });
            let memory = if pages == 0.0 { 0.0 } else { pages / self.filling.pages_left as f64 };
            Offer {
                vm_type,
                price: self.prices[vm_type] as f64,
                number: f64::from(number(vm_type)),
                takes: resources.chain([memory]).collect(),
            }
        };
        fitting.iter().map(offer).collect()
    }

    /// How many more fit at most, by the smallest ones.
    fn most_in_number(&self, fitting: &[usize]) -> f64 {
        let types = self.filling.types;
        let example = |vm_type: usize| types.example(vm_type);
        let mut most = f64::INFINITY;
        for (resource, left) in self.filling.left.iter().enumerate() {
            let Some(left) = left else { continue };
            let smallest =
                fitting.iter().map(|&vm_type| types.units.request(example(vm_type))[resource]).min();
            if let Some(smallest) = smallest.filter(|&smallest| smallest > 0) {
                most = most.min((left / smallest) as f64);
            }
        }
        let private =
            |vm_type: usize| i128::from(types.problem.page_classes.private[example(vm_type).index()]);
        let smallest = fitting.iter().map(|&vm_type| private(vm_type)).min();
        if let Some(smallest) = smallest.filter(|&smallest| smallest > 0) {
            most = most.min((self.filling.pages_left / smallest) as f64);
        }
        most
    }

    /// What the offers can add to the value at most.
    fn most_to_add(&self, offers: &[Offer]) -> i64 {
        let knapsacks = offers[0].takes.len();
        let mut most: f64 = offers.iter().map(|offer| offer.price * offer.number).sum();
        for knapsack in 0..knapsacks {
            most = most.min(fractional(offers, |offer| offer.takes[knapsack], 1.0));
        }
        if knapsacks > 1 {
            most = most.min(fractional(offers, |offer| offer.takes.iter().sum(), knapsacks as f64));
        }
        (most + ROUNDING).floor() as i64
    }

    /// Whether nobody can be added, not even a type that the search has left out.
    fn is_maximal(&self) -> bool {
        (0..self.open.len()).all(|vm_type| !self.filling.fits(vm_type))
    }
}

/// The value of the fractional knapsack.
fn fractional(offers: &[Offer], takes: impl Fn(&Offer) -> f64, room: f64) -> f64 {
    let mut sorted: Vec<(f64, f64, f64)> =
        offers.iter().map(|offer| (takes(offer), offer.price, offer.number)).collect();
    sorted.sort_by(|one, other| (other.1 * one.0).total_cmp(&(one.1 * other.0)));
    let (mut left, mut value) = (room, 0.0);
    for (takes, price, number) in sorted {
        if takes * number <= left {
            left -= takes * number;
            value += price * number;
        } else {
            return value + price * left / takes;
        }
    }
    value
}

//! Parts of a transition that have nothing to do with each other, but for its limits and for temporary places.

use crate::graph::Waits;
use crate::program::{Pair, direct};
use plan::{Place, Transition};
use std::collections::BTreeMap;

/// Classes that wait for each other, whichever way.
#[derive(Clone, Debug)]
pub struct Part {
    /// The classes that have places to leave or to enter, in ascending order.
    pub classes: Vec<usize>,
    /// These places.
    pub pairs: Vec<Pair>,
}

impl Part {
    /// Rounds beyond which more are of no use: each fills a place, or a workload steps aside.
    pub fn most_rounds(&self) -> usize {
        self.pairs.len() + 1
    }
}

/// The parts of a transition, in the order of their first classes.
pub fn parts(transition: &Transition, waits: &Waits) -> Vec<Part> {
    let mut sets = Sets { parents: (0..transition.classes.len()).collect() };
    for target in &waits.targets {
        for &source in &target.blockers {
            sets.unite(target.class, waits.sources[source].class);
        }
    }
    for gpu in tight(transition, waits).values() {
        for pair in gpu.windows(2) {
            sets.unite(pair[0], pair[1]);
        }
    }
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    for pair in direct(transition) {
        let part = parts
            .entry(sets.first(pair.class))
            .or_insert_with(|| Part { classes: Vec::new(), pairs: Vec::new() });
        if part.classes.last() != Some(&pair.class) {
            part.classes.push(pair.class);
        }
        part.pairs.push(pair);
    }
    parts.into_values().collect()
}

/// Per limit of a GPU that its places exceed together, whoever holds them when: the classes that share it.
fn tight(transition: &Transition, waits: &Waits) -> BTreeMap<(usize, usize), Vec<usize>> {
    let cluster = &transition.cluster;
    let mut used: BTreeMap<(usize, usize), (u32, Vec<usize>)> = BTreeMap::new();
    let mut add = |place: Place, class: Option<usize>| {
        for (number, limit) in cluster.board_of(place.gpu).limits().iter().enumerate() {
            let usage = limit.usage[place.instance.profile.index()];
            if usage > 0 {
                let (sum, classes) = used.entry((place.gpu.index(), number)).or_default();
                *sum += usage;
                classes.extend(class);
            }
        }
    };
    for (workload, place) in transition.present() {
        let class = transition.class_of[workload.index()];
        if class.is_none_or(|class| transition.classes[class].target.contains(&place)) {
            add(place, None);
        }
    }
    waits.sources.iter().for_each(|source| add(source.place, Some(source.class)));
    waits.targets.iter().for_each(|target| add(target.place, Some(target.class)));
    let capacity =
        |gpu: usize, number: usize| cluster.board_of(cluster::GpuIndex::at(gpu)).limits()[number].capacity;
    let exceeded = used.into_iter().filter(|&((gpu, number), (sum, _))| sum > capacity(gpu, number));
    exceeded.map(|(key, (_, classes))| (key, classes)).collect()
}

/// Sets of classes that are united one after the other.
struct Sets {
    parents: Vec<usize>,
}

impl Sets {
    /// The first class of the set of a class.
    fn first(&mut self, class: usize) -> usize {
        let mut first = class;
        while self.parents[first] != first {
            self.parents[first] = self.parents[self.parents[first]];
            first = self.parents[first];
        }
        first
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.parents[one.max(other)] = one.min(other);
    }
}

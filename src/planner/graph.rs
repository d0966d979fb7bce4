//! Who waits for whom: two places exclude each other if they share a slot, or if a limit of the board allows one of them alone.

use crate::fits::fits;
use plan::{Place, Transition};
use std::collections::BTreeMap;

/// A place of the target that cannot be entered before others are left.
#[derive(Clone, Debug)]
pub struct Target {
    /// The class that enters it.
    pub class: usize,
    /// The place.
    pub place: Place,
    /// The places in the way, as positions in [`Waits::sources`].
    pub blockers: Vec<usize>,
}

/// A place that is to be left.
#[derive(Clone, Debug)]
pub struct Source {
    /// The class that leaves it.
    pub class: usize,
    /// The place.
    pub place: Place,
    /// The places of the target that it is in the way of, as positions in [`Waits::targets`].
    pub blocks: Vec<usize>,
}

/// The places to be left and to be entered, and which of them overlap.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// Places to be left.
    pub sources: Vec<Source>,
    /// Places to be entered.
    pub targets: Vec<Target>,
    /// Per class: its places to be left.
    pub sources_of: Vec<Vec<usize>>,
    /// Per class: its places to be entered.
    pub targets_of: Vec<Vec<usize>>,
}

impl Waits {
    /// Those of a transition.
    pub fn of(transition: &Transition) -> Self {
        let mut waits = Waits::default();
        let mut on_gpu: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (class, about) in transition.classes.iter().enumerate() {
            let mut own = Vec::new();
            for place in about.sources() {
                own.push(waits.sources.len());
                on_gpu.entry(place.gpu.index()).or_default().push(waits.sources.len());
                waits.sources.push(Source { class, place, blocks: Vec::new() });
            }
            waits.sources_of.push(own);
        }
        for (class, about) in transition.classes.iter().enumerate() {
            let mut own = Vec::new();
            for place in about.targets() {
                let here = on_gpu.get(&place.gpu.index()).into_iter().flatten().copied();
                let blockers: Vec<usize> =
                    here.filter(|&source| !fits(transition, &[waits.sources[source].place], place)).collect();
                for &source in &blockers {
                    waits.sources[source].blocks.push(waits.targets.len());
                }
                own.push(waits.targets.len());
                waits.targets.push(Target { class, place, blockers });
            }
            waits.targets_of.push(own);
        }
        waits
    }

    /// Whether a class has one place to leave and one to enter, so that nothing is to be chosen.
    pub fn is_single(&self, class: usize) -> bool {
        self.sources_of[class].len() == 1 && self.targets_of[class].len() == 1
    }

    /// The dependency graph of the classes in which nothing is to be chosen: per class those that wait for it.
    pub fn single_graph(&self) -> Vec<Vec<usize>> {
        let next = |class: usize| {
            if !self.is_single(class) {
                return Vec::new();
            }
            let blocked = self.sources[self.sources_of[class][0]].blocks.iter();
            let mut next: Vec<usize> = blocked
                .map(|&target| self.targets[target].class)
                .filter(|&next| self.is_single(next))
                .collect();
            next.sort_unstable();
            next.dedup();
            next
        };
        (0..self.sources_of.len()).map(next).collect()
    }

    /// How many rounds follow at least once a workload of a class has left its places: the longest chain behind it, where circles count
    /// once.
    pub fn tails(&self) -> Vec<usize> {
        let mut tails = vec![None; self.sources_of.len()];
        for class in 0..tails.len() {
            self.tail(class, &mut tails);
        }
        tails.into_iter().map(|tail| tail.unwrap_or(0)).collect()
    }

    fn tail(&self, class: usize, tails: &mut [Option<usize>]) {
        // An explicit stack, as chains may be long.
        let mut stack = vec![(class, false)];
        while let Some((class, is_done)) = stack.pop() {
            let next = self.sources_of[class].iter().flat_map(|&source| &self.sources[source].blocks);
            let next = next.map(|&target| self.targets[target].class);
            if is_done {
                tails[class] = next.filter_map(|next| tails[next]).map(|tail| tail + 1).max().or(Some(0));
            } else if tails[class].is_none() {
                tails[class] = Some(0);
                stack.push((class, true));
                stack.extend(next.filter(|&next| tails[next].is_none()).map(|next| (next, false)));
            }
        }
    }
}

/// The strongly connected components of a graph, each in ascending order; those of several vertices, and vertices with a loop.
pub fn knots(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy)]
    struct Visit {
        number: usize,
        low: usize,
        on_stack: bool,
    }
    let mut visits: Vec<Option<Visit>> = vec![None; graph.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..graph.len() {
        if visits[root].is_some() {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&(vertex, position)) = path.last() {
            if visits[vertex].is_none() {
                visits[vertex] = Some(Visit { number: count, low: count, on_stack: true });
                count += 1;
                stack.push(vertex);
            }
            if let Some(&next) = graph[vertex].get(position) {
                path.last_mut().expect("it was just there").1 += 1;
                match visits[next] {
                    None => path.push((next, 0)),
                    Some(visit) if visit.on_stack => {
                        let own = visits[vertex].as_mut().expect("it is visited");
                        own.low = own.low.min(visit.number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let own = visits[vertex].expect("it is visited");
            if let Some(&(parent, _)) = path.last() {
                let above = visits[parent].as_mut().expect("it is visited");
                above.low = above.low.min(own.low);
            }
            if own.low == own.number {
                let start = stack.iter().rposition(|&other| other == vertex).expect("it is on the stack");
                let mut knot = stack.split_off(start);
                for &member in &knot {
                    visits[member].as_mut().expect("it is visited").on_stack = false;
                }
                if knot.len() > 1 || graph[vertex].contains(&vertex) {
                    knot.sort_unstable();
                    found.push(knot);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

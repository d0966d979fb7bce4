//! Graphs that are made smaller without changing which vertices break all circles most cheaply.

use crate::graph::knots;
use std::collections::{BTreeMap, BTreeSet};

type Arcs = BTreeMap<usize, BTreeSet<usize>>;

/// A graph with the names of its vertices.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Per vertex: where its arcs lead, and where those that lead to it begin.
    after: Arcs,
    before: Arcs,
}

impl Kernel {
    /// What is left of a graph on some vertices.
    pub fn of(graph: &[Vec<usize>], vertices: &[usize]) -> Self {
        let kept: BTreeSet<usize> = vertices.iter().copied().collect();
        let next = |&vertex: &usize| {
            (vertex, graph[vertex].iter().copied().filter(|next| kept.contains(next)).collect())
        };
        Self::with(kept.iter().map(next).collect())
    }

    fn with(after: Arcs) -> Self {
        let mut before: Arcs = after.keys().map(|&vertex| (vertex, BTreeSet::new())).collect();
        for (&vertex, next) in &after {
            for next in next {
                before.get_mut(next).expect("it is a vertex").insert(vertex);
            }
        }
        Kernel { after, before }
    }

    /// Whether it has no vertices.
    pub fn is_empty(&self) -> bool {
        self.after.is_empty()
    }

    /// The number of arcs.
    pub fn arcs(&self) -> usize {
        self.after.values().map(BTreeSet::len).sum()
    }

    fn remove(&mut self, vertex: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (before, after) =
            (self.before.remove(&vertex).unwrap_or_default(), self.after.remove(&vertex).unwrap_or_default());
        for other in before.iter().filter(|&&other| other != vertex) {
            self.after.get_mut(other).expect("it is a vertex").remove(&vertex);
        }
        for other in after.iter().filter(|&&other| other != vertex) {
            self.before.get_mut(other).expect("it is a vertex").remove(&vertex);
        }
        (before, after)
    }

    /// Leaves a vertex out that is in no set: whoever led to it leads to where it leads.
    fn bypass(&mut self, vertex: usize) {
        let (before, after) = self.remove(vertex);
        for &from in &before {
            self.after.get_mut(&from).expect("it is a vertex").extend(&after);
        }
        for &to in &after {
            self.before.get_mut(&to).expect("it is a vertex").extend(&before);
        }
    }

    /// The graph without a vertex that is in the set.
    pub fn without(&self, vertex: usize) -> Self {
        let mut rest = self.clone();
        rest.remove(vertex);
        rest
    }

    /// The graph of the sets that a vertex is not in, which has no arc to itself.
    pub fn bypassed(&self, vertex: usize) -> Self {
        let mut rest = self.clone();
        rest.bypass(vertex);
        rest
    }

    /// Makes the graph smaller until nothing is plain any more; the vertices that are in a cheapest set.
    pub fn reduce(&mut self, weights: &[u64]) -> Vec<usize> {
        let mut forced = Vec::new();
        loop {
            let mut changed = false;
            for vertex in self.after.keys().copied().collect::<Vec<_>>() {
                let (after, before) = (&self.after[&vertex], &self.before[&vertex]);
                let only = |arcs: &BTreeSet<usize>| arcs.first().copied().filter(|_| arcs.len() == 1);
                // Whatever circle goes through the vertex goes through its only neighbour as well.
                let stands_for = |other: usize| weights[other] <= weights[vertex];
                if after.contains(&vertex) {
                    self.remove(vertex);
                    forced.push(vertex);
                } else if after.is_empty() || before.is_empty() {
                    self.remove(vertex);
                } else if only(after).is_some_and(stands_for) || only(before).is_some_and(stands_for) {
                    self.bypass(vertex);
                } else {
                    continue;
                }
                changed = true;
            }
            if !changed {
                return forced;
            }
        }
    }

    /// With vertices numbered, and their names.
    pub fn numbered(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let names: Vec<usize> = self.after.keys().copied().collect();
        let number = |name: &usize| names.binary_search(name).expect("it is a vertex");
        (self.after.values().map(|next| next.iter().map(number).collect()).collect(), names)
    }

    /// The strongly connected components; what is in none of several vertices is on no circle.
    pub fn split(&self) -> Vec<Self> {
        let (graph, names) = self.numbered();
        let part = |knot: Vec<usize>| {
            let kept: BTreeSet<usize> = knot.into_iter().map(|vertex| names[vertex]).collect();
            let next = |&vertex: &usize| (vertex, self.after[&vertex].intersection(&kept).copied().collect());
            Self::with(kept.iter().map(next).collect())
        };
        knots(&graph).into_iter().map(part).collect()
    }

    /// The vertex that most ways lead through, for its weight.
    pub fn busiest(&self, weights: &[u64]) -> usize {
        let ways = |vertex: usize| (self.after[&vertex].len() * self.before[&vertex].len()) as u64;
        let key = |&&vertex: &&usize| (ways(vertex) * 1000 / weights[vertex].max(1), vertex);
        *self.after.keys().max_by_key(key).expect("it is not empty")
    }
}

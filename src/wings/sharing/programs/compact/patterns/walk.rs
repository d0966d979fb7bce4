//! Patterns of a kind of server that are worth more than a threshold, depth first.
//!
//! A node is a pattern; its children have more of one type, which comes later in the order. What can still be added is bounded by
//! [`Completions`], also while types are passed over: from where the bound is no longer above the threshold no child is of interest.

use super::completions::Completions;
use super::steps::{Step, Steps};
use super::types::Types;

/// Nodes between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 1 << 14;

/// A search for valuable patterns.
pub struct Walk<'s> {
    types: &'s Types<'s>,
    steps: &'s Steps,
    completions: &'s Completions,
    /// Only patterns that are worth more are of interest.
    pub threshold: i64,
    /// Nodes left.
    pub nodes: u64,
    stops: &'s dyn Fn() -> bool,
    resources: Vec<Option<i128>>,
    /// By loose class whether it is here.
    here: Vec<bool>,
    /// Types and numbers, in the order of the steps.
    held: Vec<(usize, u32)>,
}

/// What is on the server so far.
#[derive(Clone, Copy)]
struct Node {
    /// The next step.
    position: usize,
    /// How many nested classes of its type are here.
    state: usize,
    value: i64,
    /// Pages left.
    pages: i64,
    /// What the loose classes that are here give back of the shares of later types.
    credit: i64,
}

impl<'s> Walk<'s> {
    /// A search that completes a server on which something of a value is already.
    pub fn new(
        types: &'s Types<'s>,
        (steps, completions): (&'s Steps, &'s Completions),
        threshold: i64,
        nodes: u64,
        stops: &'s dyn Fn() -> bool,
    ) -> Self {
        Walk {
            types,
            steps,
            completions,
            threshold,
            nodes,
            stops,
            resources: steps.resources.clone(),
            here: vec![false; steps.loose],
            held: Vec::new(),
        }
    }

    /// Visits the patterns, until the visitor has enough; whether the search is complete. What is on the server already is worth `value`. The
    /// visitor may raise the threshold.
    pub fn run(&mut self, value: i64, visit: &mut dyn FnMut(&mut Self, i64) -> bool) -> bool {
        self.visit(Node { position: 0, state: 0, value, pages: self.steps.pages, credit: 0 }, visit)
    }

    /// What is added to the server.
    pub fn added(&self) -> &[(usize, u32)] {
        &self.held
    }

    fn visit(&mut self, mut node: Node, visit: &mut dyn FnMut(&mut Self, i64) -> bool) -> bool {
        if self.nodes == 0 || (self.nodes.is_multiple_of(NODES_BETWEEN_LOOKS) && (self.stops)()) {
            return false;
        }
        self.nodes -= 1;
        if node.value > self.threshold && !visit(self, node.value) {
            return false;
        }
        let steps: &'s [Step] = &self.steps.steps;
        for step in &steps[node.position..] {
            let pages = node.pages + node.credit;
            let more = self.completions.most(node.position, node.state, pages, &self.resources);
            if node.value + more <= self.threshold {
                return true;
            }
            if !self.take(step, node, visit) {
                return false;
            }
            for loose in step.loose.iter().filter(|loose| self.here[loose.position]) {
                node.credit += loose.after - loose.before;
            }
            node.state = node.state.min(step.common);
            node.position += 1;
        }
        true
    }

    /// Visits the children with more of a type.
    fn take(&mut self, step: &Step, node: Node, visit: &mut dyn FnMut(&mut Self, i64) -> bool) -> bool {
        let (mut pages, mut credit) = (node.pages, node.credit);
        pages -= step.private + step.nested[node.state..].iter().sum::<i64>();
        for loose in &step.loose {
            if self.here[loose.position] {
                credit += loose.after - loose.before;
            } else {
                credit += loose.after;
                pages -= loose.pages;
            }
        }
        if pages < 0 || !self.request(step) {
            return true;
        }
        let new: Vec<usize> =
            step.loose.iter().map(|loose| loose.position).filter(|&class| !self.here[class]).collect();
        new.iter().for_each(|&class| self.here[class] = true);
        self.held.push((step.vm_type, 0));
        let (mut number, mut goes_on) = (0, true);
        loop {
            number += 1;
            self.held.last_mut().expect("it was added").1 = number;
            let child = Node {
                position: node.position + 1,
                state: step.common,
                value: node.value + step.price * i64::from(number),
                pages,
                credit,
            };
            let more = self.completions.most(child.position, child.state, pages + credit, &self.resources);
            if child.value + more > self.threshold {
                goes_on = goes_on && self.visit(child, visit);
            }
            pages -= step.private;
            if !goes_on || number == step.most || pages < 0 || !self.request(step) {
                break;
            }
        }
        self.held.pop();
        new.iter().for_each(|&class| self.here[class] = false);
        (0..number).for_each(|_| self.give_back(step));
        goes_on
    }

    /// Takes what one of a type requests, if there is enough of everything.
    fn request(&mut self, step: &Step) -> bool {
        let request = self.types.units.request(self.types.example(step.vm_type));
        let enough = |(left, request): (&Option<i128>, &i128)| left.is_none_or(|left| left >= *request);
        if !self.resources.iter().zip(request).all(enough) {
            return false;
        }
        for (left, request) in self.resources.iter_mut().zip(request) {
            *left = left.map(|left| left - request);
        }
        true
    }

    fn give_back(&mut self, step: &Step) {
        let request = self.types.units.request(self.types.example(step.vm_type));
        for (left, request) in self.resources.iter_mut().zip(request) {
            *left = left.map(|left| left + request);
        }
    }
}

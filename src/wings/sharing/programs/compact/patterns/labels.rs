//! The most valuable pattern of a kind of server, by labels: partial patterns, type by type, of which the most promising ones are kept.
//!
//! What a label and its completions are worth at most is known from [`Completions`]. Labels that cannot lead above the best pattern known go;
//! where too many are left, those that promise least are given up, and what they promise is what stays unproved.

use super::completions::Completions;
use super::pattern::Pattern;
use super::steps::{Loose, Step, Steps};
use super::types::Types;
use std::cmp::Reverse;

/// What a search by labels found.
pub struct Labelled {
    /// No pattern is worth more.
    pub most: i64,
    /// Patterns that are worth more than what was known, the best first.
    pub patterns: Vec<Pattern>,
    /// How many labels there were.
    pub labels: u64,
}

/// Patterns that are told at most.
const MOST_PATTERNS: usize = 20;

/// A partial pattern.
#[derive(Clone, Copy)]
struct Label {
    value: i64,
    /// What its completions are worth at most.
    bound: i64,
    /// Pages left.
    pages: i64,
    /// What the loose classes that are here give back of the shares of later types.
    credit: i64,
    /// How many nested classes of the next type are here.
    state: usize,
    /// Its last entry in the history.
    last: u32,
}

/// Labels with what they take of resources and which loose classes are here.
#[derive(Default)]
struct Layer {
    labels: Vec<Label>,
    resources: Vec<Option<i128>>,
    held: Vec<u64>,
}

/// A search for the most valuable pattern.
pub struct Labelling<'s> {
    pub types: &'s Types<'s>,
    pub steps: &'s Steps,
    pub completions: &'s Completions,
    /// Whether to give up.
    pub stops: &'s dyn Fn() -> bool,
}

/// A type on a label, and the entry before.
struct Entry {
    before: u32,
    vm_type: usize,
    number: u32,
}

impl Labelling<'_> {
    /// Looks for patterns that are worth more than `known`, with at most so many labels at a time.
    pub fn run(&self, known: i64, beam: usize) -> Labelled {
        let words = self.steps.loose.div_ceil(64);
        let empty =
            Label { value: 0, bound: i64::MAX, pages: self.steps.pages, credit: 0, state: 0, last: 0 };
        let mut layer =
            Layer { labels: vec![empty], resources: self.steps.resources.clone(), held: vec![0; words] };
        let mut history = vec![Entry { before: 0, vm_type: 0, number: 0 }];
        let (mut given_up, mut labels) = (i64::MIN, 0);
        for (position, step) in self.steps.steps.iter().enumerate() {
            let mut next = Layer::default();
            for index in 0..layer.labels.len() {
                self.extend(&layer, index, (position, step), known, &mut next, &mut history);
            }
            labels += next.labels.len() as u64;
            let room = if (self.stops)() { 0 } else { beam };
            if next.labels.len() > room {
                given_up = given_up.max(next.keep(room));
            }
            layer = next;
        }
        let mut ends: Vec<Label> = layer.labels.into_iter().filter(|label| label.value > known).collect();
        ends.sort_by_key(|label| (Reverse(label.value), label.last));
        let best = ends.first().map_or(known, |label| label.value);
        ends.truncate(MOST_PATTERNS);
        let patterns = ends.iter().map(|label| pattern(&history, label.last)).collect();
        Labelled { most: best.max(given_up), patterns, labels }
    }

    /// Adds every number of a type to a label.
    fn extend(
        &self,
        layer: &Layer,
        index: usize,
        (position, step): (usize, &Step),
        known: i64,
        next: &mut Layer,
        history: &mut Vec<Entry>,
    ) {
        let label = layer.labels[index];
        let (held, resources) = (layer.held_by(index), layer.left_to(index));
        let is_here = |class: usize| held[class / 64] >> (class % 64) & 1 == 1;
        let bound = |label: &Label, resources: &[Option<i128>]| {
            let pages = label.pages + label.credit;
            label.value + self.completions.most(position + 1, label.state, pages, resources)
        };
        let (mut credit, mut credit_with, mut brought) = (label.credit, label.credit, 0);
        for loose in &step.loose {
            if is_here(loose.position) {
                credit += loose.after - loose.before;
                credit_with += loose.after - loose.before;
            } else {
                credit_with += loose.after;
                brought += loose.pages;
            }
        }
        let skipped = Label { credit, state: label.state.min(step.common), ..label };
        let skipped = Label { bound: bound(&skipped, resources), ..skipped };
        if skipped.bound > known {
            next.push(skipped, resources, held, &[]);
        }
        brought += step.nested[label.state..].iter().sum::<i64>();
        let mut taken =
            Label { pages: label.pages - brought, credit: credit_with, state: step.common, ..label };
        let mut left = resources.to_vec();
        let request = self.types.units.request(self.types.example(step.vm_type));
        for number in 1..=step.most {
            taken.pages -= step.private;
            taken.value += step.price;
            let mut fits = taken.pages >= 0;
            for (left, request) in left.iter_mut().zip(request) {
                *left = left.map(|left| left - request);
                fits &= left.is_none_or(|left| left >= 0);
            }
            if !fits {
                break;
            }
            taken.bound = bound(&taken, &left);
            if taken.bound > known {
                let last = u32::try_from(history.len()).expect("labels are limited");
                history.push(Entry { before: label.last, vm_type: step.vm_type, number });
                next.push(Label { last, ..taken }, &left, held, &step.loose);
            }
        }
    }
}

impl Layer {
    fn held_by(&self, index: usize) -> &[u64] {
        let words = self.held.len() / self.labels.len();
        &self.held[index * words..(index + 1) * words]
    }

    fn left_to(&self, index: usize) -> &[Option<i128>] {
        let number = self.resources.len() / self.labels.len();
        &self.resources[index * number..(index + 1) * number]
    }

    fn push(&mut self, label: Label, resources: &[Option<i128>], held: &[u64], new: &[Loose]) {
        let start = self.held.len();
        self.labels.push(label);
        self.resources.extend_from_slice(resources);
        self.held.extend_from_slice(held);
        let here = &mut self.held[start..];
        new.iter().for_each(|loose| here[loose.position / 64] |= 1 << (loose.position % 64));
    }

    /// Keeps the labels that promise most; what the others promise.
    fn keep(&mut self, number: usize) -> i64 {
        let promise = |&index: &usize| {
            let label = &self.labels[index];
            (Reverse((label.bound, label.value)), index)
        };
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.select_nth_unstable_by_key(number, promise);
        let given_up = self.labels[order[number]].bound;
        order.truncate(number);
        order.sort_unstable();
        let mut kept = Layer::default();
        for index in order {
            kept.push(self.labels[index], self.left_to(index), self.held_by(index), &[]);
        }
        *self = kept;
        given_up
    }
}

/// What the history of a label says.
fn pattern(history: &[Entry], last: u32) -> Pattern {
    let mut held = Vec::new();
    let mut entry = &history[last as usize];
    while entry.number > 0 {
        held.push((entry.vm_type, entry.number));
        entry = &history[entry.before as usize];
    }
    held.sort_unstable();
    Pattern(held)
}

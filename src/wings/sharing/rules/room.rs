//! What is left of a server that is being filled with virtual machines.

use crate::instance::PageClass;
use std::ops::{Add, Sub};

/// What is left of a server. `Q` is what resources other than memory are counted in.
#[derive(Clone)]
pub struct Room<Q> {
    /// What is left of each resource; `None` where it is not limited.
    pub resources: Vec<Option<Q>>,
    /// Pages left.
    pub pages: u64,
    /// How many of the VMs here need the pages of a class; empty as long as none does.
    holders: Vec<u32>,
}

/// What a virtual machine needs.
#[derive(Clone, Copy)]
pub struct Need<'n, Q> {
    /// Request by resource.
    pub request: &'n [Q],
    /// Pages, shared or not.
    pub pages: u64,
    /// Positions of the page classes that it is in; empty where sharing is not considered.
    pub classes: &'n [usize],
}

impl<Q: Copy + PartialOrd + Add<Output = Q> + Sub<Output = Q>> Room<Q> {
    /// An empty server.
    pub fn new(resources: Vec<Option<Q>>, pages: u64) -> Self {
        Room { resources, pages, holders: Vec::new() }
    }

    /// Whether a VM here needs the pages of a class.
    pub fn holds(&self, class: usize) -> bool {
        self.holders.get(class).is_some_and(|&number| number > 0)
    }

    /// Pages of what a virtual machine needs that are here already.
    pub fn shared(&self, need: &Need<'_, Q>, classes: &[PageClass]) -> u64 {
        if self.holders.is_empty() {
            return 0;
        }
        need.classes.iter().filter(|&&class| self.holds(class)).map(|&class| classes[class].pages).sum()
    }

    /// Whether there is room for a virtual machine.
    pub fn fits(&self, need: &Need<'_, Q>, classes: &[PageClass]) -> bool {
        let enough = |(left, request): (&Option<Q>, &Q)| left.is_none_or(|left| *request <= left);
        self.resources.iter().zip(need.request).all(enough)
            && (need.pages <= self.pages || need.pages <= self.pages + self.shared(need, classes))
    }

    /// Takes what a virtual machine that fits needs off what is left.
    pub fn claim(&mut self, need: &Need<'_, Q>, classes: &[PageClass]) {
        for (left, request) in self.resources.iter_mut().zip(need.request) {
            *left = left.map(|left| left - *request);
        }
        self.pages -= need.pages - self.shared(need, classes);
        if !need.classes.is_empty() {
            self.holders.resize(classes.len(), 0);
        }
        for &class in need.classes {
            self.holders[class] += 1;
        }
    }

    /// Undoes [`claim`](Room::claim).
    pub fn release(&mut self, need: &Need<'_, Q>, classes: &[PageClass]) {
        for (left, request) in self.resources.iter_mut().zip(need.request) {
            *left = left.map(|left| left + *request);
        }
        for &class in need.classes {
            self.holders[class] -= 1;
        }
        self.pages += need.pages - self.shared(need, classes);
    }
}

//! Allocations of all inference tasks together.

use super::worth::{Offer, Worth};
use crate::instance::{Allocation, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Positions of the offers that the inference tasks have, by model.
pub type Joint = Vec<usize>;

/// Joint allocations that fit beside the same retrainings.
pub struct JointList {
    /// Each serves more than others of the same signatures for some model; in ascending order of the positions.
    pub all: Vec<Joint>,
    /// Those of them that serve more than any other for some model: the most valuable one is among them where no
    /// reconfiguration costs anything.
    pub front: Vec<Joint>,
}

/// Lists of joint allocations, made when they are first asked for.
pub struct Joints<'w> {
    problem: &'w Problem,
    worth: &'w Worth,
    known: BTreeMap<BTreeSet<Allocation>, Rc<JointList>>,
}

impl<'w> Joints<'w> {
    /// Without a list so far.
    pub fn new(problem: &'w Problem, worth: &'w Worth) -> Self {
        Joints { problem, worth, known: BTreeMap::new() }
    }

    /// What fits beside these instances of running retrainings.
    pub fn beside(&mut self, running: &Allocation) -> Rc<JointList> {
        self.beside_each(&BTreeSet::from([running.clone()]))
    }

    /// What fits beside each of these sets of instances of running retrainings.
    pub fn beside_each(&mut self, running: &BTreeSet<Allocation>) -> Rc<JointList> {
        if let Some(list) = self.known.get(running) {
            return Rc::clone(list);
        }
        let mut found = Vec::new();
        self.extend(running, &self.problem.gpu.nothing(), &mut Vec::new(), &mut found);
        let list = Rc::new(self.list(found));
        self.known.insert(running.clone(), Rc::clone(&list));
        list
    }

    fn extend(
        &self,
        running: &BTreeSet<Allocation>,
        used: &Allocation,
        chosen: &mut Joint,
        found: &mut Vec<Joint>,
    ) {
        let Some(task) = self.worth.tasks.get(chosen.len()) else {
            found.push(chosen.clone());
            return;
        };
        for (position, offer) in task.offers.iter().enumerate() {
            let more = used.plus(&offer.allocation);
            if running.iter().all(|running| self.problem.gpu.fits(&more.plus(running))) {
                chosen.push(position);
                self.extend(running, &more, chosen, found);
                chosen.pop();
            }
        }
    }

    fn list(&self, found: Vec<Joint>) -> JointList {
        let mut by_signatures: BTreeMap<Vec<u16>, Vec<Joint>> = BTreeMap::new();
        for joint in found {
            let signatures = self.offers(&joint).map(|offer| offer.signature).collect();
            by_signatures.entry(signatures).or_default().push(joint);
        }
        let mut all: Vec<Joint> = by_signatures.into_values().flat_map(|alike| self.front(alike)).collect();
        all.sort_unstable();
        let front = self.front(all.clone());
        JointList { all, front }
    }

    /// Of joint allocations those that no other one equals or exceeds for every model; of equals the first.
    fn front(&self, mut joints: Vec<Joint>) -> Vec<Joint> {
        let capabilities = |joint: &Joint| self.offers(joint).map(|offer| offer.rank).collect::<Vec<_>>();
        joints.sort_by_cached_key(|joint| std::cmp::Reverse(capabilities(joint)));
        let mut front: Vec<(Vec<u16>, Joint)> = Vec::new();
        for joint in joints {
            let serves = capabilities(&joint);
            let exceeds =
                |(more, _): &(Vec<u16>, Joint)| more.iter().zip(&serves).all(|(more, less)| more >= less);
            if !front.iter().any(exceeds) {
                front.push((serves, joint));
            }
        }
        front.into_iter().map(|(_, joint)| joint).collect()
    }

    fn offers<'j>(&'j self, joint: &'j Joint) -> impl Iterator<Item = &'j Offer> {
        self.worth.tasks.iter().zip(joint).map(|(task, &position)| &task.offers[position])
    }
}

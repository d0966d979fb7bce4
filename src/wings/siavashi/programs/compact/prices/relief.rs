//! Exchanges between machines, so that those that lack cores or memory lack less.

use super::additions::{Addition, Class};
use super::budgets::{Budgets, Needs, difference};
use crate::instance::{MachineIndex, Problem};
use cluster::{GpuIndex, WorkloadIndex};
use std::collections::BTreeMap;

/// Less than this is rounding.
const NOTHING: f64 = 1e-12;

/// What comes to a GPU.
pub struct Settled {
    /// Its machine.
    pub machine: MachineIndex,
    /// The GPU.
    pub gpu: GpuIndex,
    /// What comes.
    pub addition: Addition,
}

/// What can be exchanged, by positions among what is settled; of workloads, theirs in the additions, too.
#[derive(Clone, Copy)]
enum Exchange {
    Additions(usize, usize),
    Workloads((usize, usize), (usize, usize)),
    Shift((usize, usize), usize),
}

/// Exchanges additions of one class, or workloads of one shape, or shifts what shares a GPU to another one that has room, as long as a
/// machine that lacks something then lacks less and all machines together do.
pub fn relieve(
    problem: &Problem,
    budgets: &mut Budgets,
    classes: &[Class<'_>],
    shape_of: &BTreeMap<WorkloadIndex, usize>,
    settled: &mut [Settled],
) {
    let relief = |budgets: &Budgets, settled: &[Settled]| {
        let of_machine = |machine| Relief { problem, budgets, classes, shape_of, settled, machine }.best();
        budgets.lacking().into_iter().find_map(of_machine)
    };
    while let Some((exchange, more)) = relief(budgets, settled) {
        let (from, to) = exchange.between();
        budgets.take(settled[from].machine, more.map(|more| -more));
        budgets.take(settled[to].machine, more);
        exchange.apply(budgets, shape_of, settled);
    }
}

/// The search for an exchange that relieves a machine.
struct Relief<'r> {
    problem: &'r Problem,
    budgets: &'r Budgets,
    classes: &'r [Class<'r>],
    shape_of: &'r BTreeMap<WorkloadIndex, usize>,
    settled: &'r [Settled],
    machine: MachineIndex,
}

impl Relief<'_> {
    /// The exchange after which all machines together lack least, with what the other machine then gives more; none if none helps.
    fn best(&self) -> Option<(Exchange, Needs)> {
        let mut best: Option<(f64, Exchange, Needs)> = None;
        let is_here = |&position: &usize| self.settled[position].machine == self.machine;
        for from in (0..self.settled.len()).filter(is_here) {
            for to in (0..self.settled.len()).filter(|to| !is_here(to)) {
                self.between(from, to, &mut |exchange, more| {
                    let gain = self.gain(self.settled[to].machine, more);
                    if gain > best.as_ref().map_or(NOTHING, |best| best.0) {
                        best = Some((gain, exchange, more));
                    }
                });
            }
        }
        best.map(|(_, exchange, more)| (exchange, more))
    }

    /// By how much two machines lack less if the other one gives so much more, and this one so much less.
    fn gain(&self, other: MachineIndex, more: Needs) -> f64 {
        let lack = |machine, more| self.budgets.lack(machine, more);
        let before = lack(self.machine, [0; 2]) + lack(other, [0; 2]);
        before - lack(self.machine, more.map(|more| -more)) - lack(other, more)
    }

    /// What can be exchanged between two GPUs, with what the machine of the second then gives more.
    fn between(&self, from: usize, to: usize, offer: &mut dyn FnMut(Exchange, Needs)) {
        let (one, other) = (&self.settled[from].addition, &self.settled[to].addition);
        if one.class == other.class && one.only.is_none() && other.only.is_none() {
            offer(Exchange::Additions(from, to), difference(one.needs, other.needs));
        }
        for (position, &workload) in one.workloads.iter().enumerate() {
            if !self.is_free(one, workload) {
                continue;
            }
            let (shape, needs) = (self.shape_of[&workload], self.budgets.of(workload));
            for (with, &partner) in other.workloads.iter().enumerate() {
                if self.shape_of[&partner] == shape && self.is_free(other, partner) {
                    let more = difference(needs, self.budgets.of(partner));
                    offer(Exchange::Workloads((from, position), (to, with)), more);
                }
            }
            let helps = self.gain(self.settled[to].machine, needs) > NOTHING;
            if helps && one.only.is_none() && other.only.is_none() && other.has_room(self.classes, shape) {
                offer(Exchange::Shift((from, position), to), needs);
            }
        }
    }

    /// Whether it costs nothing to send a workload elsewhere: where only one machine may take something, residents may have come from there.
    fn is_free(&self, addition: &Addition, workload: WorkloadIndex) -> bool {
        addition.only.is_none() || self.problem.current(workload).is_none()
    }
}

impl Exchange {
    /// The positions of the two GPUs.
    fn between(self) -> (usize, usize) {
        match self {
            Exchange::Additions(from, to)
            | Exchange::Workloads((from, _), (to, _))
            | Exchange::Shift((from, _), to) => (from, to),
        }
    }

    fn apply(self, budgets: &Budgets, shape_of: &BTreeMap<WorkloadIndex, usize>, settled: &mut [Settled]) {
        let (from, to) = self.between();
        let [one, other] = settled.get_disjoint_mut([from, to]).expect("these are two GPUs");
        match self {
            Exchange::Additions(..) => std::mem::swap(&mut one.addition, &mut other.addition),
            Exchange::Workloads((_, position), (_, with)) => {
                let workload = one.addition.workloads[position];
                let partner = other.addition.workloads[with];
                let more = difference(budgets.of(workload), budgets.of(partner));
                one.addition.needs = difference(one.addition.needs, more);
                other.addition.needs = difference(other.addition.needs, more.map(|more| -more));
                one.addition.workloads[position] = partner;
                other.addition.workloads[with] = workload;
            }
            Exchange::Shift((_, position), _) => {
                let workload = one.addition.workloads[position];
                let shape = shape_of[&workload];
                one.addition.remove(budgets, workload, shape);
                other.addition.add(budgets, workload, shape);
            }
        }
    }
}

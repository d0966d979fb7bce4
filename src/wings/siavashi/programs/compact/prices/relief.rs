//! Exchanges between machines, so that those that lack cores or memory lack less.

use super::additions::{Addition, Alike, Changes};
use super::budgets::{Budgets, NOTHING, Needs, difference};
use crate::instance::MachineIndex;
use cluster::{GpuIndex, WorkloadIndex};
use std::iter::once;

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
pub enum Exchange {
    /// Additions of one class.
    Additions(usize, usize),
    /// Workloads of one kind.
    Workloads((usize, usize), (usize, usize)),
    /// A workload that shares a GPU, for nothing: it goes to another one that has room.
    Shift((usize, usize), usize),
}

/// Makes the exchange that helps most as long as a machine that lacks something then lacks less and all machines together do.
pub fn relieve(budgets: &mut Budgets, changes: &Changes<'_>, settled: &mut [Settled]) {
    let best = |budgets: &Budgets, settled: &[Settled]| {
        let relief = Relief { budgets, changes, settled };
        let best = |machine| relief.best(machine).map(|exchange| (exchange, relief.more(exchange)));
        budgets.lacking().into_iter().find_map(best)
    };
    while let Some((exchange, more)) = best(budgets, settled) {
        let (from, to) = exchange.between();
        budgets.shift(settled[from].machine, settled[to].machine, more);
        exchange.apply(budgets, changes.alike, settled);
    }
}

/// What exchanges are judged by.
pub struct Relief<'r> {
    /// What machines have left.
    pub budgets: &'r Budgets,
    /// What stays.
    pub changes: &'r Changes<'r>,
    /// What comes.
    pub settled: &'r [Settled],
}

impl Relief<'_> {
    /// The exchange of a machine with another one after which all machines together lack least; none if none helps.
    fn best(&self, machine: MachineIndex) -> Option<Exchange> {
        let mut best: Option<(f64, Exchange)> = None;
        let is_here = |&position: &usize| self.settled[position].machine == machine;
        for from in (0..self.settled.len()).filter(is_here) {
            for to in (0..self.settled.len()).filter(|to| !is_here(to)) {
                for exchange in self.all_between(from, to) {
                    let gain = self.budgets.gain(machine, self.settled[to].machine, self.more(exchange));
                    if gain > best.as_ref().map_or(NOTHING, |best| best.0) && self.is_possible(exchange) {
                        best = Some((gain, exchange));
                    }
                }
            }
        }
        best.map(|(_, exchange)| exchange)
    }

    /// The exchanges between two GPUs, possible or not.
    fn all_between(&self, from: usize, to: usize) -> impl Iterator<Item = Exchange> {
        let number_of = |position: usize| self.settled[position].addition.workloads.len();
        let partners = number_of(to);
        let of_workload = move |position: usize| {
            let workloads = (0..partners).map(move |with| Exchange::Workloads((from, position), (to, with)));
            workloads.chain(once(Exchange::Shift((from, position), to)))
        };
        once(Exchange::Additions(from, to)).chain((0..number_of(from)).flat_map(of_workload))
    }

    /// What the machine of the second GPU gives more after an exchange, and that of the first one less.
    pub fn more(&self, exchange: Exchange) -> Needs {
        let needs_of =
            |(at, position): (usize, usize)| self.budgets.of(self.settled[at].addition.workloads[position]);
        match exchange {
            Exchange::Additions(from, to) => {
                difference(self.settled[from].addition.needs, self.settled[to].addition.needs)
            }
            Exchange::Workloads(one, other) => difference(needs_of(one), needs_of(other)),
            Exchange::Shift(one, _) => needs_of(one),
        }
    }

    /// Whether an exchange leaves GPUs with what they can hold, and costs nothing.
    pub fn is_possible(&self, exchange: Exchange) -> bool {
        let (from, to) = exchange.between();
        let (one, other) = (&self.settled[from].addition, &self.settled[to].addition);
        let kind_of = |workload| self.changes.alike.kind_of(workload);
        match exchange {
            Exchange::Additions(..) => one.class == other.class && !one.is_bound && !other.is_bound,
            Exchange::Workloads((_, position), (_, with)) => {
                let (workload, partner) = (one.workloads[position], other.workloads[with]);
                let are_alike = kind_of(workload) == kind_of(partner);
                are_alike && self.is_free(one, workload) && self.is_free(other, partner)
            }
            Exchange::Shift((_, position), _) => {
                // A GPU that holds nothing would come into use.
                let may_be_shifted = !one.is_bound && !other.is_bound && !other.is_empty();
                may_be_shifted && self.changes.has_room(other, kind_of(one.workloads[position]))
            }
        }
    }

    /// Whether it costs nothing to send a workload elsewhere: where something leaves a GPU, residents may have come from there.
    fn is_free(&self, addition: &Addition, workload: WorkloadIndex) -> bool {
        !addition.is_bound || self.changes.problem.current(workload).is_none()
    }
}

impl Exchange {
    /// The positions of the two GPUs.
    pub fn between(self) -> (usize, usize) {
        match self {
            Exchange::Additions(from, to)
            | Exchange::Workloads((from, _), (to, _))
            | Exchange::Shift((from, _), to) => (from, to),
        }
    }

    pub fn apply(self, budgets: &Budgets, alike: &Alike, settled: &mut [Settled]) {
        let (from, to) = self.between();
        let [one, other] = settled.get_disjoint_mut([from, to]).expect("these are two GPUs");
        let (one, other) = (&mut one.addition, &mut other.addition);
        match self {
            Exchange::Additions(..) => std::mem::swap(one, other),
            Exchange::Workloads((_, position), (_, with)) => {
                let (workload, partner) = (one.workloads[position], other.workloads[with]);
                one.replace(budgets, position, partner);
                other.replace(budgets, with, workload);
            }
            Exchange::Shift((_, position), _) => {
                let workload = one.workloads[position];
                let kind = alike.kind_of(workload);
                one.remove(budgets, workload, kind);
                other.add(budgets, workload, kind);
            }
        }
    }
}

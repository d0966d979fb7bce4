//! Exchanges between machines, so that those that lack cores or memory lack less.

use super::additions::{Addition, Alike, Changes};
use super::budgets::{Budgets, Needs, difference};
use crate::instance::{MachineIndex, Problem};
use cluster::{GpuIndex, WorkloadIndex};

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

/// Exchanges additions of one class, or workloads of one kind, or shifts what shares a GPU to another one that has room, as long as a
/// machine that lacks something then lacks less and all machines together do.
pub fn relieve(problem: &Problem, budgets: &mut Budgets, changes: &Changes<'_>, settled: &mut [Settled]) {
    let relief = |budgets: &Budgets, settled: &[Settled]| {
        let of_machine = |machine| Relief { problem, budgets, changes, settled, machine }.best();
        budgets.lacking().into_iter().find_map(of_machine)
    };
    while let Some((exchange, more)) = relief(budgets, settled) {
        let (from, to) = exchange.between();
        budgets.take(settled[from].machine, more.map(|more| -more));
        budgets.take(settled[to].machine, more);
        exchange.apply(budgets, changes.alike, settled);
    }
}

/// A resident that leaves for a newcomer of its kind that needs less.
struct Replacement {
    /// The resident's machine and GPU, and its position among what stays there.
    machine: MachineIndex,
    gpu: GpuIndex,
    position: usize,
    /// The position of the newcomer's GPU among what is settled, and its own in the addition.
    to: usize,
    with: usize,
    /// What the newcomer's machine then gives more.
    more: Needs,
}

/// Lets residents leave machines that lack something for newcomers of their kind that need less, as long as all machines together then lack
/// less.
pub fn replace(problem: &Problem, budgets: &mut Budgets, changes: &mut Changes<'_>, settled: &mut [Settled]) {
    let best = |budgets: &Budgets, changes: &Changes<'_>, settled: &[Settled]| {
        let of_machine = |machine| Relief { problem, budgets, changes, settled, machine }.replacement();
        budgets.lacking().into_iter().find_map(of_machine)
    };
    while let Some(Replacement { machine, gpu, position, to, with, more }) = best(budgets, changes, settled) {
        budgets.take(machine, more.map(|more| -more));
        budgets.take(settled[to].machine, more);
        let resident = &mut changes.stay.get_mut(&gpu).expect("residents stay")[position];
        let addition = &mut settled[to].addition;
        let newcomer = addition.workloads[with];
        addition.replace(budgets, with, *resident);
        *resident = newcomer;
    }
}

/// The search for an exchange that relieves a machine.
struct Relief<'r> {
    problem: &'r Problem,
    budgets: &'r Budgets,
    changes: &'r Changes<'r>,
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

    /// The resident of the machine and the newcomer to another one after whose exchange all machines together lack least; none if none helps.
    fn replacement(&self) -> Option<Replacement> {
        let mut best: Option<(f64, Replacement)> = None;
        let machine = self.machine;
        for &gpu in &self.problem.machine(machine).gpus {
            for (position, &resident) in self.changes.stay.get(&gpu).into_iter().flatten().enumerate() {
                for (to, with, newcomer) in self.newcomers_elsewhere(self.changes.alike.kind_of(resident)) {
                    let more = difference(self.budgets.of(resident), self.budgets.of(newcomer));
                    let gain = self.gain(self.settled[to].machine, more);
                    if gain > best.as_ref().map_or(NOTHING, |best| best.0) {
                        best = Some((gain, Replacement { machine, gpu, position, to, with, more }));
                    }
                }
            }
        }
        best.map(|(_, replacement)| replacement)
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
        let alike = self.changes.alike;
        if one.class == other.class && !one.is_bound && !other.is_bound {
            offer(Exchange::Additions(from, to), difference(one.needs, other.needs));
        }
        for (position, &workload) in one.workloads.iter().enumerate() {
            if !self.is_free(one, workload) {
                continue;
            }
            let (kind, needs) = (alike.kind_of(workload), self.budgets.of(workload));
            for (with, &partner) in other.workloads.iter().enumerate() {
                if alike.kind_of(partner) == kind && self.is_free(other, partner) {
                    let more = difference(needs, self.budgets.of(partner));
                    offer(Exchange::Workloads((from, position), (to, with)), more);
                }
            }
            let helps = self.gain(self.settled[to].machine, needs) > NOTHING;
            if helps && !one.is_bound && !other.is_bound && self.changes.has_room(other, kind) {
                offer(Exchange::Shift((from, position), to), needs);
            }
        }
    }

    /// The newcomers of a kind that come to other machines: among what is settled, in its addition, and which they are.
    fn newcomers_elsewhere(&self, kind: usize) -> impl Iterator<Item = (usize, usize, WorkloadIndex)> {
        let elsewhere =
            self.settled.iter().enumerate().filter(|(_, settled)| settled.machine != self.machine);
        let coming = elsewhere.flat_map(|(to, settled)| {
            settled.addition.workloads.iter().enumerate().map(move |(with, &workload)| (to, with, workload))
        });
        coming.filter(move |&(_, _, workload)| {
            self.problem.current(workload).is_none() && self.changes.alike.kind_of(workload) == kind
        })
    }

    /// Whether it costs nothing to send a workload elsewhere: where something leaves a GPU, residents may have come from there.
    fn is_free(&self, addition: &Addition, workload: WorkloadIndex) -> bool {
        !addition.is_bound || self.problem.current(workload).is_none()
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

    fn apply(self, budgets: &Budgets, alike: &Alike, settled: &mut [Settled]) {
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

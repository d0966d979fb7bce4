//! Residents that leave machines that lack cores or memory for newcomers that need less.

use super::additions::Changes;
use super::budgets::{Budgets, NOTHING, Needs, difference};
use super::relief::Settled;
use crate::instance::MachineIndex;
use cluster::{GpuIndex, WorkloadIndex};

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
pub fn replace(budgets: &mut Budgets, changes: &mut Changes<'_>, settled: &mut [Settled]) {
    let best = |budgets: &Budgets, changes: &Changes<'_>, settled: &[Settled]| {
        let search = Search { budgets, changes, settled };
        budgets.lacking().into_iter().find_map(|machine| search.best(machine))
    };
    while let Some(Replacement { machine, gpu, position, to, with, more }) = best(budgets, changes, settled) {
        budgets.shift(machine, settled[to].machine, more);
        let resident = &mut changes.stay.get_mut(&gpu).expect("residents stay")[position];
        let addition = &mut settled[to].addition;
        let newcomer = addition.workloads[with];
        addition.replace(budgets, with, *resident);
        *resident = newcomer;
    }
}

/// The search for a replacement.
struct Search<'s> {
    budgets: &'s Budgets,
    changes: &'s Changes<'s>,
    settled: &'s [Settled],
}

impl Search<'_> {
    /// The resident of a machine and the newcomer to another one after whose exchange all machines together lack least; none if none helps.
    fn best(&self, machine: MachineIndex) -> Option<Replacement> {
        let mut best: Option<(f64, Replacement)> = None;
        for &gpu in &self.changes.problem.machine(machine).gpus {
            for (position, &resident) in self.changes.stay.get(&gpu).into_iter().flatten().enumerate() {
                let kind = self.changes.alike.kind_of(resident);
                for (to, with, newcomer) in self.newcomers_elsewhere(machine, kind) {
                    let more = difference(self.budgets.of(resident), self.budgets.of(newcomer));
                    let gain = self.budgets.gain(machine, self.settled[to].machine, more);
                    if gain > best.as_ref().map_or(NOTHING, |best| best.0) {
                        best = Some((gain, Replacement { machine, gpu, position, to, with, more }));
                    }
                }
            }
        }
        best.map(|(_, replacement)| replacement)
    }

    /// The newcomers of a kind that come to other machines: among what is settled, in its addition, and which they are.
    fn newcomers_elsewhere(
        &self,
        machine: MachineIndex,
        kind: usize,
    ) -> impl Iterator<Item = (usize, usize, WorkloadIndex)> {
        let elsewhere =
            self.settled.iter().enumerate().filter(move |(_, settled)| settled.machine != machine);
        let coming = elsewhere.flat_map(|(to, settled)| {
            settled.addition.workloads.iter().enumerate().map(move |(with, &workload)| (to, with, workload))
        });
        coming.filter(move |&(_, _, workload)| {
            self.changes.problem.current(workload).is_none() && self.changes.alike.kind_of(workload) == kind
        })
    }
}

//! The machines of a trace, and which of them are alike.

use crate::cluster::{Amount, BoardIndex, Cluster, GpuIndex, HostIndex};
use crate::model::siavashi::heuristic::Fleet;
use std::collections::BTreeMap;

/// A host with its GPUs, or a GPU outside any host.
pub struct Machine {
    /// The host, if it is one.
    pub host: Option<HostIndex>,
    /// Its GPUs in global order.
    pub gpus: Vec<GpuIndex>,
    /// Number of the class of machines that are alike.
    class: usize,
}

/// All machines of a trace that have GPUs, in global order.
pub struct Machines {
    all: Vec<Machine>,
    classes: usize,
}

/// What machines have in common that are alike.
type Likeness = (bool, Vec<BoardIndex>, Option<Amount>, Option<Amount>);

impl Machines {
    /// The machines of a cluster.
    pub fn of(cluster: &Cluster) -> Self {
        let mut of_host: Vec<Vec<GpuIndex>> = vec![Vec::new(); cluster.hosts.len()];
        let mut groups: Vec<(Option<HostIndex>, Vec<GpuIndex>)> = Vec::new();
        for gpu in cluster.gpu_indices() {
            match cluster.gpus[gpu.index()].host {
                Some(host) => of_host[host.index()].push(gpu),
                None => groups.push((None, vec![gpu])),
            }
        }
        let hosts = of_host.into_iter().enumerate().map(|(host, gpus)| (Some(HostIndex::at(host)), gpus));
        let mut numbers: BTreeMap<Likeness, usize> = BTreeMap::new();
        let machine = |(host, gpus): (Option<HostIndex>, Vec<GpuIndex>)| {
            let boards = gpus.iter().map(|gpu| cluster.gpus[gpu.index()].board).collect();
            let about = host.map(|host| &cluster.hosts[host.index()]);
            let likeness =
                (host.is_some(), boards, about.and_then(|host| host.cpu), about.and_then(|host| host.memory));
            let next = numbers.len();
            Machine { host, gpus, class: *numbers.entry(likeness).or_insert(next) }
        };
        let all = hosts.chain(groups).filter(|(_, gpus)| !gpus.is_empty()).map(machine).collect();
        Machines { all, classes: numbers.len() }
    }

    /// Machines that suffice for a decision about `alive` virtual machines, those that run and those that arrive: all on which
    /// something runs, and of the empty ones the first `alive` of each class, in global order.
    ///
    /// This loses nothing. Machines of a class that are empty are alike in all that the program knows, so that two of them can
    /// exchange what a placement puts there without a change of any goal: nothing that runs there now is on either. Every
    /// virtual machine has at most one machine, so that a placement uses at most `alive` of the empty ones of a class; by such
    /// exchanges these become the first ones.
    pub fn sufficient(&self, fleet: &Fleet<'_>, alive: usize) -> impl Iterator<Item = &Machine> {
        let mut empty = vec![0; self.classes];
        self.all.iter().filter(move |machine| {
            let runs = machine.gpus.iter().any(|&gpu| !fleet.guests(gpu).is_empty());
            empty[machine.class] += usize::from(!runs);
            runs || empty[machine.class] <= alive
        })
    }
}

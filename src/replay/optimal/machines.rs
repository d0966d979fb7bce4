//! The machines of a trace, and which of them are alike or better.

use cluster::{BoardIndex, Cluster, GpuIndex, HostIndex};
use fleet::Fleet;
use ground::Amount;
use itertools::Itertools;
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
    /// The classes, each with those that are better than it.
    classes: Vec<Vec<usize>>,
}

/// What machines have in common that are alike.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    is_host: bool,
    /// Boards of the GPUs.
    boards: Vec<BoardIndex>,
    cpu: Option<Amount>,
    memory: Option<Amount>,
}

impl Likeness {
    /// Whether whatever fits into a machine of the other kind fits into one of this kind as well, GPU for GPU.
    fn covers(&self, other: &Likeness) -> bool {
        let enough = |here: Option<Amount>, there: Option<Amount>| {
            here.is_none_or(|here| there.is_some_and(|there| there <= here))
        };
        let count = |boards: &[BoardIndex], board| boards.iter().filter(|&&other| other == board).count();
        self.is_host == other.is_host
            && enough(self.cpu, other.cpu)
            && enough(self.memory, other.memory)
            && other.boards.iter().all(|&board| count(&self.boards, board) >= count(&other.boards, board))
    }
}

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
            let about = host.map(|host| &cluster.hosts[host.index()]);
            let likeness = Likeness {
                is_host: host.is_some(),
                boards: gpus.iter().map(|gpu| cluster.gpus[gpu.index()].board).sorted().collect(),
                cpu: about.and_then(|host| host.cpu),
                memory: about.and_then(|host| host.memory),
            };
            let next = numbers.len();
            Machine { host, gpus, class: *numbers.entry(likeness).or_insert(next) }
        };
        let all = hosts.chain(groups).filter(|(_, gpus)| !gpus.is_empty()).map(machine).collect();
        let mut classes = vec![Vec::new(); numbers.len()];
        for (worse, class) in &numbers {
            let better = numbers.iter().filter(|(better, other)| *other != class && better.covers(worse));
            classes[*class] = better.map(|(_, other)| *other).collect();
        }
        Machines { all, classes }
    }

    /// Machines that suffice for a decision whose optima put something on at most `most` of the empty ones: all on which something
    /// runs, and each empty one beside which fewer than `most` empty ones stand before it that are better or alike; in global
    /// order. Alike are those of a class, of which the first in global order comes first. So are those that hold the GPUs in
    /// `also`, whatever stands before them.
    ///
    /// This loses nothing. A placement that uses an empty machine can use instead one that stands before it, empty and unused,
    /// without a change of any goal: that one takes what the other held, GPU for GPU, and nothing that runs now is on either. Of
    /// `most` that stand before it one is unused when the placement uses at most `most`. Such exchanges come to an end.
    pub fn sufficient(
        &self,
        fleet: &Fleet<'_>,
        most: usize,
        also: &[GpuIndex],
    ) -> impl Iterator<Item = &Machine> {
        let runs = |machine: &Machine| machine.gpus.iter().any(|&gpu| !fleet.guests(gpu).is_empty());
        let mut empty = vec![0; self.classes.len()];
        for machine in self.all.iter().filter(|machine| !runs(machine)) {
            empty[machine.class] += 1;
        }
        let mut before: Vec<usize> =
            self.classes.iter().map(|better| better.iter().map(|&class| empty[class]).sum()).collect();
        self.all.iter().filter(move |machine| {
            if runs(machine) {
                return true;
            }
            let rank = before[machine.class];
            before[machine.class] += 1;
            rank < most || machine.gpus.iter().any(|gpu| also.contains(gpu))
        })
    }
}

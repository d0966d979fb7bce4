//! Physical machines: hosts with their GPUs, and GPUs outside any host.

use crate::section::ActiveGpus;
use cluster::{Cluster, GpuIndex, HostIndex};
use ground::{Amount, index_type};

index_type!(
    /// A machine, by its position in [`Problem::machines`](super::Problem::machines).
    MachineIndex
);

/// A physical machine: a host with its GPUs, or a GPU outside any host, which is a machine of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The host, if it is one.
    pub host: Option<HostIndex>,
    /// Its GPUs in the cluster's order.
    pub gpus: Vec<GpuIndex>,
    /// CPU capacity C_j in cores; `None` when it is not limited.
    pub cpu: Option<Amount>,
    /// Main memory capacity R_j in the unit of the cluster; `None` when it is not limited.
    pub memory: Option<Amount>,
    /// Weight b_j as printed: of the machine and of each of its GPUs.
    pub printed_weight: Amount,
    /// What the machine itself counts when it is in use.
    pub weight: Amount,
    /// What each of its GPUs counts when it is in use.
    pub gpu_weight: Amount,
}

impl Machine {
    /// CPU and main memory, each `None` when it is not limited.
    pub fn capacities(&self) -> (Option<Amount>, Option<Amount>) {
        (self.cpu, self.memory)
    }
}

/// The machines of a cluster, those that are hosts first.
pub fn machines(cluster: &Cluster, active_gpus: ActiveGpus) -> Vec<Machine> {
    let machine = |host: Option<HostIndex>, gpus: Vec<GpuIndex>| {
        let about = host.map(|host| &cluster.hosts[host.index()]);
        let each = about.and_then(|host| host.weight).unwrap_or(Amount::ONE);
        let (weight, gpu_weight) = match active_gpus {
            ActiveGpus::Used => (each, each),
            ActiveGpus::WholeMachine => (each * (1 + gpus.len() as i128), Amount::ZERO),
        };
        Machine {
            host,
            gpus,
            cpu: about.and_then(|host| host.cpu),
            memory: about.and_then(|host| host.memory),
            printed_weight: each,
            weight,
            gpu_weight,
        }
    };
    let mut of_host = vec![Vec::new(); cluster.hosts.len()];
    let mut alone = Vec::new();
    for gpu in cluster.gpu_indices() {
        match cluster.gpus[gpu.index()].host {
            Some(host) => of_host[host.index()].push(gpu),
            None => alone.push(gpu),
        }
    }
    let hosts = of_host.into_iter().enumerate().map(|(host, gpus)| machine(Some(HostIndex::at(host)), gpus));
    hosts.chain(alone.into_iter().map(|gpu| machine(None, vec![gpu]))).collect()
}

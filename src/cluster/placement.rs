//! Where workloads are.

use super::{ByGpu, Cluster, GpuIndex, WorkloadIndex};
use mig::SliceStart;

/// A place for one GPU instance: a GPU and the memory slot at which the instance starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The GPU.
    pub gpu: GpuIndex,
    /// The first memory slot of the instance.
    pub start: SliceStart,
}

/// A location, or none, for every workload of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    locations: Vec<Option<Location>>,
}

impl Placement {
    /// A placement from one location per workload, in the cluster's order.
    pub fn new(locations: Vec<Option<Location>>) -> Self {
        Placement { locations }
    }

    /// Where `workload` is; `None` while it waits.
    pub fn of(&self, workload: WorkloadIndex) -> Option<Location> {
        self.locations[workload.index()]
    }

    /// Puts `workload` somewhere, or takes it away.
    pub fn set(&mut self, workload: WorkloadIndex, location: Option<Location>) {
        self.locations[workload.index()] = location;
    }

    /// Number of workloads it speaks of.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Whether it speaks of no workload.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The workloads on every GPU, each list in the order of the cluster's workloads.
    pub fn by_gpu(&self, cluster: &Cluster) -> ByGpu {
        self.by_gpu_where(cluster, |_| true)
    }

    /// The workloads on every chosen GPU; the lists of the others are empty.
    pub(super) fn by_gpu_where(&self, cluster: &Cluster, chosen: impl Fn(GpuIndex) -> bool) -> ByGpu {
        let gpu_of = |workload| self.of(workload).map(|location| location.gpu).filter(|&gpu| chosen(gpu));
        ByGpu::new(cluster.gpus.len(), self.locations.len(), gpu_of)
    }
}

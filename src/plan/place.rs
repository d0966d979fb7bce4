//! Where a GPU instance is: the unit that a workload holds.

use cluster::{Cluster, GpuIndex, Location, WorkloadIndex};
use mig::{GpuInstance, SlotMask};

/// A GPU instance on a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The GPU.
    pub gpu: GpuIndex,
    /// Profile and start.
    pub instance: GpuInstance,
}

impl Place {
    /// The memory slots that it takes.
    pub fn slots(self, cluster: &Cluster) -> SlotMask {
        cluster.board_of(self.gpu).footprint(self.instance)
    }

    /// Whether both take a slot of one GPU.
    pub fn overlaps(self, other: Place, cluster: &Cluster) -> bool {
        self.gpu == other.gpu && self.slots(cluster).intersects(other.slots(cluster))
    }

    /// Whether both cannot be held at once, be it for a slot or for a limit of the board.
    pub fn excludes(self, other: Place, cluster: &Cluster) -> bool {
        self.gpu == other.gpu && illegal(cluster, self.gpu, &[self.instance, other.instance]).is_some()
    }

    /// In words: GPU, profile and start.
    pub fn name(self, cluster: &Cluster) -> String {
        let board = cluster.board_of(self.gpu);
        format!("{} {}", cluster.gpus[self.gpu.index()].name, board.instance_name(self.instance))
    }
}

/// What is not legal about GPU instances that are on a GPU together. The judge of plans asks this, and not `Board::fits`, by which plans are
/// made.
pub fn illegal(cluster: &Cluster, gpu: GpuIndex, instances: &[GpuInstance]) -> Option<String> {
    let board = cluster.board_of(gpu);
    let name = &cluster.gpus[gpu.index()].name;
    let mut used = SlotMask::EMPTY;
    for &instance in instances {
        if !board.is_legal(instance) {
            let profile = board.profile(instance.profile);
            return Some(format!("no {} may start at slot {} of {name}", profile.name, instance.start.0));
        }
        let slots = board.footprint(instance);
        if used.intersects(slots) {
            let other = instances
                .iter()
                .find(|&&other| other != instance && board.footprint(other).intersects(slots));
            let other = other.map_or_else(|| "itself".to_owned(), |&other| board.instance_name(other));
            return Some(format!("{} overlaps {other} on {name}", board.instance_name(instance)));
        }
        used = used.union(slots);
    }
    board.limits().iter().find_map(|limit| {
        let taken: u32 = instances.iter().map(|instance| limit.usage[instance.profile.index()]).sum();
        (taken > limit.capacity)
            .then(|| format!("{name} would have {taken} {} and allows {}", limit.name, limit.capacity))
    })
}

/// Whether a workload runs and may not be moved.
pub fn is_pinned(cluster: &Cluster, workload: WorkloadIndex) -> bool {
    let workload = &cluster.workloads[workload.index()];
    workload.current.is_some() && !workload.movable
}

/// The place of a workload at a location; none on a board that has no profile for it.
pub fn place(cluster: &Cluster, workload: WorkloadIndex, location: Location) -> Option<Place> {
    let instance = cluster.instance_at(workload, location)?;
    Some(Place { gpu: location.gpu, instance })
}

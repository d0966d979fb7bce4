//! The lock of a cluster from what its files told.

use crate::gather::{Gpu, State, Unknown, User};
use crate::joined::Inventory;
use crate::lock::{
    ClusterLock, LOCK_VERSION, LockedCompute, LockedGpu, LockedInstance, LockedState, LockedUnknown,
    LockedWorkload,
};
use crate::workload::Workload;
use ground::Fingerprint;
use std::collections::BTreeMap;

impl Inventory {
    /// The lock of the cluster.
    pub fn lock(&self) -> ClusterLock {
        let gpus: BTreeMap<String, LockedGpu> =
            self.gpus.iter().filter_map(|gpu| Some((gpu.name(), self.locked_gpu(gpu)?))).collect();
        let all: String = gpus.iter().map(|(name, gpu)| format!("{name} {}\n", gpu.fingerprint)).collect();
        let unknown = |unknown: &Unknown| {
            let Unknown { of, what, command } = unknown.clone();
            LockedUnknown { of, what, command }
        };
        ClusterLock {
            version: LOCK_VERSION,
            cluster: self.name.clone(),
            fingerprint: Fingerprint::of(&all),
            gpus,
            workloads: self
                .workloads
                .iter()
                .map(|workload| (workload.name.clone(), locked_workload(workload)))
                .collect(),
            disruption_budgets: self.budgets.clone(),
            nodes: self.nodes.clone(),
            left_out: self.left_out.iter().cloned().collect(),
            unknown: self.unknown.iter().map(unknown).collect(),
        }
    }

    fn locked_gpu(&self, gpu: &Gpu) -> Option<LockedGpu> {
        let board = gpu.board.as_ref()?;
        let mut layout = board.name().to_owned();
        let mut instances = Vec::new();
        for instance in &gpu.instances {
            layout += &format!(" {}", board.instance_name(instance.instance));
            let profile = board.profile(instance.instance.profile);
            let compute = |(id, mig_uuid): &(Option<u32>, Option<String>)| LockedCompute {
                id: *id,
                mig_uuid: mig_uuid.clone(),
            };
            instances.push(LockedInstance {
                profile: profile.name.clone(),
                profile_id: profile.driver_id,
                start: instance.instance.start.0,
                size: profile.size,
                gpu_instance: instance.id,
                compute_instances: instance.computes.iter().map(compute).collect(),
                state: match instance.state() {
                    State::InUse => LockedState::InUse,
                    State::Idle => LockedState::Idle,
                    State::NoComputeInstance => LockedState::NoComputeInstance,
                    State::Unknown => LockedState::Unknown,
                },
                users: instance.users.iter().map(User::to_string).collect(),
            });
        }
        Some(LockedGpu {
            node: gpu.node.clone(),
            index: gpu.index?,
            uuid: gpu.uuid.clone(),
            minor: gpu.minor,
            pci: gpu.pci.clone(),
            product: gpu.product.clone(),
            board: board.name().to_owned(),
            cordoned: gpu.is_cordoned,
            fingerprint: Fingerprint::of(&layout),
            instances,
            sources: gpu.files.iter().map(|&file| self.files[file].clone()).collect(),
        })
    }
}

fn locked_workload(workload: &Workload) -> LockedWorkload {
    let pod = match &workload.users[..] {
        [User::Pod { namespace, name }] => Some((namespace.clone(), name.clone())),
        _ => None,
    };
    let (namespace, pod) = pod.unzip();
    LockedWorkload {
        gpu: workload.current.as_ref().map(|place| place.gpu.clone()),
        start: workload.current.as_ref().map(|place| place.start),
        movability: workload.movability,
        reason: workload.reason.clone(),
        class: workload.class.clone(),
        budgets: workload.budgets.clone(),
        namespace,
        pod,
        job: match &workload.users[..] {
            [User::Job { id, .. }] => Some(*id),
            _ => None,
        },
    }
}

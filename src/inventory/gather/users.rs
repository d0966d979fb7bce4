//! Who uses which instance.

use super::cluster_facts::ClusterFacts;
use super::facts::{Gpu, Instance, Mig, State, Told, User};
use super::gpus::Nodes;
use super::reading::Read;
use super::slurm_devices::slurm_devices;
use formats::Contents;
use formats::dcgm::Holder;
use formats::dra::{DRIVER, MigDeviceName};
use formats::kubelet::device_of;
use std::collections::{BTreeMap, BTreeSet};

/// Finds the users of all instances, source by source.
pub(super) fn find(nodes: &mut Nodes, read: &Read, cluster: &ClusterFacts, told: &mut Told) {
    from_kubelets(nodes, read, cluster, told);
    from_metrics(nodes, read);
    from_claims(nodes, read, cluster);
    from_hami(nodes, cluster, told);
    from_slurm(nodes, read, cluster, told);
    from_processes(nodes, read, cluster, told);
    tell_unknown(nodes, cluster, told);
}

/// The instances of a GPU that can be planned for.
fn all_instances(gpus: &mut [Gpu]) -> impl Iterator<Item = &mut Instance> {
    gpus.iter_mut().filter(|gpu| gpu.mig != Mig::Off).flat_map(|gpu| &mut gpu.instances)
}

fn from_kubelets(nodes: &mut Nodes, read: &Read, cluster: &ClusterFacts, told: &mut Told) {
    let mut by_uuid: BTreeMap<String, (String, usize, usize)> = BTreeMap::new();
    for (node, gpus) in &nodes.nodes {
        for (at, gpu) in gpus.iter().enumerate() {
            for (position, instance) in gpu.instances.iter().enumerate() {
                for uuid in instance.computes.iter().filter_map(|(_, uuid)| uuid.clone()) {
                    by_uuid.insert(uuid, (node.clone(), at, position));
                }
            }
        }
    }
    let mut held: Vec<(&str, &str, &str, User)> = Vec::new();
    let mut stale = 0;
    for (_, node, contents) in read.each(Some) {
        match contents {
            Contents::DeviceEntries(checkpoint) => {
                for record in &checkpoint.entries {
                    let entry = &record.value;
                    let pod = cluster.pod_of_uid(&entry.pod_uid).map(|known| &known.pod);
                    if cluster.has_pods && pod.is_none_or(|pod| pod.is_over()) {
                        stale += usize::from(entry.resource.starts_with("nvidia.com/"));
                        continue;
                    }
                    let user = pod.map_or_else(
                        || User::PodUid(entry.pod_uid.clone()),
                        |pod| User::Pod { namespace: pod.namespace.clone(), name: pod.name.clone() },
                    );
                    let ids = entry
                        .devices
                        .iter()
                        .map(|(_, id)| (node, entry.resource.as_str(), device_of(id), user.clone()));
                    held.extend(ids);
                }
            }
            Contents::PodResources(containers) => {
                for record in containers {
                    let holder = &record.value;
                    let user = User::Pod { namespace: holder.namespace.clone(), name: holder.pod.clone() };
                    let ids = holder
                        .devices
                        .iter()
                        .map(|(resource, id)| (node, resource.as_str(), device_of(id), user.clone()));
                    held.extend(ids);
                }
            }
            _ => continue,
        }
        // The kubelet knows of all devices that plugins gave out; of those of claims others tell.
        for instance in nodes.nodes.get_mut(node).into_iter().flat_map(|gpus| all_instances(gpus)) {
            instance.is_told |= instance.computes.iter().any(|(_, uuid)| uuid.is_some());
        }
    }
    if stale > 0 {
        let entries = if stale == 1 { "1 entry".to_owned() } else { format!("{stale} entries") };
        told.remarks.push(format!("{entries} of pods that are gone in checkpoints of kubelets passed over"));
    }
    for (node, resource, id, user) in held {
        if !id.starts_with("MIG-") {
            if let Some(gpu) = nodes.of_uuid(id) {
                gpu.given_whole = Some(user.to_string());
            }
        } else if let Some((node, gpu, position)) = by_uuid.get(id) {
            nodes.nodes.get_mut(node).expect("it was found")[*gpu].instances[*position].add_user(user);
        } else {
            // It has some instance of the profile, and all that may be it are in doubt.
            let what = format!("which instance {user} has: its MIG device {id} is in no list");
            told.unknown(node, what, "nvidia-smi -L; nvidia-smi -q -x; nvidia-smi mig -lgi");
            for gpu in nodes.nodes.get_mut(node).into_iter().flatten() {
                let profile = gpu.board.as_ref().and_then(|board| board.find_profile(resource));
                let may_be = |instance: &&mut Instance| {
                    profile.is_none_or(|profile| profile == instance.instance.profile)
                        && instance.computes.iter().all(|(_, uuid)| uuid.is_none())
                };
                gpu.instances.iter_mut().filter(may_be).for_each(|instance| instance.is_told = false);
            }
        }
    }
}

fn from_metrics(nodes: &mut Nodes, read: &Read) {
    for (_, _, metrics) in read.each(|contents| match contents {
        Contents::Metrics(metrics) => Some(metrics),
        _ => None,
    }) {
        for metric in metrics.iter().map(|record| &record.value) {
            let Some((profile, id)) = &metric.instance else { continue };
            let Some(gpu) = nodes.of_index(&metric.node, metric.gpu) else { continue };
            let Some(instance) = instance_of(gpu, *id, profile) else { continue };
            instance.has_compute = Some(true);
            match &metric.holder {
                Holder::NotTold => {}
                Holder::Nobody => instance.is_told = true,
                Holder::Pod { namespace, name, .. } => {
                    instance.add_user(User::Pod { namespace: namespace.clone(), name: name.clone() });
                }
            }
        }
    }
}

/// The instance of an id; where ids are not known, the only one of its profile.
fn instance_of<'g>(gpu: &'g mut Gpu, id: u32, profile: &str) -> Option<&'g mut Instance> {
    if let Some(position) = gpu.instances.iter().position(|instance| instance.id == Some(id)) {
        return Some(&mut gpu.instances[position]);
    }
    let profile = gpu.board.as_ref()?.find_profile(profile)?;
    let mut of_profile = gpu.instances.iter_mut().filter(|instance| instance.instance.profile == profile);
    let only = of_profile.next().filter(|instance| instance.id.is_none())?;
    if of_profile.next().is_some() {
        return None;
    }
    only.id = Some(id);
    Some(only)
}

fn from_claims(nodes: &mut Nodes, read: &Read, cluster: &ClusterFacts) {
    if !cluster.has_claims {
        return;
    }
    for (_, _, objects) in read.each(|contents| match contents {
        Contents::Objects(objects) => Some(objects),
        _ => None,
    }) {
        let pools: BTreeSet<&str> = objects
            .slices
            .iter()
            .filter(|slice| slice.value.driver == DRIVER && !slice.value.devices.is_empty())
            .map(|slice| slice.value.pool.as_str())
            .collect();
        for pool in pools {
            let gpus = nodes.nodes.get_mut(pool).into_iter().flat_map(|gpus| all_instances(gpus));
            gpus.for_each(|instance| instance.is_told = true);
        }
    }
    for (claim, _) in &cluster.claims {
        for allocated in &claim.allocated {
            let Some(name) = MigDeviceName::parse(&allocated.value.device) else { continue };
            let Some(gpu) = nodes.of_minor(&allocated.value.pool, name.minor) else { continue };
            let Some(place) = gpu.board.as_ref().and_then(|board| name.on(board).ok()) else { continue };
            let Some(instance) = gpu.instances.iter_mut().find(|instance| instance.instance == place) else {
                continue;
            };
            for pod in &claim.reserved_for {
                instance.add_user(User::Pod { namespace: claim.namespace.clone(), name: pod.name.clone() });
            }
            if claim.reserved_for.is_empty() {
                // Nobody uses it yet, or any more, but it is not free.
                instance.add_user(User::Pod { namespace: claim.namespace.clone(), name: claim.name.clone() });
            }
        }
    }
}

fn from_hami(nodes: &mut Nodes, cluster: &ClusterFacts, told: &mut Told) {
    let mut in_doubt: BTreeSet<&str> = BTreeSet::new();
    for known in cluster.pods.iter().filter(|known| !known.pod.is_over()) {
        let pod = &known.pod;
        let Some(node) = pod.hami_node.as_ref().or(pod.node.as_ref()) else { continue };
        if pod.is_hami_mig && pod.hami.is_none() {
            in_doubt.insert(node);
            let what = format!(
                "which instance {} has: its pod is from before HAMi wrote that down",
                pod.full_name()
            );
            told.unknown(node, what, "nvidia-smi mig -lgi; nvidia-smi -L; nvidia-smi -q -x");
        }
        for allocation in pod.hami.iter().flatten() {
            let Some(gpu) = nodes.of_uuid(&allocation.gpu_uuid) else { continue };
            let start = mig::SliceStart(allocation.start);
            if let Some(instance) = gpu.instances.iter_mut().find(|instance| instance.instance.start == start)
            {
                instance.add_user(User::Pod { namespace: pod.namespace.clone(), name: pod.name.clone() });
            }
        }
    }
    for (name, node) in &cluster.nodes {
        if node.hami.is_none() {
            continue;
        }
        for gpu in nodes.nodes.get_mut(name).into_iter().flatten() {
            if in_doubt.contains(name.as_str()) {
                gpu.has_layout = false;
            } else {
                gpu.instances.iter_mut().for_each(|instance| instance.is_told = true);
            }
        }
    }
}

fn from_slurm(nodes: &mut Nodes, read: &Read, cluster: &ClusterFacts, told: &mut Told) {
    let mut users: BTreeMap<(&str, u32), Vec<User>> = BTreeMap::new();
    for known in cluster.jobs.values().filter(|known| known.job.holds()) {
        for devices in known.job.devices.iter().map(|record| &record.value) {
            for position in devices.gres.iter().flat_map(|gres| gres.positions.iter().flatten()) {
                let user = User::Job { id: known.job.id, name: known.job.name.clone() };
                users.entry((&devices.node, *position)).or_default().push(user);
            }
        }
    }
    for (node, devices) in slurm_devices(read) {
        let used = cluster.slurm_nodes.get(node).map(|known| &known.used);
        let used: Option<BTreeSet<u32>> = used
            .map(|used| used.iter().flat_map(|gres| gres.positions.clone().unwrap_or_default()).collect());
        for device in devices {
            let Some((minor, id)) = device.instance else {
                if device.line.profile().is_some() {
                    told.unknown(
                        node,
                        "which instances Slurm's devices are",
                        "cat /proc/driver/nvidia-caps/mig-minors",
                    );
                }
                continue;
            };
            let Some(gpu) = nodes.of_minor(node, minor) else { continue };
            let profile = device.line.profile().unwrap_or_default();
            let Some(instance) = instance_of(gpu, id, profile) else { continue };
            instance.has_compute = Some(true);
            let of_device = users.get(&(node, device.position));
            let is_used =
                of_device.is_some() || used.as_ref().is_some_and(|used| used.contains(&device.position));
            for user in of_device.into_iter().flatten() {
                instance.add_user(user.clone());
            }
            // Without a list of jobs the node tells which devices are free.
            instance.is_told |= !is_used && (cluster.has_jobs || used.is_some());
        }
    }
}

fn from_processes(nodes: &mut Nodes, read: &Read, cluster: &ClusterFacts, told: &mut Told) {
    for (_, node, gpus) in read.each(|contents| match contents {
        Contents::Query(gpus) => Some(gpus),
        _ => None,
    }) {
        let is_managed = cluster.managed.contains(node);
        for query in gpus.iter().map(|record| &record.value) {
            let Some(uuid) = &query.uuid else { continue };
            let Some(gpu) = nodes.of_uuid(uuid) else { continue };
            let name = gpu.name();
            for instance in &mut gpu.instances {
                let id = instance.id;
                let runs = query.processes.iter().map(|record| &record.value);
                let mut runs =
                    runs.filter(|process| process.gpu_instance.is_some() && process.gpu_instance == id);
                if !instance.users.is_empty() || instance.id.is_none() {
                    continue;
                }
                if !is_managed {
                    instance.is_told = true;
                    for process in runs {
                        instance.add_user(User::Process { pid: process.pid, node: node.to_owned() });
                    }
                } else if let Some(process) = runs.next() {
                    // Whoever it is, the instance is not idle.
                    let user = User::Process { pid: process.pid, node: node.to_owned() };
                    if instance.is_told {
                        told.remarks.push(format!(
                            "process {} ({}) uses an instance of {name} that no pod or job has; it is kept where it is",
                            process.pid, process.name
                        ));
                        instance.add_user(user);
                    }
                }
            }
        }
    }
}

/// Names the instances of which nobody tells who uses them.
fn tell_unknown(nodes: &mut Nodes, cluster: &ClusterFacts, told: &mut Told) {
    for (node, gpus) in &mut nodes.nodes {
        let command = match () {
            () if cluster.slurm_nodes.contains_key(node) || cluster.has_jobs => {
                "scontrol show job -d; slurmd -G; cat /proc/driver/nvidia-caps/mig-minors"
            }
            () if cluster.has_pods || cluster.nodes.contains_key(node) => {
                "cat /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint; nvidia-smi -L; nvidia-smi -q -x"
            }
            () => "nvidia-smi -L; nvidia-smi -q -x",
        };
        for gpu in gpus.iter().filter(|gpu| gpu.has_layout && gpu.index.is_some()) {
            let Some(board) = &gpu.board else { continue };
            for instance in gpu.instances.iter().filter(|instance| instance.state() == State::Unknown) {
                let what = format!("who uses {}", board.instance_name(instance.instance));
                told.unknown(gpu.name(), what, &format!("{command} (on {node})"));
            }
        }
    }
}

//! The devices of Slurm with the GPU instances that they stand for.

use super::reading::Read;
use formats::Contents;
use formats::nvidia_smi::mig_minors::Capability;
use formats::slurm::gres::DeviceLine;
use std::collections::BTreeMap;

/// A device of Slurm at its position.
pub(super) struct SlurmDevice<'r> {
    pub node: &'r str,
    pub position: u32,
    pub line: &'r DeviceLine,
    /// Minor number of the GPU and id of the instance, where the capabilities are known.
    pub instance: Option<(u32, u32)>,
}

/// The devices of Slurm by node.
pub(super) fn slurm_devices(read: &Read) -> BTreeMap<&str, Vec<SlurmDevice<'_>>> {
    let mut capabilities: BTreeMap<(&str, u32), &Capability> = BTreeMap::new();
    for (_, node, records) in read.each(|contents| match contents {
        Contents::Capabilities(records) => Some(records),
        _ => None,
    }) {
        capabilities.extend(records.iter().map(|record| ((node, record.value.number), &record.value)));
    }
    let mut devices: BTreeMap<&str, Vec<SlurmDevice<'_>>> = BTreeMap::new();
    for (_, node, records) in read.each(|contents| match contents {
        Contents::SlurmDevices(records) => Some(records),
        _ => None,
    }) {
        for line in records.iter().map(|record| &record.value) {
            let node = line.node.as_deref().unwrap_or(node);
            let of_node = devices.entry(node).or_default();
            let position = of_node.last().map_or(0, |last| last.position + last.line.count);
            let capability = line.capabilities.first().and_then(|number| capabilities.get(&(node, *number)));
            let instance = capability.map(|capability| (capability.gpu_minor, capability.gpu_instance));
            of_node.push(SlurmDevice { node, position, line, instance });
        }
    }
    devices
}

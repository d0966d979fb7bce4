//! What the kubelet of a node tells of devices: its checkpoint and its service podresources.

pub mod checkpoint;
pub mod pod_resources;

/// The device of an id: where one is shared out in time, each share has the device's id with `::` and a number behind it.
pub fn device_of(id: &str) -> &str {
    id.split_once("::").map_or(id, |(device, _)| device)
}

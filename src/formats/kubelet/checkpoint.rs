//! `/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint`: devices by the pods that hold them.
//!
//! Entries of pods that are gone may stay, so that they mean nothing without the list of pods. Old kubelets write the ids as a plain list,
//! new ones by NUMA node.

use crate::node::Node;
use crate::place::Record;
use ground::{InputError, SourceText};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    /// Devices that pods hold.
    pub entries: Vec<Record<DeviceEntry>>,
    /// All devices by resource.
    pub registered: BTreeMap<String, Vec<String>>,
}

/// Devices of one resource that a container holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceEntry {
    /// UID of the pod.
    pub pod_uid: String,
    /// Name of the container.
    pub container: String,
    /// The resource, such as `nvidia.com/mig-1g.5gb`.
    pub resource: String,
    /// Ids of the devices with the NUMA node, where that is told.
    pub devices: Vec<(Option<i64>, String)>,
}

pub(crate) fn recognises(root: Node<'_>) -> bool {
    root.at(&["Data", "RegisteredDevices"]).is_some() || root.at(&["Data", "PodDeviceEntries"]).is_some()
}

/// Reads a checkpoint, of an old or a new kubelet.
///
/// # Errors
/// When a field is missing or wrong.
pub fn read(source: &SourceText) -> Result<Checkpoint, InputError> {
    let data = Node::root(source)?.needed("Data")?;
    let entries = data.list("PodDeviceEntries")?.into_iter().map(entry).collect::<Result<_, _>>()?;
    let mut registered = BTreeMap::new();
    for (resource, ids) in data.get("RegisteredDevices").into_iter().flat_map(Node::fields) {
        let ids = ids.items().filter_map(Node::text).map(str::to_owned).collect();
        registered.insert(resource.to_owned(), ids);
    }
    Ok(Checkpoint { entries, registered })
}

fn entry(node: Node<'_>) -> Result<Record<DeviceEntry>, InputError> {
    let ids = node.needed("DeviceIDs")?;
    let id = |node: Node<'_>| {
        let message =
            "a device must have an id. The file was cut off or edited; copy it from the node again.";
        node.text().map(str::to_owned).ok_or_else(|| node.error(message))
    };
    let mut devices = Vec::new();
    for item in ids.items() {
        devices.push((None, id(item)?));
    }
    for (numa, list) in ids.fields() {
        for item in list.items() {
            devices.push((numa.parse().ok(), id(item)?));
        }
    }
    let value = DeviceEntry {
        pod_uid: node.needed_text("PodUID")?.to_owned(),
        container: node.needed_text("ContainerName")?.to_owned(),
        resource: node.needed_text("ResourceName")?.to_owned(),
        devices,
    };
    Ok(Record { value, place: node.place() })
}

/// Writes a checkpoint: entries whose devices have no NUMA node in the form of old kubelets. The checksum is not that of the kubelet.
pub fn write(checkpoint: &Checkpoint) -> String {
    let entry = |record: &Record<DeviceEntry>| {
        let DeviceEntry { pod_uid, container, resource, devices } = &record.value;
        let ids: Value = if devices.iter().all(|(numa, _)| numa.is_none()) {
            devices.iter().map(|(_, id)| id.as_str()).collect()
        } else {
            let mut by_numa: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for (numa, id) in devices {
                by_numa.entry(numa.unwrap_or(-1).to_string()).or_default().push(id);
            }
            json!(by_numa)
        };
        json!({"PodUID": pod_uid, "ContainerName": container, "ResourceName": resource, "DeviceIDs": ids, "AllocResp": ""})
    };
    let entries: Vec<Value> = checkpoint.entries.iter().map(entry).collect();
    let data = json!({"PodDeviceEntries": entries, "RegisteredDevices": checkpoint.registered});
    json!({"Data": data, "Checksum": 0}).to_string() + "\n"
}

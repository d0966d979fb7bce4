//! Annotations of HAMi: GPUs of nodes, and instances of pods with their slots.

use super::node::Node;
use ground::InputError;
use serde_json::{Map, Value, json};

/// The pod's annotation of its instances.
pub(crate) const ALLOCATIONS: &str = "hami.io/vgpu-mig-allocations";
/// The pod's annotation of its node.
pub(crate) const NODE: &str = "hami.io/vgpu-node";
/// The pod's annotation of how its GPUs are shared.
pub(crate) const MODE: &str = "nvidia.com/vgpu-mode";
/// The node's annotation of its GPUs.
pub(crate) const REGISTER: &str = "hami.io/node-nvidia-register";
/// The node's annotation of GPUs that get no more pods.
pub(crate) const CORDON: &str = "hami.io/device-cordon";

/// An instance that a pod has or is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Position of the container in the pod.
    pub container: u32,
    /// Position of the device in the container.
    pub device: u32,
    /// UUID of the GPU.
    pub gpu_uuid: String,
    /// Name of the profile.
    pub profile: String,
    /// First memory slot.
    pub start: u8,
    /// Memory slots.
    pub size: u32,
    /// The instance, once it was made.
    pub realised: Option<Realised>,
}

/// An instance that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realised {
    /// UUID of the MIG device.
    pub mig_uuid: String,
    /// Id of the GPU instance.
    pub gpu_instance: u32,
    /// Id of the compute instance.
    pub compute_instance: u32,
}

/// A GPU as a node registers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredGpu {
    /// UUID.
    pub uuid: String,
    /// Index on its node.
    pub index: Option<u32>,
    /// Name of the product.
    pub product: String,
    /// Whether HAMi cuts it into instances.
    pub is_mig: bool,
}

/// UUIDs in a list with commas, or in JSON.
pub(crate) fn listed(text: &str) -> Vec<String> {
    let pieces = text.split(|letter: char| letter.is_whitespace() || ",[]\"'".contains(letter));
    pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// The JSON in an annotation: a list of entries.
fn entries(annotation: Node<'_>, name: &str) -> Result<Vec<Map<String, Value>>, InputError> {
    let text = annotation.text().unwrap_or_default();
    serde_json::from_str(text).map_err(|error| {
        annotation.error(format!(
            "the annotation {name} is not a list of entries in JSON: {error}. It was cut off or edited; export the objects again."
        ))
    })
}

struct Entry<'a, 't> {
    annotation: Node<'t>,
    name: &'static str,
    number: usize,
    fields: &'a Map<String, Value>,
}

impl Entry<'_, '_> {
    fn missing(&self, field: &str) -> InputError {
        self.annotation.error(format!(
            "entry {} of the annotation {} lacks a usable `{field}`. It comes from another version of HAMi, or was edited; export \
             the objects again.",
            self.number, self.name
        ))
    }

    fn text(&self, field: &str) -> Result<String, InputError> {
        self.fields.get(field).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| self.missing(field))
    }

    fn number<N: TryFrom<u64>>(&self, field: &str) -> Result<N, InputError> {
        let number = self.fields.get(field).and_then(Value::as_u64);
        number.and_then(|number| N::try_from(number).ok()).ok_or_else(|| self.missing(field))
    }
}

pub(crate) fn read_allocations(annotation: Node<'_>) -> Result<Vec<Allocation>, InputError> {
    let all = entries(annotation, ALLOCATIONS)?;
    let read = |(number, fields): (usize, &Map<String, Value>)| {
        let entry = Entry { annotation, name: ALLOCATIONS, number: number + 1, fields };
        let place =
            fields.get("placement").and_then(Value::as_object).ok_or_else(|| entry.missing("placement"))?;
        let place = Entry { fields: place, ..entry };
        let entry = Entry { annotation, name: ALLOCATIONS, number: number + 1, fields };
        let realised = ["migUUID", "gpuInstanceID", "computeInstanceID"];
        let realised = match realised.iter().filter(|field| fields.contains_key(**field)).count() {
            0 => None,
            _ => Some(Realised {
                mig_uuid: entry.text("migUUID")?,
                gpu_instance: entry.number("gpuInstanceID")?,
                compute_instance: entry.number("computeInstanceID")?,
            }),
        };
        Ok(Allocation {
            container: entry.number("containerIndex")?,
            device: entry.number("deviceIndex")?,
            gpu_uuid: entry.text("gpuUUID")?,
            profile: entry.text("profile")?,
            start: place.number("start")?,
            size: place.number("size")?,
            realised,
        })
    };
    all.iter().enumerate().map(read).collect()
}

pub(crate) fn read_registered(annotation: Node<'_>) -> Result<Vec<RegisteredGpu>, InputError> {
    let all = entries(annotation, REGISTER)?;
    let read = |(number, fields): (usize, &Map<String, Value>)| {
        let entry = Entry { annotation, name: REGISTER, number: number + 1, fields };
        Ok(RegisteredGpu {
            uuid: entry.text("id")?,
            index: fields.get("index").and_then(Value::as_u64).and_then(|index| index.try_into().ok()),
            product: entry.text("type")?,
            is_mig: fields.get("mode").and_then(Value::as_str) == Some("mig"),
        })
    };
    all.iter().enumerate().map(read).collect()
}

/// The value of a pod's annotation `hami.io/vgpu-mig-allocations`.
pub fn write_allocations(allocations: &[Allocation]) -> String {
    let entry = |allocation: &Allocation| {
        let mut entry = json!({
            "containerIndex": allocation.container,
            "deviceIndex": allocation.device,
            "gpuUUID": allocation.gpu_uuid,
            "profile": allocation.profile,
            "placement": {"start": allocation.start, "size": allocation.size},
        });
        if let Some(Realised { mig_uuid, gpu_instance, compute_instance }) = &allocation.realised {
            entry["migUUID"] = json!(mig_uuid);
            entry["gpuInstanceID"] = json!(gpu_instance);
            entry["computeInstanceID"] = json!(compute_instance);
        }
        entry
    };
    Value::Array(allocations.iter().map(entry).collect()).to_string()
}

/// A node with HAMi's annotation of its GPUs.
pub fn write_node(name: &str, gpus: &[RegisteredGpu]) -> Value {
    let gpu = |gpu: &RegisteredGpu| {
        json!({
            "id": gpu.uuid,
            "index": gpu.index,
            "count": 7,
            "type": gpu.product,
            "mode": if gpu.is_mig { "mig" } else { "hami-core" },
            "health": true,
        })
    };
    let gpus = Value::Array(gpus.iter().map(gpu).collect()).to_string();
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": {REGISTER: gpus}}})
}

/// A running pod with HAMi's annotations of its node and its instances.
pub fn write_pod(namespace: &str, name: &str, node: &str, allocations: &[Allocation]) -> Value {
    let annotations = json!({NODE: node, MODE: "mig", ALLOCATIONS: write_allocations(allocations)});
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": format!("uid-{namespace}-{name}"), "annotations": annotations},
        "spec": {"nodeName": node, "schedulerName": "hami-scheduler"},
        "status": {"phase": "Running"},
    })
}

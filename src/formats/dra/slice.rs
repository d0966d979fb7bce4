//! ResourceSlices: the devices of a pool. Kubernetes 1.34 has counters and devices in one slice, from 1.35 on they are apart.
//!
//! With static MIG a device is an instance that exists, and has a UUID; with dynamic MIG there is a device for every instance that could be
//! made.

use super::DRIVER;
use super::device_name::MigDeviceName;
use crate::node::Node;
use crate::place::Record;
use ground::{InputError, SourceText};
use mig::Board;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A slice of a pool.
#[derive(Clone, Debug)]
pub struct ResourceSlice {
    /// Its driver.
    pub driver: String,
    /// Name of the pool, which is that of the node.
    pub pool: String,
    /// The pool's generation: only the highest counts.
    pub generation: u64,
    /// How many slices this generation of the pool has.
    pub slices: usize,
    /// The devices.
    pub devices: Vec<Record<Device>>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DeviceKind,
    /// Name of the GPU's product.
    pub product: Option<String>,
    /// PCI address of the GPU.
    pub pci: Option<String>,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A GPU with its UUID and its minor number.
    Gpu {
        /// UUID.
        uuid: Option<String>,
        /// Minor number.
        minor: Option<u32>,
    },
    /// A MIG device.
    Mig {
        /// UUID of its GPU.
        gpu_uuid: Option<String>,
        /// Its own UUID, if it exists.
        uuid: Option<String>,
        /// What its name tells.
        name: MigDeviceName,
    },
    /// Something else.
    Other,
}

impl ResourceSlice {
    pub(crate) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let spec = node.needed("spec")?;
        let pool = spec.needed("pool")?;
        let driver = spec.needed_text("driver")?.to_owned();
        let mut devices = Vec::new();
        if driver == DRIVER {
            for device in spec.list("devices")? {
                devices.push(Record { value: read_device(device)?, place: device.place() });
            }
        }
        Ok(ResourceSlice {
            driver,
            pool: pool.needed_text("name")?.to_owned(),
            generation: pool.needed_number("generation")?,
            slices: pool.needed_number("resourceSliceCount")?,
            devices,
        })
    }
}

fn read_device(node: Node<'_>) -> Result<Device, InputError> {
    let name = node.needed_text("name")?;
    let attributes = node.get("attributes").or_else(|| node.at(&["basic", "attributes"]));
    let attribute = |name: &str| {
        let value = attributes?.get(name)?;
        value.text_of("string").or_else(|| value.text_of("int")).or_else(|| value.text())
    };
    let owned = |name: &str| attribute(name).map(str::to_owned);
    let kind = match (attribute("type"), MigDeviceName::parse(name)) {
        (None | Some("mig"), Some(parsed)) => {
            DeviceKind::Mig { gpu_uuid: owned("parentUUID"), uuid: owned("uuid"), name: parsed }
        }
        (Some("mig"), None) => {
            let message = format!(
                "`{name}` is not the name of a MIG device, such as gpu-0-mig-1g5gb-19-0 (minor number, profile, its id, start). Export \
                 the slices again."
            );
            return Err(node.needed("name")?.error(message));
        }
        (Some("gpu"), _) => {
            let minor =
                attribute("minor").or_else(|| name.strip_prefix("gpu-")).and_then(|minor| minor.parse().ok());
            DeviceKind::Gpu { uuid: owned("uuid"), minor }
        }
        _ => DeviceKind::Other,
    };
    let pci = ["resource.kubernetes.io/pciBusID", "pciBusID"].into_iter().find_map(owned);
    Ok(Device { name: name.to_owned(), kind, product: owned("productName"), pci })
}

/// The devices of a pool, of its last generation.
#[derive(Debug)]
pub struct Pool<'s> {
    /// Its name, which is that of the node.
    pub name: &'s str,
    /// How many slices it should have, and how many there are.
    pub slices: (usize, usize),
    /// The devices of those that there are, each with the file of its slice.
    pub devices: Vec<(usize, &'s Record<Device>)>,
}

/// The pools of NVIDIA's driver, by name, from all slices with the number of their file.
pub fn pools<'s>(slices: impl IntoIterator<Item = (usize, &'s ResourceSlice)>) -> Vec<Pool<'s>> {
    let mut by_name: BTreeMap<&str, Vec<(usize, &ResourceSlice)>> = BTreeMap::new();
    for (file, slice) in slices.into_iter().filter(|(_, slice)| slice.driver == DRIVER) {
        by_name.entry(&slice.pool).or_default().push((file, slice));
    }
    let pool = |(name, mut slices): (&'s str, Vec<(usize, &'s ResourceSlice)>)| {
        let last = slices.iter().map(|(_, slice)| slice.generation).max().unwrap_or_default();
        slices.retain(|(_, slice)| slice.generation == last);
        let wanted = slices.iter().map(|(_, slice)| slice.slices).max().unwrap_or_default();
        let devices =
            slices.iter().flat_map(|(file, slice)| slice.devices.iter().map(move |device| (*file, device)));
        Pool { name, slices: (wanted, slices.len()), devices: devices.collect() }
    };
    by_name.into_iter().map(pool).collect()
}

/// A GPU for [`write_slice`].
#[derive(Clone, Debug)]
pub struct PublishedGpu<'a> {
    /// Minor number.
    pub minor: u32,
    /// UUID.
    pub uuid: &'a str,
    /// PCI address with four digits of domain.
    pub pci: &'a str,
    /// Name of the product.
    pub product: &'a str,
    /// Its board.
    pub board: &'a Board,
}

/// A slice as dynamic MIG publishes a node's GPU from Kubernetes 1.35 on: a device for every instance that could be made.
pub fn write_slice(node: &str, slices: usize, gpu: &PublishedGpu<'_>) -> Value {
    let PublishedGpu { minor, uuid, pci, product, board } = gpu;
    let device = |instance: mig::GpuInstance| {
        let name = MigDeviceName::of(*minor, board, instance)?;
        let profile = board.profile(instance.profile);
        let slots: serde_json::Map<String, Value> = board
            .footprint(instance)
            .iter()
            .map(|slot| (format!("memory-slice-{slot}"), json!({"value": "1"})))
            .collect();
        Some(json!({
            "name": name.to_string(),
            "attributes": {
                "type": {"string": "mig"},
                "parentUUID": {"string": uuid},
                "profile": {"string": profile.name},
                "productName": {"string": product},
                "resource.kubernetes.io/pciBusID": {"string": pci},
            },
            "consumesCounters": [{"counterSet": format!("gpu-{minor}-counter-set"), "counters": slots}],
        }))
    };
    let instances = board.profile_indices().flat_map(|profile| {
        board.profile(profile).starts.iter().map(move |&start| mig::GpuInstance { profile, start })
    });
    json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": format!("{node}-{DRIVER}-{minor}")},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": slices},
            "devices": instances.filter_map(device).collect::<Vec<Value>>(),
        },
    })
}

/// Says that a pool lacks slices.
pub fn incomplete(source: &SourceText, pool: &Pool<'_>) -> InputError {
    let (wanted, found) = pool.slices;
    source.error(format!(
        "pool `{}` has {wanted} ResourceSlices but {found} of them are in the file. The file was cut off, or exported while the \
         driver rewrote them; run `kubectl get resourceslices -o json` again.",
        pool.name
    ))
}

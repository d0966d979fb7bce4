//! The checkpoint of mig-parted: every MIG-capable GPU of a node with its instances and their slots.
//!
//! Profiles are NVML's enumeration, a third numbering beside names and the driver's ids. The file names neither node nor board.

use super::node::Node;
use super::place::Record;
use ground::{InputError, SourceText};
use mig::{Board, GpuInstance, SliceStart};
use serde_json::{Value, json};

/// A MIG-capable GPU.
#[derive(Clone, Debug)]
pub struct Device {
    /// UUID of the GPU.
    pub uuid: String,
    /// Whether MIG is on.
    pub mig: bool,
    /// Its GPU instances.
    pub instances: Vec<Record<Instance>>,
}

/// A GPU instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Profile in NVML's enumeration.
    pub profile: u32,
    /// First memory slot.
    pub start: u8,
    /// Memory slots.
    pub size: u32,
    /// Its compute instances: profile and engine profile in NVML's enumeration.
    pub compute_instances: Vec<(u32, u32)>,
}

impl Instance {
    /// The instance on a board that has such instances there.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn on(&self, board: &Board) -> Result<GpuInstance, String> {
        let profile =
            board.profile_indices().find(|&index| board.profile(index).nvml_enum == Some(self.profile));
        let profile = profile.ok_or_else(|| {
            format!(
                "a {} has no profile with NVML's number {}. Check the board; the checkpoint does not name it.",
                board.name(),
                self.profile
            )
        })?;
        let known = board.profile(profile);
        let instance = GpuInstance { profile, start: SliceStart(self.start) };
        if known.size == self.size && board.is_legal(instance) {
            return Ok(instance);
        }
        Err(format!(
            "an instance of {} cannot be at {}:{} (start:size) of a {}: it occupies {} memory slots from one of {:?}. Check the board; \
             the checkpoint does not name it.",
            known.name,
            self.start,
            self.size,
            board.name(),
            known.size,
            known.starts.iter().map(|start| start.0).collect::<Vec<_>>()
        ))
    }
}

pub(crate) fn recognises(root: Node<'_>) -> bool {
    root.get("MigState").is_some()
}

/// Reads a checkpoint: the GPUs in NVML's order.
///
/// # Errors
/// When a field is missing or wrong, when the version is another, and when a GPU is there twice.
pub fn read(source: &SourceText) -> Result<Vec<Record<Device>>, InputError> {
    let root = Node::root(source)?;
    let version = root.needed("Version")?;
    if version.text() != Some("v1") {
        return Err(version.error(
            "`Version` must be v1, the only version of checkpoints that migopt knows. Write one with a mig-parted of that \
             version.",
        ));
    }
    let mut devices: Vec<Record<Device>> = Vec::new();
    for node in root.needed("MigState")?.list("Devices")? {
        let uuid = node.needed_text("UUID")?.to_owned();
        if devices.iter().any(|known| known.value.uuid == uuid) {
            let message = format!(
                "GPU {uuid} is in the checkpoint twice. Write it again with `nvidia-mig-parted checkpoint`."
            );
            return Err(node.needed("UUID")?.error(message));
        }
        let instances = node.list("GpuInstances")?.into_iter().map(instance).collect::<Result<_, _>>()?;
        let value = Device { uuid, mig: node.needed_number::<u32>("MigMode")? != 0, instances };
        devices.push(Record { value, place: node.place() });
    }
    Ok(devices)
}

fn instance(node: Node<'_>) -> Result<Record<Instance>, InputError> {
    let placement = node.needed("Placement")?;
    let compute =
        |node: Node<'_>| Ok((node.needed_number("ProfileID")?, node.needed_number("EngProfileID")?));
    let value = Instance {
        profile: node.needed_number("ProfileID")?,
        start: placement.needed_number("Start")?,
        size: placement.needed_number("Size")?,
        compute_instances: node
            .list("ComputeInstances")?
            .into_iter()
            .map(compute)
            .collect::<Result<_, _>>()?,
    };
    Ok(Record { value, place: node.place() })
}

/// Writes a checkpoint that mig-parted restores.
pub fn write<'a>(devices: impl IntoIterator<Item = &'a Device>) -> String {
    let or_null = |list: Vec<Value>| if list.is_empty() { Value::Null } else { list.into() };
    let compute = |&(profile, engine): &(u32, u32)| json!({"ProfileID": profile, "EngProfileID": engine});
    let instance = |record: &Record<Instance>| {
        let Instance { profile, start, size, compute_instances } = &record.value;
        json!({
            "ProfileID": profile,
            "Placement": {"Start": start, "Size": size},
            "ComputeInstances": or_null(compute_instances.iter().map(compute).collect()),
        })
    };
    let device = |device: &Device| {
        json!({
            "UUID": device.uuid,
            "MigMode": u32::from(device.mig),
            "GpuInstances": or_null(device.instances.iter().map(instance).collect()),
        })
    };
    let devices: Vec<Value> = devices.into_iter().map(device).collect();
    json!({"Version": "v1", "MigState": {"Devices": devices}}).to_string() + "\n"
}

//! `nvidia-smi -L`: GPUs and MIG devices with their UUIDs.
//!
//! A MIG device's number is its `index` in `nvidia-smi -q -x`. Before driver R470 its UUID was `MIG-GPU-<uuid>/<GPU instance>/<compute
//! instance>`. The UUID of an instance that is made anew is a new one.

use crate::place::{Place, Record};
use ground::{InputError, SourceText};

/// A GPU.
#[derive(Clone, Debug)]
pub struct GpuLine {
    /// Index of the GPU on its node.
    pub gpu: u32,
    /// Name of the product.
    pub product: String,
    /// UUID of the GPU.
    pub uuid: String,
    /// Its MIG devices.
    pub devices: Vec<Record<MigDevice>>,
}

/// A MIG device: a compute instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigDevice {
    /// Name of the profile; with `c.` in it where it is a part of a GPU instance.
    pub profile: String,
    /// Its number on its GPU.
    pub index: u32,
    /// UUID of the device.
    pub uuid: String,
}

impl MigDevice {
    /// GPU instance and compute instance, which UUIDs before driver R470 hold.
    pub fn instance_in_uuid(&self) -> Option<(u32, u32)> {
        let mut parts = self.uuid.strip_prefix("MIG-GPU-")?.split('/').skip(1);
        let instance = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        parts.next().is_none().then_some(instance)
    }
}

pub(crate) fn recognises(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_end() == NO_DEVICES || (line.starts_with("GPU ") && line.contains("(UUID: ")))
}

const NO_DEVICES: &str = "No devices found.";

/// Reads the list.
///
/// # Errors
/// When a line is neither a GPU nor a MIG device, and when a GPU, a UUID or the number of a MIG device is there twice.
pub fn read(source: &SourceText) -> Result<Vec<Record<GpuLine>>, InputError> {
    let mut gpus: Vec<Record<GpuLine>> = Vec::new();
    for (position, line) in source.text().lines().enumerate() {
        let place = Place::line_at(position);
        let line = line.trim();
        if line.is_empty() || line == NO_DEVICES {
            continue;
        }
        let broken = || {
            place.error(
                source,
                "this is not a line of `nvidia-smi -L`, such as `GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-...)`. Write the whole \
                 output of the command to the file again.",
            )
        };
        let (name, uuid) =
            line.strip_suffix(')').and_then(|line| line.split_once("(UUID: ")).ok_or_else(broken)?;
        let (name, uuid) = (name.trim(), uuid.to_owned());
        if let Some(rest) = name.strip_prefix("GPU ") {
            let (gpu, product) = rest.split_once(": ").ok_or_else(broken)?;
            let gpu = gpu.parse().map_err(|_| broken())?;
            let twice = gpus.iter().find(|known| known.value.gpu == gpu || known.value.uuid == uuid);
            if let Some(first) = twice {
                return Err(place.error(source, twice_there("this GPU", first.place.line(source))));
            }
            let value = GpuLine { gpu, product: product.to_owned(), uuid, devices: Vec::new() };
            gpus.push(Record { value, place });
        } else {
            let words: Vec<&str> = name.trim_end_matches(':').split_whitespace().collect();
            let ["MIG", profile, "Device", index] = words[..] else { return Err(broken()) };
            let index = index.parse().map_err(|_| broken())?;
            let devices = &mut gpus.last_mut().ok_or_else(broken)?.value.devices;
            let twice = devices.iter().find(|known| known.value.index == index || known.value.uuid == uuid);
            if let Some(first) = twice {
                return Err(place.error(source, twice_there("this MIG device", first.place.line(source))));
            }
            let value = MigDevice { profile: profile.to_owned(), index, uuid };
            devices.push(Record { value, place });
        }
    }
    Ok(gpus)
}

fn twice_there(what: &str, line: u64) -> String {
    format!(
        "{what} is in the list twice, first at line {line}. The file must hold the output of one command on one node; split it."
    )
}

/// Writes the list.
pub fn write<'a>(gpus: impl IntoIterator<Item = &'a GpuLine>) -> String {
    let mut text = String::new();
    for gpu in gpus {
        text += &format!("GPU {}: {} (UUID: {})\n", gpu.gpu, gpu.product, gpu.uuid);
        for Record { value: MigDevice { profile, index, uuid }, .. } in &gpu.devices {
            text += &format!("  MIG {profile:<10}  Device {index:>2}: (UUID: {uuid})\n");
        }
    }
    if text.is_empty() { format!("{NO_DEVICES}\n") } else { text }
}

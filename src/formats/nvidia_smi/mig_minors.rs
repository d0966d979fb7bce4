//! `/proc/driver/nvidia-caps/mig-minors`: the capability files of instances, by the minor number of their GPU.

use crate::place::{Place, Record};
use ground::{InputError, SourceText};

/// The capability that gives access to an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Minor number of the GPU, the `N` of `/dev/nvidiaN`; not its index.
    pub gpu_minor: u32,
    /// Id of the GPU instance.
    pub gpu_instance: u32,
    /// Id of the compute instance; `None` of the GPU instance itself.
    pub compute_instance: Option<u32>,
    /// Number of the capability, the `N` of `/dev/nvidia-caps/nvidia-capN`.
    pub number: u32,
}

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("gpu") && line.contains("/gi") && line.contains("/access "))
}

/// Reads the capabilities of instances.
///
/// # Errors
/// When a line is none of such a file.
pub fn read(source: &SourceText) -> Result<Vec<Record<Capability>>, InputError> {
    let mut found = Vec::new();
    for (position, line) in source.text().lines().enumerate() {
        let (place, line) = (Place::line_at(position), line.trim());
        if ["", "config", "monitor"].contains(&line.split(' ').next().unwrap_or_default()) {
            continue;
        }
        let message = "this is not a line of /proc/driver/nvidia-caps/mig-minors, such as `gpu0/gi2/access 21`. Copy the file again.";
        let value = capability(line).ok_or_else(|| place.error(source, message))?;
        found.push(Record { value, place });
    }
    Ok(found)
}

fn capability(line: &str) -> Option<Capability> {
    let (path, number) = line.split_once(' ')?;
    let parts: Vec<&str> = path.split('/').collect();
    let (gpu, gpu_instance, compute_instance) = match parts[..] {
        [gpu, gi, "access"] => (gpu, gi, None),
        [gpu, gi, ci, "access"] => (gpu, gi, Some(ci.strip_prefix("ci")?.parse().ok()?)),
        _ => return None,
    };
    Some(Capability {
        gpu_minor: gpu.strip_prefix("gpu")?.parse().ok()?,
        gpu_instance: gpu_instance.strip_prefix("gi")?.parse().ok()?,
        compute_instance,
        number: number.trim().parse().ok()?,
    })
}

/// Writes the file.
pub fn write(capabilities: &[Capability]) -> String {
    let line = |capability: &Capability| {
        let Capability { gpu_minor, gpu_instance, compute_instance, number } = capability;
        let compute = compute_instance.map(|id| format!("ci{id}/")).unwrap_or_default();
        format!("gpu{gpu_minor}/gi{gpu_instance}/{compute}access {number}\n")
    };
    format!("config 1\nmonitor 2\n{}", capabilities.iter().map(line).collect::<String>())
}

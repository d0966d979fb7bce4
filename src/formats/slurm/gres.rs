//! `slurmd -G`: the devices of a node in the order that positions (IDX) count. `Index=` in it is no such position.

use super::{numbers, profile_of};
use crate::place::{Place, Record};
use ground::{InputError, SourceText};

/// A device, or several that one line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLine {
    /// The node, where the line tells.
    pub node: Option<String>,
    /// The type, such as `nvidia_a100-sxm4-40gb_3g.20gb`.
    pub kind: String,
    /// How many positions it takes.
    pub count: u32,
    /// Minor number of the GPU.
    pub minor: Option<u32>,
    /// Numbers of its capability files: GPU instance, then compute instance.
    pub capabilities: Vec<u32>,
}

impl DeviceLine {
    /// The profile that its type ends with.
    pub fn profile(&self) -> Option<&str> {
        profile_of(&self.kind)
    }

    /// The product that its type begins with.
    pub fn product(&self) -> Option<&str> {
        self.profile().and_then(|profile| self.kind.strip_suffix(profile)?.strip_suffix('_'))
    }
}

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.contains("Gres Name=") && line.contains("Count="))
}

/// Reads the GPUs in the order of their positions.
///
/// # Errors
/// When a line lacks something.
pub fn read(source: &SourceText) -> Result<Vec<Record<DeviceLine>>, InputError> {
    let mut found = Vec::new();
    for (position, line) in source.text().lines().enumerate() {
        let Some((head, rest)) = line.split_once("Gres Name=") else { continue };
        if rest.split_whitespace().next() != Some("gpu") {
            continue;
        }
        let place = Place::line_at(position);
        let device = device(head, rest).ok_or_else(|| {
            let message = "this is not a line of `slurmd -G`, such as `Gres Name=gpu Type=... Count=1 ... File=/dev/nvidia0,... Links=...`. Write \
                           the whole output of the command to the file again.";
            place.error(source, message)
        })?;
        found.push(Record { value: device, place });
    }
    Ok(found)
}

fn device(head: &str, rest: &str) -> Option<DeviceLine> {
    // The last field, so that a line that was cut is told.
    rest.split_whitespace().find(|word| word.starts_with("Flags=") || word.starts_with("Links="))?;
    let field =
        |name: &str| rest.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let files = field("File").unwrap_or_default();
    let capability = |file: &str| file.strip_prefix("/dev/nvidia-caps/nvidia-cap")?.parse().ok();
    let minor = files.split(',').find_map(|file| {
        let number = file.strip_prefix("/dev/nvidia")?;
        numbers(number.trim_matches(['[', ']'])).filter(|numbers| numbers.len() == 1)
    });
    let node = head.trim().trim_end_matches(':').strip_prefix("slurmd-");
    Some(DeviceLine {
        node: node.map(str::to_owned),
        kind: field("Type").unwrap_or_default().to_owned(),
        count: field("Count")?.parse().ok()?,
        minor: minor.map(|numbers| numbers[0]),
        capabilities: files.split(',').filter_map(capability).collect(),
    })
}

//! `scontrol show node -d`: nodes with the devices that are in use.

use super::Gres;
use crate::place::{Place, Record};
use ground::{InputError, SourceText};

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmNode {
    /// Its name.
    pub name: String,
    /// Devices that are in use, with their positions.
    pub used: Vec<Gres>,
    /// States, such as `MIXED` and `DRAIN`.
    pub states: Vec<String>,
    /// Features that it has now; `None` where that is not told.
    pub features: Option<Vec<String>>,
    /// The partitions to which it belongs; `None` where that is not told.
    pub partitions: Option<Vec<String>>,
}

impl SlurmNode {
    /// Whether it takes no new jobs.
    pub fn is_cordoned(&self) -> bool {
        self.states.iter().any(|state| {
            ["DRAIN", "DRAINED", "DRAINING", "DOWN", "FAIL", "MAINT", "INVAL"].contains(&state.as_str())
        })
    }
}

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("NodeName="))
}

/// Reads the nodes.
///
/// # Errors
/// When a node lacks its state, which it does when the file was cut, and when a device cannot be read.
pub fn read(source: &SourceText) -> Result<Vec<Record<SlurmNode>>, InputError> {
    let mut nodes: Vec<Record<SlurmNode>> = Vec::new();
    for (position, line) in source.text().lines().enumerate() {
        let (place, line) = (Place::line_at(position), line.trim());
        let field =
            |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        if let Some(name) = field("NodeName") {
            nodes.last().map_or(Ok(()), |node| complete(source, node))?;
            let value = SlurmNode {
                name: name.to_owned(),
                used: Vec::new(),
                states: Vec::new(),
                features: None,
                partitions: None,
            };
            nodes.push(Record { value, place });
        }
        let Some(node) = nodes.last_mut().map(|record| &mut record.value) else { continue };
        if let Some(used) = field("GresUsed") {
            node.used = Gres::list(used).ok_or_else(|| {
                let message = "the devices cannot be read. Write the whole output of `scontrol show node -d` to the file again.";
                place.error(source, message)
            })?;
        }
        let listed = |list: &str| {
            let names = list.split(',').filter(|name| !matches!(*name, "" | "(null)" | "N/A"));
            names.map(str::to_owned).collect()
        };
        if let Some(features) = field("ActiveFeatures") {
            node.features = Some(listed(features));
        }
        if let Some(partitions) = field("Partitions") {
            node.partitions = Some(listed(partitions));
        }
        if let Some(state) = field("State") {
            let plain = |state: &str| {
                state.trim_end_matches(['*', '~', '#', '!', '%', '$', '@', '^', '-']).to_owned()
            };
            node.states = state.split('+').map(plain).collect();
        }
    }
    nodes.last().map_or(Ok(()), |node| complete(source, node))?;
    Ok(nodes)
}

fn complete(source: &SourceText, node: &Record<SlurmNode>) -> Result<(), InputError> {
    if !node.value.states.is_empty() {
        return Ok(());
    }
    let message = format!(
        "node {} has no `State`. The file was cut off; write the whole output of `scontrol show node -d` to it again.",
        node.value.name
    );
    Err(node.place.error(source, message))
}

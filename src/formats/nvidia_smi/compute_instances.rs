//! `nvidia-smi mig -lci`: the compute instances.
//!
//! Newer drivers add a column Placement. It counts compute slices inside the GPU instance, so that it never tells a start slot; it is read
//! and kept apart. A GPU instance without a row here has no compute instance: it blocks its slots, and no scheduler sees it.

use super::Listing;
use super::table::{self, Kind};
use ground::{InputError, SourceText};

/// A compute instance as the driver lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputeInstanceRow {
    /// Index of the GPU on its node.
    pub gpu: u32,
    /// Id of the GPU instance that it is in.
    pub gpu_instance: u32,
    /// Name of the profile; with `c.` in it where it is a part of the GPU instance.
    pub profile: String,
    /// The driver's id of the compute profile.
    pub profile_id: u32,
    /// Id of the compute instance in its GPU instance.
    pub compute_instance: u32,
    /// First compute slice inside the GPU instance and their number, where the driver tells.
    pub slices: Option<(u32, u32)>,
}

const KIND: Kind = Kind {
    command: "nvidia-smi mig -lci",
    columns: "a GPU, a GPU instance, `MIG` and a profile, the profile's id, the instance's id, and with newer drivers its placement",
};

pub(crate) fn recognises(text: &str) -> bool {
    text.contains("| Compute instances:") || text.trim_start().starts_with("No compute instances found")
}

/// Reads the listing.
///
/// # Errors
/// When a row is none, and when the table is cut.
pub fn read(source: &SourceText) -> Result<Listing<ComputeInstanceRow>, InputError> {
    table::read(source, &KIND, row)
}

fn row(words: &[&str]) -> Option<ComputeInstanceRow> {
    let (&[gpu, gpu_instance, "MIG", profile, profile_id, compute_instance], rest) =
        words.split_first_chunk()?
    else {
        return None;
    };
    let slices = match rest {
        [] => None,
        [placement] => Some(table::placement(placement)?),
        _ => return None,
    };
    Some(ComputeInstanceRow {
        gpu: gpu.parse().ok()?,
        gpu_instance: gpu_instance.parse().ok()?,
        profile: profile.to_owned(),
        profile_id: profile_id.parse().ok()?,
        compute_instance: compute_instance.parse().ok()?,
        slices,
    })
}

/// Draws the listing, with placements if the first row has one.
pub fn write(rows: &[ComputeInstanceRow]) -> String {
    let Some(first) = rows.first() else { return "No compute instances found: Not Found\n".to_owned() };
    let wide = [
        "| Compute instances:                                                 |",
        "| GPU     GPU       Name             Profile   Instance   Placement  |",
        "|       Instance                       ID        ID       Start:Size |",
        "|         ID                                                         |",
    ];
    let narrow = [
        "| Compute instances:                                    |",
        "| GPU     GPU       Name             Profile   Instance |",
        "|       Instance                       ID        ID     |",
        "|         ID                                            |",
    ];
    let drawn = rows.iter().map(|row| {
        let ComputeInstanceRow { gpu, gpu_instance, profile, profile_id, compute_instance, slices } = row;
        let placement = slices.map(|(start, size)| format!("{:>11}", format!("{start}:{size}")));
        let placement = placement.unwrap_or_default();
        format!("|{gpu:>4}{gpu_instance:>7}       MIG {profile:<15}{profile_id:>3}{compute_instance:>10}{placement}     |")
    });
    table::draw(if first.slices.is_some() { &wide } else { &narrow }, drawn)
}

//! `nvidia-smi mig -lgi`: the GPU instances with their start slots.
//!
//! Rows are told apart by their words, never by columns: two widths are about, with a rule after every row or only at the end. Rows come in
//! the driver's order of profiles, not of slots, and the id of an instance says nothing about its slot.

use super::Listing;
use super::table::{self, Kind};
use ground::{InputError, SourceText};
use itertools::Itertools;
use mig::{Board, GpuInstance, SliceStart};

/// A GPU instance as the driver lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInstanceRow {
    /// Index of the GPU on its node, as `nvidia-smi` counts.
    pub gpu: u32,
    /// Name of the profile, such as `1g.5gb+me`.
    pub profile: String,
    /// The driver's id of the profile on this board.
    pub profile_id: u32,
    /// Id of the GPU instance on its GPU.
    pub gpu_instance: u32,
    /// First memory slot.
    pub start: u8,
    /// Memory slots.
    pub size: u32,
}

const KIND: Kind = Kind {
    command: "nvidia-smi mig -lgi",
    columns: "a GPU, `MIG` and a profile, the profile's id, the instance's id, and its place as start:size",
};

/// Whether a text is such a listing, or an answer in its place.
pub(crate) fn recognises(text: &str) -> bool {
    text.contains("| GPU instances:") || table::answers_without_table(text)
}

/// Reads the listing.
///
/// # Errors
/// When a row is none, when the table is cut, and when a GPU has two instances of one id.
pub fn read(source: &SourceText) -> Result<Listing<GpuInstanceRow>, InputError> {
    let listing = table::read(source, &KIND, row)?;
    let key = |row: &GpuInstanceRow| (row.gpu, row.gpu_instance);
    let rows = listing.rows().iter().sorted_by_key(|record| key(&record.value));
    let twice = rows.tuple_windows().find(|(a, b)| key(&a.value) == key(&b.value));
    if let Some((first, second)) = twice {
        let message = format!(
            "GPU {} has two instances of id {}, the other one at line {}. The file must hold the output of one command on one node; split it.",
            second.value.gpu,
            second.value.gpu_instance,
            first.place.line(source)
        );
        return Err(second.place.error(source, message));
    }
    Ok(listing)
}

fn row(words: &[&str]) -> Option<GpuInstanceRow> {
    let &[gpu, "MIG", profile, profile_id, gpu_instance, place] = words else { return None };
    let (start, size) = table::placement(place)?;
    Some(GpuInstanceRow {
        gpu: gpu.parse().ok()?,
        profile: profile.to_owned(),
        profile_id: profile_id.parse().ok()?,
        gpu_instance: gpu_instance.parse().ok()?,
        start,
        size,
    })
}

/// Draws the listing.
pub fn write(rows: &[GpuInstanceRow]) -> String {
    if rows.is_empty() {
        return "No GPU instances found: Not Found\n".to_owned();
    }
    let head = [
        "| GPU instances:                                          |",
        "| GPU   Name               Profile  Instance   Placement  |",
        "|                            ID       ID       Start:Size |",
    ];
    let drawn = rows.iter().map(|row| {
        let place = format!("{}:{}", row.start, row.size);
        let GpuInstanceRow { gpu, profile, profile_id, gpu_instance, .. } = row;
        format!("|{gpu:>4}  MIG {profile:<15}{profile_id:>5}{gpu_instance:>9}{place:>13}     |")
    });
    table::draw(&head, drawn)
}

impl GpuInstanceRow {
    /// The instance on a board that has such instances there.
    ///
    /// # Errors
    /// The rule that is broken: listings on the web are often invented or come from mock drivers.
    pub fn on(&self, board: &Board) -> Result<GpuInstance, String> {
        let instance = on_board(board, &self.profile, self.start, self.size)?;
        match board.profile(instance.profile).driver_id {
            Some(id) if id != self.profile_id => Err(format!(
                "profile {} has id {id} on a {}, not {}. The listing is from another board, or not from a driver at all; check \
                 the board, and run `nvidia-smi mig -lgi` on the node.",
                self.profile,
                board.name(),
                self.profile_id
            )),
            _ => Ok(instance),
        }
    }
}

/// The instance of a profile's name, a start and a size on a board.
///
/// # Errors
/// When the board has no such profile, or not this size, or not there.
pub fn on_board(board: &Board, profile: &str, start: u8, size: u32) -> Result<GpuInstance, String> {
    let index = board.find_profile(profile).ok_or_else(|| {
        let known: Vec<&str> = board.profiles().iter().map(|profile| profile.name.as_str()).collect();
        format!(
            "a {} has no profile {profile}{}. Its profiles: {}. Check the board.",
            board.name(),
            ground::did_you_mean(profile, known.iter().copied()),
            known.join(", ")
        )
    })?;
    let known = board.profile(index);
    if known.size != size {
        return Err(format!(
            "an instance of {profile} occupies {} memory slots on a {}, not {size}. A size counts memory slots, not compute slices; check \
             the board and where the listing comes from.",
            known.size,
            board.name()
        ));
    }
    let instance = GpuInstance { profile: index, start: SliceStart(start) };
    if board.is_legal(instance) {
        return Ok(instance);
    }
    Err(format!(
        "an instance of {profile} cannot start at slot {start} of a {}; legal starts are {}. Check the board and where the listing comes from.",
        board.name(),
        known.starts.iter().map(|start| start.0).join(", ")
    ))
}

//! Lists of devices that mean something else than they say.

use super::lint::Lint;
use super::subject::Subject;
use crate::configuration::{Configuration, Devices};
use crate::selection::Match;
use itertools::Itertools;
use mig::{Board, catalogue};

pub fn zero_counts(configuration: &Configuration) -> Vec<Lint> {
    let listed = configuration.entries.iter().flat_map(|entry| &entry.mig_devices);
    let told = listed.filter(|devices| devices.count == 0).map(|devices| {
        let message = format!(
            "the count of {} is 0: the list never equals what a GPU has, so the GPU is cleared and laid out again at every apply. \
             Remove it.",
            devices.profile
        );
        Lint::warning("zero-count", devices.at, message)
    });
    told.collect()
}

pub fn other_shapes(subject: &Subject<'_>) -> Vec<Lint> {
    let mut told = Vec::new();
    for (position, entry) in subject.configuration.entries.iter().enumerate() {
        let here: Vec<&Board> = subject
            .nodes()
            .flat_map(|(node, found)| found.iter().map(move |found| (node, found)))
            .filter(|(_, found)| found.entry == position)
            .map(|(node, found)| &*node.gpus[found.gpu].board)
            .unique_by(|board| board.name())
            .collect();
        if !entry.has_no_filter() {
            continue;
        }
        for devices in &entry.mig_devices {
            let Some((board, shape)) =
                here.iter().find_map(|board| Some((*board, shape_of(board, &devices.profile.of)?)))
            else {
                continue;
            };
            let other = catalogue().boards().iter().find_map(|other| {
                let there = shape_of(other, &devices.profile.of).filter(|there| *there != shape)?;
                Some(format!("{} of {} slots on {}", there.0, there.1, other.name()))
            });
            if let Some(other) = other {
                let message = format!(
                    "{} has {} of {} slots on {}, but {other}. Where nodes differ, give the entry a `device-filter`.",
                    devices.profile.of,
                    shape.0,
                    shape.1,
                    board.name()
                );
                told.push(Lint::note("other-shape", devices.at, message));
            }
        }
    }
    told
}

/// Slots of a profile of this very name, and of its board.
fn shape_of(board: &Board, name: &str) -> Option<(u32, u32)> {
    let profile = board.profiles().iter().find(|profile| profile.name == name)?;
    Some((profile.size, board.slots()))
}

pub fn different_boards(subject: &Subject<'_>) -> Vec<Lint> {
    let mut told = Vec::new();
    for entry in &subject.configuration.entries {
        let is_for_all = entry.devices.value == Devices::All && entry.has_no_filter();
        let node = subject.state.nodes.iter().find(|node| node.boards().len() > 1);
        if let Some(node) = node.filter(|_| is_for_all && !entry.mig_devices.is_empty()) {
            let message = format!(
                "`devices: all` without `device-filter` gives the same profiles to all GPUs of node {}, which has {}. Write an entry with a \
                 `device-filter` for each board.",
                node.name,
                node.boards().join(" and ")
            );
            told.push(Lint::warning("different-boards", entry.devices.at, message));
        }
    }
    told
}

pub fn mixed_layout(subject: &Subject<'_>) -> Option<Lint> {
    let is_mixed = |found: &[Match]| {
        let kinds = found.iter().flat_map(|found| {
            let entry = subject.entry(found);
            let listed = entry.mig_devices.iter().filter(|devices| devices.count > 0);
            let kinds: Vec<Option<String>> =
                listed.map(|devices| Some(devices.profile.to_string())).collect();
            // A GPU without devices is a kind of its own.
            if kinds.is_empty() { vec![None] } else { kinds }
        });
        kinds.unique().count() > 1
    };
    let node = subject.nodes().find(|(_, found)| is_mixed(found))?.0;
    let place = if node.name.is_empty() { "the node".to_owned() } else { format!("node {}", node.name) };
    let message = format!(
        "under strategy single all GPUs of a node have devices of one profile, but those of {place} have several: the product's name becomes \
         ...-MIG-INVALID, and no device is offered. Use strategy mixed, or one profile."
    );
    Some(Lint::warning("mixed-layout", subject.configuration.at, message))
}

//! Entries that match too few GPUs, or too many.

use super::lint::{Lint, gpus_in_words};
use super::subject::Subject;
use crate::configuration::{ConfigurationFile, Devices};
use crate::selection::boards_of;
use crate::state::Node;
use itertools::Itertools;

pub fn uncovered(subject: &Subject<'_>) -> Option<Lint> {
    let mut names = Vec::new();
    for (node, found) in subject.nodes() {
        let is_matched = |gpu: usize| found.iter().any(|found| found.gpu == gpu);
        let missed = node.gpus.iter().enumerate().filter(|(position, _)| !is_matched(*position));
        names.extend(missed.map(|(_, gpu)| node.gpu_name(gpu)));
    }
    if names.is_empty() {
        return None;
    }
    let (verb, them) = if names.len() == 1 { ("is", "it") } else { ("are", "them") };
    let message = format!(
        "{} {verb} matched by no entry: `nvidia-mig-parted assert` never succeeds, and mig-manager stops all clients of the node's \
         GPUs whenever it starts. Add an entry for {them}, with `mig-enabled: false` where MIG is to be off.",
        gpus_in_words(&names)
    );
    Some(Lint::warning("uncovered", subject.configuration.at, message))
}

pub fn matched_twice(file: &ConfigurationFile, subject: &Subject<'_>) -> Vec<Lint> {
    let mut groups: Vec<(Vec<usize>, Vec<String>)> = Vec::new();
    for (node, found) in subject.nodes() {
        for (position, gpu) in node.gpus.iter().enumerate() {
            let entries: Vec<usize> =
                found.iter().filter(|found| found.gpu == position).map(|found| found.entry).collect();
            if entries.len() < 2 {
                continue;
            }
            match groups.iter_mut().find(|(known, _)| *known == entries) {
                Some((_, names)) => names.push(node.gpu_name(gpu)),
                None => groups.push((entries, vec![node.gpu_name(gpu)])),
            }
        }
    }
    let told = groups.into_iter().map(|(positions, names)| {
        let entries = || positions.iter().map(|&position| &subject.configuration.entries[position]);
        let lines = entries().map(|entry| file.source.line_of(entry.at)).join(" and ");
        let modes_differ = entries().map(|entry| entry.mig_enabled).unique().count() > 1;
        let effect = if modes_differ {
            "they disagree on `mig-enabled`, so every apply fails"
        } else {
            "each lays it out again, and the last one wins"
        };
        let message = format!(
            "{} {} matched by the entries of lines {lines}: {effect}. Let exactly one entry match each GPU.",
            gpus_in_words(&names),
            if names.len() == 1 { "is" } else { "are" },
        );
        Lint::warning("matched-twice", entries().next_back().and_then(|entry| entry.at), message)
    });
    told.collect()
}

pub fn filters(subject: &Subject<'_>) -> Vec<Lint> {
    let does_nothing = subject.matches.iter().all(Vec::is_empty);
    let boards = subject.state.nodes.iter().flat_map(Node::boards).unique().join(", ");
    let mut told = Vec::new();
    for entry in &subject.configuration.entries {
        for filter in entry.filters.iter().filter(|filter| !filter.value.text.is_empty()) {
            let (text, meant) = (&filter.value.text, boards_of(&filter.value).join(", "));
            if filter.value.device.is_none() {
                let message = format!(
                    "the device filter {text} is not the number of a PCI device, so it silently matches \
                     nothing. Write device and vendor as one number, such as 0x20B010DE."
                );
                told.push(Lint::warning("filter-matches-nothing", filter.at, message));
            } else if does_nothing {
                let meant = if meant.is_empty() { "no known board".to_owned() } else { meant };
                let message = format!(
                    "the device filter {text} ({meant}) matches none of the GPUs ({boards}): the configuration silently \
                     does nothing. Correct the filter, or leave it out."
                );
                told.push(Lint::warning("filter-matches-nothing", filter.at, message));
            } else if filter.value.has_subsystem {
                let message = format!(
                    "the device filter {text} names a subsystem, and migopt does not know which GPUs have it: it assumes \
                     that any {meant} does. Compare it with `lspci -nn -v`."
                );
                told.push(Lint::note("subsystem", filter.at, message));
            }
        }
    }
    told
}

pub fn no_such_gpu(subject: &Subject<'_>) -> Vec<Lint> {
    let most = subject.state.nodes.iter().flat_map(|node| &node.gpus).map(|gpu| gpu.index).max();
    let mut told = Vec::new();
    for entry in &subject.configuration.entries {
        let Devices::Listed(indices) = &entry.devices.value else { continue };
        let absent: Vec<String> =
            indices.iter().filter(|index| Some(**index) > most).map(u32::to_string).collect();
        if let Some(most) = most.filter(|_| !absent.is_empty()) {
            let message = format!(
                "there is no {}: indices go from 0 to {most}, and others are silently ignored. Remove them.",
                gpus_in_words(&absent)
            );
            told.push(Lint::warning("no-such-gpu", entry.devices.at, message));
        }
    }
    told
}

//! What a configuration says and cannot mean, or does beside what it says.

use super::configuration::{Configuration, ConfigurationFile, Devices, Entry};
use super::selection::{Match, boards_of, matches};
use super::state::{Gpu, Node, State};
use ground::At;
use itertools::Itertools;
use mig::{Board, catalogue};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// More GPUs than this are told by their number.
const MOST_NAMES: usize = 8;

/// How much a remark matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Mend it.
    Warning,
    /// Know it.
    Note,
}

/// The strategy by which the device plugin names MIG devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// All of a node are called `nvidia.com/gpu`.
    Single,
    /// Each is called by its profile.
    Mixed,
}

/// A remark on a configuration.
#[derive(Clone, Debug)]
pub struct Lint {
    /// Its short, stable name.
    pub rule: &'static str,
    /// How much it matters.
    pub level: Level,
    /// Where it belongs.
    pub at: At,
    /// What is so, and what to do about it.
    pub message: String,
}

/// What is looked at.
pub struct Subject<'a> {
    /// The configuration.
    pub configuration: &'a Configuration,
    /// The nodes.
    pub state: &'a State,
    /// The matches on each node.
    matches: Vec<Vec<Match>>,
    /// Whether the nodes are known with what they have.
    pub is_known: bool,
}

impl<'a> Subject<'a> {
    /// A configuration beside the nodes on which it is applied.
    pub fn new(configuration: &'a Configuration, state: &'a State, is_known: bool) -> Self {
        let matches = state.nodes.iter().map(|node| matches(configuration, node)).collect();
        Subject { configuration, state, matches, is_known }
    }

    /// The nodes, each with what matches there.
    pub fn nodes(&self) -> impl Iterator<Item = (&'a Node, &[Match])> {
        self.state.nodes.iter().zip(self.matches.iter().map(Vec::as_slice))
    }

    fn entry(&self, found: &Match) -> &'a Entry {
        &self.configuration.entries[found.entry]
    }

    /// The entries that match something, each with its position.
    fn matched_entries(&self) -> impl Iterator<Item = &'a Entry> {
        let positions: BTreeSet<usize> = self.matches.iter().flatten().map(|found| found.entry).collect();
        positions.into_iter().map(|position| &self.configuration.entries[position])
    }
}

/// All remarks, in the order of the file.
pub fn lints(file: &ConfigurationFile, subject: &Subject<'_>, strategy: Option<Strategy>) -> Vec<Lint> {
    let mut found: Vec<Lint> = uncovered(subject).into_iter().collect();
    found.extend(matched_twice(file, subject));
    found.extend(zero_counts(subject.configuration));
    found.extend(filters(subject));
    found.extend(no_such_gpu(subject));
    found.extend(mode_change(subject));
    found.extend(without_compute_instance(subject));
    found.extend(other_shapes(subject));
    found.extend(different_boards(subject));
    if strategy == Some(Strategy::Single) {
        found.extend(mixed_layout(subject));
    }
    found.sort_by_key(|lint| lint.at);
    found
}

fn warning(rule: &'static str, at: At, message: String) -> Lint {
    Lint { rule, level: Level::Warning, at, message }
}

fn note(rule: &'static str, at: At, message: String) -> Lint {
    Lint { rule, level: Level::Note, at, message }
}

/// `GPU 0`, `GPUs 0 and 1`, or the first of them and how many more there are.
pub(super) fn gpus_in_words(names: &[String]) -> String {
    let noun = if names.len() == 1 { "GPU" } else { "GPUs" };
    let listed = match names {
        [all @ .., last] if !all.is_empty() && names.len() <= MOST_NAMES => {
            format!("{} and {last}", all.join(", "))
        }
        _ if names.len() <= MOST_NAMES => names.join(", "),
        _ => format!("{} and {} more", names[..MOST_NAMES].join(", "), names.len() - MOST_NAMES),
    };
    format!("{noun} {listed}")
}

fn uncovered(subject: &Subject<'_>) -> Option<Lint> {
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
         GPUs whenever it starts. Add an entry for {them}, with `mig-enabled: false` where there is to be no MIG.",
        gpus_in_words(&names)
    );
    Some(warning("uncovered", subject.configuration.at, message))
}

fn matched_twice(file: &ConfigurationFile, subject: &Subject<'_>) -> Vec<Lint> {
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
            "each lays it out anew, and the last one wins"
        };
        let message = format!(
            "{} {} matched by the entries of lines {lines}: {effect}. Let one entry alone match each GPU.",
            gpus_in_words(&names),
            if names.len() == 1 { "is" } else { "are" },
        );
        warning("matched-twice", entries().last().and_then(|entry| entry.at), message)
    });
    told.collect()
}

fn zero_counts(configuration: &Configuration) -> Vec<Lint> {
    let listed = configuration.entries.iter().flat_map(|entry| &entry.mig_devices);
    let told = listed.filter(|devices| devices.count == 0).map(|devices| {
        let message = format!(
            "the count of {} is 0: the list never equals what a GPU has, which is therefore cleared and laid out anew at every apply. \
             Remove it.",
            devices.profile
        );
        warning("zero-count", devices.at, message)
    });
    told.collect()
}

fn filters(subject: &Subject<'_>) -> Vec<Lint> {
    let does_nothing = subject.matches.iter().all(Vec::is_empty);
    let boards = subject.state.nodes.iter().flat_map(Node::boards).unique().join(", ");
    let mut told = Vec::new();
    for entry in &subject.configuration.entries {
        for filter in entry.filters.iter().filter(|filter| !filter.value.text.is_empty()) {
            let (text, meant) = (&filter.value.text, boards_of(&filter.value).join(", "));
            if filter.value.device.is_none() {
                let message = format!(
                    "the device filter {text} is no number of a device on the PCI bus, so it matches nothing, without a word. Write \
                     device and vendor as one number, such as 0x20B010DE."
                );
                told.push(warning("filter-matches-nothing", filter.at, message));
            } else if does_nothing {
                let meant = if meant.is_empty() { "no known board".to_owned() } else { meant };
                let message = format!(
                    "the device filter {text} ({meant}) matches none of the GPUs ({boards}): the configuration does nothing, without a \
                     word. Correct the filter, or leave it out."
                );
                told.push(warning("filter-matches-nothing", filter.at, message));
            } else if filter.value.has_subsystem {
                let message = format!(
                    "the device filter {text} names a subsystem, which is not known here: any {meant} is taken to have it. Compare it \
                     with `lspci -nn -v`."
                );
                told.push(note("subsystem", filter.at, message));
            }
        }
    }
    told
}

fn no_such_gpu(subject: &Subject<'_>) -> Vec<Lint> {
    let most = subject.state.nodes.iter().flat_map(|node| &node.gpus).map(|gpu| gpu.index).max();
    let mut told = Vec::new();
    for entry in &subject.configuration.entries {
        let Devices::Listed(indices) = &entry.devices.value else { continue };
        let absent: Vec<String> =
            indices.iter().filter(|index| Some(**index) > most).map(u32::to_string).collect();
        if let Some(most) = most.filter(|_| !absent.is_empty()) {
            let message = format!(
                "there is no {}: indices go from 0 to {most}, and others are ignored without a word. Remove them.",
                gpus_in_words(&absent)
            );
            told.push(warning("no-such-gpu", entry.devices.at, message));
        }
    }
    told
}

const RESETS: &str =
    "all matched GPUs with MIG on are cleared, and all GPUs of the node are reset. Drain the node first.";

fn mode_change(subject: &Subject<'_>) -> Option<Lint> {
    let mut names = Vec::new();
    let mut first = None;
    for (node, found) in subject.nodes() {
        for found in found {
            let (gpu, entry) = (&node.gpus[found.gpu], subject.entry(found));
            if subject.is_known && gpu.mig_enabled != entry.mig_enabled {
                names.push(node.gpu_name(gpu));
                first = first.or(Some(entry.at));
            }
        }
    }
    if let Some(at) = first {
        let names: Vec<String> = names.into_iter().unique().collect();
        let verb = if names.len() == 1 { "changes its" } else { "change their" };
        let message = format!("{} {verb} MIG mode: {RESETS}", gpus_in_words(&names));
        return Some(warning("mode-change", at, message));
    }
    let without_mig = subject.matched_entries().find(|entry| !entry.mig_enabled)?;
    let has_both = subject.matched_entries().any(|entry| entry.mig_enabled);
    let message =
        format!("MIG is on for some GPUs and off for others: where one of them has another mode, {RESETS}");
    (has_both && !subject.is_known).then(|| warning("mode-change", without_mig.at, message))
}

fn without_compute_instance(subject: &Subject<'_>) -> Vec<Lint> {
    let hidden = |gpu: &Gpu| -> Vec<String> {
        let hidden = gpu.instances.iter().filter(|standing| !standing.has_compute_instance);
        hidden.map(|standing| gpu.board.instance_name(standing.instance)).collect()
    };
    let mut told = Vec::new();
    for (node, found) in subject.nodes() {
        for (position, gpu) in node.gpus.iter().enumerate() {
            let hidden = hidden(gpu);
            if hidden.is_empty() || !found.iter().any(|found| found.gpu == position) {
                continue;
            }
            let message = format!(
                "GPU {} has {} without compute instance, which `export` and `assert` do not see: where the GPU shows no device, the first \
                 apply finds no room and fails, and the second one succeeds. Destroy it with `nvidia-smi mig -dgi`, or give it a compute \
                 instance with `nvidia-smi mig -cci`.",
                node.gpu_name(gpu),
                hidden.join(", ")
            );
            told.push(warning("no-compute-instance", subject.configuration.at, message));
        }
    }
    told
}

fn other_shapes(subject: &Subject<'_>) -> Vec<Lint> {
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
                told.push(note("other-shape", devices.at, message));
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

fn different_boards(subject: &Subject<'_>) -> Vec<Lint> {
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
            told.push(warning("different-boards", entry.devices.at, message));
        }
    }
    told
}

fn mixed_layout(subject: &Subject<'_>) -> Option<Lint> {
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
    Some(warning("mixed-layout", subject.configuration.at, message))
}

//! Taints of single devices, for NVIDIA's driver of dynamic resource allocation.
//!
//! The driver makes an instance for each claim, and a claim cannot ask for a start. What can be done is to keep it away from all devices
//! but one: before a workload starts, every other free device of its profile is tainted, and so is whatever overlaps a place that a later
//! round needs. A workload is evicted from the device that it is to leave.

use crate::applied_file::AppliedFile;
use crate::course::{Course, Held, Layout, Stage};
use crate::handover;
use crate::shell::comment;
use formats::dra::{DRIVER, MigDeviceName};
use mig::{GpuInstance, SliceStart};
use plan::MoveEntry;
use std::collections::{BTreeMap, BTreeSet};

/// A device: its pool and its name.
type Device<'a> = (&'a str, String);

/// A place: a GPU and an instance there.
type Place<'a> = (&'a str, GpuInstance);

/// A move, with the instances that it leaves and enters.
struct Step<'a> {
    entry: &'a MoveEntry,
    from: Option<Place<'a>>,
    to: Option<Place<'a>>,
}

/// The files as they are put together.
struct Files {
    files: Vec<AppliedFile>,
    steps: String,
    /// The label of the rules that are in force.
    label: Option<String>,
}

/// For each round the taints before it and those that evict.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut written = Files {
        files: Vec::new(),
        steps: format!(
            "The plan of {} by taints of devices, in this order. Names and labels of rules begin with `migopt`. A pod that waits is scheduled as \
             soon as a device is open to it: create newcomers when their turn comes, not earlier.\n",
            comment(course.name)
        ),
        label: None,
    };
    let mut rounds = Vec::new();
    // Idle instances are no claims: the driver removes them.
    let mut now: BTreeMap<&str, Layout> = course.held.clone();
    for (number, stage) in (1..).zip(&course.stages) {
        let stays = without_left(&now, stage);
        let steps: Vec<Step<'_>> =
            stage.moves.iter().map(|entry| step(course, &now, number, entry)).collect();
        now = stays.clone();
        for (gpu, instance) in steps.iter().filter_map(|step| step.to) {
            now.entry(gpu).or_default().insert(instance.start, Held { instance, is_bare: false });
        }
        rounds.push((stays, steps));
    }
    for (number, (stays, steps)) in rounds.iter().enumerate() {
        let needed: Vec<Place<'_>> =
            rounds[number..].iter().flat_map(|(_, steps)| steps).filter_map(|step| step.to).collect();
        let closed = closed(course, stays, &needed)?;
        written.steps += &format!("\nRound {}\n", number + 1);
        let waves = waves(course, steps);
        for (wave, steps) in waves.iter().enumerate() {
            let suffix = if waves.len() > 1 { format!("-{}", wave + 1) } else { String::new() };
            let label = format!("round-{}{suffix}", number + 1);
            let mut closed = closed.clone();
            for (gpu, place) in steps.iter().filter_map(|step| step.to) {
                for device in devices(course, gpu, |other| other == place)? {
                    closed.remove(&device);
                }
            }
            written.keep(&format!("round-{}.keep{suffix}.yaml", number + 1), label, &closed);
            for step in steps {
                written.steps += &format!("  {}\n", handover::words(course, step.entry));
            }
        }
        let mut left = BTreeSet::new();
        for (gpu, place) in steps.iter().filter_map(|step| step.from) {
            left.extend(devices(course, gpu, |other| other == place)?);
        }
        if !left.is_empty() {
            written.evict(number + 1, &left);
        }
    }
    written.steps += "\nAfter the plan\n  kubectl delete devicetaintrules -l migopt/plan\n";
    written.files.push(AppliedFile::text("steps.txt", written.steps));
    Ok(written.files)
}

fn step<'a>(
    course: &Course<'a>,
    now: &BTreeMap<&'a str, Layout>,
    number: usize,
    entry: &'a MoveEntry,
) -> Step<'a> {
    let from = entry.from.as_ref().and_then(|spot| {
        let (gpu, layout) = now.get_key_value(spot.gpu.as_str())?;
        Some((*gpu, layout.get(&SliceStart(spot.start))?.instance))
    });
    let to = entry.to.as_ref().and_then(|spot| {
        let profile = *course.profiles.get(&(number, entry.workload.as_str()))?;
        Some((spot.gpu.as_str(), GpuInstance { profile, start: SliceStart(spot.start) }))
    });
    Step { entry, from, to }
}

/// What is held all through a round.
fn without_left<'a>(now: &BTreeMap<&'a str, Layout>, stage: &Stage<'a>) -> BTreeMap<&'a str, Layout> {
    let mut stays = now.clone();
    for spot in stage.moves.iter().filter_map(|step| step.from.as_ref()) {
        if let Some(layout) = stays.get_mut(spot.gpu.as_str()) {
            layout.remove(&SliceStart(spot.start));
        }
    }
    stays
}

/// Steps one after the other, so that of each profile one device is open at a time: a claim asks for a profile, and who is where matters to
/// later rounds.
fn waves<'s, 'a>(course: &Course<'_>, steps: &'s [Step<'a>]) -> Vec<Vec<&'s Step<'a>>> {
    let profile = |step: &Step<'_>| {
        step.to.map(|(gpu, place)| course.board_of(gpu).profile(place.profile).name.clone())
    };
    let mut waves: Vec<Vec<&Step<'_>>> = vec![Vec::new()];
    for step in steps {
        let wanted = profile(step);
        let is_open = |wave: &&mut Vec<&Step<'_>>| {
            wanted.is_none() || wave.iter().all(|other| profile(other) != wanted)
        };
        match waves.iter_mut().find(is_open) {
            Some(wave) => wave.push(step),
            None => waves.push(vec![step]),
        }
    }
    waves
}

/// The devices that claims are to be kept off: what overlaps a needed place, and all free ones of the profiles that are needed.
fn closed<'a>(
    course: &Course<'a>,
    stays: &BTreeMap<&'a str, Layout>,
    needed: &[Place<'a>],
) -> Result<BTreeSet<Device<'a>>, String> {
    let name = |gpu: &str, place: GpuInstance| &course.board_of(gpu).profile(place.profile).name;
    let profiles: BTreeSet<&String> = needed.iter().map(|&(gpu, place)| name(gpu, place)).collect();
    let mut closed = BTreeSet::new();
    for (&gpu, layout) in stays {
        let board = course.board_of(gpu);
        let overlaps =
            |one: GpuInstance, other: GpuInstance| board.footprint(one).intersects(board.footprint(other));
        let is_closed = |place: GpuInstance| {
            let mut needed = needed.iter().filter(|(other, _)| *other == gpu);
            let is_free = || !layout.values().any(|held| overlaps(held.instance, place));
            needed.any(|&(_, needed)| overlaps(needed, place))
                || (profiles.contains(name(gpu, place)) && is_free())
        };
        closed.extend(devices(course, gpu, is_closed)?);
    }
    Ok(closed)
}

impl Files {
    /// Closes devices, and then opens what was closed before and is no longer.
    fn keep(&mut self, file: &str, label: String, closed: &BTreeSet<Device<'_>>) {
        if !closed.is_empty() {
            let rules: Vec<String> =
                closed.iter().map(|device| rule(device, &label, "", "reserved", "NoSchedule")).collect();
            let why = "Keeps new claims off all devices but those that the plan enters now.";
            self.apply(file, why, &rules);
        }
        if let Some(before) = self.label.replace(label) {
            self.steps += &format!("  kubectl delete devicetaintrules -l migopt/plan={before}\n");
        }
    }

    /// Evicts those who are still on devices that are left, and keeps them from coming back.
    fn evict(&mut self, round: usize, left: &BTreeSet<Device<'_>>) {
        let label = self.label.as_deref().unwrap_or_default();
        let rules: Vec<String> =
            left.iter().map(|device| rule(device, label, "-evict", "left", "NoExecute")).collect();
        self.steps += "  Once all new copies run, evict what is left of the old ones:\n";
        self.apply(
            &format!("round-{round}.evict.yaml"),
            "Evicts what the plan moves, and keeps it from coming back.",
            &rules,
        );
    }

    fn apply(&mut self, file: &str, why: &str, rules: &[String]) {
        self.steps += &format!("  kubectl apply -f {file}\n");
        self.files.push(AppliedFile::text(file, format!("# {why}\n{}", rules.join("---\n"))));
    }
}

/// The devices of a GPU that are meant.
fn devices<'a>(
    course: &Course<'a>,
    gpu: &str,
    is_meant: impl Fn(GpuInstance) -> bool,
) -> Result<Vec<Device<'a>>, String> {
    let (board, locked) = (course.board_of(gpu), course.gpu(gpu));
    let minor = locked.minor.ok_or_else(|| {
        format!(
            "the lock does not hold the minor number of {gpu}, by which its devices are named. Import `nvidia-smi -q -x` of {}, or the cluster's \
             resource slices.",
            locked.node
        )
    })?;
    let mut found = Vec::new();
    for profile in board.profile_indices() {
        for &start in &board.profile(profile).starts {
            let instance = GpuInstance { profile, start };
            if is_meant(instance) {
                let name = MigDeviceName::of(minor, board, instance).ok_or_else(|| {
                    format!(
                        "the driver's id of {} of a {} is not known.",
                        board.profile(profile).name,
                        board.name()
                    )
                })?;
                found.push((locked.node.as_str(), name.to_string()));
            }
        }
    }
    Ok(found)
}

fn rule((pool, device): &Device<'_>, label: &str, suffix: &str, value: &str, effect: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\n\
         metadata: {{name: migopt-{pool}-{device}{suffix}, labels: {{migopt/plan: {label}}}}}\n\
         spec:\n  deviceSelector: {{driver: {DRIVER}, pool: {pool}, device: {device}}}\n  \
         taint: {{key: migopt/plan, value: {value}, effect: {effect}}}\n"
    )
}

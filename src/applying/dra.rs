//! Taints of single devices, for NVIDIA's driver of dynamic resource allocation.
//!
//! The driver makes an instance for each claim, and a claim cannot ask for a start. What can be done is to keep it away from all devices
//! but one: before a workload starts, every other free device of its profile is tainted, and so is whatever overlaps a place that a later
//! round needs. A workload is evicted from the device that it is to leave.

use crate::AppliedFile;
use crate::course::{Course, Layout};
use crate::handover;
use crate::shell::comment;
use formats::dra::{DRIVER, MigDeviceName};
use mig::GpuInstance;
use std::collections::{BTreeMap, BTreeSet};

/// A device: its pool and its name.
type Device<'a> = (&'a str, String);

/// For each round the taints before it and those that evict.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut files = Vec::new();
    let mut steps = format!(
        "The plan of {} by taints of devices, in this order. Names and labels of rules begin with `migopt`.\n",
        comment(course.name)
    );
    let mut now: BTreeMap<&str, Layout> = course.before.clone();
    // Idle instances are no claims: the driver removes them.
    for (name, layout) in &mut now {
        let is_idle = |start: u8| {
            let found = course.gpu(name).instances.iter().find(|locked| locked.start == start);
            found.is_some_and(|locked| {
                locked.state != inventory::LockedState::InUse
                    && locked.state != inventory::LockedState::Unknown
            })
        };
        layout.retain(|start, _| !is_idle(start.0));
    }
    for (number, stage) in (1..).zip(&course.stages) {
        let entered = stage
            .changes
            .iter()
            .flat_map(|(&gpu, change)| change.made.iter().map(move |held| (gpu, held.instance)));
        let entered: Vec<(&str, GpuInstance)> = entered.collect();
        let later = course.stages.iter().skip(number).flat_map(|later| &later.changes);
        let later = later.flat_map(|(&gpu, change)| change.made.iter().map(move |held| (gpu, held.instance)));
        let mut reserved: BTreeSet<Device<'_>> = BTreeSet::new();
        for (gpu, place) in entered.iter().copied().chain(later) {
            let footprint = course.board_of(gpu).footprint(place);
            let overlaps = |other: GpuInstance| course.board_of(gpu).footprint(other).intersects(footprint);
            reserved.extend(devices(course, gpu, overlaps)?);
        }
        let profiles: BTreeSet<&str> = entered
            .iter()
            .map(|&(gpu, place)| course.board_of(gpu).profile(place.profile).name.as_str())
            .collect();
        for (&gpu, layout) in &now {
            let board = course.board_of(gpu);
            let is_free = |place: GpuInstance| {
                let footprint = board.footprint(place);
                layout.values().all(|held| !board.footprint(held.instance).intersects(footprint))
            };
            let fits = |place: GpuInstance| {
                profiles.contains(board.profile(place.profile).name.as_str()) && is_free(place)
            };
            reserved.extend(devices(course, gpu, fits)?);
        }
        let mut left: BTreeSet<Device<'_>> = BTreeSet::new();
        for (&gpu, change) in &stage.changes {
            for held in &change.left {
                left.extend(devices(course, gpu, |place| place == held.instance)?);
            }
        }
        for &(gpu, entered) in &entered {
            for device in devices(course, gpu, |place| place == entered)? {
                reserved.remove(&device);
            }
        }
        reserved.retain(|device| !left.contains(device));
        steps += &format!(
            "\nRound {number}\n  kubectl delete devicetaintrules -l migopt/plan --ignore-not-found\n"
        );
        for (what, why, devices, effect) in [
            (
                "keep",
                "Keeps new claims off all places but those that the plan enters in this round.",
                &reserved,
                "NoSchedule",
            ),
            ("evict", "Evicts what the plan moves, and keeps it from coming back.", &left, "NoExecute"),
        ] {
            let file = format!("round-{number}.{what}.yaml");
            if what == "evict" {
                for step in stage.moves {
                    steps += &format!("  {}\n", handover::words(course, step));
                }
            }
            if devices.is_empty() {
                continue;
            }
            let remark = if what == "evict" {
                " (once the new copies run; not for what was stopped by hand)"
            } else {
                ""
            };
            steps += &format!("  kubectl apply -f {file}{remark}\n");
            let rules: Vec<String> =
                devices.iter().map(|device| rule(device, number, what, effect)).collect();
            files.push(AppliedFile::text(file, format!("# {why}\n{}", rules.join("---\n"))));
        }
        for (&gpu, change) in &stage.changes {
            let layout = now.get_mut(gpu).expect("all GPUs have layouts");
            for held in change.in_the_way.iter().chain(&change.left) {
                layout.remove(&held.instance.start);
            }
            layout.extend(change.made.iter().map(|held| (held.instance.start, *held)));
        }
    }
    steps += "\nAfter the plan\n  kubectl delete devicetaintrules -l migopt/plan\n";
    files.push(AppliedFile::text("steps.txt", steps));
    Ok(files)
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

fn rule((pool, device): &Device<'_>, round: usize, what: &str, effect: &str) -> String {
    let (suffix, value) = if what == "evict" { ("-evict", "left") } else { ("", "reserved") };
    format!(
        "apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\n\
         metadata: {{name: migopt-{pool}-{device}{suffix}, labels: {{migopt/plan: round-{round}}}}}\n\
         spec:\n  deviceSelector: {{driver: {DRIVER}, pool: {pool}, device: {device}}}\n  \
         taint: {{key: migopt/plan, value: {value}, effect: {effect}}}\n"
    )
}

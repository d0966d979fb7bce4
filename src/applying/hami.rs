//! Annotations for HAMi, which chooses starts itself: a plan is followed GPU by GPU.
//!
//! So a plan is written only if every workload finds a place on the GPU that the plan names whatever starts HAMi chooses, in whatever order
//! the moves of a round are done. Where pods are on their GPU may differ from the plan.

use crate::applied_file::AppliedFile;
use crate::course::{Course, Layout};
use crate::handover;
use crate::shell::{comment, quoted};
use itertools::Itertools;
use mig::{Board, GpuInstance, ProfileIndex};
use plan::{Kind, MoveEntry};
use std::collections::{BTreeMap, BTreeSet};

/// The steps: which GPUs are cordoned in each round, and on which GPU each pod that starts is to be.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut steps = format!(
        "The plan of {} by HAMi, in this order. HAMi chooses the starts of instances, which may be others than the plan's; every workload finds a place \
         with any of them.\n",
        comment(course.name)
    );
    let touched: BTreeSet<&str> = course
        .stages
        .iter()
        .flat_map(|stage| stage.moves)
        .flat_map(|step| [&step.from, &step.to])
        .flatten()
        .map(|spot| spot.gpu.as_str())
        .collect();
    for &gpu in &touched {
        check_starts(course, gpu)?;
    }
    let nodes: BTreeSet<&str> = touched.iter().map(|&gpu| course.gpu(gpu).node.as_str()).collect();
    for (number, stage) in (1..).zip(&course.stages) {
        steps += &format!("\nRound {number}\n");
        let entered: BTreeSet<&str> =
            stage.moves.iter().filter_map(|step| step.to.as_ref()).map(|spot| spot.gpu.as_str()).collect();
        for &node in &nodes {
            let closed = |gpu: &&str| course.gpu(gpu).node == node && !entered.contains(gpu);
            steps += &cordon(course, node, touched.iter().copied().filter(closed).collect())?;
        }
        for step in stage.moves {
            if let Some(to) = &step.to {
                let uuid = course.uuid_of(&to.gpu)?;
                steps += &format!(
                    "  annotate the template of {} with nvidia.com/use-gpuuuid: \"{uuid}\"\n",
                    comment(&step.workload)
                );
            }
            steps += &format!("  {}\n", handover::words(course, step));
        }
    }
    steps += "\nAfter the plan\n";
    for &node in &nodes {
        steps += &cordon(course, node, BTreeSet::new())?;
    }
    Ok(vec![AppliedFile::text("steps.txt", steps)])
}

/// Cordons GPUs of a node, beside those that were cordoned before.
fn cordon<'a>(course: &Course<'a>, node: &str, mut gpus: BTreeSet<&'a str>) -> Result<String, String> {
    let cordoned = course.lock.gpus.iter().filter(|(_, gpu)| gpu.node == node && gpu.cordoned);
    gpus.extend(cordoned.map(|(name, _)| name.as_str()));
    let uuids = gpus.into_iter().map(|gpu| course.uuid_of(gpu)).collect::<Result<Vec<_>, _>>()?;
    Ok(match uuids.is_empty() {
        true => format!("  kubectl annotate node {} hami.io/device-cordon-\n", quoted(node)),
        false => format!(
            "  kubectl annotate node {} --overwrite hami.io/device-cordon={}\n",
            quoted(node),
            uuids.iter().join(",")
        ),
    })
}

/// Pods of a GPU and the instances that HAMi gave them.
type Pods<'a> = BTreeMap<Pod<'a>, GpuInstance>;

/// A pod: that at a slot when the plan begins, or the copy that a workload has from a round on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pod<'a> {
    At(u8),
    Of(&'a str, usize),
}

/// What happens to a pod in a round.
#[derive(Clone, Copy)]
struct Event<'a> {
    pod: Pod<'a>,
    /// Its profile, if it starts.
    starts: Option<ProfileIndex>,
    /// Another event that has to come first.
    after: Option<usize>,
}

/// Goes through all choices of HAMi on a GPU, and refuses if one of them leaves no place to a pod of a later step.
fn check_starts(course: &Course<'_>, gpu: &str) -> Result<(), String> {
    let board = course.board_of(gpu);
    let held = |layout: &Layout| {
        layout.values().map(|held| (Pod::At(held.instance.start.0), held.instance)).collect()
    };
    let mut possible: BTreeSet<Pods<'_>> = [held(&course.held[gpu])].into();
    // Where a workload of the plan is: the round in which it came.
    let mut came: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, stage) in (1..).zip(&course.stages) {
        let events = events(course, gpu, number, stage.moves, &came)?;
        possible = outcomes(board, possible, &events).map_err(|pod| {
            let Pod::Of(workload, _) = pod else { return String::new() };
            format!(
                "in round {number}, {} may find no place on {gpu}, as HAMi chooses the starts of instances and may choose others than the plan. Give an \
                 answer that moves onto GPUs with one possible start, or use another format.",
                comment(workload)
            )
        })?;
        for step in stage.moves {
            match &step.to {
                Some(_) => came.insert(&step.workload, number),
                None => came.remove(step.workload.as_str()),
            };
        }
    }
    Ok(())
}

fn events<'a>(
    course: &Course<'_>,
    gpu: &str,
    number: usize,
    moves: &'a [MoveEntry],
    came: &BTreeMap<&'a str, usize>,
) -> Result<Vec<Event<'a>>, String> {
    let mut events = Vec::new();
    for step in moves {
        let leaves = step.from.as_ref().filter(|spot| spot.gpu == gpu).map(|spot| Event {
            pod: came
                .get(step.workload.as_str())
                .map_or(Pod::At(spot.start), |&round| Pod::Of(&step.workload, round)),
            starts: None,
            after: None,
        });
        let profile = course.profiles.get(&(number, step.workload.as_str()));
        let enters = match (&step.to, profile) {
            (Some(spot), Some(&profile)) if spot.gpu == gpu => {
                Some(Event { pod: Pod::Of(&step.workload, number), starts: Some(profile), after: None })
            }
            _ => None,
        };
        let here = events.len();
        match (leaves, enters) {
            (Some(leaves), Some(enters)) if step.kind == Kind::Surge => {
                events.extend([enters, Event { after: Some(here), ..leaves }]);
            }
            (Some(leaves), Some(enters)) => events.extend([leaves, Event { after: Some(here), ..enters }]),
            (leaves, enters) => events.extend(leaves.into_iter().chain(enters)),
        }
    }
    Ok(events)
}

/// What pods may hold after events in any order; a pod that finds no place in one of them is the error.
fn outcomes<'a>(
    board: &Board,
    begin: BTreeSet<Pods<'a>>,
    events: &[Event<'a>],
) -> Result<BTreeSet<Pods<'a>>, Pod<'a>> {
    let mut now: BTreeSet<(BTreeSet<usize>, Pods<'a>)> =
        begin.into_iter().map(|pods| (BTreeSet::new(), pods)).collect();
    for _ in events {
        let mut next = BTreeSet::new();
        for (done, pods) in now {
            for (number, event) in events.iter().enumerate() {
                if done.contains(&number) || event.after.is_some_and(|first| !done.contains(&first)) {
                    continue;
                }
                let mut done = done.clone();
                done.insert(number);
                let Some(profile) = event.starts else {
                    let mut pods = pods.clone();
                    pods.remove(&event.pod);
                    next.insert((done, pods));
                    continue;
                };
                let instances =
                    board.profile(profile).starts.iter().map(|&start| GpuInstance { profile, start });
                let free: Vec<GpuInstance> =
                    instances.filter(|&new| board.fits(new, pods.values().copied())).collect();
                if free.is_empty() {
                    return Err(event.pod);
                }
                for instance in free {
                    let mut pods = pods.clone();
                    pods.insert(event.pod, instance);
                    next.insert((done.clone(), pods));
                }
            }
        }
        now = next;
    }
    Ok(now.into_iter().map(|(_, pods)| pods).collect())
}

//! What lies on the GPU between two changes, and all the ways in which it can lie there.

use crate::instance::{ModelIndex, Problem};
use crate::rules::Plan;
use kit::TaskKind;
use mig::{Board, Counts, GpuInstance, ProfileIndex, SlotMask, arrangements};
use std::collections::BTreeMap;

/// Contents that can lie on a board in more ways than this are not laid out. Seven instances of 1g, each of another task, lie
/// on an A100 in 5,040 ways, which is the most for every board of the catalogue.
const MOST_LAYOUTS: usize = 10_000;

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    /// Its model.
    pub model: ModelIndex,
    /// Which of the model's tasks.
    pub task: TaskKind,
}

/// A GPU instance and the task that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// The task.
    pub owner: Owner,
    /// What and where the instance is.
    pub instance: GpuInstance,
}

/// How many instances of each profile every task has; none are not listed.
pub type Contents = BTreeMap<(ProfileIndex, Owner), u32>;

/// A maximal run of slots of the window with the same contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First slot.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
    /// What lies on the GPU.
    pub contents: Contents,
}

/// The segments of a plan from the first slot to the last.
pub fn segments(problem: &Problem, plan: &Plan) -> Vec<Segment> {
    let mut starts: Vec<u32> = vec![0, problem.slots];
    for task in &plan.tasks {
        starts.extend(task.runs().map(|(from, _, _)| from));
        starts.extend(task.retraining.iter().flat_map(|retraining| [retraining.from, retraining.until]));
    }
    starts.sort_unstable();
    starts.dedup();
    starts.retain(|&slot| slot <= problem.slots);
    let mut segments: Vec<Segment> = Vec::new();
    for ends in starts.windows(2) {
        let contents = contents(problem, plan, ends[0]);
        match segments.last_mut() {
            Some(last) if last.contents == contents => last.until = ends[1],
            _ => segments.push(Segment { from: ends[0], until: ends[1], contents }),
        }
    }
    segments
}

fn contents(problem: &Problem, plan: &Plan, slot: u32) -> Contents {
    let mut contents = Contents::new();
    for (model, task) in problem.model_indices().zip(&plan.tasks) {
        let owner = |task| Owner { model, task };
        let inference =
            task.inference.get(slot as usize).into_iter().flat_map(|allocation| allocation.sizes());
        let retraining =
            task.retraining.filter(|retraining| retraining.runs(slot)).map(|retraining| retraining.size);
        let all = inference
            .map(|size| (size, owner(TaskKind::Inference)))
            .chain(retraining.map(|size| (size, owner(TaskKind::Retraining))));
        for (size, owner) in all {
            *contents.entry((problem.gpu.size(size).profile, owner)).or_default() += 1;
        }
    }
    contents
}

/// All ways in which contents can lie on a board, each in ascending order and all in ascending order; `None` if there is no
/// way, or if there are too many.
pub fn layouts_of(board: &Board, contents: &Contents) -> Option<Vec<Vec<Held>>> {
    let mut counts = Counts::zero(board.profiles().len());
    for (&(profile, _), &count) in contents {
        counts.set(profile, counts.get(profile) + count);
    }
    let mut found = Vec::new();
    for arrangement in arrangements(board, SlotMask::EMPTY, &counts) {
        let mut missing = contents.clone();
        hand_out(&arrangement, &mut missing, &mut Vec::new(), &mut found);
    }
    for layout in &mut found {
        layout.sort_unstable();
    }
    found.sort_unstable();
    (1..=MOST_LAYOUTS).contains(&found.len()).then_some(found)
}

/// Gives the instances to the tasks that miss them, in every way that differs, until there are too many.
fn hand_out(
    instances: &[GpuInstance],
    missing: &mut Contents,
    held: &mut Vec<Held>,
    found: &mut Vec<Vec<Held>>,
) {
    let Some((&instance, rest)) = instances.split_first() else {
        found.push(held.clone());
        return;
    };
    let owners: Vec<Owner> = missing
        .iter()
        .filter(|&(&(profile, _), &count)| profile == instance.profile && count > 0)
        .map(|(&(_, owner), _)| owner)
        .collect();
    for owner in owners {
        if found.len() > MOST_LAYOUTS {
            return;
        }
        let key = (instance.profile, owner);
        missing.entry(key).and_modify(|count| *count -= 1);
        held.push(Held { owner, instance });
        hand_out(rest, missing, held, found);
        held.pop();
        missing.entry(key).and_modify(|count| *count += 1);
    }
}

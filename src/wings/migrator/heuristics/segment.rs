//! Stretches of the window in which the same retrainings run, and what is expected of them.

use super::joint::Joint;
use super::worth::Worth;
use crate::instance::{Allocation, Problem};
use crate::rules::{Plan, Retraining, TaskPlan};
use std::collections::BTreeSet;

/// A stretch of the window between starts and ends of retrainings.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// First slot.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
    /// Instances of the running retrainings.
    pub running: Allocation,
    /// Whose retraining is complete, by model.
    pub retrained: Vec<bool>,
}

/// Joint allocations in turn, with the slots that each lasts.
pub type Runs = Vec<(u32, Joint)>;

/// The segments of a window under a schedule that fits it.
pub fn segments(problem: &Problem, schedule: &[Retraining]) -> Vec<Segment> {
    let ends = schedule.iter().flat_map(|retraining| [retraining.from, retraining.until]);
    let marks: BTreeSet<u32> = ends.chain([0, problem.slots]).collect();
    let marks: Vec<u32> = marks.into_iter().collect();
    let segment = |pair: &[u32]| Segment {
        from: pair[0],
        until: pair[1],
        running: running(problem, schedule, pair[0]),
        retrained: schedule.iter().map(|retraining| pair[0] >= retraining.until).collect(),
    };
    marks.windows(2).map(segment).collect()
}

/// Instances of the retrainings that run in a slot.
pub fn running(problem: &Problem, schedule: &[Retraining], slot: u32) -> Allocation {
    let running = schedule.iter().filter(|retraining| retraining.runs(slot));
    running.fold(problem.gpu.nothing(), |sum, retraining| sum.plus_one(retraining.size))
}

/// The plan with a schedule and runs that cover the window.
pub fn plan_of_runs(worth: &Worth, schedule: &[Retraining], runs: &[(u32, Joint)]) -> Plan {
    let task = |model: usize| {
        let offers = &worth.tasks[model].offers;
        let of_run = |(slots, joint): &(u32, Joint)| {
            std::iter::repeat_n(offers[joint[model]].allocation.clone(), *slots as usize)
        };
        TaskPlan { retraining: Some(schedule[model]), inference: runs.iter().flat_map(of_run).collect() }
    };
    Plan::new((0..schedule.len()).map(task).collect())
}

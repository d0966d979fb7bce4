//! Which starts of retrainings are open in a part of the search.

use super::index::{RetrainingIndex, Slot, Start, each};
use super::joint::{Joint, Running};
use super::list::List;
use super::states::TaskStates;
use crate::instance::ModelIndex;

/// For each model, the starts of its retraining that are open, and what may therefore run in each slot.
#[derive(Clone)]
pub struct Domain {
    starts: List<ModelIndex, Vec<Start>>,
    /// By model and slot.
    running: List<ModelIndex, List<Slot, MayRun>>,
}

/// What of one model may run in a slot: bit 0 stands for nothing, bit k + 1 for the retraining on size k.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MayRun(u32);

impl MayRun {
    /// Whether this may run, or nothing.
    pub fn contains(self, running: Option<RetrainingIndex>) -> bool {
        self.0 & Self::bit(running) != 0
    }

    fn bit(running: Option<RetrainingIndex>) -> u32 {
        1 << running.map_or(0, |retraining| retraining.0 + 1)
    }
}

impl Domain {
    /// Everything that is complete within the window.
    pub fn whole(joint: &Joint<'_>) -> Self {
        let starts = |task: &TaskStates| {
            let mut starts: Vec<Start> = task.starts_within(joint.end()).collect();
            starts.sort_by_key(|start| (start.from, start.retraining));
            starts
        };
        Self::new(joint, joint.tasks.iter().map(starts).collect())
    }

    /// These starts alone.
    pub fn new(joint: &Joint<'_>, starts: List<ModelIndex, Vec<Start>>) -> Self {
        let tasks = joint.tasks.iter().zip(starts.iter());
        let running = tasks.map(|(task, starts)| what_may_run(joint, task, starts)).collect();
        Domain { starts, running }
    }

    /// The same with other starts of one model.
    pub fn with(&self, joint: &Joint<'_>, model: ModelIndex, starts: Vec<Start>) -> Self {
        let mut domain = self.clone();
        domain.running[model] = what_may_run(joint, &joint.tasks[model], &starts);
        domain.starts[model] = starts;
        domain
    }

    /// The open starts of a model.
    pub fn starts(&self, model: ModelIndex) -> &[Start] {
        &self.starts[model]
    }

    /// What of a model may run in a slot.
    pub fn may_run(&self, model: ModelIndex, slot: Slot) -> MayRun {
        self.running[model][slot]
    }

    /// Whether all that may run in a slot together.
    pub fn may_all_run(&self, running: &Running, slot: Slot) -> bool {
        running.iter().zip(self.running.iter()).all(|(&running, may_run)| may_run[slot].contains(running))
    }

    /// Whether one start of each model is left.
    pub fn is_one_schedule(&self) -> bool {
        self.starts.iter().all(|starts| starts.len() == 1)
    }
}

/// By slot, what may run of a model that starts at one of these.
fn what_may_run(joint: &Joint<'_>, task: &TaskStates, starts: &[Start]) -> List<Slot, MayRun> {
    let mut running = List::filled(joint.slot_count(), MayRun(0));
    // How many of the starts run in a slot, as changes from slot to slot.
    let mut changes: List<Slot, i64> = List::filled(joint.slot_count() + 1, 0);
    // The slot up to which the run of a size has been noted.
    let mut noted: List<RetrainingIndex, Slot> = List::filled(task.retrainings.len(), Slot::FIRST);
    let mut ascending: Vec<Start> = starts.to_vec();
    ascending.sort_by_key(|start| start.from);
    for start in ascending {
        let run = task.run_of(start);
        changes[run.start] += 1;
        changes[run.end] -= 1;
        for slot in each(run.start.max(noted[start.retraining])..run.end) {
            running[slot].0 |= MayRun::bit(Some(start.retraining));
        }
        noted[start.retraining] = run.end;
    }
    let mut count = 0;
    let starts = i64::try_from(starts.len()).expect("as many fit into memory");
    for slot in joint.slots() {
        count += changes[slot];
        if count < starts {
            running[slot].0 |= MayRun::bit(None);
        }
    }
    running
}

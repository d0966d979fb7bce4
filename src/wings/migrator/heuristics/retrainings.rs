//! Schedules of the retrainings that heuristics choose from.

use crate::instance::{Allocation, Problem, SizeIndex};
use crate::rules::{Plan, Retraining, Spare, TaskPlan, minimal_allocations, shortest_schedule};

/// At most so many schedules are listed.
const MOST_SCHEDULES: usize = 20_000;

/// Schedules within the window in which groups of retrainings start at once, each group when the one before it has ended: all
/// groups in all orders on all sizes, the largest first groups first, and the shortest schedule of all.
///
/// It is empty exactly if no schedule fits the window.
pub fn grouped_schedules(problem: &Problem) -> Vec<Vec<Retraining>> {
    let spare = Spare::of(problem);
    let choices: Vec<_> = problem.model_indices().map(|model| spare.choices(problem, model)).collect();
    let mut groups =
        Groups { problem, spare, choices, placed: vec![None; problem.models.len()], found: Vec::new() };
    groups.open(0);
    let mut found = groups.found;
    let shortest = shortest_schedule(problem).filter(|&(_, end)| end <= problem.slots);
    found.extend(shortest.map(|(schedule, _)| schedule).filter(|shortest| !found.contains(shortest)));
    found
}

/// What is proposed where no schedule fits the window: the least for every inference task, and the shortest schedule if there
/// is one. The verifier says what is wrong with it.
pub fn unplannable(problem: &Problem) -> Plan {
    let schedule = shortest_schedule(problem).map(|(schedule, _)| schedule);
    let task = |(position, model)| {
        let least = minimal_allocations(problem, model).into_iter().next();
        TaskPlan {
            retraining: schedule.as_ref().map(|schedule| schedule[position]),
            inference: vec![least.unwrap_or_else(|| problem.gpu.nothing()); problem.slots as usize],
        }
    };
    Plan::new(problem.model_indices().enumerate().map(task).collect())
}

struct Groups<'p> {
    problem: &'p Problem,
    spare: Spare,
    choices: Vec<Vec<(SizeIndex, u32)>>,
    /// By model.
    placed: Vec<Option<Retraining>>,
    found: Vec<Vec<Retraining>>,
}

impl Groups<'_> {
    /// Starts a group in a slot in which nothing else runs.
    fn open(&mut self, from: u32) {
        if self.found.len() >= MOST_SCHEDULES {
            return;
        }
        if let Some(schedule) = self.placed.iter().copied().collect() {
            self.found.push(schedule);
            return;
        }
        self.extend(from, 0, &self.problem.gpu.nothing(), from);
    }

    /// Decides for each model from this one on whether it joins the group, and on which size.
    fn extend(&mut self, from: u32, model: usize, running: &Allocation, end: u32) {
        if model == self.placed.len() {
            if end > from {
                self.open(end);
            }
            return;
        }
        if self.placed[model].is_none() {
            for (size, slots) in self.choices[model].clone() {
                let (more, until) = (running.plus_one(size), from.saturating_add(slots));
                if until <= self.problem.slots && self.spare.admits(&more) {
                    self.placed[model] = Some(Retraining { size, from, until });
                    self.extend(from, model + 1, &more, end.max(until));
                    self.placed[model] = None;
                }
            }
        }
        self.extend(from, model + 1, running, end);
    }
}

//! The best goodput of a window by a dynamic program over what all models have and what has become of their retrainings.
//!
//! A model's inference task is in a *state*: its allocation, and how many slots ago it was reconfigured, as far as that
//! matters. The states of all models together are numbered with the first model's state in the lowest place.

use super::Counts;
use super::case::Case;
use super::simulation::{lost, served};
use std::collections::BTreeMap;

const NEVER: i64 = i64::MIN / 2;

/// The retraining of a model at the beginning of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Waiting,
    Running { size: usize, slots_left: usize },
    Done,
}

/// The inference task of a model.
struct Task {
    allocations: Vec<Counts>,
    /// By allocation: which signature it has.
    signatures: Vec<usize>,
    /// How many signatures there are.
    different: usize,
    /// Ages of a reconfiguration: the last one means that nothing is lost any more.
    ages: usize,
    /// By allocation: its age in the first slot.
    first_age: Vec<usize>,
}

impl Task {
    fn new(case: &Case, model: usize) -> Task {
        let allocations = case.allocations(model);
        let nothing_lost =
            |age: &usize| allocations.iter().all(|counts| lost(case, &case.models[model], counts, *age) == 0);
        let outage = (0..).find(nothing_lost).unwrap();
        let mut numbers: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let signatures = allocations.iter().map(|counts| {
            let next = numbers.len();
            *numbers.entry(case.signature(counts)).or_insert(next)
        });
        let signatures: Vec<usize> = signatures.collect();
        let is_change = |counts: &Counts| {
            let first = case.models[model].first.as_ref();
            first.is_some_and(|first| case.signature(first) != case.signature(counts))
        };
        let first_age = allocations.iter().map(|counts| if is_change(counts) { 0 } else { outage });
        let first_age = first_age.collect();
        Task { allocations, signatures, different: numbers.len(), ages: outage + 1, first_age }
    }

    fn states(&self) -> usize {
        self.allocations.len() * self.ages
    }

    /// The best values at the beginning of a slot, from those in the slot before, when the other models stay what they are.
    fn moved(&self, values: &[i64]) -> Vec<i64> {
        let mut stayed = vec![vec![NEVER; self.ages]; self.different];
        for (state, &value) in values.iter().enumerate() {
            let (allocation, age) = (state / self.ages, state % self.ages);
            let older = (age + 1).min(self.ages - 1);
            let best = &mut stayed[self.signatures[allocation]][older];
            *best = value.max(*best);
        }
        let best: Vec<i64> = stayed.iter().map(|ages| *ages.iter().max().unwrap()).collect();
        let from_others = |own: usize| {
            let others = best.iter().enumerate().filter(|&(signature, _)| signature != own);
            others.map(|(_, &value)| value).max().unwrap_or(NEVER)
        };
        let entered: Vec<i64> = (0..self.different).map(from_others).collect();
        let state = |state: usize| {
            let signature = self.signatures[state / self.ages];
            let value = stayed[signature][state % self.ages];
            if state.is_multiple_of(self.ages) { value.max(entered[signature]) } else { value }
        };
        (0..self.states()).map(state).collect()
    }
}

/// About how many steps [`best`] takes: in each slot everything that the inference tasks can be in, with everything that can
/// have become of the retrainings.
pub fn steps(case: &Case) -> usize {
    let retrainings =
        |model: usize| (0..case.board.sizes()).filter_map(move |size| case.retraining_slots(model, size));
    let of_model = |model| Task::new(case, model).states() * (2 + retrainings(model).sum::<usize>());
    (0..case.models.len()).map(of_model).fold(case.slots, usize::saturating_mul)
}

/// The best goodput in [`UNITS`](super::UNITS); `None` if no plan obeys all rules.
pub fn best(case: &Case) -> Option<i64> {
    let tasks: Vec<Task> = (0..case.models.len()).map(|model| Task::new(case, model)).collect();
    if tasks.iter().any(|task| task.allocations.is_empty()) {
        return None;
    }
    let states: usize = tasks.iter().map(Task::states).product();
    let mut room = Room::new(case, &tasks);
    let waiting = vec![Status::Waiting; tasks.len()];
    let mut known: BTreeMap<Vec<Status>, Vec<i64>> = BTreeMap::from([(waiting, vec![0; states])]);
    for slot in 0..case.slots {
        let mut next: BTreeMap<Vec<Status>, Vec<i64>> = BTreeMap::new();
        for (statuses, values) in known {
            let values = if slot == 0 { first_values(&tasks) } else { all_moved(&tasks, values) };
            for choice in choices(case, &statuses) {
                let fits = room.beside(&choice);
                if !fits.contains(&true) {
                    continue;
                }
                let worth: Vec<Vec<i64>> = (0..tasks.len())
                    .map(|model| worth(case, &tasks[model], model, slot, choice[model]))
                    .collect();
                let after = choice.iter().copied().map(later).collect();
                let best = next.entry(after).or_insert_with(|| vec![NEVER; states]);
                for (state, &value) in values.iter().enumerate().filter(|&(_, &value)| value > NEVER) {
                    if fits[allocation_of(&tasks, state)] {
                        let gain: i64 =
                            own_states(&tasks, state).zip(&worth).map(|(own, worth)| worth[own]).sum();
                        best[state] = best[state].max(value + gain);
                    }
                }
            }
        }
        known = next;
    }
    let done = known.remove(&vec![Status::Done; tasks.len()])?;
    done.into_iter().max().filter(|&best| best > NEVER)
}

/// What can be made of the retrainings in a slot: those that wait can start.
fn choices(case: &Case, statuses: &[Status]) -> Vec<Vec<Status>> {
    let mut choices = vec![Vec::new()];
    for (model, &status) in statuses.iter().enumerate() {
        let mut options = vec![status];
        if status == Status::Waiting {
            let start =
                |size| Some(Status::Running { size, slots_left: case.retraining_slots(model, size)? });
            options.extend((0..case.board.sizes()).filter_map(start));
        }
        let with = |choice: &Vec<Status>| {
            let extended = options.iter().map(|&option| [choice.as_slice(), &[option]].concat());
            extended.collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(with).collect();
    }
    choices
}

/// A slot later.
fn later(status: Status) -> Status {
    match status {
        Status::Running { slots_left: 1, .. } => Status::Done,
        Status::Running { size, slots_left } => Status::Running { size, slots_left: slots_left - 1 },
        status => status,
    }
}

/// What each state of a model is worth in a slot.
fn worth(case: &Case, task: &Task, model: usize, slot: usize, status: Status) -> Vec<i64> {
    let data = &case.models[model];
    let accuracy = if status == Status::Done { data.after } else { data.before };
    let of_state = |state: usize| {
        let counts = &task.allocations[state / task.ages];
        served(case, data, slot, counts, lost(case, data, counts, state % task.ages)) * accuracy
    };
    (0..task.states()).map(of_state).collect()
}

/// The states of the models, of a state of all.
fn own_states(tasks: &[Task], mut state: usize) -> impl Iterator<Item = usize> {
    tasks.iter().map(move |task| {
        let own = state % task.states();
        state /= task.states();
        own
    })
}

/// The number of the allocations of all models, of a state of all.
fn allocation_of(tasks: &[Task], state: usize) -> usize {
    let mut unit = 1;
    let mut number = 0;
    for (task, own) in tasks.iter().zip(own_states(tasks, state)) {
        number += unit * (own / task.ages);
        unit *= task.allocations.len();
    }
    number
}

fn first_values(tasks: &[Task]) -> Vec<i64> {
    let states: usize = tasks.iter().map(Task::states).product();
    let is_first = |state: usize| {
        let mut own = own_states(tasks, state).zip(tasks);
        own.all(|(own, task)| task.first_age[own / task.ages] == own % task.ages)
    };
    (0..states).map(|state| if is_first(state) { 0 } else { NEVER }).collect()
}

/// Lets every model move on, one after the other.
fn all_moved(tasks: &[Task], mut values: Vec<i64>) -> Vec<i64> {
    let mut unit = 1;
    for task in tasks {
        let block = unit * task.states();
        for first in (0..values.len()).step_by(block).flat_map(|first| first..first + unit) {
            let own: Vec<i64> = (0..task.states()).map(|own| values[first + own * unit]).collect();
            if own.iter().all(|&value| value == NEVER) {
                continue;
            }
            for (own, value) in task.moved(&own).into_iter().enumerate() {
                values[first + own * unit] = value;
            }
        }
        unit = block;
    }
    values
}

/// Which allocations of all models fit the GPU together, beside running retrainings.
struct Room {
    everything_that_fits: std::collections::BTreeSet<Counts>,
    /// What all models have together, by number.
    together: Vec<Counts>,
    known: BTreeMap<Counts, Vec<bool>>,
}

impl Room {
    fn new(case: &Case, tasks: &[Task]) -> Room {
        let mut together = vec![vec![0; case.board.sizes()]];
        for task in tasks {
            let with = |own: &Counts| together.iter().map(|others| sum(others, own)).collect::<Vec<_>>();
            together = task.allocations.iter().flat_map(with).collect();
        }
        Room { everything_that_fits: case.board.everything_that_fits(), together, known: BTreeMap::new() }
    }

    fn beside(&mut self, statuses: &[Status]) -> Vec<bool> {
        let mut running = vec![0; self.together[0].len()];
        for status in statuses {
            if let Status::Running { size, .. } = status {
                running[*size] += 1;
            }
        }
        let Room { everything_that_fits, together, known } = self;
        let fits = |running: &Counts| {
            together.iter().map(|all| everything_that_fits.contains(&sum(all, running))).collect()
        };
        known.entry(running.clone()).or_insert_with(|| fits(&running)).clone()
    }
}

pub fn sum(one: &Counts, other: &Counts) -> Counts {
    one.iter().zip(other).map(|(one, other)| one + other).collect()
}

//! What all tasks have in a slot together.

use super::fit_table::FitTable;
use super::index::{
    AllocationIndex, ChoiceIndex, ContentsIndex, FitIndex, RetrainingIndex, RoomIndex, Slot, each,
};
use super::list::{List, Table};
use super::states::TaskStates;
use crate::instance::{ModelIndex, Problem};
use std::collections::BTreeMap;

/// What a model has in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The inference task's allocation.
    pub allocation: AllocationIndex,
    /// The retraining that runs, if one does.
    pub running: Option<RetrainingIndex>,
}

/// What all tasks have in a slot.
pub type Contents = List<ModelIndex, Held>;

/// Retrainings that run in a slot.
pub type Running = List<ModelIndex, Option<RetrainingIndex>>;

/// All tasks.
pub struct Joint<'p> {
    /// The problem.
    pub problem: &'p Problem,
    /// By model.
    pub tasks: List<ModelIndex, TaskStates>,
    /// What fits.
    pub fits: FitTable,
    /// Everything that the tasks can have in a slot.
    pub contents: List<ContentsIndex, Contents>,
    /// What can run at once, in the order of the contents.
    pub modes: Vec<Mode>,
    /// What fits beside it, by the room that it leaves.
    pub choices: List<RoomIndex, Table<ChoiceIndex, ModelIndex, AllocationIndex>>,
}

/// Retrainings that can run at once.
pub struct Mode {
    /// What runs.
    pub running: Running,
    /// The room that it leaves.
    pub room: RoomIndex,
    /// The first of the contents with it; there is one for each choice of allocations.
    pub first: ContentsIndex,
}

impl<'p> Joint<'p> {
    /// The tasks of a problem.
    pub fn new(problem: &'p Problem) -> Self {
        let fits = FitTable::new(&problem.gpu);
        let tasks = problem.model_indices().map(|model| TaskStates::new(problem, model, &fits)).collect();
        let nothing = || Vec::new().into();
        let mut joint = Joint {
            problem,
            tasks,
            fits,
            contents: nothing(),
            modes: Vec::new(),
            choices: Vec::new().into(),
        };
        joint.drop_what_never_fits();
        joint.list_modes();
        joint
    }

    /// All models.
    pub fn models(&self) -> impl DoubleEndedIterator<Item = ModelIndex> + use<> {
        self.tasks.positions()
    }

    /// The slots of the window.
    pub fn slots(&self) -> impl DoubleEndedIterator<Item = Slot> + use<> {
        each(Slot::FIRST..self.end())
    }

    /// The slot after the window.
    pub fn end(&self) -> Slot {
        Slot(self.problem.slots)
    }

    /// Number of slots.
    pub fn slot_count(&self) -> usize {
        self.end().index()
    }

    /// No retraining runs.
    pub fn idle(&self) -> Running {
        List::filled(self.tasks.len(), None)
    }

    /// Allocations that fit beside no choice of the others, and sizes on which a retraining fits beside none.
    fn drop_what_never_fits(&mut self) {
        let mut fits: List<ModelIndex, List<AllocationIndex, bool>> =
            self.tasks.iter().map(|task| List::filled(task.allocations.len(), false)).collect();
        self.visit(&self.idle(), &mut |allocations| {
            for (fits, &allocation) in fits.iter_mut().zip(allocations) {
                fits[allocation] = true;
            }
        });
        for (task, keep) in self.tasks.iter_mut().zip(fits.iter()) {
            task.retain(keep);
        }
        for model in self.models() {
            let mut running = self.idle();
            let sizes = self.tasks[model].retrainings.positions();
            let keep: List<RetrainingIndex, bool> = sizes
                .map(|retraining| {
                    running[model] = Some(retraining);
                    self.is_possible(&running)
                })
                .collect();
            self.tasks[model].retrainings.retain(|retraining| keep[retraining]);
        }
    }

    /// Whether some allocations fit beside the retrainings that run.
    pub fn is_possible(&self, running: &Running) -> bool {
        let mut is_possible = false;
        self.visit(running, &mut |_| is_possible = true);
        is_possible
    }

    /// Tells `meet` every choice of allocations, one for each model, that fits beside the retrainings that run.
    pub fn visit(&self, running: &Running, meet: &mut impl FnMut(&[AllocationIndex])) {
        if let Some(held) = self.held(running) {
            self.visit_from(held, &mut Vec::with_capacity(self.tasks.len()), meet);
        }
    }

    /// The instances of the retrainings that run; `None` if they do not fit.
    fn held(&self, running: &Running) -> Option<FitIndex> {
        let mut instances = self.tasks.iter().zip(running.iter()).filter_map(|(task, retraining)| {
            let retraining = (*retraining)?;
            Some(task.retrainings[retraining].instance)
        });
        instances.try_fold(FitIndex::NOTHING, |held, instance| self.fits.sum(held, instance))
    }

    fn visit_from(
        &self,
        held: FitIndex,
        chosen: &mut Vec<AllocationIndex>,
        meet: &mut impl FnMut(&[AllocationIndex]),
    ) {
        let Some(task) = self.tasks.get(chosen.len()) else {
            meet(chosen);
            return;
        };
        for (allocation, &instances) in task.instances.entries() {
            if let Some(held) = self.fits.sum(held, instances) {
                chosen.push(allocation);
                self.visit_from(held, chosen, meet);
                chosen.pop();
            }
        }
    }

    /// Lists what can run at once, what fits beside it, and all contents.
    fn list_modes(&mut self) {
        let mut rooms: BTreeMap<FitIndex, RoomIndex> = BTreeMap::new();
        let mut running = self.idle();
        loop {
            if let Some(held) = self.held(&running) {
                let room = match rooms.get(&held) {
                    Some(&room) => room,
                    None => {
                        let mut choices = Table::filled(0, self.tasks.len(), AllocationIndex(0));
                        self.visit(&running, &mut |allocations| {
                            choices.push_row(allocations.iter().copied())
                        });
                        let room = self.choices.push(choices);
                        rooms.insert(held, room);
                        room
                    }
                };
                let first = ContentsIndex::at(self.contents.len());
                for allocations in self.choices[room].rows() {
                    let held = allocations.iter().zip(running.iter());
                    let held = held.map(|(&allocation, &running)| Held { allocation, running });
                    self.contents.push(held.collect());
                }
                if self.contents.len() > first.index() {
                    self.modes.push(Mode { running: running.clone(), room, first });
                }
            }
            if !self.advance(&mut running) {
                return;
            }
        }
    }

    /// The next set of running retrainings; false after the last. It counts like an odometer whose first wheel is the first
    /// model.
    fn advance(&self, running: &mut Running) -> bool {
        for (task, running) in self.tasks.iter().zip(running.iter_mut()) {
            let next = running.map_or(0, |retraining| retraining.index() + 1);
            if next < task.retrainings.len() {
                *running = Some(RetrainingIndex::at(next));
                return true;
            }
            *running = None;
        }
        false
    }
}

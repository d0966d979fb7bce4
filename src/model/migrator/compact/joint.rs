//! What all tasks have in a slot together.

use super::super::instance::Problem;
use super::fit_table::FitTable;
use super::states::TaskStates;

/// What all tasks have in a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// By model the allocation of the inference task.
    pub allocations: Vec<usize>,
    /// By model the retraining that runs, by its position in [`TaskStates::retrainings`].
    pub retrainings: Vec<Option<usize>>,
}

/// All tasks.
pub struct Joint<'p> {
    /// The problem.
    pub problem: &'p Problem,
    /// By model.
    pub tasks: Vec<TaskStates>,
    /// What fits.
    pub fits: FitTable,
    /// Everything that the tasks can have in a slot.
    pub contents: Vec<Contents>,
}

impl<'p> Joint<'p> {
    /// The tasks of a problem.
    pub fn new(problem: &'p Problem) -> Self {
        let fits = FitTable::new(&problem.gpu);
        let tasks = problem.model_indices().map(|model| TaskStates::new(problem, model, &fits)).collect();
        let mut joint = Joint { problem, tasks, fits, contents: Vec::new() };
        joint.drop_what_never_fits();
        joint.contents = joint.list_contents();
        joint
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.problem.slots as usize
    }

    /// Allocations that fit beside no choice of the others, and sizes on which a retraining fits beside none.
    fn drop_what_never_fits(&mut self) {
        let mut fits: Vec<Vec<bool>> =
            self.tasks.iter().map(|task| vec![false; task.allocations.len()]).collect();
        self.visit(&vec![None; self.tasks.len()], &mut |allocations| {
            for (fits, &allocation) in fits.iter_mut().zip(allocations) {
                fits[allocation] = true;
            }
        });
        for (task, keep) in self.tasks.iter_mut().zip(&fits) {
            task.retain(keep);
        }
        for model in 0..self.tasks.len() {
            let mut running = vec![None; self.tasks.len()];
            let keep: Vec<bool> = (0..self.tasks[model].retrainings.len())
                .map(|retraining| {
                    running[model] = Some(retraining);
                    self.is_possible(&running)
                })
                .collect();
            self.tasks[model].retain_retrainings(&keep);
        }
    }

    /// Whether some allocations fit beside the retrainings that run.
    pub fn is_possible(&self, running: &[Option<usize>]) -> bool {
        let mut is_possible = false;
        self.visit(running, &mut |_| is_possible = true);
        is_possible
    }

    /// Tells `meet` every choice of allocations, one for each model, that fits beside the retrainings that run.
    pub fn visit(&self, running: &[Option<usize>], meet: &mut impl FnMut(&[usize])) {
        let numbers = self.tasks.iter().zip(running).filter_map(|(task, retraining)| {
            let retraining = (*retraining)?;
            Some(task.retraining_numbers[retraining])
        });
        let held = numbers.into_iter().try_fold(0, |held, number| self.fits.sum(held, number));
        if let Some(held) = held {
            self.visit_from(held, &mut Vec::with_capacity(self.tasks.len()), meet);
        }
    }

    fn visit_from(&self, held: usize, chosen: &mut Vec<usize>, meet: &mut impl FnMut(&[usize])) {
        let Some(task) = self.tasks.get(chosen.len()) else {
            meet(chosen);
            return;
        };
        for (allocation, &number) in task.numbers.iter().enumerate() {
            if let Some(held) = self.fits.sum(held, number) {
                chosen.push(allocation);
                self.visit_from(held, chosen, meet);
                chosen.pop();
            }
        }
    }

    fn list_contents(&self) -> Vec<Contents> {
        let mut contents = Vec::new();
        let mut running = vec![None; self.tasks.len()];
        loop {
            self.visit(&running, &mut |allocations| {
                contents.push(Contents { allocations: allocations.to_vec(), retrainings: running.clone() });
            });
            if !self.advance(&mut running) {
                return contents;
            }
        }
    }

    /// The next set of running retrainings; false after the last.
    fn advance(&self, running: &mut [Option<usize>]) -> bool {
        for (task, running) in self.tasks.iter().zip(running) {
            let next = running.map_or(0, |retraining| retraining + 1);
            if next < task.retrainings.len() {
                *running = Some(next);
                return true;
            }
            *running = None;
        }
        false
    }
}

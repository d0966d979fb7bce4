//! Improves prices: steps along what the tasks, each for itself, take more or less of than the GPU gives.
//!
//! Steps are computed in doubles; prices are rounded to units of goodput before a bound is computed from them, so that every
//! bound is exact.

use super::domain::Domain;
use super::index::{KnapsackIndex, Slot};
use super::joint::Joint;
use super::list::{List, Table};
use super::paths::{Path, Paths};
use super::pricing::{Dearest, NEVER, Prices};
use super::states::TaskStates;
use crate::instance::ModelIndex;

/// Part of the newest direction in the one that is followed.
const NEWEST: f64 = 0.35;

/// A bound and what it was computed from.
pub struct Bounded {
    /// Units of goodput that no plan exceeds.
    pub bound: i64,
    /// The best path of each model alone.
    pub paths: List<ModelIndex, Path>,
}

/// The bound of some prices, with what all slots pay together. `None` if a model cannot be retrained.
fn evaluate(joint: &Joint<'_>, domain: &Domain, prices: &Prices<i64>, paid: i64) -> Option<Bounded> {
    let paths = joint.models().map(|model| Paths::new(joint, domain, prices, model).best());
    let paths: List<ModelIndex, Path> = paths.collect::<Option<_>>()?;
    let bound = paid + paths.iter().map(|path| path.value).sum::<i64>();
    Some(Bounded { bound, paths })
}

/// The same where each slot pays for the dearest contents. `None` if there is a slot that nothing may fill, too.
fn evaluate_contents(
    joint: &Joint<'_>,
    domain: &Domain,
    prices: &Prices<i64>,
    dearest: &List<Slot, Dearest>,
) -> Option<Bounded> {
    let is_possible = dearest.iter().all(|dearest| dearest.price > NEVER);
    let paid = || dearest.iter().map(|dearest| dearest.price).sum();
    is_possible.then(|| evaluate(joint, domain, prices, paid()))?
}

/// Whether a bound is below the best one by more than its `part`-th part.
fn is_clearly_below(bound: i64, best: i64, part: i64) -> bool {
    bound < best - best.saturating_abs() / part
}

/// The length of steps: it shrinks while the bound does not improve.
struct Step {
    factor: f64,
    idle: u32,
    patience: u32,
    shrink: f64,
}

impl Step {
    fn new(patience: u32, shrink: f64) -> Self {
        Step { factor: 1.0, idle: 0, patience, shrink }
    }

    /// Takes note of a bound; whether the search should go back to the best prices.
    fn note(&mut self, is_better: bool) -> bool {
        if is_better {
            self.idle = 0;
            return false;
        }
        self.idle += 1;
        let goes_back = self.idle >= self.patience;
        if goes_back {
            self.factor *= self.shrink;
            self.idle = 0;
        }
        goes_back
    }
}

/// Prices on the inequalities of the GPU: an instance costs what it uses of each, in each slot.
pub struct OnKnapsacks {
    prices: Table<KnapsackIndex, Slot, f64>,
    best: Table<KnapsackIndex, Slot, f64>,
    direction: Table<KnapsackIndex, Slot, f64>,
    best_bound: i64,
    step: Step,
    rounds: u32,
}

impl OnKnapsacks {
    /// Nothing costs anything.
    pub fn new(joint: &Joint<'_>) -> Self {
        let zero = Table::filled(joint.problem.gpu.knapsacks.len(), joint.slot_count(), 0.0);
        OnKnapsacks {
            prices: zero.clone(),
            best: zero.clone(),
            direction: zero,
            best_bound: i64::MAX,
            step: Step::new(12, 0.7),
            rounds: 0,
        }
    }

    /// What the prices of the inequalities come to, and what all slots pay for what the GPU has.
    fn spread(joint: &Joint<'_>, knapsack_prices: &Table<KnapsackIndex, Slot, f64>) -> (Prices<i64>, i64) {
        let mut prices = Prices::same(joint, 0);
        let mut paid = 0;
        for (row, knapsack) in (0..).map(KnapsackIndex).zip(&joint.problem.gpu.knapsacks) {
            for (slot, &price) in joint.slots().zip(knapsack_prices.row(row)) {
                let price = price.round() as i64;
                if price == 0 {
                    continue;
                }
                paid += price * i64::from(knapsack.capacity);
                for (model, task) in joint.tasks.entries() {
                    let allocations = prices.allocations[model].row_mut(slot);
                    for (sum, allocation) in allocations.iter_mut().zip(task.allocations.iter()) {
                        *sum += price * used(&knapsack.weights, allocation.counts());
                    }
                    for (retraining, on) in task.retrainings.entries() {
                        prices.retrainings[model][(retraining, slot)] +=
                            price * i64::from(knapsack.weights[on.size.index()]);
                    }
                }
            }
        }
        (prices, paid)
    }

    /// The best prices so far.
    pub fn best(&self, joint: &Joint<'_>) -> Prices<i64> {
        Self::spread(joint, &self.best).0
    }

    /// The same as prices of what the GPU has of each inequality.
    pub fn of_inequalities(&self) -> Table<KnapsackIndex, Slot, i64> {
        self.best.map(|price| price.round() as i64)
    }

    /// One step; `target` is the goodput of a plan, from which the length of the step follows. `None` if a model cannot be
    /// retrained, or the prices are the best there are.
    pub fn step(&mut self, joint: &Joint<'_>, domain: &Domain, target: Option<i64>) -> Option<Bounded> {
        let (prices, paid) = Self::spread(joint, &self.prices);
        let bounded = evaluate(joint, domain, &prices, paid)?;
        let is_better = is_clearly_below(bounded.bound, self.best_bound, 1_000_000);
        if bounded.bound < self.best_bound {
            self.best_bound = bounded.bound;
            self.best.clone_from(&self.prices);
        }
        if self.step.note(is_better) {
            self.prices.clone_from(&self.best);
            self.direction.cells_mut().fill(0.0);
            return Some(bounded);
        }
        let length = self.turn(joint, &bounded.paths);
        if length < 1e-12 {
            return None;
        }
        let bound = bounded.bound as f64;
        let target = target.map_or(0.95 * bound, |target| target as f64);
        let step = self.step.factor * (bound - target).max(1e-4 * bound.abs()) / length;
        for (price, direction) in self.prices.cells_mut().iter_mut().zip(self.direction.cells()) {
            *price = (*price - step * direction).max(0.0);
        }
        Some(bounded)
    }

    /// Turns the direction towards what the paths leave of the GPU; the square of its length, as far as prices can follow it.
    fn turn(&mut self, joint: &Joint<'_>, paths: &List<ModelIndex, Path>) -> f64 {
        let newest = if self.rounds == 0 { 1.0 } else { NEWEST };
        self.rounds += 1;
        let mut length = 0.0;
        for (row, knapsack) in (0..).map(KnapsackIndex).zip(&joint.problem.gpu.knapsacks) {
            let prices = self.prices.row(row);
            let directions = self.direction.row_mut(row);
            for ((slot, &price), direction) in joint.slots().zip(prices).zip(directions) {
                let of_model = |(task, path): (&TaskStates, &Path)| {
                    let held = task.allocations[path.allocations[slot]].counts();
                    let retraining = match task.run_of(path.start).contains(&slot) {
                        true => {
                            let on = task.retrainings[path.start.retraining].size;
                            i64::from(knapsack.weights[on.index()])
                        }
                        false => 0,
                    };
                    used(&knapsack.weights, held) + retraining
                };
                let used: i64 = joint.tasks.iter().zip(paths.iter()).map(of_model).sum();
                let left = (i64::from(knapsack.capacity) - used) as f64;
                *direction = newest * left + (1.0 - newest) * *direction;
                if price > 0.0 || *direction < 0.0 {
                    length += *direction * *direction;
                }
            }
        }
        length
    }
}

/// What instances, counted by size, use of an inequality.
fn used(weights: &[u32], counts: &[u8]) -> i64 {
    weights.iter().zip(counts).map(|(&weight, &count)| i64::from(weight) * i64::from(count)).sum()
}

/// Prices on every allocation and every retraining in every slot; each slot pays for the dearest contents that fit.
pub struct OnContents {
    prices: Prices<f64>,
    direction: Prices<f64>,
    best: Prices<i64>,
    best_bound: i64,
    step: Step,
}

impl OnContents {
    /// Goes on from prices.
    pub fn new(joint: &Joint<'_>, prices: Prices<i64>) -> Self {
        OnContents {
            prices: prices.map(|&price| price as f64),
            direction: Prices::same(joint, 0.0),
            best: prices,
            best_bound: i64::MAX,
            step: Step::new(10, 0.75),
        }
    }

    /// No plan is worth more than the best prices so far allow.
    pub fn bound(&self) -> i64 {
        self.best_bound
    }

    /// The best prices so far.
    pub fn best(&self) -> &Prices<i64> {
        &self.best
    }

    /// The best prices so far.
    pub fn into_best(self) -> Prices<i64> {
        self.best
    }

    /// Goes back to the best prices.
    fn go_back(&mut self) {
        self.prices.change_by(&self.best, |price, &best| *price = best as f64);
        self.direction.change(|direction| *direction = 0.0);
    }

    /// One step towards the goodput of a plan; `None` if a model cannot be retrained, or nothing is left to gain.
    pub fn step(&mut self, joint: &Joint<'_>, domain: &Domain, target: i64) -> Option<Bounded> {
        let prices = self.prices.map(|price| price.round() as i64);
        let dearest = prices.dearest(joint, domain);
        let Some(bounded) = evaluate_contents(joint, domain, &prices, &dearest) else {
            self.best_bound = NEVER;
            return None;
        };
        let is_better = is_clearly_below(bounded.bound, self.best_bound, 10_000_000);
        if bounded.bound < self.best_bound {
            self.best_bound = bounded.bound;
            self.best = prices;
        }
        if self.step.note(is_better) {
            self.go_back();
            return (self.step.factor > 1e-3).then_some(bounded);
        }
        if bounded.bound <= target {
            return None;
        }
        let length = self.turn(joint, &bounded.paths, &dearest);
        if length < 1e-12 {
            return None;
        }
        let missing = if target > NEVER { bounded.bound - target } else { bounded.bound.abs() / 20 };
        let step = self.step.factor * missing as f64 / length;
        self.prices.change_by(&self.direction, |price, direction| *price += step * direction);
        Some(bounded)
    }

    /// Turns the direction towards what the paths take and the slots do not pay for; the square of its length.
    fn turn(
        &mut self,
        joint: &Joint<'_>,
        paths: &List<ModelIndex, Path>,
        dearest: &List<Slot, Dearest>,
    ) -> f64 {
        self.direction.change(|direction| *direction *= 1.0 - NEWEST);
        for (slot, dearest) in dearest.entries() {
            for (model, path) in paths.entries() {
                let paid = joint.contents[dearest.contents][model];
                let taken = path.allocations[slot];
                let allocations = &mut self.direction.allocations[model];
                if taken != paid.allocation {
                    allocations[(slot, taken)] += NEWEST;
                    allocations[(slot, paid.allocation)] -= NEWEST;
                }
                let runs = joint.tasks[model].run_of(path.start).contains(&slot);
                let taken = runs.then_some(path.start.retraining);
                let retrainings = &mut self.direction.retrainings[model];
                if taken != paid.running {
                    if let Some(taken) = taken {
                        retrainings[(taken, slot)] += NEWEST;
                    }
                    if let Some(paid) = paid.running {
                        retrainings[(paid, slot)] -= NEWEST;
                    }
                }
            }
        }
        self.direction.all().map(|direction| direction * direction).sum()
    }
}

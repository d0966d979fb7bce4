//! Improves prices: steps along what the tasks, each for itself, take more or less of than the GPU gives.
//!
//! Steps are computed in doubles; prices are rounded to units of goodput before a bound is computed from them, so that every
//! bound is exact.

use super::joint::{Contents, Joint};
use super::pricing::{Path, Paths, Prices, Start};

/// Part of the newest direction in the one that is followed.
const NEWEST: f64 = 0.35;

/// A bound and what it was computed from.
pub struct Bounded {
    /// Units of goodput that no plan exceeds.
    pub bound: i64,
    /// By model the best path alone.
    pub paths: Vec<Path>,
}

/// The bound of some prices, with the price that each slot pays. `None` if a model cannot be retrained.
fn evaluate(joint: &Joint<'_>, prices: &Prices, paid: i64) -> Option<Bounded> {
    let models = 0..joint.tasks.len();
    let paths: Option<Vec<Path>> = models.map(|model| Paths::new(joint, prices, model).best()).collect();
    let paths = paths?;
    let bound = paid + paths.iter().map(|path| path.value).sum::<i64>();
    Some(Bounded { bound, paths })
}

/// Whether a path's retraining runs in a slot.
fn runs(joint: &Joint<'_>, model: usize, start: Start, slot: usize) -> bool {
    let length = joint.tasks[model].retrainings[start.retraining].1 as usize;
    (start.from..start.from + length).contains(&slot)
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
    /// By inequality and slot.
    prices: Vec<Vec<f64>>,
    best: Vec<Vec<f64>>,
    direction: Vec<Vec<f64>>,
    best_bound: i64,
    step: Step,
    rounds: u32,
}

impl OnKnapsacks {
    /// Nothing costs anything.
    pub fn new(joint: &Joint<'_>) -> Self {
        let zero = vec![vec![0.0; joint.slots()]; joint.problem.gpu.knapsacks.len()];
        OnKnapsacks {
            prices: zero.clone(),
            best: zero.clone(),
            direction: zero,
            best_bound: i64::MAX,
            step: Step::new(12, 0.7),
            rounds: 0,
        }
    }

    /// What the prices of the inequalities come to.
    fn spread(joint: &Joint<'_>, knapsack_prices: &[Vec<f64>]) -> (Prices, i64) {
        let knapsacks = &joint.problem.gpu.knapsacks;
        let mut prices = Prices::zero(joint);
        let mut paid = 0;
        for (knapsack, of_slot) in knapsacks.iter().zip(knapsack_prices) {
            for (slot, &price) in of_slot.iter().enumerate() {
                let price = price.round() as i64;
                if price == 0 {
                    continue;
                }
                paid += price * i64::from(knapsack.capacity);
                for (model, task) in joint.tasks.iter().enumerate() {
                    let count = task.allocations.len();
                    for (allocation, held) in task.allocations.iter().enumerate() {
                        prices.allocations[model][slot * count + allocation] +=
                            price * used(&knapsack.weights, held.counts());
                    }
                    for (retraining, &(size, _)) in task.retrainings.iter().enumerate() {
                        prices.retrainings[model][retraining][slot] +=
                            price * i64::from(knapsack.weights[size.index()]);
                    }
                }
            }
        }
        (prices, paid)
    }

    /// The best prices so far.
    pub fn best(&self, joint: &Joint<'_>) -> Prices {
        Self::spread(joint, &self.best).0
    }

    /// One step; `target` is the goodput of a plan, from which the length of the step follows. `None` if a model cannot be
    /// retrained, or the prices are the best there are.
    pub fn step(&mut self, joint: &Joint<'_>, target: Option<i64>) -> Option<Bounded> {
        let (prices, paid) = Self::spread(joint, &self.prices);
        let bounded = evaluate(joint, &prices, paid)?;
        let is_better = bounded.bound < self.best_bound - self.best_bound.unsigned_abs() as i64 / 1_000_000;
        if bounded.bound < self.best_bound {
            self.best_bound = bounded.bound;
            self.best.clone_from(&self.prices);
        }
        if self.step.note(is_better) {
            self.prices.clone_from(&self.best);
            self.direction.iter_mut().flatten().for_each(|direction| *direction = 0.0);
            return Some(bounded);
        }
        let newest = if self.rounds == 0 { 1.0 } else { NEWEST };
        self.rounds += 1;
        let mut length = 0.0;
        for (position, knapsack) in joint.problem.gpu.knapsacks.iter().enumerate() {
            for slot in 0..joint.slots() {
                let used: i64 = (0..joint.tasks.len())
                    .map(|model| {
                        let (task, path) = (&joint.tasks[model], &bounded.paths[model]);
                        let held = task.allocations[path.allocations[slot]].counts();
                        let retraining = match runs(joint, model, path.start, slot) {
                            true => {
                                let (size, _) = task.retrainings[path.start.retraining];
                                i64::from(knapsack.weights[size.index()])
                            }
                            false => 0,
                        };
                        used(&knapsack.weights, held) + retraining
                    })
                    .sum();
                let left = (i64::from(knapsack.capacity) - used) as f64;
                let direction = &mut self.direction[position][slot];
                *direction = newest * left + (1.0 - newest) * *direction;
                if self.prices[position][slot] > 0.0 || *direction < 0.0 {
                    length += *direction * *direction;
                }
            }
        }
        if length < 1e-12 {
            return None;
        }
        let bound = bounded.bound as f64;
        let target = target.map_or(0.95 * bound, |target| target as f64);
        let step = self.step.factor * (bound - target).max(1e-4 * bound.abs()) / length;
        for (prices, directions) in self.prices.iter_mut().zip(&self.direction) {
            for (price, direction) in prices.iter_mut().zip(directions) {
                *price = (*price - step * direction).max(0.0);
            }
        }
        Some(bounded)
    }
}

fn used(weights: &[u32], counts: &[u8]) -> i64 {
    weights.iter().zip(counts).map(|(&weight, &count)| i64::from(weight) * i64::from(count)).sum()
}

/// Prices on every allocation and every retraining in every slot; each slot pays for the dearest contents that fit.
pub struct OnContents {
    /// By model, slot and allocation.
    allocations: Vec<Vec<f64>>,
    /// By model, retraining and slot.
    retrainings: Vec<Vec<Vec<f64>>>,
    allocation_direction: Vec<Vec<f64>>,
    retraining_direction: Vec<Vec<Vec<f64>>>,
    best: Prices,
    best_bound: i64,
    step: Step,
}

impl OnContents {
    /// Goes on from prices.
    pub fn new(joint: &Joint<'_>, prices: Prices) -> Self {
        let doubles = |prices: &[i64]| prices.iter().map(|&price| price as f64).collect::<Vec<f64>>();
        let zero = Prices::zero(joint);
        OnContents {
            allocations: prices.allocations.iter().map(|prices| doubles(prices)).collect(),
            retrainings: prices
                .retrainings
                .iter()
                .map(|prices| prices.iter().map(|prices| doubles(prices)).collect())
                .collect(),
            allocation_direction: zero.allocations.iter().map(|prices| doubles(prices)).collect(),
            retraining_direction: zero
                .retrainings
                .iter()
                .map(|prices| prices.iter().map(|prices| doubles(prices)).collect())
                .collect(),
            best: prices,
            best_bound: i64::MAX,
            step: Step::new(10, 0.75),
        }
    }

    fn rounded(&self) -> Prices {
        let whole = |prices: &Vec<f64>| prices.iter().map(|price| price.round() as i64).collect();
        Prices {
            allocations: self.allocations.iter().map(whole).collect(),
            retrainings: self.retrainings.iter().map(|prices| prices.iter().map(whole).collect()).collect(),
        }
    }

    /// The best prices so far.
    pub fn into_best(self) -> Prices {
        self.best
    }

    /// Goes back to the best prices.
    fn go_back(&mut self) {
        for (doubles, best) in self.allocations.iter_mut().zip(&self.best.allocations) {
            doubles.iter_mut().zip(best).for_each(|(double, &best)| *double = best as f64);
        }
        for (doubles, best) in
            self.retrainings.iter_mut().flatten().zip(self.best.retrainings.iter().flatten())
        {
            doubles.iter_mut().zip(best).for_each(|(double, &best)| *double = best as f64);
        }
        self.allocation_direction.iter_mut().flatten().for_each(|direction| *direction = 0.0);
        self.retraining_direction.iter_mut().flatten().flatten().for_each(|direction| *direction = 0.0);
    }

    /// One step towards the goodput of a plan; `None` if a model cannot be retrained, or nothing is left to gain.
    pub fn step(&mut self, joint: &Joint<'_>, target: i64) -> Option<Bounded> {
        let prices = self.rounded();
        let dearest = prices.dearest(joint);
        let paid = dearest.iter().map(|&(price, _)| price).sum();
        let bounded = evaluate(joint, &prices, paid)?;
        let is_better = bounded.bound < self.best_bound - self.best_bound.unsigned_abs() as i64 / 10_000_000;
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
        let step = self.step.factor * (bounded.bound - target) as f64 / length;
        for (prices, directions) in self.allocations.iter_mut().zip(&self.allocation_direction) {
            prices.iter_mut().zip(directions).for_each(|(price, direction)| *price += step * direction);
        }
        let retrainings = self.retrainings.iter_mut().flatten();
        for (prices, directions) in retrainings.zip(self.retraining_direction.iter().flatten()) {
            prices.iter_mut().zip(directions).for_each(|(price, direction)| *price += step * direction);
        }
        Some(bounded)
    }

    /// Turns the direction towards what the paths take and the slots do not pay for; the square of its length.
    fn turn(&mut self, joint: &Joint<'_>, paths: &[Path], dearest: &[(i64, usize)]) -> f64 {
        let fading = 1.0 - NEWEST;
        self.allocation_direction.iter_mut().flatten().for_each(|direction| *direction *= fading);
        self.retraining_direction.iter_mut().flatten().flatten().for_each(|direction| *direction *= fading);
        for (slot, &(_, position)) in dearest.iter().enumerate() {
            let Contents { allocations, retrainings } = &joint.contents[position];
            for (model, path) in paths.iter().enumerate() {
                let (taken, paid) = (path.allocations[slot], allocations[model]);
                if taken != paid {
                    let begin = slot * joint.tasks[model].allocations.len();
                    self.allocation_direction[model][begin + taken] += NEWEST;
                    self.allocation_direction[model][begin + paid] -= NEWEST;
                }
                let taken = runs(joint, model, path.start, slot).then_some(path.start.retraining);
                if taken != retrainings[model] {
                    if let Some(taken) = taken {
                        self.retraining_direction[model][taken][slot] += NEWEST;
                    }
                    if let Some(paid) = retrainings[model] {
                        self.retraining_direction[model][paid][slot] -= NEWEST;
                    }
                }
            }
        }
        let of_allocations = self.allocation_direction.iter().flatten();
        let of_retrainings = self.retraining_direction.iter().flatten().flatten();
        of_allocations.chain(of_retrainings).map(|direction| direction * direction).sum()
    }
}

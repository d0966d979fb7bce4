//! An estimate of what sharing by MPS would give: fractions of the GPU without isolation, divided again in every slot.
//!
//! It is another mechanism than the model's, so that nothing of it is a plan: shares are any fractions of the GPCs, what they
//! serve lies on straight lines between the sizes of instances, nothing is lost when they change, and everything that runs beside
//! something else is slower by the same factor.

use super::intensity::intensities;
use crate::instance::{ModelTasks, Problem};
use crate::rules::MpsEstimate;
use crate::section::Deployment;
use ground::Amount;

/// Part of the GPU that is for retrainings when all run.
const FOR_RETRAININGS: f64 = 1.0 / 3.0;
/// GPCs that a retraining has at least.
const LEAST_SHARE: f64 = 0.5;

/// A quantity by GPCs: straight lines from nothing at 0 GPCs through known points, and constant after the last.
pub struct Curve {
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// Requests per second of an inference task, by the sizes on which it can be deployed.
    pub fn of_capability(problem: &Problem, tasks: &ModelTasks) -> Self {
        let is_usable =
            |size: usize| problem.readings.deployment == Deployment::Gpcs || size >= tasks.minimum.index();
        let points = problem.gpu.sizes.iter().zip(&tasks.capability).enumerate();
        let points = points.filter(|(size, (_, capability))| is_usable(*size) && **capability > Amount::ZERO);
        Curve {
            points: points
                .map(|(_, (size, capability))| (f64::from(size.gpcs), capability.to_f64()))
                .collect(),
        }
    }

    /// Retrainings per slot.
    fn of_retraining(problem: &Problem, tasks: &ModelTasks) -> Self {
        let points = problem.gpu.sizes.iter().zip(&tasks.retraining);
        let speed = |slots: u32| 1.0 / f64::from(slots);
        Curve {
            points: points
                .filter_map(|(size, slots)| Some((f64::from(size.gpcs), speed((*slots)?))))
                .collect(),
        }
    }

    fn at(&self, gpcs: f64) -> f64 {
        let mut before = (0.0, 0.0);
        for &point in &self.points {
            if gpcs <= point.0 {
                return before.1 + (point.1 - before.1) * (gpcs - before.0) / (point.0 - before.0);
            }
            before = point;
        }
        before.1
    }

    /// The fewest GPCs with at least this much; all that there are if none have.
    pub fn needed(&self, quantity: f64, all: f64) -> f64 {
        let mut before = (0.0, 0.0);
        for &point in &self.points {
            if quantity <= before.1 {
                return before.0;
            }
            if quantity <= point.1 {
                return before.0 + (point.0 - before.0) * (quantity - before.1) / (point.1 - before.1);
            }
            before = point;
        }
        if quantity <= before.1 { before.0 } else { all }
    }
}

/// GPCs of the retraining of each model while it runs: a third of the GPU, divided in proportion to compute intensity, but at
/// least half a GPC each.
pub fn retraining_shares(problem: &Problem) -> Vec<f64> {
    let weights = intensities(problem);
    let all = weights.iter().sum::<i128>() as f64;
    let gpcs = f64::from(problem.gpu.board.compute());
    let share = |&weight: &i128| (FOR_RETRAININGS * gpcs * weight as f64 / all).max(LEAST_SHARE);
    weights.iter().map(share).collect()
}

/// Needs as they are if there are GPCs enough, and all cut in proportion if not.
pub fn cut_to_fit(needed: &mut [f64], gpcs: f64) {
    let sum: f64 = needed.iter().sum();
    if sum > gpcs {
        needed.iter_mut().for_each(|needed| *needed *= gpcs.max(0.0) / sum);
    }
}

/// What the window gives when every slot's GPCs are divided by need; beside anything else all is slower by `1 + interference`.
pub fn estimate(problem: &Problem, interference: f64) -> MpsEstimate {
    let gpcs = f64::from(problem.gpu.board.compute());
    let seconds = problem.basis.to_f64();
    let serving: Vec<Curve> =
        problem.models.iter().map(|tasks| Curve::of_capability(problem, tasks)).collect();
    let training: Vec<Curve> =
        problem.models.iter().map(|tasks| Curve::of_retraining(problem, tasks)).collect();
    let shares = retraining_shares(problem);
    let mut progress = vec![0.0; problem.models.len()];
    let (mut goodput, mut served) = (0.0, 0.0);
    for slot in 0..problem.slots as usize {
        let is_retrained = |progress: f64| progress >= 1.0 - 1e-9;
        let running: Vec<usize> = (0..shares.len()).filter(|&model| !is_retrained(progress[model])).collect();
        let slower = if shares.len() + running.len() > 1 { 1.0 + interference } else { 1.0 };
        let rates: Vec<f64> =
            problem.models.iter().map(|tasks| tasks.requests[slot].to_f64() / seconds).collect();
        let mut parts: Vec<f64> =
            serving.iter().zip(&rates).map(|(curve, rate)| curve.needed(rate * slower, gpcs)).collect();
        cut_to_fit(&mut parts, gpcs - running.iter().map(|&model| shares[model]).sum::<f64>());
        for (model, tasks) in problem.models.iter().enumerate() {
            let in_time = rates[model].min(serving[model].at(parts[model]) / slower) * seconds;
            let accuracy = if is_retrained(progress[model]) { tasks.after } else { tasks.before };
            served += in_time;
            goodput += in_time * accuracy.to_f64();
        }
        for model in running {
            progress[model] += training[model].at(shares[model]) / slower;
        }
    }
    let amount = |number: f64| Amount::from_millionths((number * 1e6).round() as i128);
    let received = problem.models.iter().flat_map(|tasks| &tasks.requests).copied().sum();
    MpsEstimate { goodput: amount(goodput), served: amount(served), received }
}

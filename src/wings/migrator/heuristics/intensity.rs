//! How much computation the models take relative to each other.

use crate::instance::{ModelTasks, Problem};
use ground::Amount;

/// What the inverse of a capability is a part of, so that it becomes a whole number.
const INVERSES: i128 = 1_000_000_000_000_000;

/// Compute intensity by model, as weights of which at least one is above 0: the floating-point operations of a request.
///
/// Where a model has no `gflops`, it is for all models the inverse of what the smallest instance serves on which the task can
/// be deployed and serves something.
pub fn intensities(problem: &Problem) -> Vec<i128> {
    let gflops: Option<Vec<Amount>> = problem.models.iter().map(|tasks| tasks.gflops).collect();
    let weights: Vec<i128> = match gflops {
        Some(gflops) => gflops.into_iter().map(Amount::millionths).collect(),
        None => problem.models.iter().map(inverse_capability).collect(),
    };
    if weights.iter().all(|&weight| weight == 0) { vec![1; weights.len()] } else { weights }
}

fn inverse_capability(tasks: &ModelTasks) -> i128 {
    let usable = &tasks.capability[tasks.minimum.index()..];
    let serves = usable.iter().find(|&&capability| capability > Amount::ZERO);
    serves.map_or(0, |capability| INVERSES / capability.millionths())
}

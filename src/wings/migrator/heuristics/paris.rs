//! A static partition in proportion to compute intensity.

use super::fixed::best_fixed;
use super::intensity::intensities;
use super::worth::Worth;
use crate::instance::Problem;
use crate::rules::{Plan, Retraining};
use kit::Heuristic;

/// Each model's share of the GPCs is in proportion to its compute intensity, half of it for each of its two tasks, but at least
/// a GPC each; the plan without a reconfiguration that is nearest to that, in squared GPCs.
///
/// Of plans that are as near it takes the one with the most GPCs, then the one that serves most.
pub struct Paris;

impl Heuristic<Problem, Plan> for Paris {
    fn name(&self) -> &'static str {
        "paris"
    }

    fn summary(&self) -> &'static str {
        "a static partition in proportion to compute intensity: gflops, or the inverse of what the smallest usable instance serves"
    }

    fn reference(&self) -> &'static str {
        "Wang et al., section 5.1: like PARIS and ELSA (Kim et al.)"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        let worth = Worth::of(problem);
        let weights = intensities(problem);
        let all: i128 = weights.iter().sum();
        let gpcs = i128::from(problem.gpu.board.compute());
        // GPCs are counted in parts of `2 * all`, in which the shares are whole numbers.
        let target = |model: usize| (gpcs * weights[model]).max(2 * all);
        let squared = |model: usize, gpcs: u32| (2 * all * i128::from(gpcs) - target(model)).pow(2);
        best_fixed(problem, &worth, |model, retraining: &Retraining, offer| {
            let (task, size) = (&worth.tasks[model], problem.gpu.size(retraining.size));
            let gpcs = task.offers[offer].gpcs;
            let serves = task.most(offer, true, task.outage);
            [
                -squared(model, gpcs) - squared(model, size.gpcs),
                i128::from(gpcs + size.gpcs),
                i128::from(serves),
            ]
        })
    }
}

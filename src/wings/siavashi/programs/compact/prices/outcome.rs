//! What was found about a stage, in its units.

use super::costs::Costs;
use crate::programs::priced::{Parts, PriceTask, PricedStage};
use crate::rules::{sense, stage_name};
use crate::section::Goal;
use cluster::Placement;
use kit::SenseName;
use milp::{Sense, StopReason};
use prices::Found;
use solver::StageResult;

/// Value and bound of a stage.
pub fn result(goal: Option<Goal>, value: Option<f64>, bound: Option<f64>, stop: &StopReason) -> StageResult {
    let proved = *stop == StopReason::Proved;
    StageResult {
        name: stage_name(goal).to_owned(),
        sense: match sense(goal) {
            SenseName::Maximize => Sense::Maximize,
            SenseName::Minimize => Sense::Minimize,
        },
        value,
        bound,
        proved,
        settled: proved || *stop == StopReason::GapLimit,
    }
}

/// What was found about a stage, with a placement of that value if it is better than the best known.
pub fn priced<C>(
    stage: &PriceTask<'_>,
    costs: &Costs<'_>,
    found: Found<C>,
    placement: Option<Placement>,
    parts: Parts,
) -> PricedStage {
    let is_any_known = placement.is_some() || stage.known.is_some();
    let stop = match found.stop {
        StopReason::TimeLimit => StopReason::NodeLimit,
        StopReason::Proved if !is_any_known => StopReason::Infeasible,
        stop => stop,
    };
    let bound = (found.bound > i64::MIN).then(|| costs.bound(found.bound));
    let value = is_any_known.then(|| costs.value(found.value));
    let result = result(stage.goal, value, bound, &stop);
    PricedStage { result, placement, stop, parts, counters: found.counters }
}

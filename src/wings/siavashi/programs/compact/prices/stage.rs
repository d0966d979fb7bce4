//! One stage by prices of machines.

use super::placing::placement;
use super::searching::{MOST_ASKED, aim, keeps_moves, priced, result, searched};
use super::stock::Stock;
use super::tight::by_tight_machines;
use super::view::{Apart, View};
use super::when::{are_many, are_quicker, come_late, moves_come_late};
use crate::programs::priced::{PriceTask, PricedStage, Prices};
use crate::section::Goal;
use kit::SolveError;
use milp::StopReason;
use prices::Counters;

/// How often machines are asked for their best content on average where cores and memory are left out.
const FEW_ASKED: u32 = 200;

/// Proves a stage, or as much as the limits allow; none where machines by prices do not suit it.
///
/// # Errors
/// When the solver fails.
pub fn prove(stage: &PriceTask<'_>, when: Prices) -> Result<Option<PricedStage>, SolveError> {
    let problem = stage.problem;
    let is_turn = are_quicker(problem, when) || (stage.is_given_up && come_late(problem, when));
    if !is_turn {
        return Ok(None);
    }
    if is_settled(stage) && when == Prices::Suitable {
        let extent = &problem.extent;
        let value = stage.goal.map_or(0, |goal| extent.in_units(goal, extent.best(goal))) as f64;
        let result = result(stage.goal, Some(value), Some(value), &StopReason::Proved);
        let counters = Counters::default();
        return Ok(Some(PricedStage { result, placement: None, stop: StopReason::Proved, counters }));
    }
    let is_wanted = match stage.goal {
        // A few nodes of a program often suffice: prices of acceptance begin wild, and few machines make a small program.
        Some(Goal::Acceptance) => false,
        Some(Goal::Hardware) | None => are_many(problem),
        Some(Goal::Migrations) => !moves_come_late(problem, when),
    };
    if !is_wanted && !when.are_forced() && !stage.is_given_up {
        return if are_many(problem) { by_gpus_alone(stage) } else { Ok(None) };
    }
    let Some(aim) = aim(problem, stage.goal) else { return Ok(None) };
    let moves = aim.migrations > 0 || keeps_moves(stage);
    let view = View { knows_places: moves, apart: None };
    let stock = if when == Prices::AlwaysByTightMachines { None } else { Stock::of(problem, view) };
    let Some(stock) = stock else {
        return if moves { by_tight_machines(stage, aim) } else { by_gpus_alone(stage) };
    };
    let Some((found, costs)) = searched(stage, &stock, view, aim, MOST_ASKED)? else { return Ok(None) };
    let placement = found.chosen.as_ref().map(|chosen| placement(problem, &stock, view, chosen));
    Ok(Some(priced(stage, &costs, found, placement)))
}

/// Whether nothing can be better than the best placement known.
fn is_settled(stage: &PriceTask<'_>) -> bool {
    let is_best = |goal: Goal| {
        stage.known.is_some_and(|(_, score)| score.goal(goal) == stage.problem.extent.best(goal))
    };
    stage.goal.is_some_and(is_best)
}

/// Proves a stage that is not about moves where the best placement known is as good as GPUs alone allow: without cores and memory more
/// workloads are alike, and there are few shapes.
fn by_gpus_alone(stage: &PriceTask<'_>) -> Result<Option<PricedStage>, SolveError> {
    let moves = stage.goal.is_none_or(|goal| goal == Goal::Migrations) || keeps_moves(stage);
    let Some(aim) = aim(stage.problem, stage.goal).filter(|_| !moves) else { return Ok(None) };
    let nothing = Apart::default();
    let view = View { knows_places: false, apart: Some(&nothing) };
    let Some(stock) = Stock::of(stage.problem, view) else { return Ok(None) };
    let Some(found) = searched(stage, &stock, view, aim, FEW_ASKED)? else { return Ok(None) };
    let (found, costs) = found;
    let is_proved = found.stop == StopReason::Proved && found.chosen.is_none();
    Ok(is_proved.then(|| priced(stage, &costs, found, None)))
}

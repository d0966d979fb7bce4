//! One stage by prices of machines.

use super::placing::{placement, rearranged};
use super::searching::{MOST_ASKED, aim, keeps_moves, priced, result, searched};
use super::sharing_out::share_out;
use super::stock::Stock;
use super::tight::{better, by_tight_machines};
use super::view::{Apart, View};
use super::when::{are_many, are_quicker, come_late, moves_come_late};
use crate::programs::priced::{PriceTask, PricedStage, Prices};
use crate::rules::Score;
use crate::section::Goal;
use cluster::Placement;
use kit::SolveError;
use milp::StopReason;
use prices::{Counters, Found};

/// How often machines are asked for their best content on average where cores and memory are left out.
const FEW_ASKED: u32 = 200;

/// For so many pairs of a machine and a GPU at most workloads are shared out as GPUs alone say: each GPU is tried on each machine.
const MOST_PAIRS: usize = 10_000_000;

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
        return if are_many(problem) { Ok(by_gpus_alone(stage, None)?.proved) } else { Ok(None) };
    }
    let Some(aim) = aim(problem, stage.goal) else { return Ok(None) };
    let moves = aim.migrations > 0 || keeps_moves(stage);
    let view = View { knows_places: moves, apart: None };
    let stock = if when == Prices::AlwaysByTightMachines { None } else { Stock::of(problem, view) };
    if moves && stock.is_none() {
        return by_tight_machines(stage, aim);
    }
    let alone = match !moves && (stock.is_none() || (are_many(problem) && !when.are_forced())) {
        true => by_gpus_alone(stage, stock.as_ref())?,
        false => OfGpusAlone::default(),
    };
    let (None, Some(stock)) = (&alone.proved, stock) else { return Ok(alone.proved) };
    let stage = &PriceTask { known: alone.better.as_ref().or(stage.known), ..*stage };
    let Some((found, costs)) = searched(stage, &stock, view, aim, MOST_ASKED)? else { return Ok(None) };
    let placement = match &found.chosen {
        Some(chosen) => Some(placement(problem, &stock, view, chosen)),
        None => alone.better.as_ref().map(|(placement, _)| placement.clone()),
    };
    Ok(Some(priced(stage, &costs, found, placement)))
}

/// Whether nothing can be better than the best placement known.
fn is_settled(stage: &PriceTask<'_>) -> bool {
    let is_best = |goal: Goal| {
        stage.known.is_some_and(|(_, score)| score.goal(goal) == stage.problem.extent.best(goal))
    };
    stage.goal.is_some_and(is_best)
}

/// What GPUs alone say about a stage.
#[derive(Default)]
struct OfGpusAlone {
    /// The stage, if some placement is as good as their bound.
    proved: Option<PricedStage>,
    /// A placement that is better than the best known.
    better: Option<(Placement, Score)>,
}

/// Proves a stage that is not about moves where some placement is as good as GPUs alone allow: without cores and memory more workloads are
/// alike, and there are few shapes. Either way, a placement that is better than the best known, if workloads could be shared out as contents
/// of GPUs alone say.
fn by_gpus_alone(stage: &PriceTask<'_>, whole: Option<&Stock>) -> Result<OfGpusAlone, SolveError> {
    let moves = stage.goal.is_none_or(|goal| goal == Goal::Migrations) || keeps_moves(stage);
    let Some(aim) = aim(stage.problem, stage.goal).filter(|_| !moves) else {
        return Ok(OfGpusAlone::default());
    };
    let nothing = Apart::default();
    let view = View { knows_places: false, apart: Some(&nothing) };
    let Some(stock) = Stock::of(stage.problem, view) else { return Ok(OfGpusAlone::default()) };
    let Some((found, costs)) = searched(stage, &stock, view, aim, FEW_ASKED)? else {
        return Ok(OfGpusAlone::default());
    };
    let pairs = stage.problem.machines.len() * stage.problem.cluster.gpus.len();
    let chosen = found.chosen.filter(|_| pairs <= MOST_PAIRS).unwrap_or_default();
    let placement = share_out(stage.problem, &stock, view, &chosen).placement;
    let whole_view = View { knows_places: false, apart: None };
    let placement = match (placement, whole) {
        (Some(placement), Some(whole)) => Some(rearranged(stage.problem, whole, whole_view, &placement)),
        (placement, _) => placement,
    };
    let better = placement.and_then(|placement| better(stage, &costs, placement));
    let known = stage.known.and_then(|(_, score)| costs.of(score));
    let (value, better) = match better {
        Some((value, better)) => (Some(value), Some(better)),
        None => (known, None),
    };
    let Some(value) = value.filter(|&value| value <= found.bound) else {
        return Ok(OfGpusAlone { proved: None, better });
    };
    let found = Found { value, chosen: None, stop: StopReason::Proved, ..found };
    let placement = better.as_ref().map(|(placement, _)| placement.clone());
    Ok(OfGpusAlone { proved: Some(priced(stage, &costs, found, placement)), better })
}

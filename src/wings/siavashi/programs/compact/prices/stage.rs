//! One stage by prices of machines.

use super::gpus_alone::{OfGpusAlone, by_gpus_alone};
use super::outcome::{priced, result};
use super::placing::placement;
use super::searching::searched;
use super::stock::Stock;
use super::terms::Aim;
use super::tight::by_tight_machines;
use super::view::View;
use super::when::{are_many, are_quicker, come_late, moves_come_late};
use crate::programs::priced::{Parts, PriceTask, PricedStage, Prices};
use crate::section::Goal;
use kit::SolveError;
use milp::StopReason;
use prices::{Counters, Found};
use std::cell::LazyCell;

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
        return Ok(Some(PricedStage {
            result,
            placement: None,
            stop: StopReason::Proved,
            parts: Parts::Machines,
            counters,
        }));
    }
    let is_wanted = match stage.goal {
        // A few nodes of a program often suffice: prices of acceptance begin wild, and few machines make a small program.
        Some(Goal::Acceptance) => false,
        Some(Goal::Hardware) | None => are_many(problem),
        Some(Goal::Migrations) => !moves_come_late(problem, when),
    };
    let Some(aim) = Aim::of(problem, stage.goal) else { return Ok(None) };
    let moves = aim.migrations > 0 || stage.keeps_moves();
    let view = View { knows_places: moves, apart: None };
    let stock = LazyCell::new(|| match when {
        Prices::AlwaysByTightMachines => None,
        _ => Stock::of(problem, view),
    });
    if !is_wanted && !when.are_forced() && !stage.is_given_up {
        // Single GPUs prove hardware in less time than a program takes to build.
        let goes_alone = !moves && (are_many(problem) || stage.goal == Some(Goal::Hardware));
        return if goes_alone { Ok(by_gpus_alone(stage, aim, || stock.as_ref())?.proved) } else { Ok(None) };
    }
    if moves && stock.is_none() {
        return by_tight_machines(stage, aim);
    }
    let goes_alone = !moves && ((are_many(problem) && !when.are_forced()) || stock.is_none());
    let alone = match goes_alone {
        true => by_gpus_alone(stage, aim, || stock.as_ref())?,
        false => OfGpusAlone::default(),
    };
    if alone.proved.is_some() {
        return Ok(alone.proved);
    }
    let Some(stock) = stock.as_ref() else { return Ok(None) };
    let stage = &PriceTask { known: alone.better.as_ref().or(stage.known), ..*stage };
    let Some((found, costs)) = searched(stage, stock, view, aim)? else { return Ok(None) };
    let placement = match &found.chosen {
        Some(chosen) => Some(placement(problem, stock, view, chosen)),
        None => alone.better.as_ref().map(|(placement, _)| placement.clone()),
    };
    let found = Found { counters: alone.counters + found.counters, ..found };
    Ok(Some(priced(stage, &costs, found, placement, Parts::Machines)))
}

/// Whether nothing can be better than the best placement known.
fn is_settled(stage: &PriceTask<'_>) -> bool {
    let is_best = |goal: Goal| {
        stage.known.is_some_and(|(_, score)| score.goal(goal) == stage.problem.extent.best(goal))
    };
    stage.goal.is_some_and(is_best)
}

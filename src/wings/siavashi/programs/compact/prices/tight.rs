//! Stages about moves of which machines have too many fills to tell all workloads apart: cores and memory are left out but on machines
//! that turn out to lack some.

use super::content::Content;
use super::costs::Costs;
use super::outcome::priced;
use super::searching::searched;
use super::sharing_out::{SharedOut, share_out};
use super::stock::Stock;
use super::terms::Aim;
use super::view::{Apart, View};
use crate::instance::{MachineIndex, Problem};
use crate::programs::priced::{Parts, PriceTask, PricedStage};
use crate::rules::{Score, sense, verify};
use cluster::Placement;
use kit::{SenseName, SolveError};
use milp::StopReason;
use prices::{Chosen, Counters, Found};
use std::collections::BTreeSet;

/// Proves a stage about moves, as far as telling some machines and workloads apart suffices: where workloads, shared out as the contents
/// found say, leave machines short of cores or memory, these are told apart from then on, and once they are, the most modest workloads that
/// should come there.
///
/// # Errors
/// When the solver fails.
pub fn by_tight_machines(stage: &PriceTask<'_>, aim: Aim) -> Result<Option<PricedStage>, SolveError> {
    let problem = stage.problem;
    let mut apart = Apart::default();
    let (mut bound, mut counters) = (i64::MIN, Counters::default());
    let mut best: Option<(Placement, Score)> = None;
    let mut last: Option<PricedStage> = None;
    loop {
        let view = View { knows_places: true, apart: Some(&apart) };
        let Some(stock) = Stock::of(problem, view) else { return Ok(last) };
        let task = PriceTask { known: best.as_ref().or(stage.known), ..*stage };
        let Some((found, costs)) = searched(&task, &stock, view, aim)? else { return Ok(last) };
        bound = bound.max(found.bound);
        counters = counters + found.counters;
        let chosen = found.chosen.unwrap_or_default();
        let SharedOut { placement, lacking } = share_out(problem, &stock, view, &chosen, None);
        let known = task.known.and_then(|(_, score)| costs.of(score));
        let better = placement.and_then(|placement| better(&task, &costs, placement));
        let value = better.as_ref().map_or(known, |(cost, _)| Some(*cost));
        let is_whole = found.stop == StopReason::Proved;
        let stop = match (found.stop, value) {
            (_, Some(value)) if value <= bound => StopReason::Proved,
            // No contents keep the totals, so that no placement does.
            (StopReason::Proved, None) if chosen.is_empty() => StopReason::Proved,
            (StopReason::Proved | StopReason::GapLimit, Some(value)) if is_near(stage, value, bound) => {
                StopReason::GapLimit
            }
            (StopReason::Proved | StopReason::GapLimit, _) => StopReason::NodeLimit,
            (stop, _) => stop,
        };
        let is_open = is_whole && stop == StopReason::NodeLimit;
        let value = value.unwrap_or(found.value);
        let found = Found::<Content> { bound: bound.min(value), value, chosen: None, stop, counters };
        let better = better.map(|(_, better)| better);
        let placement = better.as_ref().or(best.as_ref()).map(|(placement, _)| placement.clone());
        let priced = priced(stage, &costs, found, placement, Parts::Machines);
        best = better.or(best);
        if !is_open || !extend(&mut apart, problem, &stock, &chosen, &lacking) {
            return Ok(Some(priced));
        }
        last = Some(priced);
    }
}

/// A placement that is better than the best known and keeps the values of other goals, with its cost and its score.
pub fn better(
    stage: &PriceTask<'_>,
    costs: &Costs<'_>,
    placement: Placement,
) -> Option<(i64, (Placement, Score))> {
    let score = verify(stage.problem, &placement).score;
    let known = stage.known.and_then(|(_, score)| costs.of(score));
    let cost = costs.of(&score).filter(|&cost| known.is_none_or(|known| cost < known))?;
    keeps(stage, &score).then_some((cost, (placement, score)))
}

/// Whether other goals have the values that they have to have: residents that left for more modest newcomers may be too many.
fn keeps(stage: &PriceTask<'_>, score: &Score) -> bool {
    stage.kept.iter().all(|&(goal, value)| {
        let units = stage.problem.extent.in_units(goal, score.goal(goal));
        match sense(Some(goal)) {
            SenseName::Maximize => units >= i128::from(value),
            SenseName::Minimize => units <= i128::from(value),
        }
    })
}

/// Whether a cost is within the gap that is asked for.
fn is_near(stage: &PriceTask<'_>, cost: i64, bound: i64) -> bool {
    (cost - bound) as f64 <= stage.effort.relative_gap * (cost as f64).abs()
}

/// Tells more apart: machines that lack cores or memory and, where all of these are told apart already, the most modest workloads that should
/// come there; whether that is any.
fn extend(
    apart: &mut Apart,
    problem: &Problem,
    stock: &Stock,
    chosen: &[Chosen<Content>],
    lacking: &BTreeSet<MachineIndex>,
) -> bool {
    if !lacking.is_subset(&apart.machines) {
        apart.machines.extend(lacking);
        return true;
    }
    let before = apart.likes.len();
    for Chosen { part, content, .. } in chosen {
        let group = &stock.groups[*part];
        let Some((_, gpus)) = group.machines.iter().find(|(machine, _)| lacking.contains(machine)) else {
            continue;
        };
        let held = content.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let assortment = &stock.assortments[group.assortment];
        apart.likes.extend(held.filter_map(|(shape, _)| assortment.most_modest(problem, shape, gpus)));
    }
    apart.likes.len() > before
}

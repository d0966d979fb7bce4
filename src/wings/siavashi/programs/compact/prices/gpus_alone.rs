//! A stage that is not about moves, without cores and memory.

use super::outcome::priced;
use super::outline::Outline;
use super::placing::rearranged;
use super::roomiest::{Roomiest, RoomiestProgram};
use super::sharing_out::share_out;
use super::single_gpus::SingleGpus;
use super::stock::Stock;
use super::terms::Aim;
use super::tight::better;
use super::view::{Apart, View};
use crate::programs::priced::{Parts, PriceTask, PricedStage};
use crate::rules::Score;
use cluster::Placement;
use kit::SolveError;
use milp::StopReason;
use prices::{Counters, Found, Looking};

/// How often GPUs and machines are asked for their best content on average.
const MOST_ASKED: u32 = 1_000;

/// The nodes after which the roomiest fills so far have to do.
const MOST_NODES: u64 = 100;

/// For so many pairs of a machine and a GPU at most workloads are shared out as GPUs alone say: each GPU is tried on each machine.
const MOST_PAIRS: usize = 10_000_000;

/// What GPUs alone say about a stage.
#[derive(Default)]
pub struct OfGpusAlone {
    /// The stage, if some placement is as good as their bound.
    pub proved: Option<PricedStage>,
    /// A placement that is better than the best known.
    pub better: Option<(Placement, Score)>,
    /// What that took.
    pub counters: Counters,
}

/// Proves a stage where some placement is as good as GPUs alone allow: without cores and memory more workloads are alike, and there are few
/// shapes. Either way, a placement that is better than the best known, if workloads could be shared out as the fills found say; machines that
/// are alike in the whole stock then change places so that most stays. Of acceptance the bound alone is of use: what is accepted mostly finds no
/// cores or memory.
///
/// # Errors
/// When the solver fails.
pub fn by_gpus_alone<'s>(
    stage: &PriceTask<'_>,
    aim: Aim,
    whole: impl FnOnce() -> Option<&'s Stock>,
) -> Result<OfGpusAlone, SolveError> {
    let problem = stage.problem;
    let nothing = Apart::default();
    let view = View { knows_places: false, apart: Some(&nothing) };
    let Some(stock) = Stock::of(problem, view) else { return Ok(OfGpusAlone::default()) };
    let Some(mut outline) = Outline::of(stage, &stock, view, aim) else { return Ok(OfGpusAlone::default()) };
    let mut gpus = SingleGpus::new(&stock, &mut outline);
    let looking = (aim.acceptance == 0).then(|| Looking { samples: false, ..Looking::with_dives(0) });
    let found = outline.search(&mut gpus.parts, Vec::new(), looking, MOST_ASKED)?;
    let pairs = problem.machines.len() * problem.cluster.gpus.len();
    let mut placement = None;
    if let Some(chosen) = found.chosen.as_ref().filter(|_| pairs <= MOST_PAIRS) {
        placement = share_out(problem, &stock, view, &gpus.dealt(chosen), None).placement;
        if placement.is_none() {
            let roomiest = RoomiestProgram::new(&outline, &gpus, found.value);
            if let Some(columns) = outline.propose(&roomiest.program, MOST_NODES)? {
                let Roomiest { chosen, admitted } = roomiest.decode(&columns);
                placement = share_out(problem, &stock, view, &gpus.dealt(&chosen), Some(&admitted)).placement;
            }
        }
    }
    let costs = &outline.costs;
    let better = placement.and_then(|placement| match whole() {
        Some(whole) => better(stage, costs, rearranged(problem, whole, &placement)),
        None => better(stage, costs, placement),
    });
    let known = stage.known.and_then(|(_, score)| costs.of(score));
    let (value, better) = match better {
        Some((value, better)) => (Some(value), Some(better)),
        None => (known, None),
    };
    let counters = found.counters;
    let Some(value) = value.filter(|&value| value <= found.bound) else {
        return Ok(OfGpusAlone { proved: None, better, counters });
    };
    let found = Found::<u32> { value, chosen: None, stop: StopReason::Proved, ..found };
    let placement = better.as_ref().map(|(placement, _)| placement.clone());
    Ok(OfGpusAlone { proved: Some(priced(stage, costs, found, placement, Parts::Gpus)), better, counters })
}

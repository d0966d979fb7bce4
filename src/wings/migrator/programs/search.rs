//! The compact way at work: from a problem to a proved plan, in whole numbers.

use super::answer::{Proof, meets};
use super::compact::{Effort, Joint, Until, search_tree};
use super::known::Known;
use crate::instance::{Exact, Problem};
use crate::rules::shortest_schedule;
use kit::{SolveError, SolveOptions};
use milp::{StopReason, Work};
use solver::Control;
use std::time::Instant;

/// Looks for the best plan of a problem that has one, and for a bound on its goodput; the time limit counts from `began` on.
///
/// # Errors
/// When the search claims what the verifier does not find.
pub fn search(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
    began: Instant,
    known: &mut Known<'_>,
) -> Result<Proof, SolveError> {
    let joint = Joint::new(problem);
    let in_requests = |units: i64| Exact::new(i128::from(units), i128::from(problem.units));
    // Why the search has to stop now, if it has to.
    let stopped = || {
        let is_over = options.effort.time_limit.is_some_and(|limit| began.elapsed() >= limit);
        match control.is_interrupted() {
            true => Some(StopReason::Interrupted),
            false => is_over.then_some(StopReason::TimeLimit),
        }
    };
    let allowed = Exact::approximate_float(options.effort.relative_gap).unwrap_or_default();
    let is_within_gap = |bound: Exact, goodput: Exact| bound - goodput <= allowed * goodput;
    let until = Until {
        goes_on: &|| stopped().is_none(),
        suffices: &|bound, value| is_within_gap(in_requests(bound), in_requests(value)),
    };
    let schedule = shortest_schedule(problem).map(|(schedule, _)| schedule);
    let units = |goodput: Exact| i64::try_from((goodput * i128::from(problem.units)).floor().to_integer());
    let floor = known.goodput().and_then(|goodput| units(goodput).ok());
    let build_seconds = began.elapsed().as_secs_f64();
    let searched = search_tree(&joint, schedule.as_deref(), floor, Effort::USUAL, &until);
    if let Some((value, plan)) = searched.best {
        known.accept(plan, in_requests(value))?;
    }
    // A plan that was given may be worth a fraction of a unit more than whole ones.
    let bound = known.goodput().into_iter().fold(in_requests(searched.bound), Exact::max);
    let counters = searched.counters;
    let mut proof = Proof {
        bound: Some(bound),
        stop: stopped().unwrap_or(StopReason::Proved),
        work: Work { iterations: counters.steps, nodes: counters.parts, ..Work::default() },
        build_seconds,
        notes: Vec::new(),
    };
    if let Some(goodput) = known.goodput() {
        if meets(goodput, bound) {
            proof.stop = StopReason::Proved;
        } else if is_within_gap(bound, goodput) {
            proof.stop = StopReason::GapLimit;
        }
        if goodput == bound {
            proof
                .notes
                .push("proved in whole numbers by prices and sweeps alone, without a solver".to_owned());
        }
    }
    Ok(proof)
}

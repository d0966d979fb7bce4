//! From a problem to a proved, verified answer: what is the same for all formulations.

use super::known::Known;
use crate::Migrator;
use crate::instance::{Exact, Problem, exact, rounded_down, rounded_up};
use crate::layout::Solution;
use crate::rules::{GOODPUT, impossible};
use ground::Amount;
use kit::{SenseName, SolveError, Solved, SolvedBy, StageDocument, Status, gap};
use milp::{StopReason, Work};
use std::time::Instant;

/// What a solve found out beside the best plan.
pub struct Proof {
    /// No plan has a goodput above this, in requests.
    pub bound: Option<Exact>,
    /// Why it ended.
    pub stop: StopReason,
    /// Size of the last program and work done.
    pub work: Work,
    /// Seconds spent building a program before anything was solved.
    pub build_seconds: f64,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// The answer of a formulation; `prove` looks for the best plan and for a bound, from the moment on that it is given.
///
/// # Errors
/// As `prove`.
pub fn answer(
    formulation: &'static str,
    problem: &Problem,
    start: Option<&Solution>,
    prove: impl FnOnce(&mut Known<'_>, Instant) -> Result<Proof, SolveError>,
) -> Result<SolvedBy<Migrator>, SolveError> {
    let began = Instant::now();
    let mut solved = match impossible(problem) {
        Some(reason) => Solved::infeasible(formulation, reason, Work::default(), began),
        None => {
            let mut known = Known::new(problem);
            if let Some(start) = start {
                known.offer(start.plan.clone());
            }
            let proof = prove(&mut known, began)?;
            conclude(formulation, known, proof, began)?
        }
    };
    solved.notes.extend(problem.warnings.iter().cloned());
    Ok(solved)
}

fn conclude(
    formulation: &'static str,
    known: Known<'_>,
    proof: Proof,
    began: Instant,
) -> Result<SolvedBy<Migrator>, SolveError> {
    let goodput = known.goodput();
    let met = matches!((goodput, proof.bound), (Some(goodput), Some(bound)) if meets(goodput, bound));
    let stage = StageDocument {
        name: GOODPUT.to_owned(),
        sense: SenseName::Maximize,
        value: goodput.map(rounded_down),
        bound: if met { goodput.map(rounded_down) } else { proof.bound.map(rounded_up) },
    };
    let stages = vec![stage];
    let gap = gap(&stages);
    let mut notes = proof.notes;
    if goodput.is_none() {
        notes.push("no plan was found before the limit".to_owned());
    }
    Ok(Solved {
        formulation,
        status: Status::of(met, &proof.stop)?,
        reason: None,
        stages,
        gap,
        work: proof.work,
        build_seconds: proof.build_seconds,
        solve_seconds: began.elapsed().as_secs_f64() - proof.build_seconds,
        best: known.into_best().map(|(plan, score)| (plan.into(), score)),
        notes,
    })
}

/// Whether a bound meets a goodput, to a millionth of a request: what the tolerances of a solver leave open.
pub fn meets(goodput: Exact, bound: Exact) -> bool {
    bound - goodput <= exact(Amount::from_millionths(1))
}

/// A solver's double in billionths, rounded up.
pub fn upper_bound(bound: f64) -> Exact {
    Exact::new((bound * 1e9).ceil() as i128, 1_000_000_000)
}

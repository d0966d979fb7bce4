//! The compact program at work: presolve, then the program of what it leaves open.

use super::answer::{Proof, meets, upper_bound};
use super::compact::{Effort, Flow, Joint, Presolved, Scope, presolve};
use super::encoding::Encoding;
use super::known::Known;
use crate::instance::{Exact, Problem};
use crate::rules::shortest_schedule;
use kit::{SolveError, SolveOptions};
use milp::{StopReason, Work};
use solver::{Control, Staged, solve_stages};
use std::time::Instant;

/// Looks for the best plan of a problem that has one, and for a bound on its goodput; the time limit counts from `began` on.
///
/// # Errors
/// When the solver fails, or its answer does not pass the verifier.
pub fn search(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
    began: Instant,
    known: &mut Known<'_>,
) -> Result<Proof, SolveError> {
    Search { problem, options, control, began }.run(known)
}

/// The search for the best plan of a problem that has one.
struct Search<'s> {
    problem: &'s Problem,
    options: &'s SolveOptions,
    control: &'s Control,
    /// When it began: its time limit counts from then on.
    began: Instant,
}

impl Search<'_> {
    /// Searches; the best plan is then the best one known.
    ///
    /// # Errors
    /// When the solver fails, or its answer does not pass the verifier.
    fn run(&self, known: &mut Known<'_>) -> Result<Proof, SolveError> {
        let joint = Joint::new(self.problem);
        let schedule = shortest_schedule(self.problem).map(|(schedule, _)| schedule);
        let goes_on = || self.stopped().is_none();
        let presolved = presolve(&joint, schedule.as_deref(), Effort::USUAL, goes_on)
            .ok_or_else(|| SolveError::Internal("a model that can be retrained has no path".to_owned()))?;
        if let Some((goodput, plan)) = &presolved.incumbent {
            known.accept(plan.clone(), self.in_requests(*goodput))?;
        }
        let mut proof = Proof {
            bound: Some(self.in_requests(presolved.bound)),
            stop: StopReason::Proved,
            work: Work { iterations: presolved.rounds, ..Work::default() },
            build_seconds: 0.0,
            notes: Vec::new(),
        };
        if self.is_done(known, &mut proof) {
            if proof.bound == known.goodput() {
                proof.notes.push(
                    "proved in whole numbers by prices and schedules alone, without a solver".to_owned(),
                );
            }
            return Ok(proof);
        }
        for whole_states in [false, true] {
            self.solve(&joint, &presolved, whole_states, known, &mut proof)?;
            if self.is_done(known, &mut proof) || proof.stop != StopReason::Proved {
                break;
            }
        }
        Ok(proof)
    }

    fn in_requests(&self, units: i64) -> Exact {
        Exact::new(i128::from(units), i128::from(self.problem.units))
    }

    /// Why the search has to stop now, if it has to.
    fn stopped(&self) -> Option<StopReason> {
        if self.control.is_interrupted() {
            return Some(StopReason::Interrupted);
        }
        let is_over = self.options.effort.time_limit.is_some_and(|limit| self.began.elapsed() >= limit);
        is_over.then_some(StopReason::TimeLimit)
    }

    /// Whether the bound meets the best plan, or the search has to stop.
    fn is_done(&self, known: &Known<'_>, proof: &mut Proof) -> bool {
        let (Some(goodput), Some(bound)) = (known.goodput(), proof.bound) else {
            return self.note_stop(proof);
        };
        if meets(goodput, bound) {
            proof.stop = StopReason::Proved;
            return true;
        }
        let allowed = Exact::approximate_float(self.options.effort.relative_gap).unwrap_or_default();
        if bound - goodput <= allowed * goodput {
            proof.stop = StopReason::GapLimit;
            return true;
        }
        self.note_stop(proof)
    }

    fn note_stop(&self, proof: &mut Proof) -> bool {
        let stopped = self.stopped();
        let is_stopped = stopped.is_some();
        proof.stop = stopped.unwrap_or(proof.stop.clone());
        is_stopped
    }

    /// Solves the program of what is open.
    fn solve(
        &self,
        joint: &Joint<'_>,
        presolved: &Presolved,
        whole_states: bool,
        known: &mut Known<'_>,
        proof: &mut Proof,
    ) -> Result<(), SolveError> {
        let goodput = known.goodput();
        let floor =
            goodput.map(|goodput| (goodput * i128::from(self.problem.units)).floor().to_integer() as i64);
        let scope = floor.map_or(Scope::Whole, |floor| Scope::AtLeast(presolved, floor));
        let flow = Flow::new(joint, scope, whole_states);
        let start = known.plan().and_then(|plan| flow.encode(plan));
        let solver = self.options.effort.solver;
        let options = self.options.effort.options(self.began, start);
        // The program counts from the goodput on that is known.
        let counted_from = floor.map_or(0.0, |floor| floor as f64 / self.problem.units as f64);
        let control = self.control.translated(move |_, above| counted_from + above);
        let staged: Staged = solve_stages(solver, flow.program(), &options, &control);
        proof.work += staged.work;
        proof.stop = staged.stop.clone();
        if let StopReason::SolverError(words) = &staged.stop {
            return Err(SolveError::Internal(format!("{} failed: {words}", solver.name())));
        }
        let base = goodput.unwrap_or_default();
        let stage = &staged.stages[0];
        if let Some(columns) = &staged.columns {
            let plan = flow.decode(columns);
            if !known.offer(plan) && whole_states {
                let text = format!("{} gave a plan that breaks a rule", solver.name());
                return Err(SolveError::Internal(text));
            }
        }
        let above = stage.bound.filter(|bound| bound.is_finite()).map(upper_bound);
        let bound = proof.bound.into_iter().chain(above.map(|above| base + above)).min();
        // Whatever the scope leaves out is below the goodput that is known.
        proof.bound = bound.max(known.goodput());
        Ok(())
    }
}

//! One search through the stages of a program.

use super::encoding::{Encoding, Preliminary};
use super::known::Known;
use super::stage_plan::StagePlan;
use crate::instance::Problem;
use crate::rules::{verify, worth};
use crate::section::Goal;
use cluster::Placement;
use ground::Amount;
use kit::{SolveError, agrees};
use milp::{Program, StopReason, Work};
use solver::{Control, Effort, StageResult, Staged, keep_first_stages, level_row, solve_stages};
use std::time::Instant;

/// What the solver found out about the stages.
pub struct Found {
    /// The stages that it reached, in order.
    pub stages: Vec<StageResult>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it took.
    pub work: Work,
}

/// One search through the stages.
pub struct Search<'s> {
    /// The problem.
    pub problem: &'s Problem,
    /// Its stages.
    pub plan: &'s StagePlan,
    /// Its program.
    pub encoding: &'s dyn Encoding,
    /// Who solves it, and how hard.
    pub effort: &'s Effort,
    /// Who listens, in the units of the user.
    pub control: &'s Control,
    /// When the time limit began.
    pub began: Instant,
    /// The worst value that the second stage may have, in its units.
    pub limit: Option<f64>,
}

/// A control that is told values in the units of the user.
pub fn in_units_of_user(control: &Control, plan: &StagePlan) -> Control {
    let plan = plan.clone();
    control.in_units(move |stage| plan.unit_of_stage(stage).to_f64())
}

/// A stage's value or bound as an amount.
pub fn amount(plan: &StagePlan, stage: Option<Goal>, value: f64) -> Amount {
    plan.unit_of(stage) * value.round() as i128
}

impl Search<'_> {
    /// Solves stage by stage, and offers what is found to `known`.
    ///
    /// # Errors
    /// When the solver fails or its answer does not pass the verifier.
    pub fn run(&self, known: &mut Known<'_>) -> Result<Found, SolveError> {
        let mut found = Found { stages: Vec::new(), stop: StopReason::Proved, work: Work::default() };
        let mut program = self.limited(self.encoding.program());
        // Without the second stage, a smaller program would not see its limit and prove a first value that is out of reach.
        let sees_limit = |smaller: &Preliminary<'_>| self.limit.is_none() || smaller.program.stages.len() > 1;
        if let Some(Preliminary { program: smaller, decode }) = self.encoding.preliminary().filter(sees_limit)
        {
            let smaller = self.limited(smaller);
            let staged = solve_stages(
                self.effort.solver,
                &smaller,
                &self.effort.options(self.began, None),
                self.control,
            );
            self.accept(known, &mut found, &staged, &decode)?;
            let is_infeasible = found.stop == StopReason::Infeasible;
            if is_infeasible || !staged.stages.iter().all(|stage| stage.settled) {
                return Ok(found);
            }
            let values: Option<Vec<f64>> = staged.stages.iter().map(|stage| stage.value).collect();
            program = keep_first_stages(&program, &values.expect("settled stages have values"));
        }
        if !program.stages.is_empty() {
            let start = known.best.as_ref().map(|(placement, _)| self.encoding.encode(placement));
            let staged = solve_stages(
                self.effort.solver,
                &program,
                &self.effort.options(self.began, start),
                self.control,
            );
            self.accept(known, &mut found, &staged, &|columns| self.encoding.decode(columns))?;
        }
        Ok(found)
    }

    fn limited(&self, program: &Program) -> Program {
        let mut program = program.clone();
        if let Some((stage, limit)) = program.stages.get(1).zip(self.limit) {
            program.rows.push(level_row("limit", stage, limit));
        }
        program
    }

    /// Passes what the solver found through the verifier, and compares its worth with what the solver claims.
    fn accept(
        &self,
        known: &mut Known<'_>,
        found: &mut Found,
        staged: &Staged,
        decode: &dyn Fn(&[f64]) -> Placement,
    ) -> Result<(), SolveError> {
        if let StopReason::SolverError(words) = &staged.stop {
            return Err(SolveError::Internal(format!("{} failed: {words}", self.effort.solver.name())));
        }
        if let Some(columns) = &staged.columns {
            let placement = decode(columns);
            let verdict = verify(self.problem, &placement);
            if let Some(violation) = verdict.violations.first() {
                return Err(SolveError::Internal(format!(
                    "the solver's solution breaks a rule: {violation}"
                )));
            }
            let asked = &self.plan.stages()[found.stages.len()..];
            for (&stage, result) in asked.iter().zip(&staged.stages) {
                let Some(claimed) = result.value else { break };
                let verified = worth(self.problem, stage, &verdict.score);
                if !agrees(result, amount(self.plan, stage, claimed), verified)? {
                    break;
                }
            }
            known.offer(placement);
        }
        found.stages.extend(staged.stages.iter().cloned());
        found.stop = found.stop.clone().then(staged.stop.clone());
        found.work += staged.work;
        Ok(())
    }
}

//! One search through the stages of a program.

use super::encoding::{Encoding, Preliminary};
use super::known::{Known, Limit};
use super::priced::{ByPrices, End, PriceTask};
use super::stage_plan::StagePlan;
use crate::instance::Problem;
use crate::rules::{Score, stage_name, verify, worth};
use crate::section::Goal;
use cluster::Placement;
use ground::Amount;
use kit::{SolveError, agrees};
use milp::{Program, StopReason, Work};
use prices::Limits;
use solver::{Control, Effort, Options, StageResult, Staged, keep_first_stages, level_row, solve_stages};
use std::time::Instant;

/// What the solver found out about the stages.
pub struct Found {
    /// The stages that it reached, in order.
    pub stages: Vec<StageResult>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it took.
    pub work: Work,
    /// What prices did, stage by stage.
    pub by_prices: Vec<ByPrices>,
    /// The position of a stage that prices have left open, and their bound, if they have one.
    left_open: Option<(usize, Option<f64>)>,
}

impl Found {
    /// Whether prices have left the next stage open.
    fn is_left_open(&self) -> bool {
        self.left_open.is_some_and(|(position, _)| position == self.stages.len())
    }

    /// The bound of prices for the next stage, if they have left it open.
    fn bound(&self) -> Option<f64> {
        self.left_open.filter(|_| self.is_left_open()).and_then(|(_, bound)| bound)
    }
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
    /// How many of the stages are solved, from the first on.
    pub stages: usize,
    /// The worst value that the second stage may have.
    pub limit: Option<Limit>,
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
        let mut found = Found {
            stages: Vec::new(),
            stop: StopReason::Proved,
            work: Work::default(),
            by_prices: Vec::new(),
            left_open: None,
        };
        self.encoding.starts().into_iter().for_each(|placement| known.offer(placement));
        if self.by_prices(known, &mut found, false)? {
            return Ok(found);
        }
        if !found.stages.is_empty() && self.ends_late(&mut found, None) {
            return Ok(found);
        }
        // Without the second stage, a smaller program would not see its limit and prove a first value that is out of reach.
        let sees_limit = |smaller: &Preliminary<'_>| self.limit.is_none() || smaller.program.stages.len() > 1;
        let is_of_use = |smaller: &Preliminary<'_>| self.stages_of(smaller.program) > found.stages.len();
        if let Some(smaller) = self.encoding.preliminary().filter(sees_limit).filter(is_of_use)
            && self.by_smaller(known, &mut found, &smaller)?
        {
            return Ok(found);
        }
        if found.stages.len() < self.stages || self.stages == 0 {
            self.by_whole(known, &mut found)?;
        }
        Ok(found)
    }

    /// Solves the stages that are left by the whole program; where it gives one up, by prices, and what these leave open by the program again.
    fn by_whole(&self, known: &mut Known<'_>, found: &mut Found) -> Result<(), SolveError> {
        let node_limit = self.encoding.nodes_before_late_prices();
        let mut program = self.limited(self.encoding.program());
        program.stages.truncate(self.stages_of(&program));
        let stop = found.stop.clone();
        let options = |known: &Known<'_>| {
            let start = known.best.as_ref().map(|(placement, _)| self.encoding.encode(placement));
            self.effort.options(self.began, start)
        };
        let decode = |columns: &[f64]| self.encoding.decode(columns);
        let first = Options { node_limit, ..options(known) };
        self.by_program(known, found, program.clone(), &first, &decode)?;
        if node_limit.is_none() || found.stop != StopReason::NodeLimit {
            return Ok(());
        }
        found.stages.retain(|stage| stage.settled);
        found.stop = stop;
        if self.by_prices(known, found, true)? {
            return Ok(());
        }
        self.by_program(known, found, program, &options(known), &decode)
    }

    /// Solves the first stages by a smaller program, and by prices where these do better; whether the search ends there.
    fn by_smaller(
        &self,
        known: &mut Known<'_>,
        found: &mut Found,
        smaller: &Preliminary<'_>,
    ) -> Result<bool, SolveError> {
        let options = self.effort.options(self.began, None);
        let node_limit = self.encoding.nodes_before_prices();
        let mut whole = self.limited(smaller.program);
        whole.stages.truncate(self.stages_of(&whole));
        while whole.stages.len() > found.stages.len() {
            let (stop, reached) = (found.stop.clone(), found.stages.len());
            let mut program = whole.clone();
            let mut options = options.clone();
            if node_limit.is_some() && !found.is_left_open() {
                program.stages.truncate(reached + 1);
                options.node_limit = node_limit;
            }
            self.by_program(known, found, program, &options, &smaller.decode)?;
            let is_given_up = found.stop == StopReason::NodeLimit;
            if is_given_up {
                found.stages.truncate(reached);
                found.stop = stop;
            } else if found.stop == StopReason::Infeasible || !found.stages.iter().all(|stage| stage.settled)
            {
                return Ok(true);
            }
            if self.by_prices(known, found, is_given_up)? {
                return Ok(true);
            }
            if is_given_up && found.stages.len() == reached {
                found.left_open = found.left_open.filter(|open| open.0 == reached).or(Some((reached, None)));
            }
        }
        Ok(false)
    }

    /// Solves the stages of a program that are left.
    fn by_program(
        &self,
        known: &mut Known<'_>,
        found: &mut Found,
        mut program: Program,
        options: &Options,
        decode: &dyn Fn(&[f64]) -> Placement,
    ) -> Result<(), SolveError> {
        let options = Options { bound: found.bound(), ..options.clone() };
        let values: Option<Vec<f64>> = found.stages.iter().map(|stage| stage.value).collect();
        let values = values.expect("settled stages have values");
        if !values.is_empty() {
            program = keep_first_stages(&program, &values);
        }
        let staged = solve_stages(self.effort.solver, &program, &options, self.control);
        self.accept(known, found, &staged, decode)
    }

    /// Proves stages by prices as long as these suit; whether the search ends there.
    fn by_prices(
        &self,
        known: &mut Known<'_>,
        found: &mut Found,
        is_given_up: bool,
    ) -> Result<bool, SolveError> {
        while let Some(&goal) = self.plan.stages()[..self.stages].get(found.stages.len()) {
            if found.is_left_open() {
                return Ok(false);
            }
            let proved = self.plan.stages().iter().zip(&found.stages).map(|(&goal, result)| {
                let value = result.value.filter(|_| result.proved)?;
                Some((goal?, value.round() as i64))
            });
            let Some(mut kept) = proved.collect::<Option<Vec<(Goal, i64)>>>() else { return Ok(false) };
            let best = known.best.as_ref();
            let has = |&(goal, value): &(Goal, i64)| {
                best.is_some_and(|best| amount(self.plan, Some(goal), value as f64) == best.1.goal(goal))
            };
            if !kept.iter().all(has) {
                return Ok(false);
            }
            if kept.is_empty() {
                kept.extend(self.limit.map(|limit| (limit.goal, limit.value)));
            }
            let task = PriceTask {
                problem: self.problem,
                goal,
                is_given_up,
                kept: &kept,
                known: best,
                effort: self.effort,
                began: self.began,
                control: self.control,
            };
            let Some(priced) = self.encoding.by_prices(&task)? else { return Ok(false) };
            let results: Vec<StageResult> =
                found.stages.iter().cloned().chain([priced.result.clone()]).collect();
            match (priced.placement, best) {
                (Some(placement), _) => self.offer(known, placement, 0, &results)?,
                (None, Some((_, score))) => self.compare(0, &results, score)?,
                (None, None) => {}
            }
            found.work += priced.counters.work;
            let is_left_open = priced.stop == StopReason::NodeLimit;
            if priced.counters.rounds > 0 {
                let (stage, parts, counters) = (stage_name(goal), priced.parts, priced.counters);
                let end = if is_left_open { End::LeftToProgram } else { End::Proved };
                found.by_prices.push(ByPrices { stage, end, parts, counters });
            }
            if is_left_open {
                found.left_open = Some((found.stages.len(), priced.result.bound));
                return Ok(self.ends_late(found, Some(priced.result)));
            }
            let is_settled = priced.result.settled;
            found.stages.push(priced.result);
            found.stop = found.stop.clone().then(priced.stop);
            if !is_settled {
                return Ok(true);
            }
        }
        Ok(found.stages.len() == self.stages && !found.stages.is_empty())
    }

    /// Whether no time is left, so that building a program is of no use, and the search ends with what is known of the next stage.
    fn ends_late(&self, found: &mut Found, open: Option<StageResult>) -> bool {
        let deadline = self.effort.time_left(self.began).and_then(|left| Instant::now().checked_add(left));
        let Some(stop) = (Limits { deadline, control: self.control }).stop() else { return false };
        if let Some(last) = found.by_prices.last_mut().filter(|_| open.is_some()) {
            last.end = End::OutOfTime;
        }
        found.stages.extend(open);
        found.stop = found.stop.clone().then(stop);
        true
    }

    /// How many of the stages that are solved a program has.
    fn stages_of(&self, program: &Program) -> usize {
        program.stages.len().min(self.stages)
    }

    /// A program that keeps the limit.
    fn limited(&self, program: &Program) -> Program {
        let mut program = program.clone();
        if let Some((stage, limit)) = program.stages.get(1).zip(self.limit) {
            program.rows.push(level_row("limit", stage, limit.value as f64));
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
            self.offer(known, decode(columns), found.stages.len(), &staged.stages)?;
        }
        found.stages.extend(staged.stages.iter().cloned());
        found.stop = found.stop.clone().then(staged.stop.clone());
        found.work += staged.work;
        Ok(())
    }

    /// Passes a placement through the verifier, and compares its worth in some stages with what is claimed.
    fn offer(
        &self,
        known: &mut Known<'_>,
        placement: Placement,
        first: usize,
        results: &[StageResult],
    ) -> Result<(), SolveError> {
        let verdict = verify(self.problem, &placement);
        if let Some(violation) = verdict.violations.first() {
            return Err(SolveError::Internal(format!("the solver's solution breaks a rule: {violation}")));
        }
        self.compare(first, results, &verdict.score)?;
        known.offer(placement);
        Ok(())
    }

    /// Compares what the verifier finds in some stages with what is claimed, up to one that is better.
    fn compare(&self, first: usize, results: &[StageResult], score: &Score) -> Result<(), SolveError> {
        for (&stage, result) in self.plan.stages()[first..].iter().zip(results) {
            let Some(claimed) = result.value else { break };
            if !agrees(result, amount(self.plan, stage, claimed), worth(self.problem, stage, score))? {
                break;
            }
        }
        Ok(())
    }
}

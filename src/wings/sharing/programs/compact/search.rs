//! The way of the compact formulation to a proof: bounds, heuristics, patterns, and programs of what is left.
//!
//! As long as bound and best packing differ, each step costs more than the one before: counting bounds, the offline heuristic,
//! patterns, and in the end a program that asks for a packing cheaper than the best one, over the servers that it could use.

use super::bound::least_cost;
use super::patterns::{self, price_patterns};
use super::pool::Dominance;
use super::program::Compact;
use super::scope::Scope;
use super::units::Units;
use crate::heuristics::{OfflineOptions, pack_offline};
use crate::instance::ServerIndex;
use crate::programs::known::Known;
use crate::programs::proof::{Proof, Task};
use crate::programs::to_the_page::solve_to_the_page;
use crate::rules::{Goal, Packing};
use ground::Amount;
use kit::SolveError;
use milp::{StopReason, Work};
use solver::{Options, Staged};
use std::time::{Duration, Instant};

/// A search for the best packing.
pub struct Search<'s> {
    task: &'s Task<'s>,
    units: Units,
    unit: Amount,
    deadline: Option<Instant>,
    work: Work,
}

/// What a step says about a part of the servers.
enum Verdict {
    /// No packing costs less; the best known packing costs as much when the search is complete.
    Bounded(Amount, StopReason),
    /// There is no packing.
    Impossible,
}

impl<'s> Search<'s> {
    /// A search that ends at the limits of the options.
    pub fn new(task: &'s Task<'s>) -> Self {
        Search {
            units: Units::of(task.problem),
            unit: task.problem.unit(Goal::Servers),
            deadline: task.options.effort.time_limit.and_then(|limit| task.began.checked_add(limit)),
            work: Work::default(),
            task,
        }
    }

    /// Looks for the best packing and its proof. Better packings than the known one are offered to it.
    ///
    /// # Errors
    /// When the solver fails, or its answer does not pass the verifier.
    pub fn run(mut self, known: &mut Known<'_>) -> Result<Proof, SolveError> {
        let mut bounds: Vec<Option<Amount>> = vec![None; self.task.problem.optimum.goals().len()];
        let mut pool: Vec<ServerIndex> = self.task.problem.server_indices().collect();
        let mut stop = StopReason::Proved;
        for (position, goal) in self.task.problem.optimum.goals().iter().enumerate() {
            let verdict = match goal {
                Goal::Reach => self.reach(known)?,
                Goal::Servers => self.fewest(&pool, known)?,
            };
            match verdict {
                Verdict::Impossible => {
                    stop = StopReason::Infeasible;
                    break;
                }
                Verdict::Bounded(bound, why) => {
                    bounds[position] = Some(bound);
                    let is_settled = matches!(why, StopReason::Proved | StopReason::GapLimit);
                    stop = stop.then(why);
                    if !is_settled {
                        break;
                    }
                    if *goal == Goal::Reach {
                        pool.truncate(known.reach().map_or(0, |reach| reach as usize));
                    }
                }
            }
        }
        Ok(Proof { bounds, stop, work: self.work, build_seconds: 0.0 })
    }

    /// The cheapest packing on servers of a pool. A known packing must be on them.
    fn fewest(&mut self, pool: &[ServerIndex], known: &mut Known<'_>) -> Result<Verdict, SolveError> {
        let Some(mut bound) = least_cost(self.task.problem, &self.units, pool) else {
            return Ok(Verdict::Impossible);
        };
        if known.cost().is_none_or(|cost| cost > bound) {
            self.pack(pool, Some(bound), known);
        }
        if let Some(stop) = self.end(bound, known) {
            return Ok(Verdict::Bounded(bound, stop));
        }
        if let (Some(cost), Some(packing)) = (known.cost(), known.packing()) {
            let dominance = Dominance::of(self.task.problem);
            let useful = dominance.useful(self.task.problem, pool, cost);
            let packing = dominance.lifted(self.task.problem, pool, &useful, packing);
            let search = patterns::Search {
                solver: self.task.options.effort.solver,
                settings: &self.task.options.effort.settings,
                relative_gap: self.task.options.effort.relative_gap,
                // The rest of the time is for the program over page classes.
                deadline: self.time_left().and_then(|left| Instant::now().checked_add(left * 9 / 10)),
                control: self.task.control,
            };
            let found = price_patterns(self.task.problem, &useful, &packing, &search);
            let found = found.map_err(SolveError::Internal)?;
            self.work += found.work;
            bound = bound.max(found.bound);
            known.offer(packing);
            found.packing.into_iter().for_each(|packing| known.offer(packing));
            if let Some(stop) = self.end(bound, known) {
                return Ok(Verdict::Bounded(bound, stop));
            }
        }
        self.by_program(pool, bound, known)
    }

    /// Asks a program for a packing cheaper than the known one.
    fn by_program(
        &mut self,
        pool: &[ServerIndex],
        bound: Amount,
        known: &mut Known<'_>,
    ) -> Result<Verdict, SolveError> {
        let most = known.cost().map(|cost| cost - self.unit);
        let useful = match most {
            Some(most) => Dominance::of(self.task.problem).useful(self.task.problem, pool, most),
            None => pool.to_vec(),
        };
        let scope = Scope { pool: &useful, goals: &[Goal::Servers], least: bound, most };
        let (staged, _) = self.solve(&scope, known)?;
        let of_stage = staged.stages.first().and_then(|stage| stage.bound);
        let bound = match (&staged.stop, most, known.cost()) {
            (StopReason::Infeasible, None, _) => return Ok(Verdict::Impossible),
            (StopReason::Infeasible, Some(_), Some(cost)) => {
                return Ok(Verdict::Bounded(cost, StopReason::Proved));
            }
            // What the program cannot reach costs at least as much as the known packing.
            (_, _, Some(cost)) => {
                let of_stage = of_stage.map(|units| self.unit * units.round() as i128);
                of_stage.map_or(bound, |of_stage| of_stage.max(bound)).min(cost)
            }
            (_, _, None) => bound,
        };
        let stop = match known.cost() == Some(bound) {
            true => StopReason::Proved,
            false => staged.stop,
        };
        Ok(Verdict::Bounded(bound, stop))
    }

    /// The fewest first servers of the order on which all virtual machines have room.
    fn reach(&mut self, known: &mut Known<'_>) -> Result<Verdict, SolveError> {
        let all: Vec<ServerIndex> = self.task.problem.server_indices().collect();
        let (problem, units) = (self.task.problem, &self.units);
        // Whatever is possible on some first servers is possible on more of them.
        let seems_possible = |first: usize| {
            let pool = &all[..first];
            let fits = |vm| pool.iter().any(|&server| problem.lacks(problem.kind_of(server), vm).is_none());
            problem.vm_indices().all(fits) && least_cost(problem, units, pool).is_some()
        };
        let positions: Vec<usize> = (0..=all.len()).collect();
        let mut least = positions.partition_point(|&first| !seems_possible(first));
        if problem.vms.is_empty() {
            least = 0;
        }
        if least > all.len() {
            return Ok(Verdict::Impossible);
        }
        let reach = |known: &Known<'_>| known.reach().map_or(all.len() + 1, |reach| reach as usize);
        let (mut low, mut high) = (least, reach(known).min(all.len() + 1));
        while low < high {
            let middle = (low + high) / 2;
            match middle <= all.len() && self.pack(&all[..middle], None, known) {
                true => high = reach(known).min(middle),
                false => low = middle + 1,
            }
        }
        loop {
            let best = reach(known);
            let bound = Amount::whole(least as i128);
            if best == least {
                return Ok(Verdict::Bounded(bound, StopReason::Proved));
            }
            let gap = (best - least) as f64 / best as f64;
            if best <= all.len() && gap <= self.task.options.effort.relative_gap {
                return Ok(Verdict::Bounded(bound, StopReason::GapLimit));
            }
            if let Some(stop) = self.stopped() {
                return Ok(Verdict::Bounded(bound, stop));
            }
            let pool = &all[..(best - 1).min(all.len())];
            let servers = least_cost(problem, &self.units, pool).unwrap_or_default();
            let scope = Scope { pool, goals: &[], least: servers, most: None };
            let (staged, found) = self.solve(&scope, known)?;
            match staged.stop {
                StopReason::Infeasible if best > all.len() => return Ok(Verdict::Impossible),
                StopReason::Infeasible => least = best,
                _ if found => {}
                stop => return Ok(Verdict::Bounded(bound, stop)),
            }
        }
    }

    /// Solves a program, and offers what it finds; whether it found a packing.
    fn solve(&mut self, scope: &Scope<'_>, known: &mut Known<'_>) -> Result<(Staged, bool), SolveError> {
        let compact = Compact::over(self.task.problem, scope);
        let options = Options {
            time_limit: self.time_left(),
            relative_gap: self.task.options.effort.relative_gap,
            settings: self.task.options.effort.settings.clone(),
            ..Options::default()
        };
        let (staged, packing) = solve_to_the_page(
            self.task.problem,
            &compact,
            self.task.options.effort.solver,
            &options,
            self.task.control,
        );
        self.work += staged.work;
        if let StopReason::SolverError(words) = &staged.stop {
            return Err(SolveError::Internal(format!(
                "{} failed: {words}",
                self.task.options.effort.solver.name()
            )));
        }
        let Some(packing) = packing else { return Ok((staged, false)) };
        known.accept(packing, scope.goals, &staged)?;
        Ok((staged, true))
    }

    /// Runs the offline heuristic on a pool; whether it found a packing.
    fn pack(&self, pool: &[ServerIndex], stop_at: Option<Amount>, known: &mut Known<'_>) -> bool {
        let options = OfflineOptions { stop_at, ..OfflineOptions::default() };
        let packing: Option<Packing> = pack_offline(self.task.problem, pool, &options);
        let found = packing.is_some();
        packing.into_iter().for_each(|packing| known.offer(packing));
        found
    }

    /// Why the search for the cheapest packing ends here, if it does.
    fn end(&self, bound: Amount, known: &Known<'_>) -> Option<StopReason> {
        let cost = known.cost()?;
        if cost == bound {
            return Some(StopReason::Proved);
        }
        let gap = (cost - bound).to_f64() / cost.to_f64();
        if gap <= self.task.options.effort.relative_gap {
            return Some(StopReason::GapLimit);
        }
        self.stopped()
    }

    fn stopped(&self) -> Option<StopReason> {
        match self.time_left() {
            _ if self.task.control.is_interrupted() => Some(StopReason::Interrupted),
            Some(Duration::ZERO) => Some(StopReason::TimeLimit),
            _ => None,
        }
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

//! Bounds and schedules where virtual machines leave, round by round.
//!
//! The first round bounds what can be accepted with free migration, and schedules those that the bound accepts. Each further round adds
//! rows about those that stay, which this choice breaks, so that the bound without migrations falls and the choice changes.

use super::super::operator::ReplayError;
use super::pairs::{Pair, Point, broken};
use super::relaxation::Relaxation;
use super::repair::Search;
use super::schedule::Schedule;
use super::stays::Stays;
use super::timeline::Timeline;
use super::{ahead, guided};
use crate::Trace;
use milp::StopReason;
use solver::{Control, Effort, Options, Request, solve_stages};
use std::time::{Duration, Instant};

/// Rounds for one trace.
pub struct Rounds<'r> {
    /// The trace.
    pub trace: &'r Trace,
    /// What is there when.
    pub timeline: &'r Timeline,
    /// What some empty host can take.
    pub usable: &'r [bool],
    /// The solver.
    pub effort: &'r Effort,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// The user's wish to stop.
    pub control: &'r Control,
}

/// What is known in the end.
pub struct Found {
    /// No policy accepts more with free migration.
    pub free: usize,
    /// No policy without migrations accepts more.
    pub fixed: usize,
    /// Whether the program of free migration was searched in integers.
    pub searched: bool,
    /// The best schedule.
    pub schedule: Schedule,
}

/// What is scheduled.
const CHOSEN: &str = "those that the bound accepts";

impl Rounds<'_> {
    /// Bounds and a schedule that is at least as good as a known one.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn run(&self, known: Schedule) -> Result<Found, ReplayError> {
        let all = self.usable.iter().filter(|usable| **usable).count();
        let relaxation = Relaxation::new(&self.trace.cluster, self.timeline, self.usable, None);
        // Half of the time is for the schedule.
        let half = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / 2);
        let searched = relaxation.searchable;
        let (proved, columns) = self.relaxed(&relaxation, half)?;
        let free = proved.map_or(all, |bound| bound.min(all));
        let mut found = Found { free, fixed: free, searched, schedule: known };
        if let Some(columns) = columns {
            self.schedule(&relaxation, &columns, &mut found);
            self.raise(relaxation, columns, &mut found)?;
        }
        let Rounds { trace, timeline, usable, effort, deadline, control } = *self;
        let search = Search { trace, timeline, usable, effort, deadline, control };
        found.schedule = search.run(found.schedule, found.fixed);
        Ok(found)
    }

    /// Schedules those that a point of the program accepts.
    fn schedule(&self, relaxation: &Relaxation, columns: &[f64], found: &mut Found) {
        let chosen = relaxation.chosen(columns, self.timeline.arrivals());
        found.schedule.replace_if_better(guided::best(self.trace, self.timeline, &chosen, CHOSEN));
        if found.schedule.accepted() < found.fixed {
            let is_over = || self.is_over();
            let ahead = ahead::best(self.trace, self.timeline, &chosen, CHOSEN, found.fixed, &is_over);
            ahead.into_iter().for_each(|ahead| found.schedule.replace_if_better(ahead));
        }
    }

    /// Rounds with rows about those that stay, until the schedule attains the bound, no pair of peaks is broken, or half of the time is
    /// up.
    fn raise(
        &self,
        mut relaxation: Relaxation,
        mut columns: Vec<f64>,
        found: &mut Found,
    ) -> Result<(), ReplayError> {
        let Some(stays) = Stays::of(&self.trace.cluster) else { return Ok(()) };
        let half = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / 2);
        let until = half.and_then(|half| Instant::now().checked_add(half));
        let mut pairs: Vec<Pair> = Vec::new();
        while found.schedule.accepted() < found.fixed && relaxation.searchable && !self.is_over() {
            let is_broken = |parts: &_| stays.are_broken_by(parts, self.effort, self.control);
            let point = Point { classes: &relaxation.classes, columns: &columns, peaks: relaxation.peaks };
            let broken = broken(&point, &self.trace.cluster, &stays, is_broken);
            let known = pairs.len();
            pairs.extend(broken);
            if pairs.len() == known {
                break;
            }
            let cluster = &self.trace.cluster;
            relaxation = Relaxation::new(cluster, self.timeline, self.usable, Some((&stays, &pairs)));
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let (proved, point) = self.relaxed(&relaxation, left)?;
            found.fixed = proved.map_or(found.fixed, |bound| bound.min(found.fixed));
            let Some(point) = point else { break };
            columns = point;
            self.schedule(&relaxation, &columns, found);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.control.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The bound that a relaxation proves, and a point of it, as far as they are found in time.
    fn relaxed(
        &self,
        relaxation: &Relaxation,
        time_limit: Option<Duration>,
    ) -> Result<(Option<usize>, Option<Vec<f64>>), ReplayError> {
        let (program, settings) = (&relaxation.program, &self.effort.settings);
        let session = self.effort.solver.open(program, settings);
        let mut session = session.map_err(|failure| ReplayError::Internal(failure.to_string()))?;
        session.set_objective(&program.stages[0]);
        let deadline = time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let linear = session.solve(&Request::relaxation(deadline, self.control));
        let mut bound = linear.bound.map(|bound| (bound + 1e-6).floor() as usize);
        let (mut stop, mut columns) = (linear.stop, linear.columns);
        if stop == StopReason::Proved && relaxation.searchable {
            let time_limit = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let search = Options { time_limit, settings: settings.clone(), ..Options::default() };
            let staged = solve_stages(self.effort.solver, program, &search, self.control);
            let searched = staged.stages[0].bound.map(|bound| bound.round() as usize);
            bound = [bound, searched].into_iter().flatten().min();
            stop = staged.stop;
            columns = staged.columns.or(columns);
        }
        match stop {
            StopReason::SolverError(words) => Err(ReplayError::Internal(words)),
            _ => Ok((bound, columns)),
        }
    }
}

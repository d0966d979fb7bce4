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
use std::time::Instant;

/// Rounds for one trace.
pub struct Rounds<'r> {
    /// The trace.
    pub trace: &'r Trace,
    /// What is there when.
    pub timeline: &'r Timeline,
    /// Among whom a best schedule finds all that it accepts.
    pub needed: &'r [bool],
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
        let all = self.needed.iter().filter(|needed| **needed).count();
        let relaxation = Relaxation::new(&self.trace.cluster, self.timeline, self.needed, None);
        // Half of the time is for the schedule.
        let half = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / 2);
        let until = half.and_then(|half| Instant::now().checked_add(half));
        let linear = self.linear(&relaxation, until)?;
        let free = linear.bound.map_or(all, |bound| bound.min(all));
        let mut found = Found { free, fixed: free, searched: relaxation.searchable, schedule: known };
        let mut point = linear.columns;
        if let Some(columns) = &point {
            self.schedule(&relaxation, columns, &mut found);
        }
        if linear.is_proved && relaxation.searchable && found.schedule.accepted() < found.free {
            let searched = self.searched(&relaxation, until)?;
            found.free = searched.bound.map_or(free, |bound| bound.min(free));
            found.fixed = found.free;
            // A search that ran out of time may accept far fewer than the linear program.
            if let Some(columns) = searched.columns.filter(|_| searched.is_proved) {
                self.schedule(&relaxation, &columns, &mut found);
                point = Some(columns);
            }
        }
        if let Some(columns) = point {
            self.raise(relaxation, columns, &mut found)?;
        }
        let Rounds { trace, timeline, needed, effort, deadline, control } = *self;
        let search = Search { trace, timeline, needed, effort, deadline, control };
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
            relaxation = Relaxation::new(cluster, self.timeline, self.needed, Some((&stays, &pairs)));
            let linear = self.linear(&relaxation, until)?;
            let searched =
                if linear.is_proved { self.searched(&relaxation, until)? } else { Proved::default() };
            let proved = [linear.bound, searched.bound].into_iter().flatten().min();
            found.fixed = proved.map_or(found.fixed, |bound| bound.min(found.fixed));
            let Some(point) = searched.columns.or(linear.columns) else { break };
            columns = point;
            self.schedule(&relaxation, &columns, found);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.control.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What the linear program of a relaxation proves, as far as it is solved in time.
    fn linear(&self, relaxation: &Relaxation, until: Option<Instant>) -> Result<Proved, ReplayError> {
        let program = &relaxation.program;
        let session = self.effort.solver.open(program, &self.effort.settings);
        let mut session = session.map_err(|failure| ReplayError::Internal(failure.to_string()))?;
        session.set_objective(&program.stages[0]);
        let linear = session.solve(&Request::relaxation(until, self.control));
        Proved::of(linear.bound.map(|bound| (bound + 1e-6).floor()), linear.columns, linear.stop)
    }

    /// What a search of a relaxation in integers proves, as far as it gets in time.
    fn searched(&self, relaxation: &Relaxation, until: Option<Instant>) -> Result<Proved, ReplayError> {
        let time_limit = until.map(|until| until.saturating_duration_since(Instant::now()));
        let options = Options { time_limit, settings: self.effort.settings.clone(), ..Options::default() };
        let staged = solve_stages(self.effort.solver, &relaxation.program, &options, self.control);
        Proved::of(staged.stages[0].bound.map(f64::round), staged.columns, staged.stop)
    }
}

/// What a program of a relaxation proves.
#[derive(Default)]
struct Proved {
    /// No more are accepted.
    bound: Option<usize>,
    /// The best point found.
    columns: Option<Vec<f64>>,
    /// Whether that is the best there is.
    is_proved: bool,
}

impl Proved {
    /// A whole bound, a point, and why the solver stopped.
    fn of(bound: Option<f64>, columns: Option<Vec<f64>>, stop: StopReason) -> Result<Self, ReplayError> {
        let is_proved = stop == StopReason::Proved;
        match stop {
            StopReason::SolverError(words) => Err(ReplayError::Internal(words)),
            _ => Ok(Proved { bound: bound.map(|bound| bound as usize), columns, is_proved }),
        }
    }
}

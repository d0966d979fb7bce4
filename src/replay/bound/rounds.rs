//! Bounds and schedules where virtual machines leave, round by round.
//!
//! The first round bounds what can be accepted with free migration, and schedules those that the bound accepts. Each further round adds
//! rows about those that stay, which this choice breaks, so that the bound without migrations falls and the choice changes.

use super::super::operator::ReplayError;
use super::blocks::Blocks;
use super::hosts::HostByHost;
use super::pairs::{Pair, Point, broken};
use super::plan::Plan;
use super::relaxation::{Relaxation, Scope};
use super::repair::Search;
use super::schedule::Schedule;
use super::solving::{Proved, linear, searched};
use super::stays::Stays;
use super::timeline::Timeline;
use super::{ahead, guided};
use crate::Trace;
use solver::{Control, Effort};
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
    /// Why none does with free migration.
    pub proof: &'static str,
    /// The best schedule.
    pub schedule: Schedule,
}

impl Found {
    /// Lowers both bounds to another one that holds with free migration, if that is lower.
    fn lower(&mut self, bound: Option<usize>, proof: &'static str) {
        if let Some(bound) = bound.filter(|&bound| bound < self.free) {
            (self.free, self.fixed, self.proof) = (bound, bound.min(self.fixed), proof);
        }
    }
}

const MOMENTS: &str = "what runs at the same moment must fit together, of those that some best schedule accepts: the \
                       facets of all boards, CPU and main memory of all hosts";
const MOMENTS_IN_PARTS: &str = "what runs at the same moment must fit together, in parts, of those that some best schedule \
                                accepts: the facets of all boards, CPU and main memory of all hosts (linear program)";
const BLOCKS: &str = "what runs at the same moment must fit together, of those that some best schedule accepts: the facets \
                      of all boards, CPU and main memory of all hosts, block of time by block of time at the prices of \
                      the linear program";

/// What is scheduled.
const CHOSEN: &str = "those that the bound accepts";
const PLANNED: &str = "those that are needed, by the plan of the linear program";

impl Rounds<'_> {
    /// Bounds and a schedule that is at least as good as a known one.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn run(&self, known: Schedule) -> Result<Found, ReplayError> {
        let Rounds { trace, timeline, needed, effort, deadline, control } = *self;
        let all = needed.iter().filter(|needed| **needed).count();
        let each_one: Vec<u32> = needed.iter().map(|&needed| u32::from(needed)).collect();
        let scope = Scope::of(&trace.cluster, timeline, &each_one);
        let relaxation = Relaxation::new(&scope, None);
        // Half of the time is for the schedule, and a fifth of the other half for a search of the whole.
        let (until, search_until) = (self.part_of_time(1, 2), self.part_of_time(1, 10));
        let (linear, prices) = linear(&relaxation, effort, until, control)?;
        let free = linear.bound.map_or(all, |bound| bound.min(all));
        let mut found = Found { free, fixed: free, proof: MOMENTS_IN_PARTS, schedule: known };
        let plan = linear.columns.iter().zip(&prices);
        let plan =
            plan.map(|(columns, prices)| Plan::of(&relaxation, columns, prices, timeline.arrivals())).next();
        let mut point = linear.columns;
        if let Some(columns) = &point {
            self.schedule(&relaxation, columns, &mut found);
        }
        let mut is_searched = false;
        if linear.is_proved && relaxation.searchable && found.schedule.accepted() < found.free {
            let searched = searched(&relaxation, effort, 0.0, search_until, control)?;
            found.proof = MOMENTS;
            found.lower(searched.bound, MOMENTS);
            // A search that ran out of time may accept far fewer than the linear program.
            if let Some(columns) = searched.columns.filter(|_| searched.is_proved) {
                is_searched = true;
                self.schedule(&relaxation, &columns, &mut found);
                point = Some(columns);
            }
        }
        if let Some(prices) = prices.filter(|_| !is_searched && found.schedule.accepted() < found.free) {
            let blocks = Blocks { scope: &scope, relaxation: &relaxation, prices: &prices, effort, control };
            found.lower(blocks.bound(until)?, BLOCKS);
        }
        if let Some(columns) = point.filter(|_| is_searched) {
            self.raise(&scope, relaxation, columns, &mut found)?;
        }
        if let Some(plan) = plan.filter(|_| found.schedule.accepted() < found.fixed) {
            let is_over = || self.is_over();
            let planned = ahead::best(trace, timeline, needed, Some(&plan), PLANNED, found.fixed, &is_over);
            planned.into_iter().for_each(|planned| found.schedule.replace_if_better(planned));
            let hosts = HostByHost { trace, timeline, needed, effort, deadline, control };
            found.schedule = hosts.run(found.schedule, found.fixed)?;
        }
        let search = Search { trace, timeline, needed, effort, deadline, control };
        found.schedule = search.run(found.schedule, found.fixed);
        Ok(found)
    }

    /// When a part of what time is left will be over.
    fn part_of_time(&self, numerator: u32, denominator: u32) -> Option<Instant> {
        let left = self.deadline?.saturating_duration_since(Instant::now());
        Instant::now().checked_add(left * numerator / denominator)
    }

    /// Schedules those that a point of the program accepts.
    fn schedule(&self, relaxation: &Relaxation, columns: &[f64], found: &mut Found) {
        let chosen = relaxation.chosen(columns, self.timeline.arrivals());
        found.schedule.replace_if_better(guided::best(self.trace, self.timeline, &chosen, CHOSEN));
        if found.schedule.accepted() < found.fixed {
            let is_over = || self.is_over();
            let ahead = ahead::best(self.trace, self.timeline, &chosen, None, CHOSEN, found.fixed, &is_over);
            ahead.into_iter().for_each(|ahead| found.schedule.replace_if_better(ahead));
        }
    }

    /// Rounds with rows about those that stay, until the schedule attains the bound, no pair of peaks is broken, or half of the time is
    /// up.
    fn raise(
        &self,
        scope: &Scope<'_>,
        mut relaxation: Relaxation,
        mut columns: Vec<f64>,
        found: &mut Found,
    ) -> Result<(), ReplayError> {
        let Some(stays) = Stays::of(&self.trace.cluster) else { return Ok(()) };
        let Rounds { effort, control, .. } = *self;
        let until = self.part_of_time(1, 2);
        let mut pairs: Vec<Pair> = Vec::new();
        while found.schedule.accepted() < found.fixed && !self.is_over() {
            let is_broken = |parts: &_| stays.are_broken_by(parts, effort, control);
            let point =
                Point { classes: &relaxation.classes, columns: &columns, peaks: relaxation.peaks.len() };
            let broken = broken(&point, &self.trace.cluster, &stays, is_broken);
            let known = pairs.len();
            pairs.extend(broken);
            if pairs.len() == known {
                break;
            }
            relaxation = Relaxation::new(scope, Some((&stays, &pairs)));
            let (linear, _) = linear(&relaxation, effort, until, control)?;
            let searched = match linear.is_proved {
                true => searched(&relaxation, effort, 0.0, until, control)?,
                false => Proved::default(),
            };
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
}

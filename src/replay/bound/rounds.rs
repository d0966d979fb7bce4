//! Bounds and schedules where virtual machines leave, round by round.
//!
//! The first round bounds what can be accepted with free migration, and schedules those that the bound accepts. Each further round adds
//! rows about those that stay, which this choice breaks, so that the bound without migrations falls and the choice changes.

use super::super::operator::ReplayError;
use super::annealing::Annealing;
use super::blocks::Blocks;
use super::easier::Kinds;
use super::holding::Holding;
use super::pairs::{Pair, Point, broken};
use super::plan::Plan;
use super::relaxation::{Relaxation, Scope};
use super::repair::Search;
use super::schedule::Schedule;
use super::solving::{self, Proved, searched};
use super::stays::Stays;
use super::task::Task;
use super::tolls::Tolls;
use super::{ahead, guided, tightening};
use std::time::{Duration, Instant};

/// Rounds for one trace.
pub struct Rounds<'r> {
    /// What is to be bounded and scheduled.
    pub task: &'r Task<'r>,
}

/// What is known in the end.
pub struct Found {
    /// No policy accepts more with free migration.
    pub free: usize,
    /// No policy without migrations accepts more.
    pub fixed: usize,
    /// Why none does with free migration.
    pub proof: String,
    /// The best schedule.
    pub schedule: Schedule,
}

impl Found {
    /// Lowers both bounds to another one that holds with free migration, if that is lower.
    fn lower(&mut self, bound: Option<usize>, proof: &str) {
        if let Some(bound) = bound.filter(|&bound| bound < self.free) {
            (self.free, self.fixed, self.proof) = (bound, bound.min(self.fixed), proof.to_owned());
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

const HELD: &str = "; and what each host can hold, by prices for kinds of virtual machines";

/// What is scheduled.
const CHOSEN: &str = "those that the bound accepts";
const PLANNED: &str = "those that are needed, by the plan of the linear program";

/// How long schedules are annealed before the search at most.
const LONGEST_BEFORE_BOUNDS: Duration = Duration::from_secs(2);

/// A virtual machine that pays more than this at the prices of the linear program is seldom accepted, as it takes the place of more than one other.
const MOST_PAID: f64 = 1.1;

impl Rounds<'_> {
    /// Bounds and a schedule that is at least as good as a known one.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn run(&self, known: Schedule) -> Result<Found, ReplayError> {
        let Task { trace, timeline, needed, effort, control, .. } = *self.task;
        let all = needed.iter().filter(|needed| **needed).count();
        let each_one: Vec<u32> = needed.iter().map(|&needed| u32::from(needed)).collect();
        let scope = Scope::of(&trace.cluster, timeline, &each_one);
        // The last quarter of the time is for the schedule.
        let until = self.task.share_of_time(0.75);
        let mut relaxation = Relaxation::new(&scope, None);
        let (mut linear, mut prices) = solving::linear(&relaxation, effort, until, control)?;
        let free = linear.bound.map_or(all, |bound| bound.min(all));
        let mut found = Found { free, fixed: free, proof: MOMENTS_IN_PARTS.to_owned(), schedule: known };
        let holding = self.holding(&scope, &relaxation, &linear, &mut found)?;
        let scope = Scope { holding: holding.as_ref(), ..scope };
        if holding.is_some() {
            relaxation = Relaxation::new(&scope, None);
            (linear, prices) = solving::linear(&relaxation, effort, until, control)?;
            found.lower(linear.bound, MOMENTS_IN_PARTS);
        }
        if let Some(columns) = &linear.columns {
            self.schedule_quickly(&relaxation, columns, &mut found);
        }
        let cheap = prices.as_ref().map(|prices| cheap(&relaxation, prices, timeline.arrivals()));
        let among: Vec<Vec<bool>> = cheap.into_iter().chain([needed.to_vec()]).collect();
        if let Some(until) = self.task.share_of_time(0.02) {
            // Whoever stops bounds early has a good schedule, too.
            let task = &self.task.until(Some(until.min(Instant::now() + LONGEST_BEFORE_BOUNDS)));
            found.schedule = Annealing { task, among: &among }.run(found.schedule, found.fixed);
        }
        let mut optimum = None;
        if linear.is_proved && relaxation.searchable && found.schedule.accepted() < found.free {
            let until = self.task.share_of_time_until(until, 0.1);
            let searched = searched(&relaxation, effort, 0.0, until, control)?;
            found.proof = MOMENTS.to_owned();
            found.lower(searched.bound, MOMENTS);
            // A search that ran out of time may accept far fewer than the linear program.
            optimum = searched.columns.filter(|_| searched.is_proved);
        }
        if let Some(columns) = optimum {
            self.schedule(&relaxation, &columns, &mut found);
            self.raise(&scope, &relaxation, columns, &mut found)?;
        } else if let (Some(columns), Some(prices)) = (&linear.columns, &prices)
            && found.schedule.accepted() < found.free
        {
            let (scope, relaxation, kinds) = (&scope, &relaxation, &Kinds::of(&trace.cluster));
            let blocks = Blocks { scope, relaxation, kinds, columns, prices, effort, control };
            found.lower(blocks.bound(until)?, BLOCKS);
        }
        if let (Some(columns), Some(prices)) = (&linear.columns, &prices)
            && found.schedule.accepted() < found.fixed
        {
            let plan = Plan::of(&relaxation, columns, prices, timeline.arrivals());
            // Where this takes long, annealing finds more.
            let task = self.task.until(self.task.share_of_time(0.1));
            self.look_ahead(&task, needed, Some(&plan), PLANNED, &mut found);
        }
        found.schedule = Annealing { task: self.task, among: &among }.run(found.schedule, found.fixed);
        found.schedule = Search { task: self.task }.run(found.schedule, found.fixed);
        if holding.is_some() {
            found.proof += HELD;
        }
        Ok(found)
    }

    /// Rules about what machines hold that the point of the linear program breaks, if a quick schedule does not attain its bound. They take a
    /// quarter of the time at most.
    fn holding(
        &self,
        scope: &Scope<'_>,
        relaxation: &Relaxation,
        linear: &Proved,
        found: &mut Found,
    ) -> Result<Option<Holding>, ReplayError> {
        let Task { effort, control, .. } = *self.task;
        let Some(columns) = linear.columns.as_ref().filter(|_| linear.is_proved) else { return Ok(None) };
        self.schedule_quickly(relaxation, columns, found);
        if found.schedule.accepted() >= found.free {
            return Ok(None);
        }
        let holding = tightening::holding(scope, effort, self.task.share_of_time(0.25), control);
        Ok(holding.map_err(ReplayError::Internal)?.filter(|holding| !holding.rows.is_empty()))
    }

    /// Schedules those that a point of the program accepts without looking ahead; says whom it accepts.
    fn schedule_quickly(&self, relaxation: &Relaxation, columns: &[f64], found: &mut Found) -> Vec<bool> {
        let Task { trace, timeline, .. } = *self.task;
        let chosen = relaxation.chosen(columns, timeline.arrivals());
        found.schedule.replace_if_better(guided::best(trace, timeline, &chosen, CHOSEN));
        chosen
    }

    /// Schedules those that a point of the program accepts.
    fn schedule(&self, relaxation: &Relaxation, columns: &[f64], found: &mut Found) {
        let chosen = self.schedule_quickly(relaxation, columns, found);
        if found.schedule.accepted() < found.fixed {
            self.look_ahead(self.task, &chosen, None, CHOSEN, found);
        }
    }

    /// Schedules some, looking ahead, if that ends in time.
    fn look_ahead(
        &self,
        task: &Task<'_>,
        chosen: &[bool],
        plan: Option<&Plan>,
        whom: &str,
        found: &mut Found,
    ) {
        let Task { trace, timeline, .. } = *task;
        let is_over = || task.is_over();
        let ahead = ahead::best(&trace.cluster, timeline, chosen, plan, whom, found.fixed, &is_over);
        ahead.into_iter().for_each(|ahead| found.schedule.replace_if_better(ahead));
    }

    /// Rounds with rows about those that stay, until the schedule attains the bound, no pair of peaks is broken, or half of the time is
    /// up.
    fn raise(
        &self,
        scope: &Scope<'_>,
        first: &Relaxation,
        mut columns: Vec<f64>,
        found: &mut Found,
    ) -> Result<(), ReplayError> {
        let Task { trace, effort, control, .. } = *self.task;
        let Some(stays) = Stays::of(&trace.cluster) else { return Ok(()) };
        let until = self.task.share_of_time(0.5);
        let mut pairs: Vec<Pair> = Vec::new();
        let mut last: Option<Relaxation> = None;
        while found.schedule.accepted() < found.fixed && !self.task.is_over() {
            let is_broken = |parts: &_| stays.are_broken_by(parts, effort, control);
            let Relaxation { classes, peaks, .. } = last.as_ref().unwrap_or(first);
            let point = Point { classes, columns: &columns, peaks: peaks.len() };
            let broken = broken(&point, &trace.cluster, &stays, is_broken);
            let known = pairs.len();
            pairs.extend(broken);
            if pairs.len() == known {
                break;
            }
            let relaxation = last.insert(Relaxation::new(scope, Some((&stays, &pairs))));
            let (linear, _) = solving::linear(relaxation, effort, until, control)?;
            let searched = match linear.is_proved {
                true => searched(relaxation, effort, 0.0, until, control)?,
                false => Proved::default(),
            };
            let proved = [linear.bound, searched.bound].into_iter().flatten().min();
            found.fixed = proved.map_or(found.fixed, |bound| bound.min(found.fixed));
            let Some(point) = searched.columns.or(linear.columns) else { break };
            columns = point;
            self.schedule(relaxation, &columns, found);
        }
        Ok(())
    }
}

/// Those of some virtual machines that pay little at the prices of a linear program.
fn cheap(relaxation: &Relaxation, prices: &[f64], virtual_machines: usize) -> Vec<bool> {
    let tolls = Tolls::of(relaxation, prices);
    let mut cheap = vec![false; virtual_machines];
    for (number, class) in relaxation.classes.iter().enumerate() {
        let is_cheap = tolls.paid(number, &(0..virtual_machines)) <= MOST_PAID;
        class.positions.iter().for_each(|&position| cheap[position] = is_cheap);
    }
    cheap
}

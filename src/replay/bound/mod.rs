//! What could have been accepted with all of a trace known: bounds with proof, and a schedule.
//!
//! Two bounds are told apart. No policy at all accepts more than the first, even if it may move running virtual machines at any
//! time for free. No policy that never moves one accepts more than the second. The schedule moves no virtual machine, and so a schedule that
//! meets a bound proves it to be the optimum.

mod ahead;
mod annealing;
mod blocks;
mod classes;
mod easier;
mod guided;
mod holding;
mod knapsack;
mod machine;
mod machines;
mod needed;
mod packing;
mod pairs;
mod plan;
mod relaxation;
mod repair;
mod rounds;
mod schedule;
mod separation;
mod solving;
mod stays;
mod task;
mod tightening;
mod timeline;
mod tolls;

pub use blocks::bound_by_blocks;
pub use needed::needed;
pub use schedule::Schedule;
pub use timeline::Timeline;

use super::document::{BoundDocument, BoundValue, ScheduleDocument};
use super::engine::{digest, profile_counts};
use super::operator::ReplayError;
use super::trace::Trace;
use cluster::{GpuIndex, HostResources, Location, WorkloadIndex, check_where};
use fleet::Guest;
use rounds::Rounds;
use solver::{Control, Effort};
use std::time::Instant;
use task::Task;

/// The bounds of a trace and the best schedule known.
#[derive(Clone, Debug)]
pub struct Bound {
    /// For policies that may migrate.
    pub free_migration: BoundValue,
    /// For policies that do not.
    pub no_migration: BoundValue,
    /// The best schedule.
    pub schedule: Schedule,
    /// Whether a limit or the user ended the search before it had tried everything. The bounds hold nevertheless.
    pub stopped: bool,
}

impl Bound {
    /// The bound as a folder keeps it, with the seconds that it took.
    pub fn document(&self, trace: &Trace, seconds: f64) -> BoundDocument {
        let place = |guest: Guest| Some((guest, self.schedule.placement.of(WorkloadIndex(guest.0))?));
        let placements: Vec<(Guest, Location)> = trace.guests().filter_map(place).collect();
        BoundDocument {
            free_migration: self.free_migration.clone(),
            no_migration: self.no_migration.clone(),
            schedule: ScheduleDocument {
                accepted: placements.len(),
                profiles: profile_counts(trace, placements.iter().map(|&(guest, _)| guest)),
                found_by: self.schedule.found_by.clone(),
                digest: digest(&placements),
            },
            seconds,
        }
    }
}

/// Bounds what any policy could have accepted of a trace, and looks for a schedule that attains it.
///
/// # Errors
/// When the solver fails, the schedule breaks a rule, or the schedule beats a bound: faults, never results.
pub fn bound(trace: &Trace, effort: &Effort, control: &Control) -> Result<Bound, ReplayError> {
    let deadline = effort.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let timeline = Timeline::of(trace);
    let usable = needed::usable(&trace.cluster);
    let all = usable.iter().filter(|usable| **usable).count();
    let mut best = guided::best(trace, &timeline, &usable, "everybody");
    let (free, fixed, proof) = if best.accepted() == all {
        (all, all, EVERYBODY.to_owned())
    } else if timeline.peaks().len() <= 1 {
        let packed = packing::pack(&trace.cluster, &usable, &best.placement, effort, deadline, control)
            .map_err(ReplayError::Internal)?;
        if let Some(placement) = packed.schedule {
            best.replace_if_better(Schedule { placement, found_by: "packing whole hosts".to_owned() });
        }
        let bound = packed.bound.min(all);
        (bound, bound, HOSTS.to_owned())
    } else {
        let needed = needed(&trace.cluster, &timeline, &usable);
        best.replace_if_better(guided::best(trace, &timeline, &needed, "those that are needed"));
        let task = Task { trace, timeline: &timeline, needed: &needed, effort, deadline, control };
        let found = Rounds { task: &task }.run(best)?;
        best = found.schedule;
        (found.free, found.fixed, found.proof)
    };
    let proof = if free == all { EVERYBODY.to_owned() } else { proof };
    verify(trace, &timeline, &best)?;
    if best.accepted() > fixed {
        let text = format!("a schedule accepts {} but the bound is {fixed}", best.accepted());
        return Err(ReplayError::Internal(text));
    }
    let value = |accepted: usize, proof: &str| BoundValue { accepted, proof: proof.to_owned() };
    let attained = best.accepted() == fixed;
    let is_over = control.is_interrupted() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let no_migration = value(
        fixed,
        match (fixed < free, attained) {
            (true, _) => STAYS,
            (false, true) => ATTAINED,
            (false, false) => &proof,
        },
    );
    Ok(Bound {
        free_migration: value(free, &proof),
        no_migration,
        schedule: best,
        stopped: is_over && !attained,
    })
}

const EVERYBODY: &str = "these are all that some empty host can take";
const HOSTS: &str = "no virtual machine leaves, so all accepted ones must fit on the fleet together; prices for \
                     what a host holds (Dantzig & Wolfe)";
const STAYS: &str = "what runs at the same moment must fit together, and what stays from one moment to another must be \
                     on the same GPU at both";
const ATTAINED: &str = "no greater than with free migration, and the schedule attains it";

/// Checks a schedule by the rules of the hardware at every peak.
fn verify(trace: &Trace, timeline: &Timeline, schedule: &Schedule) -> Result<(), ReplayError> {
    let cluster = &trace.cluster;
    // Before the first arrival nothing is wrong, and departures break no rule: only machines with newcomers are looked at.
    let mut newcomers_from = 0;
    let mut broken = None;
    timeline.sweep(&timeline.peaks(), |peak, there| {
        if broken.is_some() {
            return;
        }
        let placement = timeline.snapshot(cluster, &schedule.placement, there);
        let mut gpus = vec![false; cluster.gpus.len()];
        let mut hosts = vec![false; cluster.hosts.len()];
        for newcomer in (newcomers_from..=peak).map(WorkloadIndex::at) {
            if let Some(location) = placement.of(newcomer) {
                gpus[location.gpu.index()] = true;
                let host = cluster.gpus[location.gpu.index()].host;
                host.into_iter().for_each(|host| hosts[host.index()] = true);
            }
        }
        newcomers_from = peak + 1;
        let chosen = |gpu: GpuIndex| {
            cluster.gpus[gpu.index()].host.map_or(gpus[gpu.index()], |host| hosts[host.index()])
        };
        broken = check_where(cluster, &placement, HostResources::Checked, chosen).into_iter().next();
    });
    match broken {
        None => Ok(()),
        Some(violation) => Err(ReplayError::Internal(format!("the schedule breaks a rule: {violation}"))),
    }
}

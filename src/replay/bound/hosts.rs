//! Better schedules host by host.
//!
//! The machines of a fleet take turns. All on one of them may lose their places, and those and the rejected ones are scheduled anew
//! on this machine alone, by the plan of the linear program about it. On one machine such a search sees much farther than on many.

use super::super::operator::ReplayError;
use super::ahead;
use super::machines::machines;
use super::needed::{needed, usable};
use super::plan::Plan;
use super::relaxation::{Relaxation, Scope};
use super::schedule::Schedule;
use super::solving::linear;
use super::task::Task;
use cluster::{Cluster, GpuIndex, HostIndex, Location, Placement, WorkloadIndex};

/// A search for better schedules, host by host.
pub struct HostByHost<'h> {
    /// What is to be scheduled.
    pub task: &'h Task<'h>,
}

impl HostByHost<'_> {
    /// Improves a schedule until it attains the bound, no machine accepts more, or time is up. Fleets of one machine are left alone.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn run(&self, mut schedule: Schedule, bound: usize) -> Result<Schedule, ReplayError> {
        let cluster = &self.task.trace.cluster;
        let machines = machines(cluster);
        if machines.len() < 2 {
            return Ok(schedule);
        }
        let before = schedule.accepted();
        let mut without_gain = 0;
        for machine in machines.iter().cycle() {
            if without_gain == machines.len() || schedule.accepted() >= bound || self.task.is_over() {
                break;
            }
            let before = schedule.accepted();
            if let Some(placement) = self.schedule_anew(&schedule.placement, machine)? {
                schedule.placement = placement;
            }
            without_gain = if schedule.accepted() > before { 0 } else { without_gain + 1 };
        }
        if schedule.accepted() > before {
            schedule.found_by += ", then host by host";
        }
        Ok(schedule)
    }

    /// A schedule that accepts as many or more, in which only those on one machine and the rejected ones have changed.
    fn schedule_anew(
        &self,
        schedule: &Placement,
        machine: &[GpuIndex],
    ) -> Result<Option<Placement>, ReplayError> {
        let Task { trace, timeline, needed: needed_of_all, effort, deadline, control } = *self.task;
        let place = |position: usize| schedule.of(WorkloadIndex::at(position));
        let is_here = |place: &Location| machine.contains(&place.gpu);
        let arrivals = timeline.arrivals();
        let here: Vec<usize> =
            (0..arrivals).filter(|&position| place(position).as_ref().is_some_and(is_here)).collect();
        let alone = only(&trace.cluster, machine);
        let fits = usable(&alone);
        let may_come = |position: usize| {
            needed_of_all[position] && fits[position] && place(position).as_ref().is_none_or(is_here)
        };
        let free: Vec<bool> = (0..arrivals).map(may_come).collect();
        let free = needed(&alone, timeline, &free);
        let worth: Vec<u32> = free.iter().map(|&free| u32::from(free)).collect();
        let scope = Scope::of(&alone, timeline, &worth);
        let relaxation = Relaxation::new(&scope, None);
        let (linear, prices) = linear(&relaxation, effort, deadline, control)?;
        let (Some(columns), Some(prices)) = (linear.columns, prices) else { return Ok(None) };
        let plan = Plan::of(&relaxation, &columns, &prices, arrivals);
        let most = linear.bound.unwrap_or(arrivals);
        let is_over = || self.task.is_over();
        let found = ahead::best(&alone, timeline, &free, Some(&plan), "those on a host", most, &is_over);
        Ok(found.filter(|found| found.accepted() >= here.len()).map(|found| {
            let mut changed = schedule.clone();
            here.iter().for_each(|&position| changed.set(WorkloadIndex::at(position), None));
            for workload in trace.cluster.workload_indices() {
                if let Some(place) = found.placement.of(workload) {
                    let gpu = machine[place.gpu.index()];
                    changed.set(workload, Some(Location { gpu, ..place }));
                }
            }
            changed
        }))
    }
}

/// The part of a cluster that is one machine: some GPUs and their host, if they have one.
fn only(cluster: &Cluster, machine: &[GpuIndex]) -> Cluster {
    let host = cluster.gpus[machine[0].index()].host;
    let gpu = |&gpu: &GpuIndex| cluster::Gpu {
        host: host.map(|_| HostIndex::at(0)),
        ..cluster.gpus[gpu.index()].clone()
    };
    Cluster {
        hosts: host.map(|host| cluster.hosts[host.index()].clone()).into_iter().collect(),
        gpus: machine.iter().map(gpu).collect(),
        ..cluster.clone()
    }
}

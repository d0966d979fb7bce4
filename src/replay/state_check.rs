//! An independent check of a replay at the end of every interval.

use super::document::Hour;
use super::operator::ReplayError;
use super::trace::{Trace, Visit};
use cluster::{GpuIndex, HostIndex, HostResources, Location, Placement, WorkloadIndex, check_where};
use fleet::{Fleet, Guest, Move};
use std::collections::BTreeSet;

/// What became of those that arrived, as the replay tells it, and the last state of the fleet that was checked.
///
/// The check believes neither the replay nor the fleet: who must be there follows from the trace and from who was accepted, where
/// they must be from first places and moves, and what changed is found by comparing whole placements.
pub struct StateCheck<'t> {
    trace: &'t Trace,
    /// Where all should be by what was reported.
    told: Vec<Option<Location>>,
    accepted: Vec<bool>,
    /// Number of those who had arrived before the end of the interval before.
    arrived: usize,
    /// Those of them who were there then. All others of them are gone for good.
    resident: Vec<Guest>,
    /// The state at the end of the interval before.
    checked: Placement,
    /// Guests of every GPU and of every host in that state.
    on_gpu: Vec<u32>,
    on_host: Vec<u32>,
    gpus_of_host: Vec<usize>,
}

/// The sums of a replay up to the end of an interval.
#[derive(Clone, Copy, Default, Debug)]
pub struct Totals {
    pub arrived: usize,
    pub accepted: usize,
    pub rejected: usize,
    pub departed: usize,
}

impl<'t> StateCheck<'t> {
    /// None has arrived yet.
    pub fn new(trace: &'t Trace) -> Self {
        let cluster = &trace.cluster;
        let mut gpus_of_host = vec![0; cluster.hosts.len()];
        for host in cluster.gpus.iter().filter_map(|gpu| gpu.host) {
            gpus_of_host[host.index()] += 1;
        }
        let nowhere = vec![None; cluster.workloads.len()];
        StateCheck {
            trace,
            told: nowhere.clone(),
            accepted: vec![false; nowhere.len()],
            arrived: 0,
            resident: Vec::new(),
            checked: Placement::new(nowhere),
            on_gpu: vec![0; cluster.gpus.len()],
            on_host: vec![0; cluster.hosts.len()],
            gpus_of_host,
        }
    }

    /// One was accepted.
    pub fn accepted(&mut self, guest: Guest, place: Location) {
        self.accepted[guest.0 as usize] = true;
        self.told[guest.0 as usize] = Some(place);
    }

    /// One left.
    pub fn left(&mut self, guest: Guest) {
        self.told[guest.0 as usize] = None;
    }

    /// One was moved.
    pub fn moved(&mut self, step: &Move) -> Result<(), ReplayError> {
        let place = &mut self.told[step.guest.0 as usize];
        if *place != Some(step.from) || step.from == step.to {
            return Err(
                self.broken("a move begins where the virtual machine is, and ends elsewhere", step.guest)
            );
        }
        *place = Some(step.to);
        Ok(())
    }

    /// Checks the state of the fleet at the end of an interval that ends at a microsecond, and adds to its line what is in use.
    pub fn end_interval(
        &mut self,
        fleet: &Fleet<'_>,
        ends: u64,
        totals: &Totals,
        hour: &mut Hour,
    ) -> Result<(), ReplayError> {
        let visits = &self.trace.visits;
        let before = self.arrived;
        self.arrived = visits.partition_point(|visit| visit.arrival.0 < ends);
        // No other may be in the fleet, which the number of its guests tells.
        let newcomers = (before..self.arrived).map(|position| Guest(WorkloadIndex::at(position).0));
        let perhaps_there: Vec<Guest> =
            std::mem::take(&mut self.resident).into_iter().chain(newcomers).collect();
        let mut changed = BTreeSet::new();
        for guest in perhaps_there {
            let (index, place) = (guest.0 as usize, fleet.location(guest));
            let visit = &visits[index];
            if place.is_some() {
                self.resident.push(guest);
            }
            if place.is_some() != (self.accepted[index] && is_there(visit, ends)) {
                return Err(self.broken(
                    "the fleet has exactly the virtual machines that were accepted and have not left",
                    guest,
                ));
            }
            if place != self.told[index] {
                return Err(self.broken(
                    "virtual machines change place only by arrival, departure or a reported move",
                    guest,
                ));
            }
            let before = self.checked.of(WorkloadIndex(guest.0));
            if before != place {
                self.recount(before, place, &mut changed);
                self.checked.set(WorkloadIndex(guest.0), place);
            }
        }
        let (arrived, resident) = (self.arrived, self.resident.len());
        let on_fleet: usize = fleet.gpu_indices().map(|gpu| fleet.guests(gpu).len()).sum();
        let rules = [
            ("all that have arrived are counted", arrived == totals.arrived),
            ("arrived = accepted + rejected", totals.arrived == totals.accepted + totals.rejected),
            ("resident + departed = accepted", resident + totals.departed == totals.accepted),
            ("the fleet holds only virtual machines of the trace", on_fleet == resident),
        ];
        if let Some((rule, _)) = rules.iter().find(|(_, holds)| !holds) {
            return Err(ReplayError::Internal(format!(
                "the bookkeeping is wrong: {rule} does not hold ({totals:?})"
            )));
        }
        if !changed.is_empty() {
            self.check_hardware(&changed)?;
        }
        hour.resident = resident;
        hour.active_gpus = self.on_gpu.iter().filter(|guests| **guests > 0).count();
        let active_hosts = || self.on_host.iter().zip(&self.gpus_of_host).filter(|(guests, _)| **guests > 0);
        hour.active_hosts = active_hosts().count();
        hour.gpus_of_active_hosts = active_hosts().map(|(_, gpus)| gpus).sum();
        Ok(())
    }

    /// Checks the hosts, and the GPUs without a host, on which something has changed.
    fn check_hardware(&self, changed: &BTreeSet<GpuIndex>) -> Result<(), ReplayError> {
        let cluster = &self.trace.cluster;
        let host_of = |gpu: &GpuIndex| cluster.gpus[gpu.index()].host;
        let hosts: BTreeSet<HostIndex> = changed.iter().filter_map(host_of).collect();
        let chosen =
            |gpu: GpuIndex| host_of(&gpu).map_or(changed.contains(&gpu), |host| hosts.contains(&host));
        match check_where(cluster, &self.checked, HostResources::Checked, chosen).first() {
            None => Ok(()),
            Some(violation) => Err(ReplayError::Internal(format!(
                "the fleet is in a state that the hardware does not allow ({}): {violation}",
                violation.rule()
            ))),
        }
    }

    fn recount(&mut self, before: Option<Location>, now: Option<Location>, changed: &mut BTreeSet<GpuIndex>) {
        let host = |gpu: GpuIndex| self.trace.cluster.gpus[gpu.index()].host.map(HostIndex::index);
        if let Some(Location { gpu, .. }) = before {
            self.on_gpu[gpu.index()] -= 1;
            host(gpu).into_iter().for_each(|host| self.on_host[host] -= 1);
            changed.insert(gpu);
        }
        if let Some(Location { gpu, .. }) = now {
            self.on_gpu[gpu.index()] += 1;
            host(gpu).into_iter().for_each(|host| self.on_host[host] += 1);
            changed.insert(gpu);
        }
    }

    fn broken(&self, rule: &str, guest: Guest) -> ReplayError {
        let name = &self.trace.cluster.workloads[guest.0 as usize].name;
        ReplayError::Internal(format!("the bookkeeping is wrong for `{name}`: {rule}, which does not hold"))
    }
}

/// Whether one that was accepted is there at the end of an interval: what happens at its end belongs to the next one.
fn is_there(visit: &Visit, ends: u64) -> bool {
    visit.arrival.0 < ends && visit.departure.is_none_or(|departure| departure.0 >= ends)
}

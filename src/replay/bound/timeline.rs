//! Time counted in arrivals: which virtual machines are there together.

use crate::Trace;
use cluster::{Cluster, Placement, WorkloadIndex};

/// The visits of a trace on a time axis of arrivals.
///
/// What counts is what is there when one arrives: virtual machine `i` arrives at time `i`, and leaves before time `end(i)`,
/// which is the first later arrival at or after its departure. One that leaves when it arrives is so there at its own arrival and
/// at no other, as in a replay.
pub struct Timeline {
    ends: Vec<usize>,
}

impl Timeline {
    /// The timeline of a trace.
    pub fn of(trace: &Trace) -> Self {
        let visits = &trace.visits;
        let end = |(position, visit): (usize, &crate::Visit)| match visit.departure {
            None => visits.len(),
            Some(departure) => {
                let later = &visits[position + 1..];
                position + 1 + later.partition_point(|other| other.arrival < departure)
            }
        };
        Timeline { ends: visits.iter().enumerate().map(end).collect() }
    }

    /// Number of arrivals.
    pub fn arrivals(&self) -> usize {
        self.ends.len()
    }

    /// The times at which a virtual machine is there: from its own arrival to before this one.
    pub fn end(&self, position: usize) -> usize {
        self.ends[position]
    }

    /// Whether a virtual machine is there at a time.
    pub fn is_there(&self, position: usize, time: usize) -> bool {
        position <= time && time < self.ends[position]
    }

    /// The times at which the set of those that are there is maximal: after an arrival that a departure follows. Rules about
    /// what is there together hold always if they hold at these times.
    pub fn peaks(&self) -> Vec<usize> {
        let all: Vec<usize> = (0..self.arrivals()).collect();
        self.peaks_among(&all)
    }

    /// The same as if there were only some, which are given in ascending order.
    pub fn peaks_among(&self, members: &[usize]) -> Vec<usize> {
        let mut one_leaves = vec![false; members.len() + 1];
        for &member in members {
            let stay = members.partition_point(|&other| other < self.ends[member]);
            one_leaves[stay] = true;
        }
        let last = members.len();
        let numbers = (0..last).filter(|&number| number + 1 == last || one_leaves[number + 1]);
        numbers.map(|number| members[number]).collect()
    }

    /// How many of some virtual machines are there at each time.
    pub fn crowd(&self, among: &[bool]) -> Vec<usize> {
        let mut crowd = vec![0; self.arrivals()];
        let mut leaving = vec![0; self.arrivals() + 1];
        let mut there = 0;
        for (time, crowd) in crowd.iter_mut().enumerate() {
            if among[time] {
                there += 1;
                leaving[self.ends[time]] += 1;
            }
            there -= leaving[time];
            *crowd = there;
        }
        crowd
    }

    /// Calls `visit` at each of some ascending times with all that are there, in the order of arrival.
    pub fn sweep(&self, times: &[usize], mut visit: impl FnMut(usize, &[usize])) {
        let (mut there, mut next) = (Vec::new(), 0);
        for &time in times {
            there.retain(|&position| self.is_there(position, time));
            there.extend((next..=time).filter(|&position| self.is_there(position, time)));
            next = time + 1;
            visit(time, &there);
        }
    }

    /// The part of a schedule that is there at a time.
    pub fn snapshot(&self, cluster: &Cluster, schedule: &Placement, there: &[usize]) -> Placement {
        let mut placement = Placement::new(vec![None; cluster.workloads.len()]);
        for &position in there {
            let workload = WorkloadIndex::at(position);
            placement.set(workload, schedule.of(workload));
        }
        placement
    }
}

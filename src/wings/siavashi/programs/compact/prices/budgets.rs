//! Cores and main memory: what workloads need, and what machines have left.

use crate::instance::{MachineIndex, Problem};
use crate::section::Goal;
use cluster::{Demands, Resource, WorkloadIndex};
use ground::Amount;
use std::cmp::Reverse;

/// Cores and main memory, in units.
pub type Needs = [i64; 2];

/// More than all workloads need together.
const UNLIMITED: i64 = i64::MAX / 4;

/// Less than this is rounding.
pub const NOTHING: f64 = 1e-12;

/// What workloads need and machines have left.
#[derive(Clone)]
pub struct Budgets {
    needs: Vec<Needs>,
    /// What all machines have where it is limited; at least 1.
    has: [f64; 2],
    /// By machine.
    left: Vec<Needs>,
}

/// By how much one needs more than another.
pub fn difference(one: Needs, other: Needs) -> Needs {
    [0, 1].map(|resource| one[resource] - other[resource])
}

impl Budgets {
    /// The machines hold what is pinned there, and nothing else.
    pub fn new(problem: &Problem) -> Self {
        let demands = Demands::of(&problem.cluster);
        let resources: Vec<Resource> = demands.limited(&[(Some(Amount::ZERO), Some(Amount::ZERO))]).collect();
        let position = |resource: &Resource| usize::from(resource.name == "memory");
        let needs = |workload: WorkloadIndex| {
            let mut needs = [0; 2];
            for resource in &resources {
                needs[position(resource)] = resource.of_workload(&problem.cluster, workload) as i64;
            }
            needs
        };
        let needs = problem.cluster.workload_indices().map(needs).collect();
        let mut budgets = Budgets { needs, has: [1.0; 2], left: Vec::new() };
        for machine in problem.machine_indices() {
            let mut left = [UNLIMITED; 2];
            for resource in demands.limited(&[problem.machine(machine).capacities()]) {
                left[position(&resource)] = resource.capacity as i64;
                budgets.has[position(&resource)] += resource.capacity;
            }
            budgets.left.push(left);
        }
        for workload in problem.cluster.workload_indices().filter(|&workload| problem.is_pinned(workload)) {
            let place = problem.current(workload).expect("pinned workloads run");
            budgets.take(problem.machine_of(place.gpu), budgets.of(workload));
        }
        budgets
    }

    /// The least number of machines that give what workloads beside pinned ones need, if they count so many units of acceptance at least.
    pub fn least_machines(&self, problem: &Problem, accepted: i64) -> usize {
        let machines_of = |resource: usize| {
            let mut left: Vec<i64> = self.left.iter().map(|left| left[resource]).collect();
            left.sort_unstable_by_key(|&left| Reverse(left));
            let needed = self.least_need(problem, resource, i128::from(accepted));
            let given = left.iter().scan(0, |given, &left| {
                let before = *given;
                *given += i128::from(left);
                Some(before)
            });
            given.take_while(|&given| given < needed).count()
        };
        machines_of(0).max(machines_of(1))
    }

    /// What workloads beside pinned ones need of a resource at least, if they count so many units of acceptance: those that must have a place,
    /// and parts of others that need least for each unit.
    fn least_need(&self, problem: &Problem, resource: usize, accepted: i128) -> i128 {
        let (mut accepted, mut needed) = (accepted, 0);
        let mut others: Vec<(i128, i128)> = Vec::new();
        for workload in problem.cluster.workload_indices().filter(|&workload| !problem.is_pinned(workload)) {
            let units = problem.extent.in_units(Goal::Acceptance, problem.acceptance_weight(workload));
            let need = i128::from(self.of(workload)[resource]);
            if problem.must_stay(workload) {
                (accepted, needed) = (accepted - units, needed + need);
            } else if units > 0 {
                others.push((units, need));
            }
        }
        others.sort_unstable_by(|one, other| (one.1 * other.0).cmp(&(other.1 * one.0)));
        for (units, need) in others {
            if accepted <= units {
                return needed + (need * accepted.max(0) + units - 1) / units;
            }
            (accepted, needed) = (accepted - units, needed + need);
        }
        needed
    }

    /// What a workload needs.
    pub fn of(&self, workload: WorkloadIndex) -> Needs {
        self.needs[workload.index()]
    }

    /// Cores and memory that a machine has left, where they are limited.
    pub fn capacities(&self, machine: MachineIndex) -> (Option<i64>, Option<i64>) {
        let [cpu, memory] = self.left[machine.index()];
        let limited = |left: i64| (left < UNLIMITED / 2).then_some(left);
        (limited(cpu), limited(memory))
    }

    /// Whether all machines have a limit of a resource.
    pub fn limits(&self, resource: usize) -> bool {
        self.left.iter().all(|left| left[resource] < UNLIMITED / 2)
    }

    /// Which parts needs are of all that there is.
    pub fn shares(&self, needs: Needs) -> [f64; 2] {
        [0, 1].map(|resource| needs[resource] as f64 / self.has[resource])
    }

    /// The same of what a machine has left.
    pub fn shares_left(&self, machine: MachineIndex) -> [f64; 2] {
        self.shares(self.left[machine.index()])
    }

    /// Which part needs are of all that there is.
    pub fn size(&self, needs: Needs) -> f64 {
        self.shares(needs).into_iter().sum()
    }

    /// The same of a workload.
    pub fn size_of(&self, workload: WorkloadIndex) -> f64 {
        self.size(self.of(workload))
    }

    /// A machine gives so much.
    pub fn take(&mut self, machine: MachineIndex, needs: Needs) {
        let left = &mut self.left[machine.index()];
        *left = difference(*left, needs);
    }

    /// A machine gives so much less, and another one so much more.
    pub fn shift(&mut self, from: MachineIndex, to: MachineIndex, more: Needs) {
        self.take(from, more.map(|more| -more));
        self.take(to, more);
    }

    /// By how much two machines lack less if one gives so much less, and the other so much more.
    pub fn gain(&self, from: MachineIndex, to: MachineIndex, more: Needs) -> f64 {
        let before = self.lack(from, [0; 2]) + self.lack(to, [0; 2]);
        before - self.lack(from, more.map(|more| -more)) - self.lack(to, more)
    }

    /// By how much a machine lacks cores and memory, if it gives so much more.
    fn lack(&self, machine: MachineIndex, more: Needs) -> f64 {
        let left = self.left[machine.index()];
        (0..2).map(|resource| (more[resource] - left[resource]).max(0) as f64 / self.has[resource]).sum()
    }

    /// What a machine has to spare of what it has least of, beside so much.
    pub fn spare(&self, machine: MachineIndex, needs: [f64; 2]) -> f64 {
        let left = self.left[machine.index()];
        let of = |resource: usize| (left[resource] as f64 - needs[resource]) / self.has[resource];
        of(0).min(of(1))
    }

    /// Whether some machines have enough all together.
    pub fn suffice(&self, machines: impl Iterator<Item = MachineIndex> + Clone) -> bool {
        let left = |resource: usize| -> i128 {
            machines.clone().map(|machine| i128::from(self.left[machine.index()][resource])).sum()
        };
        left(0) >= 0 && left(1) >= 0
    }

    /// Whether a machine lacks cores or memory.
    pub fn lacks(&self, machine: MachineIndex) -> bool {
        self.left[machine.index()].iter().any(|&left| left < 0)
    }

    /// The machines that lack cores or memory, those first that lack most.
    pub fn lacking(&self) -> Vec<MachineIndex> {
        let mut lacking: Vec<MachineIndex> =
            (0..self.left.len() as u32).map(MachineIndex).filter(|&machine| self.lacks(machine)).collect();
        lacking.sort_by(|&one, &other| self.lack(other, [0; 2]).total_cmp(&self.lack(one, [0; 2])));
        lacking
    }
}

//! Bounds that no placement exceeds: they make most programs superfluous, and the others smaller.
//!
//! What runs on a GPU obeys some inequalities (see [`Capacity`]), so that these say how many GPUs at least hold everything; hosts
//! have so many GPUs, so much CPU and so much main memory, which says how many of them. Where only some number of arrivals is sure
//! to be placed, the least demanding ones are counted for every sum by itself. Where the sums do not show that more arrivals find
//! no place, a search over what machines hold may, with the inequalities of a GPU times the number of GPUs.

use super::capacity::Capacity;
use super::packing::{Sizes, never_fits};
use cluster::WorkloadIndex;
use ground::Amount;
use itertools::Itertools;
use siavashi::{Goal, Machine, Problem, Score, StagePlan};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What the virtual machines of a decision need of something.
struct Need {
    /// Those that run.
    residents: i128,
    /// The sums of the least demanding arrivals, from none on.
    arrivals: Vec<i128>,
}

impl Need {
    fn of(residents: impl Iterator<Item = i128>, arrivals: impl Iterator<Item = i128>) -> Self {
        let mut each: Vec<i128> = arrivals.collect();
        each.sort_unstable();
        let mut sums = vec![0];
        for need in each {
            sums.push(sums[sums.len() - 1] + need);
        }
        Need { residents: residents.sum(), arrivals: sums }
    }

    /// What at least so many arrivals need together with those that run.
    fn with(&self, arrivals: usize) -> i128 {
        self.residents + self.arrivals[arrivals]
    }
}

/// Steps of the searches of a decision.
const STEPS: usize = 50_000;

/// The bounds of a decision.
pub struct Bounds<'p> {
    problem: &'p Problem,
    plan: StagePlan,
    /// What each of those that run needs: of each inequality of a GPU, then CPU and main memory.
    residents: Vec<Sizes>,
    /// The same of each of those that arrive that any machine could take if it were empty; in ascending order.
    arrivals: Vec<Sizes>,
    /// What is needed of each inequality, and what a GPU has of it.
    limits: Vec<(Need, i128)>,
    /// What is needed of CPU and main memory, and what the machines have of it, the greatest first; `None` for no limit.
    resources: [(Need, Vec<Option<i128>>); 2],
    /// How many GPUs the machines have, the greatest first.
    gpus: Vec<i128>,
}

impl<'p> Bounds<'p> {
    /// The bounds of a problem whose residents keep a place and whose weights are all 1.
    pub fn of(problem: &'p Problem, capacity: &Capacity) -> Self {
        let cluster = &problem.cluster;
        let never: Vec<WorkloadIndex> = problem.never_placeable().collect();
        let sizes = |workload: WorkloadIndex| -> Sizes {
            let about = &cluster.workloads[workload.index()];
            let of_gpu = capacity.limits.iter().map(|limit| limit.of_request[about.request.index()]);
            of_gpu.chain([about.cpu.millionths(), about.memory.millionths()]).collect()
        };
        let (residents, newcomers): (Vec<WorkloadIndex>, Vec<WorkloadIndex>) = cluster
            .workload_indices()
            .filter(|workload| !never.contains(workload))
            .partition(|&workload| problem.current(workload).is_some());
        let residents: Vec<Sizes> = residents.into_iter().map(sizes).collect();
        let arrivals: Vec<Sizes> = newcomers.into_iter().map(sizes).sorted().collect();
        let need =
            |at: usize| Need::of(residents.iter().map(|one| one[at]), arrivals.iter().map(|one| one[at]));
        let most = |of: &dyn Fn(&Machine) -> Option<Amount>| {
            let mut amounts: Vec<Option<i128>> =
                problem.machines.iter().map(|machine| of(machine).map(Amount::millionths)).collect();
            amounts.sort_unstable_by_key(|amount| (amount.is_some(), Reverse(*amount)));
            amounts
        };
        let limits = capacity.limits.iter().enumerate().map(|(at, limit)| (need(at), limit.capacity));
        let limits: Vec<(Need, i128)> = limits.collect();
        let (cpu, memory) = (need(limits.len()), need(limits.len() + 1));
        let mut gpus: Vec<i128> = problem.machines.iter().map(|machine| machine.gpus.len() as i128).collect();
        gpus.sort_unstable_by_key(|&count| Reverse(count));
        Bounds {
            problem,
            plan: StagePlan::new(problem),
            limits,
            resources: [(cpu, most(&|machine| machine.cpu)), (memory, most(&|machine| machine.memory))],
            gpus,
            residents,
            arrivals,
        }
    }

    /// Least number of GPUs in use with so many arrivals.
    fn least_gpus(&self, arrivals: usize) -> i128 {
        let least = |(need, capacity): &(Need, i128)| (need.with(arrivals) + capacity - 1) / capacity;
        self.limits.iter().map(least).max().unwrap_or(0)
    }

    /// Least number of machines and GPUs in use with so many arrivals; `None` if all there are do not suffice.
    fn hardware(&self, arrivals: usize) -> Option<i128> {
        let gpus = self.least_gpus(arrivals);
        let mut machines = fewest(self.gpus.iter().map(|&count| Some(count)), gpus)?;
        for (need, amounts) in &self.resources {
            machines = machines.max(fewest(amounts.iter().copied(), need.with(arrivals))?);
        }
        // A machine in use has a GPU in use.
        Some(machines + gpus.max(machines))
    }

    /// Whether sums prove that no placement accepts more than so many arrivals.
    fn is_most_by_sums(&self, placed: usize) -> bool {
        placed >= self.arrivals.len() || self.hardware(placed + 1).is_none()
    }

    /// Whether a search proves that no placement accepts more than so many arrivals, of which there are more.
    fn is_most_by_search(&self, placed: usize) -> bool {
        let mut steps = STEPS;
        let mut tried = BTreeSet::new();
        for chosen in self.arrivals.iter().combinations(placed + 1) {
            if steps == 0 {
                return false;
            }
            let all = self.residents.iter().chain(chosen.iter().copied());
            if tried.contains(&chosen) {
                steps -= 1;
            } else if never_fits(all, self.bins(), &mut steps) {
                tried.insert(chosen);
            } else {
                return false;
            }
        }
        true
    }

    /// What the machines have: of each inequality of their GPUs, then CPU and main memory; where there is no limit, all that may be
    /// needed.
    fn bins(&self) -> Vec<Sizes> {
        let all = |need: &Need| need.with(self.arrivals.len());
        let bin = |machine: &Machine| {
            let of_gpus = self.limits.iter().map(|(_, capacity)| capacity * machine.gpus.len() as i128);
            let of_machine = [machine.cpu, machine.memory].into_iter().zip(&self.resources);
            let of_machine =
                of_machine.map(|(limit, (need, _))| limit.map_or_else(|| all(need), Amount::millionths));
            of_gpus.chain(of_machine).collect()
        };
        self.problem.machines.iter().map(bin).collect()
    }

    fn placed(&self, score: &Score) -> usize {
        (score.accepted as usize).saturating_sub(self.residents.len())
    }

    /// Whether a placement of this worth is optimal in every stage, because it meets the bounds. `false` says nothing.
    ///
    /// Each bound holds for all placements that are as good as this one in the stages before.
    pub fn prove(&self, score: &Score) -> bool {
        let placed = self.placed(score);
        let mut sure = 0;
        self.plan.stages().iter().all(|stage| match stage {
            Some(Goal::Acceptance) => {
                sure = placed;
                self.is_most_by_sums(placed) || self.is_most_by_search(placed)
            }
            Some(Goal::Hardware) => {
                self.hardware(sure).is_some_and(|least| score.hardware <= Amount::whole(least))
            }
            Some(Goal::Migrations) => score.migrations == Amount::ZERO,
            None => false,
        })
    }

    /// The least hardware on which all that any machine could take may have a place, where the goals are acceptance, hardware and
    /// migrations in this order.
    pub fn least_hardware(&self) -> Option<i128> {
        let goals = [Goal::Acceptance, Goal::Hardware, Goal::Migrations].map(Some);
        self.hardware(self.arrivals.len()).filter(|_| *self.plan.stages() == goals)
    }

    /// A number of machines that no optimum exceeds, when there is a placement of this worth; `None` if nothing is known.
    ///
    /// Where hardware is the goal right after acceptance, and this placement accepts as many as sums allow, no optimum counts more
    /// hardware than this placement: its machines and GPUs in use. It has at least as many GPUs in use as all it accepts need, and
    /// one in each machine in use.
    pub fn most_machines(&self, score: &Score) -> Option<usize> {
        let stages = self.plan.stages();
        let placed = self.placed(score);
        if !stages.starts_with(&[Some(Goal::Acceptance), Some(Goal::Hardware)])
            || !self.is_most_by_sums(placed)
        {
            return None;
        }
        let hardware = score.hardware.in_units_of(Amount::ONE)?;
        usize::try_from((hardware - self.least_gpus(placed)).min(hardware / 2)).ok()
    }
}

/// The least number of machines that together have what is needed; amounts with the greatest first, `None` for no limit.
/// `None` if all of them have less.
fn fewest(amounts: impl Iterator<Item = Option<i128>>, need: i128) -> Option<i128> {
    let (mut machines, mut missing) = (0, need);
    for amount in amounts {
        if missing <= 0 {
            break;
        }
        machines += 1;
        missing = amount.map_or(0, |amount| missing - amount);
    }
    (missing <= 0).then_some(machines)
}

//! Bounds that no placement exceeds, from sums over all virtual machines: they make most programs superfluous.
//!
//! Every GPU that is in use holds at most the capacity of each facet of its board (see [`Hull`]), so that the facets say how
//! many GPUs at least hold everything; hosts have so many GPUs, so much CPU and so much main memory, which says how many of
//! them. Where only some number of arrivals is sure to be placed, the least demanding ones are counted for every sum by itself.

use crate::cluster::{Amount, BoardIndex, Cluster, WorkloadIndex};
use crate::mig::{Facet, Hull, ProfileIndex, patterns};
use crate::model::siavashi::{Goal, Machine, Problem, Score};
use std::cmp::Reverse;

/// What the one board of a fleet can hold.
pub struct Capacity {
    board: BoardIndex,
    facets: Vec<Facet>,
}

impl Capacity {
    /// `None` if there are several boards, or if there is no hull of what the board holds.
    pub fn of(cluster: &Cluster) -> Option<Self> {
        let board = cluster.gpus.first()?.board;
        if cluster.gpus.iter().any(|gpu| gpu.board != board) {
            return None;
        }
        let about = &cluster.boards[board.index()];
        let wanted: Vec<ProfileIndex> = about
            .profile_indices()
            .filter(|&profile| {
                cluster.requests.iter().any(|request| request.on_board[board.index()] == Some(profile))
            })
            .collect();
        let hull = Hull::of(&patterns(about).of_profiles(&wanted))?;
        Some(Capacity { board, facets: hull.facets().to_vec() })
    }
}

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

/// The bounds of a decision.
pub struct Bounds<'p> {
    problem: &'p Problem,
    /// How many run.
    residents: usize,
    /// Of those that arrive, how many any machine could take if it were empty.
    arrivals: usize,
    /// What is needed of each facet, and what a GPU has of it.
    facets: Vec<(Need, i128)>,
    /// What is needed of CPU and main memory, and what the machines have of it, the greatest first; `None` for no limit.
    resources: [(Need, Vec<Option<i128>>); 2],
    /// How many GPUs the machines have, the greatest first.
    gpus: Vec<i128>,
}

impl<'p> Bounds<'p> {
    /// The bounds of a problem whose residents keep a place and whose weights are all 1, on GPUs of one board.
    pub fn of(problem: &'p Problem, capacity: &Capacity) -> Self {
        let cluster = &problem.cluster;
        let never: Vec<WorkloadIndex> = problem.never_placeable().collect();
        let (residents, newcomers): (Vec<WorkloadIndex>, Vec<WorkloadIndex>) = cluster
            .workload_indices()
            .filter(|workload| !never.contains(workload))
            .partition(|&workload| problem.current(workload).is_some());
        let need = |of: &dyn Fn(WorkloadIndex) -> i128| {
            Need::of(residents.iter().map(|&one| of(one)), newcomers.iter().map(|&one| of(one)))
        };
        let of_facet = |facet: &Facet| {
            let of_workload = |workload: WorkloadIndex| {
                let request = cluster.workloads[workload.index()].request;
                let profile = cluster.requests[request.index()].on_board[capacity.board.index()];
                profile.map_or(0, |profile| i128::from(facet.coefficients[profile.index()]))
            };
            (need(&of_workload), i128::from(facet.capacity))
        };
        let most = |of: &dyn Fn(&Machine) -> Option<Amount>| {
            let mut amounts: Vec<Option<i128>> =
                problem.machines.iter().map(|machine| of(machine).map(Amount::millionths)).collect();
            amounts.sort_unstable_by_key(|amount| (amount.is_some(), Reverse(*amount)));
            amounts
        };
        let cpu = need(&|workload| cluster.workloads[workload.index()].cpu.millionths());
        let memory = need(&|workload| cluster.workloads[workload.index()].memory.millionths());
        let mut gpus: Vec<i128> = problem.machines.iter().map(|machine| machine.gpus.len() as i128).collect();
        gpus.sort_unstable_by_key(|&count| Reverse(count));
        Bounds {
            problem,
            residents: residents.len(),
            arrivals: newcomers.len(),
            facets: capacity.facets.iter().map(of_facet).collect(),
            resources: [(cpu, most(&|machine| machine.cpu)), (memory, most(&|machine| machine.memory))],
            gpus,
        }
    }

    /// Least number of machines and GPUs in use with so many arrivals; `None` if all there are do not suffice.
    fn hardware(&self, arrivals: usize) -> Option<i128> {
        let mut gpus = 0;
        for (need, capacity) in &self.facets {
            let need = need.with(arrivals);
            if need > 0 {
                gpus = gpus.max(if *capacity > 0 { (need + capacity - 1) / capacity } else { return None });
            }
        }
        let mut machines = fewest(self.gpus.iter().map(|&count| Some(count)), gpus)?;
        for (need, amounts) in &self.resources {
            machines = machines.max(fewest(amounts.iter().copied(), need.with(arrivals))?);
        }
        // A machine in use has a GPU in use.
        Some(machines + gpus.max(machines))
    }

    /// No placement accepts more arrivals.
    fn most_arrivals(&self) -> usize {
        (0..=self.arrivals).rev().find(|&arrivals| self.hardware(arrivals).is_some()).unwrap_or(0)
    }

    /// Whether a placement of this worth is optimal in every stage, because it meets the bounds. `false` says nothing.
    ///
    /// Each bound holds for all placements that are as good as this one in the stages before.
    pub fn prove(&self, score: &Score) -> bool {
        let placed = (score.accepted as usize).saturating_sub(self.residents);
        let mut sure = 0;
        self.problem.plan.stages().iter().all(|stage| match stage {
            Some(Goal::Acceptance) => {
                sure = placed;
                placed == self.most_arrivals()
            }
            Some(Goal::Hardware) => {
                self.hardware(sure).is_some_and(|least| score.hardware <= Amount::whole(least))
            }
            Some(Goal::Migrations) => score.migrations == Amount::ZERO,
            None => false,
        })
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

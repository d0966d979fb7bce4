//! The rules of clusters, counted anew.

use cluster::{Cluster, GpuIndex, SiteKind, WorkloadIndex};
use ground::Amount;
use wpm::{Problem, Role};

/// Workloads by their positions among those that are decided about.
pub type Set = usize;

/// Running workloads that change by themselves, as far as some rule counts them over all GPUs.
#[derive(Clone, Copy, Default)]
pub struct Changed {
    moved: Set,
    disrupted: Set,
}

impl Changed {
    pub fn and(self, other: Changed) -> Changed {
        Changed { moved: self.moved | other.moved, disrupted: self.disrupted | other.disrupted }
    }

    pub fn is_within(self, other: Changed) -> bool {
        self.moved & !other.moved == 0 && self.disrupted & !other.disrupted == 0
    }
}

/// What the rules say of sets of workloads.
pub struct Rules<'p> {
    problem: &'p Problem,
    decided: Vec<WorkloadIndex>,
    /// Whether moves are counted over all GPUs; else each costs what it costs.
    pub count_moves: bool,
    count_disrupted: bool,
    /// Running workloads that count as one.
    as_one: Vec<Set>,
    /// Sets of running workloads of which at most so many may be disrupted.
    budgets: Vec<(Set, u32)>,
}

impl<'p> Rules<'p> {
    pub fn of(problem: &'p Problem, decided: &[WorkloadIndex]) -> Self {
        let cluster = &problem.cluster;
        let set = |is_in: &dyn Fn(WorkloadIndex) -> bool| -> Set {
            let members = decided.iter().enumerate().filter(|(_, workload)| is_in(**workload));
            members.map(|(position, _)| 1 << position).sum()
        };
        let running = |workload: WorkloadIndex| cluster.workloads[workload.index()].current;
        let as_one: Vec<Set> = cluster
            .groups
            .iter()
            .filter(|group| group.rules.as_one)
            .map(|group| set(&|workload| group.members.contains(&workload) && running(workload).is_some()))
            .collect();
        let mut budgets: Vec<(Set, u32)> = Vec::new();
        budgets.extend(problem.limits.max_disrupted.map(|most| (Set::MAX, most)));
        for (number, host) in cluster.hosts.iter().enumerate() {
            let is_on =
                |workload| running(workload).is_some_and(|place| host_of(cluster, place.gpu) == Some(number));
            budgets.extend(host.max_disrupted.map(|most| (set(&is_on), most)));
        }
        Rules {
            problem,
            decided: decided.to_vec(),
            count_moves: problem.limits.max_migrations.is_some() || !as_one.is_empty(),
            count_disrupted: !budgets.is_empty(),
            as_one,
            budgets,
        }
    }

    /// The changes of one workload.
    pub fn changed(&self, position: usize, moved: bool, disrupted: bool) -> Changed {
        let bit = |is_in: bool| if is_in { 1 << position } else { 0 };
        Changed { moved: bit(moved && self.count_moves), disrupted: bit(disrupted && self.count_disrupted) }
    }

    /// Who counts as moved, where that is counted over all GPUs; `None` where too many are changed.
    pub fn moved(&self, changed: Changed) -> Option<Set> {
        let with_groups = |set: Set| {
            self.as_one.iter().filter(|group| set & **group != 0).fold(set, |all, group| all | group)
        };
        let (moved, disrupted) = (with_groups(changed.moved), with_groups(changed.disrupted));
        let is_allowed = self.problem.limits.max_migrations.is_none_or(|most| moved.count_ones() <= most)
            && self.budgets.iter().all(|(of, most)| (disrupted & of).count_ones() <= *most);
        is_allowed.then_some(moved)
    }

    /// Whether the workloads may be on these GPUs, given as a set for each.
    pub fn admit(&self, sets: &[Set]) -> bool {
        self.admit_on_hosts(sets) && self.admit_groups(sets)
    }

    fn gpu_of(&self, workload: WorkloadIndex, sets: &[Set]) -> Option<GpuIndex> {
        if self.problem.role(workload) == Role::Pinned {
            return self.problem.cluster.workloads[workload.index()].current.map(|place| place.gpu);
        }
        let position = self.decided.iter().position(|&decided| decided == workload)?;
        sets.iter().position(|set| set >> position & 1 == 1).map(GpuIndex::at)
    }

    fn admit_groups(&self, sets: &[Set]) -> bool {
        let cluster = &self.problem.cluster;
        cluster.groups.iter().all(|group| {
            let is_pinned = |workload: WorkloadIndex| self.problem.role(workload) == Role::Pinned;
            let gpus: Vec<(GpuIndex, bool)> = group
                .members
                .iter()
                .filter_map(|&member| Some((self.gpu_of(member, sets)?, is_pinned(member))))
                .collect();
            let share = |kind: SiteKind, one: GpuIndex, other: GpuIndex| {
                let hosts = [one, other].map(|gpu| host_of(cluster, gpu));
                one == other || (kind == SiteKind::Node && hosts[0].is_some() && hosts[0] == hosts[1])
            };
            let every_pair = |allowed: &dyn Fn((GpuIndex, bool), (GpuIndex, bool)) -> bool| {
                gpus.iter()
                    .enumerate()
                    .all(|(number, &one)| gpus[..number].iter().all(|&other| allowed(one, other)))
            };
            // What is pinned may share with what is pinned as well.
            let apart = group.rules.apart.is_none_or(|kind| {
                every_pair(&|one, other| !share(kind, one.0, other.0) || (one.1 && other.1))
            });
            let together =
                group.rules.together.is_none_or(|kind| every_pair(&|one, other| share(kind, one.0, other.0)));
            let decided = group.members.iter().filter(|member| self.decided.contains(member));
            let placed = decided.clone().filter(|member| self.gpu_of(**member, sets).is_some()).count();
            apart && together && (!group.rules.as_one || placed == 0 || placed == decided.count())
        })
    }

    fn admit_on_hosts(&self, sets: &[Set]) -> bool {
        let cluster = &self.problem.cluster;
        !self.problem.host_resources
            || cluster.hosts.iter().enumerate().all(|(number, host)| {
                let workloads = cluster.workload_indices().filter(|&workload| {
                    self.gpu_of(workload, sets).is_some_and(|gpu| host_of(cluster, gpu) == Some(number))
                });
                let (mut cpu, mut memory) = (Amount::ZERO, Amount::ZERO);
                for workload in workloads {
                    cpu += cluster.workloads[workload.index()].cpu;
                    memory += cluster.workloads[workload.index()].memory;
                }
                host.cpu.is_none_or(|most| cpu <= most) && host.memory.is_none_or(|most| memory <= most)
            })
    }
}

fn host_of(cluster: &Cluster, gpu: GpuIndex) -> Option<usize> {
    cluster.gpus[gpu.index()].host.map(|host| host.index())
}

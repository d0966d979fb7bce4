//! The rules of clusters as heuristics keep them: where a workload may go while others are where they are, and how much has changed.

use crate::instance::{GpuRole, Problem, Role};
use crate::section::Shifts;
use cluster::{GpuIndex, Location, Placement, Site, WorkloadIndex};
use ground::Amount;
use std::collections::BTreeMap;

/// What the rules have to know about where everything is.
#[derive(Clone)]
pub struct Rules<'p> {
    problem: &'p Problem,
    /// By group: how many of its workloads are on each node or GPU, as the group's rules to keep apart and to be together see it.
    apart: Vec<BTreeMap<Site, u32>>,
    together: Vec<BTreeMap<Site, u32>>,
    /// By host: CPU and main memory of what is there.
    used: Vec<[Amount; 2]>,
    /// Who is moved, where that is limited.
    moved: Option<Tally>,
    /// Who is disrupted, where that is limited.
    disrupted: Option<Tally>,
}

/// Running workloads that count as changed.
#[derive(Clone)]
struct Tally {
    /// By workload: for how many reasons it counts; itself is one, and so is each group that counts as one with a changed workload.
    reasons: Vec<u32>,
    /// By group: how many of its workloads are changed by themselves.
    in_group: Vec<u32>,
    all: u32,
    /// By host on which they run now.
    by_host: Vec<u32>,
}

impl<'p> Rules<'p> {
    /// For a cluster on which nothing has a place yet.
    pub fn of(problem: &'p Problem) -> Self {
        let (cluster, limits) = (&problem.cluster, &problem.limits);
        let budgets =
            limits.max_disrupted.is_some() || cluster.hosts.iter().any(|host| host.max_disrupted.is_some());
        Rules {
            problem,
            apart: vec![BTreeMap::new(); cluster.groups.len()],
            together: vec![BTreeMap::new(); cluster.groups.len()],
            used: vec![[Amount::ZERO; 2]; cluster.hosts.len()],
            moved: limits.max_migrations.map(|_| Tally::of_all(problem)),
            disrupted: budgets.then(|| Tally::of_all(problem)),
        }
    }

    /// Whether a workload may join a GPU as far as the rules know.
    pub fn admit(&self, workload: WorkloadIndex, gpu: GpuIndex) -> bool {
        let cluster = &self.problem.cluster;
        cluster.admits(workload, gpu)
            && cluster.groups_of(workload).all(|(index, group)| {
                let is_alone = |kind| !self.apart[index.index()].contains_key(&cluster.site_of(gpu, kind));
                let is_with_all = |kind| {
                    let sites = &self.together[index.index()];
                    sites.keys().all(|site| *site == cluster.site_of(gpu, kind))
                };
                group.rules.apart.is_none_or(is_alone) && group.rules.together.is_none_or(is_with_all)
            })
            && self.host_suffices(workload, gpu)
    }

    /// A decided workload with a place, of a group that counts as one and of which another one has none.
    pub fn first_placed_in_part(&self, placement: &Placement) -> Option<WorkloadIndex> {
        let as_one = self.problem.cluster.groups.iter().filter(|group| group.rules.as_one);
        as_one
            .map(|group| {
                group.members.iter().copied().filter(|&member| self.problem.role(member).is_decided())
            })
            .filter(|members| members.clone().any(|member| placement.of(member).is_none()))
            .find_map(|mut members| members.find(|&member| placement.of(member).is_some()))
    }

    fn host_suffices(&self, workload: WorkloadIndex, gpu: GpuIndex) -> bool {
        let cluster = &self.problem.cluster;
        let Some(host) = cluster.gpus[gpu.index()].host.filter(|_| self.problem.host_resources) else {
            return true;
        };
        let needs = &cluster.workloads[workload.index()];
        let ([cpu, memory], host) = (self.used[host.index()], &cluster.hosts[host.index()]);
        host.cpu.is_none_or(|most| cpu + needs.cpu <= most)
            && host.memory.is_none_or(|most| memory + needs.memory <= most)
    }

    /// A workload gets a place.
    pub fn placed(&mut self, workload: WorkloadIndex, place: Location) {
        self.count(workload, place, |number| *number += 1, |used, need| *used += need);
        self.change(workload, place, Tally::unchanged);
    }

    /// A workload loses its place.
    pub fn lifted(&mut self, workload: WorkloadIndex, place: Location) {
        self.count(workload, place, |number| *number -= 1, |used, need| *used = *used - need);
        self.change(workload, place, Tally::changed);
    }

    fn count(
        &mut self,
        workload: WorkloadIndex,
        place: Location,
        number: impl Fn(&mut u32),
        amount: impl Fn(&mut Amount, Amount),
    ) {
        let cluster = &self.problem.cluster;
        for (index, group) in cluster.groups_of(workload) {
            let sites = [(group.rules.apart, &mut self.apart), (group.rules.together, &mut self.together)];
            for (kind, by_group) in sites {
                let Some(kind) = kind else { continue };
                let by_site = &mut by_group[index.index()];
                let site = cluster.site_of(place.gpu, kind);
                number(by_site.entry(site).or_default());
                by_site.retain(|_, number| *number > 0);
            }
        }
        if let Some(host) = cluster.gpus[place.gpu.index()].host {
            let needs = &cluster.workloads[workload.index()];
            let [cpu, memory] = &mut self.used[host.index()];
            amount(cpu, needs.cpu);
            amount(memory, needs.memory);
        }
    }

    /// Tells the tallies of which a workload is unchanged in this place.
    fn change(
        &mut self,
        workload: WorkloadIndex,
        place: Location,
        tell: fn(&mut Tally, &Problem, WorkloadIndex),
    ) {
        let problem = self.problem;
        let before = problem.cluster.workloads[workload.index()].current;
        let Some(before) = before.filter(|_| problem.role(workload) == Role::Resident) else { return };
        // Beside something pinned a shift may count; a GPU without that may be repartitioned.
        let may_shift =
            problem.limits.shifts == Shifts::Free && problem.gpu_role(place.gpu) == GpuRole::Occupied;
        if place == before || (place.gpu == before.gpu && may_shift) {
            self.moved.iter_mut().for_each(|tally| tell(tally, problem, workload));
        }
        if place == before {
            self.disrupted.iter_mut().for_each(|tally| tell(tally, problem, workload));
        }
    }

    /// Whether no more has changed than may.
    pub fn are_within_limits(&self) -> bool {
        let limits = &self.problem.limits;
        let within = |tally: &Option<Tally>, most: Option<u32>| match (tally, most) {
            (Some(tally), Some(most)) => tally.all <= most,
            _ => true,
        };
        let hosts = self.problem.cluster.hosts.iter().enumerate();
        let hosts_within = |tally: &Tally| {
            hosts
                .clone()
                .all(|(host, about)| about.max_disrupted.is_none_or(|most| tally.by_host[host] <= most))
        };
        within(&self.moved, limits.max_migrations)
            && within(&self.disrupted, limits.max_disrupted)
            && self.disrupted.as_ref().is_none_or(hosts_within)
    }
}

impl Tally {
    /// All that run and may be moved.
    fn of_all(problem: &Problem) -> Self {
        let cluster = &problem.cluster;
        let mut tally = Tally {
            reasons: vec![0; cluster.workloads.len()],
            in_group: vec![0; cluster.groups.len()],
            all: 0,
            by_host: vec![0; cluster.hosts.len()],
        };
        let residents = problem.decided().filter(|&workload| problem.role(workload) == Role::Resident);
        residents.for_each(|workload| tally.changed(problem, workload));
        tally
    }

    fn changed(&mut self, problem: &Problem, workload: WorkloadIndex) {
        self.one_more(problem, workload);
        for (index, group) in problem.cluster.groups_of(workload).filter(|(_, group)| group.rules.as_one) {
            self.in_group[index.index()] += 1;
            if self.in_group[index.index()] == 1 {
                group.members.iter().for_each(|&member| self.one_more(problem, member));
            }
        }
    }

    fn unchanged(&mut self, problem: &Problem, workload: WorkloadIndex) {
        self.one_less(problem, workload);
        for (index, group) in problem.cluster.groups_of(workload).filter(|(_, group)| group.rules.as_one) {
            self.in_group[index.index()] -= 1;
            if self.in_group[index.index()] == 0 {
                group.members.iter().for_each(|&member| self.one_less(problem, member));
            }
        }
    }

    fn one_more(&mut self, problem: &Problem, workload: WorkloadIndex) {
        self.reasons[workload.index()] += 1;
        if self.reasons[workload.index()] == 1 {
            self.counts(problem, workload, |number| *number += 1);
        }
    }

    fn one_less(&mut self, problem: &Problem, workload: WorkloadIndex) {
        self.reasons[workload.index()] -= 1;
        if self.reasons[workload.index()] == 0 {
            self.counts(problem, workload, |number| *number -= 1);
        }
    }

    fn counts(&mut self, problem: &Problem, workload: WorkloadIndex, change: impl Fn(&mut u32)) {
        if problem.role(workload) != Role::Resident {
            return;
        }
        change(&mut self.all);
        let place = problem.cluster.workloads[workload.index()].current.expect("residents run");
        if let Some(host) = problem.cluster.gpus[place.gpu.index()].host {
            change(&mut self.by_host[host.index()]);
        }
    }
}

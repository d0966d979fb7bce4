//! Which rules of an instance can exclude anything, and which GPUs they tell apart.
//!
//! Where there are none, all GPUs of a board are alike and programs are as small as can be. Every rule makes only those GPUs
//! differ on which it can matter where a workload is.

use crate::instance::{GpuRole, Problem, Role};
use crate::section::Shifts;
use cluster::{
    BoardIndex, Demands, GpuIndex, Group, GroupIndex, HostIndex, NodeSetIndex, Resource, Site, SiteKind,
    WorkloadIndex,
};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// How much it matters in which slots residents end up on a GPU that is laid out anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slots {
    /// Not at all.
    Indifferent,
    /// Whoever gets another start is disrupted, and somebody counts that.
    Disrupting,
    /// Whoever gets another start has moved.
    Moving,
}

/// What of a group's rules can exclude something.
#[derive(Clone, Copy, Default)]
struct GroupConcern {
    apart: Option<SiteKind>,
    together: Option<SiteKind>,
    /// Several of its workloads have to be placed all or not at all.
    placed_as_one: bool,
    /// Several running ones count as moved, or disrupted, all as soon as one of them is.
    moved_as_one: bool,
}

/// GPUs that no rule tells apart.
pub(super) struct Alike {
    pub board: BoardIndex,
    /// The board's name and, where there are others of the board, what makes these differ.
    pub name: String,
    pub gpus: Vec<GpuIndex>,
}

/// The rules that can exclude something.
pub(super) struct Concerns {
    /// By group.
    groups: Vec<GroupConcern>,
    /// Sets of nodes that leave out some GPU which takes part.
    sets: Vec<NodeSetIndex>,
    /// What may run short on a host.
    pub resources: Vec<(HostIndex, Resource)>,
    /// Hosts on which fewer workloads may be disrupted than could be.
    pub budgets: Vec<(HostIndex, u32)>,
    /// Most migrations, where there could be more.
    pub max_migrations: Option<u32>,
    /// Most disrupted workloads, where there could be more.
    pub max_disrupted: Option<u32>,
    /// Whether another start on the same GPU is a move.
    shifts_are_moves: bool,
    /// By GPU: whether its node is told apart from others, and whether it is itself. Empty where no rule does so.
    by_node: Vec<bool>,
    by_gpu: Vec<bool>,
}

impl Concerns {
    pub fn of(problem: &Problem) -> Self {
        let cluster = &problem.cluster;
        let count = |role: Role| problem.roles.iter().filter(|&&other| other == role).count();
        let limit = |most: Option<u32>| most.filter(|&most| (most as usize) < count(Role::Resident));
        let groups = cluster.groups.iter().map(|group| GroupConcern::of(problem, group)).collect();
        let mut concerns = Concerns {
            groups,
            sets: sets(problem),
            resources: resources(problem),
            budgets: budgets(problem),
            max_migrations: limit(problem.limits.max_migrations),
            max_disrupted: limit(problem.limits.max_disrupted),
            shifts_are_moves: problem.limits.shifts == Shifts::Counted && count(Role::Resident) > 0,
            by_node: Vec::new(),
            by_gpu: Vec::new(),
        };
        concerns.tell_apart(problem);
        concerns
    }

    /// Whether there is no such rule.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
            && self.resources.is_empty()
            && self.budgets.is_empty()
            && self.max_migrations.is_none()
            && self.max_disrupted.is_none()
            && !self.shifts_are_moves
            && !self.groups.iter().any(GroupConcern::is_any)
    }

    /// Groups that keep apart by nodes or GPUs.
    pub fn apart(&self) -> impl Iterator<Item = (GroupIndex, SiteKind)> {
        self.groups().filter_map(|(index, group)| Some((index, group.apart?)))
    }

    /// Groups whose workloads belong on one node or GPU.
    pub fn together(&self) -> impl Iterator<Item = (GroupIndex, SiteKind)> {
        self.groups().filter_map(|(index, group)| Some((index, group.together?)))
    }

    /// Groups of which all or none get a place.
    pub fn placed_as_one(&self) -> impl Iterator<Item = GroupIndex> {
        self.groups().filter(|(_, group)| group.placed_as_one).map(|(index, _)| index)
    }

    /// Groups that move all as soon as one of them moves.
    pub fn moved_as_one(&self) -> impl Iterator<Item = GroupIndex> {
        self.groups().filter(|(_, group)| group.moved_as_one).map(|(index, _)| index)
    }

    /// Whether a group moves as soon as one of it moves.
    pub fn moves_as_one(&self, group: GroupIndex) -> bool {
        self.groups[group.index()].moved_as_one
    }

    /// The groups of a workload whose rules can exclude something.
    pub fn groups_of(&self, problem: &Problem, workload: WorkloadIndex) -> Vec<GroupIndex> {
        let groups = &problem.cluster.workloads[workload.index()].particulars().groups;
        groups.iter().copied().filter(|group| self.groups[group.index()].is_any()).collect()
    }

    /// The set of nodes to which a workload is bound, where that excludes something.
    pub fn set_of(&self, problem: &Problem, workload: WorkloadIndex) -> Option<NodeSetIndex> {
        problem.cluster.workloads[workload.index()].particulars().nodes.filter(|set| self.sets.contains(set))
    }

    /// What may run short on the host of a GPU.
    pub fn resources_of(&self, problem: &Problem, gpu: GpuIndex) -> impl Iterator<Item = &Resource> {
        let own = problem.cluster.gpus[gpu.index()].host;
        self.resources.iter().filter(move |(host, _)| Some(*host) == own).map(|(_, resource)| resource)
    }

    /// How much slots matter on a GPU.
    pub fn slots(&self, problem: &Problem, gpu: GpuIndex) -> Slots {
        let host = problem.cluster.gpus[gpu.index()].host;
        let counted_here = || self.budgets.iter().any(|(other, _)| Some(*other) == host);
        // A group that counts as one is disrupted on a host with a budget when one of its workloads is elsewhere.
        let counted_elsewhere = || !self.budgets.is_empty() && self.moved_as_one().next().is_some();
        if self.shifts_are_moves {
            Slots::Moving
        } else if self.max_disrupted.is_some() || counted_here() || counted_elsewhere() {
            Slots::Disrupting
        } else {
            Slots::Indifferent
        }
    }

    /// GPUs that no rule tells apart, in the order of the cluster: all of a board where there is no such rule. A board without GPUs has none.
    pub fn alike(&self, problem: &Problem) -> Vec<Alike> {
        let boards = (0..problem.cluster.boards.len()).map(BoardIndex::at);
        boards.flat_map(|board| self.alike_of(problem, board)).collect()
    }

    fn alike_of(&self, problem: &Problem, board: BoardIndex) -> Vec<Alike> {
        let name = problem.cluster.boards[board.index()].name();
        let gpus = || {
            problem.cluster.gpu_indices().filter(move |&gpu| problem.board_index(gpu) == board).collect_vec()
        };
        if gpus().is_empty() {
            return Vec::new();
        }
        if self.sets.is_empty() && self.by_node.is_empty() {
            return vec![Alike { board, name: name.to_owned(), gpus: gpus() }];
        }
        let mut numbers = BTreeMap::new();
        let mut alike: Vec<Alike> = Vec::new();
        for gpu in gpus().into_iter().filter(|&gpu| takes_part(problem, gpu)) {
            let sets: Vec<usize> =
                (self.sets.iter()).positions(|&set| problem.cluster.node_set_has(set, gpu)).collect();
            let site = self.site_told_apart(problem, gpu);
            let number = *numbers.entry((sets.clone(), site)).or_insert_with(|| {
                let what = match site {
                    Some(site) => problem.cluster.site_name(site).to_owned(),
                    None => format!("nodes{}", sets.iter().join(".")),
                };
                alike.push(Alike { board, name: format!("{name}@{what}"), gpus: Vec::new() });
                alike.len() - 1
            });
            alike[number].gpus.push(gpu);
        }
        if let [one] = alike.as_mut_slice() {
            one.name = name.to_owned();
        }
        if alike.is_empty() {
            alike.push(Alike { board, name: name.to_owned(), gpus: gpus() });
        }
        alike
    }

    /// The node or the GPU itself, where rules make it a place of its own.
    fn site_told_apart(&self, problem: &Problem, gpu: GpuIndex) -> Option<Site> {
        let is = |told: &[bool]| told.get(gpu.index()) == Some(&true);
        if is(&self.by_gpu) {
            Some(Site::Gpu(gpu))
        } else {
            is(&self.by_node).then(|| problem.cluster.site_of(gpu, SiteKind::Node))
        }
    }

    fn groups(&self) -> impl Iterator<Item = (GroupIndex, &GroupConcern)> {
        (0..).map(GroupIndex::at).zip(&self.groups)
    }

    /// Finds out which nodes and GPUs are places of their own.
    fn tell_apart(&mut self, problem: &Problem) {
        let number = problem.cluster.gpus.len();
        let kinds = self.apart().chain(self.together()).collect_vec();
        if kinds.is_empty() && self.resources.is_empty() && self.budgets.is_empty() {
            return;
        }
        self.by_node = vec![false; number];
        self.by_gpu = vec![false; number];
        for (group, kind) in kinds {
            let told = match kind {
                SiteKind::Node => &mut self.by_node,
                SiteKind::Gpu => &mut self.by_gpu,
            };
            gpus_within_reach(problem, &problem.cluster.groups[group.index()])
                .into_iter()
                .for_each(|gpu| told[gpu.index()] = true);
        }
        let mut hosts: BTreeSet<HostIndex> = self.resources.iter().map(|(host, _)| *host).collect();
        hosts.extend(self.budgets.iter().map(|(host, _)| host));
        for (told, gpu) in self.by_node.iter_mut().zip(&problem.cluster.gpus) {
            *told |= gpu.host.is_some_and(|host| hosts.contains(&host));
        }
    }
}

impl GroupConcern {
    fn of(problem: &Problem, group: &Group) -> Self {
        let count = |role: Role| group.members.iter().filter(|member| problem.role(**member) == role).count();
        let [pinned, residents, newcomers] = [Role::Pinned, Role::Resident, Role::Newcomer].map(count);
        let decided = residents + newcomers;
        let several = decided > 0 && pinned + decided > 1;
        GroupConcern {
            apart: group.rules.apart.filter(|_| several),
            together: group.rules.together.filter(|_| several),
            placed_as_one: group.rules.as_one && decided > 1,
            moved_as_one: group.rules.as_one && residents > 1,
        }
    }

    fn is_any(&self) -> bool {
        self.apart.is_some() || self.together.is_some() || self.placed_as_one || self.moved_as_one
    }
}

fn takes_part(problem: &Problem, gpu: GpuIndex) -> bool {
    problem.gpu_role(gpu) != GpuRole::NotConsidered
}

/// GPUs on which decided workloads of a group are or might be put.
fn gpus_within_reach(problem: &Problem, group: &Group) -> BTreeSet<GpuIndex> {
    let decided = || group.members.iter().copied().filter(|member| problem.role(*member).is_decided());
    let current = |member: WorkloadIndex| problem.cluster.workloads[member.index()].current;
    let asks = |member: &WorkloadIndex| {
        let workload = &problem.cluster.workloads[member.index()];
        (workload.request, workload.particulars().nodes)
    };
    let mut gpus: BTreeSet<GpuIndex> = decided().filter_map(|member| Some(current(member)?.gpu)).collect();
    for member in decided().unique_by(asks) {
        let request = problem.cluster.workloads[member.index()].request;
        let on_board = &problem.cluster.requests[request.index()].on_board;
        gpus.extend(problem.cluster.gpu_indices().filter(|&gpu| {
            takes_part(problem, gpu)
                && problem.maintenance(gpu).is_in_service()
                && on_board[problem.board_index(gpu).index()].is_some()
                && problem.cluster.admits(member, gpu)
        }));
    }
    gpus
}

/// Sets of nodes that matter.
fn sets(problem: &Problem) -> Vec<NodeSetIndex> {
    if problem.cluster.node_sets.is_empty() {
        return Vec::new();
    }
    let nodes = |workload: WorkloadIndex| problem.cluster.workloads[workload.index()].particulars().nodes;
    let asked: BTreeSet<NodeSetIndex> = problem.decided().filter_map(nodes).collect();
    let leaves_out = |set: &NodeSetIndex| {
        let mut gpus = problem.cluster.gpu_indices();
        gpus.any(|gpu| takes_part(problem, gpu) && !problem.cluster.node_set_has(*set, gpu))
    };
    asked.into_iter().filter(leaves_out).collect()
}

/// What may run short on the hosts that take part.
fn resources(problem: &Problem) -> Vec<(HostIndex, Resource)> {
    if !problem.host_resources {
        return Vec::new();
    }
    let demands = Demands::of(&problem.cluster);
    let taking_part: BTreeSet<HostIndex> = (problem.cluster.gpu_indices())
        .filter(|&gpu| takes_part(problem, gpu))
        .filter_map(|gpu| problem.cluster.gpus[gpu.index()].host)
        .collect();
    let of_host = |index: HostIndex| {
        let host = &problem.cluster.hosts[index.index()];
        demands.limited(&[(host.cpu, host.memory)]).map(move |resource| (index, resource))
    };
    taking_part.into_iter().flat_map(of_host).collect()
}

/// Budgets of the hosts that could be exceeded.
fn budgets(problem: &Problem) -> Vec<(HostIndex, u32)> {
    if problem.cluster.hosts.iter().all(|host| host.max_disrupted.is_none()) {
        return Vec::new();
    }
    let mut residents = vec![0; problem.cluster.hosts.len()];
    for workload in problem.decided() {
        let current = problem.cluster.workloads[workload.index()].current;
        if let Some(host) = current.and_then(|place| problem.cluster.gpus[place.gpu.index()].host) {
            residents[host.index()] += 1;
        }
    }
    let budgets = problem.cluster.hosts.iter().zip(residents).enumerate();
    budgets
        .filter_map(|(host, (limits, residents))| Some((host, limits.max_disrupted?, residents)))
        .filter(|&(_, most, residents)| most < residents)
        .map(|(host, most, _)| (HostIndex::at(host), most))
        .collect()
}

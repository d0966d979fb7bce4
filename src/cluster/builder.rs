//! From the sections of an instance file to a validated cluster.

use super::boards::OwnBoards;
use super::{
    BoardIndex, BudgetIndex, ClassIndex, Cluster, DisruptionBudget, DisruptionBudgetSection, Gpu, GpuIndex,
    GpuSection, Group, GroupIndex, GroupSection, Host, HostGpus, HostIndex, HostResources, HostSection,
    Labels, Location, Maintenance, NodeSelector, NodeSet, NodeSetIndex, OneOrMany, Particulars, Placement,
    Request, RequestIndex, SiteKind, Spot, Violation, Workload, WorkloadIndex, WorkloadSection, check,
};
use ground::{
    At, Complaints, Counted, InputError, LARGEST_COUNT, Located, NameIndex, SourceText, did_you_mean,
    duplicate, in_range,
};
use itertools::Itertools;
use mig::{Board, ComputeInstance, Geometry, SliceStart, catalogue};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The sections of a file that describe a cluster. Those of which there may be millions are given away: each is freed once it is read.
pub struct Described<'f> {
    /// Boards that the file describes.
    pub boards: &'f BTreeMap<String, Located<Geometry>>,
    /// Hosts with their GPUs.
    pub hosts: Vec<Located<HostSection>>,
    /// GPUs outside any host.
    pub gpus: Vec<Located<GpuSection>>,
    /// Workloads.
    pub workloads: Vec<Located<WorkloadSection>>,
    /// Disruption budgets.
    pub budgets: &'f [Located<DisruptionBudgetSection>],
    /// Groups of workloads.
    pub groups: &'f [Located<GroupSection>],
}

/// Builds the cluster that the sections describe.
///
/// # Errors
/// All rules broken, one for each entry, with the line and the field: unknown boards, profiles or GPUs, duplicate names, zero counts,
/// negative numbers, current places that are illegal or overlap, an empty cluster.
pub fn build(source: &SourceText, name: String, described: Described<'_>) -> Result<Cluster, InputError> {
    let Described { boards, hosts, gpus, workloads, budgets, groups } = described;
    let mut complaints = Complaints::default();
    let numbers = Numbers::of(&hosts, &gpus, &workloads);
    let mut builder = Builder::new(source, name, boards, numbers, &mut complaints);
    complaints.keep_each(hosts, |host| builder.add_host(&host));
    complaints.keep_each(gpus, |gpu| builder.add_gpus(&gpu));
    builder.knows_all_gpus = complaints.is_empty();
    if builder.knows_all_gpus && builder.cluster.gpus.is_empty() {
        return Err(source.error(
            "the cluster has no GPU. List GPUs under `gpus` or hosts with GPUs under `hosts`; see instances/ for examples.",
        ));
    }
    complaints.keep_each(budgets, |budget| builder.add_budget(budget));
    builder.knows_all_budgets = builder.cluster.budgets.len() == budgets.len();
    complaints.keep_each(groups, |group| builder.add_group(group));
    builder.knows_all_groups = builder.cluster.groups.len() == groups.len();
    let note_on_replicas = note_on_replicas(&workloads);
    complaints.keep_each(workloads, |workload| builder.add_workloads(&workload));
    builder.list_node_sets();
    if complaints.is_empty() {
        builder.check_current_state(&mut complaints);
        builder.note_misplaced_residents();
    }
    builder.cluster.notes.extend(note_on_replicas);
    complaints.finish(Some(builder.cluster))
}

/// How many things sections ask for, as far as so many are allowed. Lists of millions then need not be moved as they grow.
struct Numbers {
    gpus: usize,
    workloads: usize,
}

impl Numbers {
    fn of(
        hosts: &[Located<HostSection>],
        gpus: &[Located<GpuSection>],
        workloads: &[Located<WorkloadSection>],
    ) -> Self {
        let of_hosts = hosts.iter().map(|host| host.value.gpus_of_all());
        let alone = gpus.iter().map(|gpu| gpu.value.count.map_or(1, u64::from));
        let replicas = workloads.iter().map(|workload| workload.value.replicas.map_or(1, u64::from));
        Numbers { gpus: allowed(of_hosts.chain(alone)), workloads: allowed(replicas) }
    }
}

/// The sum, as far as it is allowed.
fn allowed(numbers: impl Iterator<Item = u64>) -> usize {
    let sum = numbers.fold(0, u64::saturating_add);
    usize::try_from(sum).map_or(LARGEST_COUNT, |sum| sum.min(LARGEST_COUNT))
}

struct Builder<'a> {
    source: &'a SourceText,
    boards: OwnBoards,
    board_numbers: BTreeMap<String, BoardIndex>,
    /// Where hosts, GPUs and workloads stand, and which has a name, by their positions in the cluster.
    host_places: Vec<At>,
    hosts: NameIndex,
    gpu_places: Vec<At>,
    gpus: NameIndex,
    workload_places: Vec<At>,
    workloads: NameIndex,
    request_numbers: BTreeMap<Vec<String>, RequestIndex>,
    /// Those of workloads that are bound to boards: by profiles and boards.
    bound_request_numbers: BTreeMap<(Vec<String>, Vec<String>), RequestIndex>,
    /// The classes that workloads name.
    class_numbers: BTreeMap<String, ClassIndex>,
    budget_places: Vec<At>,
    /// Whether no budget was refused.
    knows_all_budgets: bool,
    group_places: Vec<At>,
    /// Whether no group was refused.
    knows_all_groups: bool,
    /// Labels of the nodes: of the hosts, and of the GPUs outside any host.
    host_labels: Vec<Labels>,
    gpu_labels: BTreeMap<GpuIndex, Labels>,
    /// The sets of nodes to which workloads are bound, by their `nodes` and `node_selector`.
    node_set_numbers: BTreeMap<(Option<OneOrMany<String>>, Option<NodeSelector>), NodeSetIndex>,
    known_node_sets: BTreeMap<NodeSet, NodeSetIndex>,
    /// Whether no host, no GPU and no board was refused, so that what is not found is not there.
    knows_all_gpus: bool,
    cluster: Cluster,
}

impl<'a> Builder<'a> {
    fn new(
        source: &'a SourceText,
        name: String,
        boards: &BTreeMap<String, Located<Geometry>>,
        numbers: Numbers,
        complaints: &mut Complaints,
    ) -> Self {
        Builder {
            source,
            boards: OwnBoards::read(source, boards, complaints),
            board_numbers: BTreeMap::new(),
            host_places: Vec::new(),
            hosts: NameIndex::default(),
            gpu_places: Vec::with_capacity(numbers.gpus),
            gpus: NameIndex::with_capacity(numbers.gpus),
            workload_places: Vec::with_capacity(numbers.workloads),
            workloads: NameIndex::with_capacity(numbers.workloads),
            request_numbers: BTreeMap::new(),
            bound_request_numbers: BTreeMap::new(),
            class_numbers: BTreeMap::new(),
            budget_places: Vec::new(),
            knows_all_budgets: true,
            group_places: Vec::new(),
            knows_all_groups: true,
            host_labels: Vec::new(),
            gpu_labels: BTreeMap::new(),
            node_set_numbers: BTreeMap::new(),
            known_node_sets: BTreeMap::new(),
            knows_all_gpus: true,
            cluster: Cluster {
                name,
                gpus: Vec::with_capacity(numbers.gpus),
                workloads: Vec::with_capacity(numbers.workloads),
                ..Cluster::default()
            },
        }
    }

    fn add_host(&mut self, section: &Located<HostSection>) -> Result<(), InputError> {
        let (host, at) = (&section.value, section.at);
        if host.gpus.as_slice().iter().any(|group| self.boards.has_refused(&group.board)) {
            return Ok(());
        }
        for (field, amount) in [("cpu", host.cpu), ("memory_gib", host.memory_gib), ("weight", host.weight)] {
            if let Some(amount) = amount {
                in_range(self.source, at, format_args!("host `{}`", host.name), field, amount)?;
            }
        }
        self.not_too_many_gpus(at, host.gpus_of_all())?;
        let counted =
            Counted { at, kind: "host", name: &host.name, field: "count", count: host.count, joint: "-" };
        for name in counted.names(self.source)? {
            let index = HostIndex::at(self.cluster.hosts.len());
            let hosts = &self.cluster.hosts;
            if let Some(first) = self.hosts.add(&name, index.index(), |position| &hosts[position].name) {
                return Err(duplicate(self.source, at, "hosts", &name, self.host_places[first]));
            }
            self.host_places.push(at);
            self.cluster.hosts.push(Host {
                name: name.clone(),
                cpu: host.cpu,
                memory: host.memory_gib,
                weight: host.weight,
                max_disrupted: host.max_disrupted,
            });
            self.host_labels.push(host.labels.clone());
            let mut numbers = BTreeSet::new();
            for group in host.gpus.as_slice() {
                self.check_numbers(at, &name, group)?;
                let board = self.board(at, &group.board)?;
                let maintenance = Maintenance::of(host.cordoned, host.drain)
                    .max(Maintenance::of(group.cordoned, group.drain));
                let next = numbers.last().map_or(0, |last: &u32| last.saturating_add(1));
                for number in group.numbered(next) {
                    if !numbers.insert(number) {
                        let message = format!(
                            "host `{name}` has two GPUs of number {number}. Give each its own under `numbers`."
                        );
                        return Err(self.source.error_at(at, Some("numbers"), message));
                    }
                    let name = format!("{name}/{number}");
                    self.add_gpu(at, Gpu { name, host: Some(index), board, maintenance })?;
                }
            }
        }
        Ok(())
    }

    /// GPUs of a host are counted or numbered, and there is one at least.
    fn check_numbers(&self, at: At, host: &str, group: &HostGpus) -> Result<(), InputError> {
        let (count, numbers) = (group.count.unwrap_or(1), group.numbers.as_ref().map(Vec::len));
        if numbers.is_some_and(|numbers| count != 1 && count as usize != numbers) {
            let message = format!(
                "host `{host}`: its {} GPUs have a `count` that is not that of their `numbers`. Leave `count` out.",
                group.board
            );
            return Err(self.source.error_at(at, Some("numbers"), message));
        }
        if !group.is_empty() {
            return Ok(());
        }
        if group.numbers.is_some() {
            let message = format!(
                "host `{host}`: `numbers` of its {} GPUs is an empty list. Name at least one, or remove them.",
                group.board
            );
            return Err(self.source.error_at(at, Some("numbers"), message));
        }
        let message = format!(
            "host `{host}`: `count` of its {} GPUs is 0. Use at least 1, or remove them.",
            group.board
        );
        Err(self.source.error_at_value(at, "count", "0", message))
    }

    fn add_gpus(&mut self, section: &Located<GpuSection>) -> Result<(), InputError> {
        let (gpu, at) = (&section.value, section.at);
        if self.boards.has_refused(&gpu.board) {
            return Ok(());
        }
        let board = self.board(at, &gpu.board)?;
        let maintenance = Maintenance::of(gpu.cordoned, gpu.drain);
        self.not_too_many_gpus(at, gpu.count.map_or(1, u64::from))?;
        let counted =
            Counted { at, kind: "GPU", name: &gpu.name, field: "count", count: gpu.count, joint: "-" };
        for name in counted.names(self.source)? {
            if !gpu.labels.is_empty() {
                self.gpu_labels.insert(GpuIndex::at(self.cluster.gpus.len()), gpu.labels.clone());
            }
            self.add_gpu(at, Gpu { name, host: None, board, maintenance })?;
        }
        Ok(())
    }

    fn add_gpu(&mut self, at: At, gpu: Gpu) -> Result<(), InputError> {
        let gpus = &self.cluster.gpus;
        if let Some(first) = self.gpus.add(&gpu.name, gpus.len(), |position| &gpus[position].name) {
            return Err(duplicate(self.source, at, "GPUs", &gpu.name, self.gpu_places[first]));
        }
        self.gpu_places.push(at);
        self.cluster.gpus.push(gpu);
        Ok(())
    }

    fn host_named(&self, name: &str) -> Option<HostIndex> {
        self.hosts.find(name, |position| &self.cluster.hosts[position].name).map(HostIndex::at)
    }

    fn gpu_named(&self, name: &str) -> Option<GpuIndex> {
        self.gpus.find(name, |position| &self.cluster.gpus[position].name).map(GpuIndex::at)
    }

    fn workload_named(&self, name: &str) -> Option<WorkloadIndex> {
        self.workloads.find(name, |position| &self.cluster.workloads[position].name).map(WorkloadIndex::at)
    }

    /// Told before any of them is made.
    fn not_too_many_gpus(&self, at: At, more: u64) -> Result<(), InputError> {
        if (self.cluster.gpus.len() as u64).saturating_add(more) <= LARGEST_COUNT as u64 {
            return Ok(());
        }
        let message = format!("the cluster has more than {LARGEST_COUNT} GPUs. Lower `count`.");
        Err(self.source.error_at(at, Some("count"), message))
    }

    fn board(&mut self, at: At, name: &str) -> Result<BoardIndex, InputError> {
        let key = name.to_lowercase();
        if let Some(&index) = self.board_numbers.get(&key) {
            return Ok(index);
        }
        let unusable = |message: String| self.source.error_at_value(at, "board", name, message);
        let board = self.boards.find(name).map_err(unusable)?;
        // Two names may mean one board.
        let index = match self.cluster.boards.iter().position(|known| Arc::ptr_eq(known, &board)) {
            Some(position) => BoardIndex::at(position),
            None => {
                self.cluster.boards.push(board);
                BoardIndex::at(self.cluster.boards.len() - 1)
            }
        };
        self.board_numbers.insert(key, index);
        Ok(index)
    }

    fn add_workloads(&mut self, section: &Located<WorkloadSection>) -> Result<(), InputError> {
        let (workload, at) = (&section.value, section.at);
        self.check_amounts(at, workload)?;
        let request = match &workload.boards {
            None => self.request(at, workload)?,
            Some(boards) => self.bound_request(at, workload, boards.as_slice())?,
        };
        let class = self.class(at, workload)?;
        let particulars = self.particulars(at, workload)?;
        let counted = Counted {
            at,
            kind: "workload",
            name: &workload.name,
            field: "replicas",
            count: workload.replicas,
            joint: "#",
        };
        let names = counted.names(self.source)?;
        let spots = workload.current.as_ref().map_or(&[][..], |current| current.as_slice());
        if spots.len() > names.len() {
            let message = format!(
                "workload `{}` has {} current places but {} replica(s). Raise `replicas` or remove places.",
                workload.name,
                spots.len(),
                names.len()
            );
            return Err(self.source.error_at(at, Some("current"), message));
        }
        for (replica, name) in names.enumerate() {
            if self.cluster.workloads.len() >= LARGEST_COUNT {
                let message = format!("there are more than {LARGEST_COUNT} workloads. Lower `replicas`.");
                return Err(self.source.error_at(at, Some("replicas"), message));
            }
            let current =
                spots.get(replica).map(|spot| self.location(at, workload, spot)).transpose()?.flatten();
            let workloads = &self.cluster.workloads;
            let position = workloads.len();
            if let Some(first) = self.workloads.add(&name, position, |position| &workloads[position].name) {
                return Err(duplicate(self.source, at, "workloads", &name, self.workload_places[first]));
            }
            self.workload_places.push(at);
            self.cluster.workloads.push(Workload {
                name,
                request,
                cpu: workload.cpu,
                memory: workload.memory_gib,
                movable: workload.movable,
                handover: workload.handover,
                class,
                current,
                particulars: particulars.clone(),
            });
            for group in particulars.iter().flat_map(|particulars| &particulars.groups) {
                self.cluster.groups[group.index()].members.push(WorkloadIndex::at(position));
            }
        }
        Ok(())
    }

    fn add_budget(&mut self, section: &Located<DisruptionBudgetSection>) -> Result<(), InputError> {
        let (budget, at) = (&section.value, section.at);
        let kind = "disruption budget";
        let counted = Counted { at, kind, name: &budget.name, field: "count", count: None, joint: "" };
        for name in counted.names(self.source)? {
            if let Some(first) = self.cluster.budgets.iter().position(|known| known.name == name) {
                let first = self.budget_places[first];
                return Err(duplicate(self.source, at, "disruption budgets", &name, first));
            }
            self.budget_places.push(at);
            self.cluster.budgets.push(DisruptionBudget { name, allowed: budget.allowed });
        }
        Ok(())
    }

    /// The class that a workload names, else that of its replicas.
    fn class(&mut self, at: At, workload: &WorkloadSection) -> Result<Option<ClassIndex>, InputError> {
        let next = ClassIndex::at(self.cluster.classes.len());
        let name = match &workload.class {
            Some(name) => name,
            None if workload.replicas.is_some_and(|replicas| replicas > 1) => {
                self.cluster.classes.push(workload.name.clone());
                return Ok(Some(next));
            }
            None => return Ok(None),
        };
        if let Some(&known) = self.class_numbers.get(name) {
            return Ok(Some(known));
        }
        let counted = Counted { at, kind: "class", name, field: "class", count: None, joint: "" };
        drop(counted.names(self.source)?);
        self.class_numbers.insert(name.clone(), next);
        self.cluster.classes.push(name.clone());
        Ok(Some(next))
    }

    /// What few workloads have; `None` when there is nothing of that.
    fn particulars(
        &mut self,
        at: At,
        workload: &WorkloadSection,
    ) -> Result<Option<Arc<Particulars>>, InputError> {
        let budgets = self.cluster.budgets.iter().map(|budget| budget.name.as_str());
        let budgets = Named { field: "budget", names: workload.budget.as_deref(), of: "disruption_budgets" }
            .find(self.source, at, workload, "disruption budget", budgets, self.knows_all_budgets)?;
        let groups = self.cluster.groups.iter().map(|group| group.rules.name.as_str());
        let groups = Named { field: "group", names: workload.group.as_deref(), of: "groups" }.find(
            self.source,
            at,
            workload,
            "group",
            groups,
            self.knows_all_groups,
        )?;
        let particulars = Particulars {
            budgets: budgets.into_iter().map(BudgetIndex::at).collect(),
            groups: groups.into_iter().map(GroupIndex::at).collect(),
            nodes: self.node_set(at, workload)?,
            reward: workload.reward.as_deref().copied(),
            migration_cost: workload.migration_cost.as_deref().copied(),
            acceptance_weight: workload.acceptance_weight.as_deref().copied(),
            migration_weight: workload.migration_weight.as_deref().copied(),
        };
        Ok((particulars != Particulars::default()).then(|| Arc::new(particulars)))
    }

    fn add_group(&mut self, section: &Located<GroupSection>) -> Result<(), InputError> {
        let (group, at) = (&section.value, section.at);
        let counted =
            Counted { at, kind: "group", name: &group.name, field: "count", count: None, joint: "" };
        drop(counted.names(self.source)?);
        if let Some(first) = self.cluster.groups.iter().position(|known| known.rules.name == group.name) {
            return Err(duplicate(self.source, at, "groups", &group.name, self.group_places[first]));
        }
        if group.apart.is_some()
            && group.together.is_some()
            && (group.apart, group.together) != (Some(SiteKind::Gpu), Some(SiteKind::Node))
        {
            let message = format!(
                "group `{}` is kept apart and together at once. Leave `apart` or `together` out, or use `apart: gpu` with `together: node`.",
                group.name
            );
            return Err(self.source.error_at(at, Some("together"), message));
        }
        self.group_places.push(at);
        self.cluster.groups.push(Group { rules: group.clone(), members: Vec::new() });
        Ok(())
    }

    /// The nodes to which a workload is bound, if it is; of the GPUs that are known.
    fn node_set(&mut self, at: At, workload: &WorkloadSection) -> Result<Option<NodeSetIndex>, InputError> {
        let given = (workload.nodes.as_deref().cloned(), workload.node_selector.as_deref().cloned());
        if given == (None, None) {
            return Ok(None);
        }
        if let Some(&known) = self.node_set_numbers.get(&given) {
            return Ok(Some(known));
        }
        let mut has_gpu = vec![given.0.is_none(); self.cluster.gpus.len()];
        for name in given.0.iter().flat_map(|names| names.as_slice()) {
            let host = self.host_named(name);
            let alone = self.gpu_named(name).filter(|gpu| self.cluster.gpus[gpu.index()].host.is_none());
            if host.is_none() && alone.is_none() && self.knows_all_gpus {
                let hosts = self.cluster.hosts.iter().map(|host| host.name.as_str());
                let message = format!(
                    "workload `{}`: no node is called \"{name}\"{}. Name hosts, or GPUs outside any host, under `nodes`.",
                    workload.name,
                    did_you_mean(name, hosts)
                );
                return Err(self.source.error_at_value(at, "nodes", name, message));
            }
            for (gpu, is_there) in self.cluster.gpu_indices().zip(&mut has_gpu) {
                let is_on_host = host.is_some() && self.cluster.gpus[gpu.index()].host == host;
                *is_there |= is_on_host || alone == Some(gpu);
            }
        }
        if let Some(selector) = &given.1 {
            let none = Labels::new();
            for (gpu, is_there) in self.cluster.gpu_indices().zip(&mut has_gpu) {
                let labels = match self.cluster.gpus[gpu.index()].host {
                    Some(host) => &self.host_labels[host.index()],
                    None => self.gpu_labels.get(&gpu).unwrap_or(&none),
                };
                *is_there &= selector.admits(labels);
            }
        }
        if self.knows_all_gpus && !has_gpu.contains(&true) {
            return Err(self.no_node(at, workload));
        }
        let next = NodeSetIndex::at(self.known_node_sets.len());
        let index = *self.known_node_sets.entry(NodeSet { has_gpu }).or_insert(next);
        self.node_set_numbers.insert(given, index);
        Ok(Some(index))
    }

    fn no_node(&self, at: At, workload: &WorkloadSection) -> InputError {
        let Some(selector) = &workload.node_selector else {
            let message =
                format!("workload `{}`: `nodes` is an empty list. Name at least one.", workload.name);
            return self.source.error_at(at, Some("nodes"), message);
        };
        let all = || self.host_labels.iter().chain(self.gpu_labels.values());
        let lacking = selector.labels().find_map(|(label, values)| {
            let known: Vec<&str> =
                all().filter_map(|labels| labels.get(label)).map(String::as_str).unique().collect();
            let wanted = values.iter().join("\" or \"");
            let guess =
                did_you_mean(label, all().flat_map(|labels| labels.keys()).map(String::as_str).unique());
            match known.as_slice() {
                [] => Some(format!("no node has a label \"{label}\"{guess}")),
                known if !values.iter().any(|value| known.contains(&value.as_str())) => {
                    Some(format!("no node has {label} \"{wanted}\"; there are {}", known.join(", ")))
                }
                _ => None,
            }
        });
        let lacking = lacking.unwrap_or_else(|| "no node has all of these labels".to_owned());
        let also = if workload.nodes.is_some() { " among its `nodes`" } else { "" };
        let message = format!(
            "workload `{}`: {lacking}{also}. Correct its `node_selector`, or the `labels` of the nodes.",
            workload.name
        );
        self.source.error_at(at, Some("node_selector"), message)
    }

    /// Lists the sets of nodes by their numbers.
    fn list_node_sets(&mut self) {
        let sets = std::mem::take(&mut self.known_node_sets).into_iter();
        self.cluster.node_sets = sets.sorted_by_key(|&(_, number)| number).map(|(set, _)| set).collect();
    }

    /// Tells what runs on a node where it may not be.
    fn note_misplaced_residents(&mut self) {
        let cluster = &self.cluster;
        let is_misplaced = |workload: &WorkloadIndex| {
            let current = cluster.workloads[workload.index()].current;
            current.is_some_and(|place| !cluster.admits(*workload, place.gpu))
        };
        let misplaced: Vec<WorkloadIndex> = cluster.workload_indices().filter(is_misplaced).collect();
        let Some(&first) = misplaced.first() else { return };
        let name = &cluster.workloads[first.index()].name;
        let more = match misplaced.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let note = format!(
            "`{name}`{more} runs on a node that its `nodes` or `node_selector` excludes: it has to leave there, unless it is pinned."
        );
        self.cluster.notes.push(note);
    }

    fn check_amounts(&self, at: At, workload: &WorkloadSection) -> Result<(), InputError> {
        let own = [
            ("reward", &workload.reward),
            ("migration_cost", &workload.migration_cost),
            ("acceptance_weight", &workload.acceptance_weight),
            ("migration_weight", &workload.migration_weight),
        ];
        let own = own.into_iter().filter_map(|(field, amount)| Some((field, **amount.as_ref()?)));
        for (field, amount) in
            [("cpu", workload.cpu), ("memory_gib", workload.memory_gib)].into_iter().chain(own)
        {
            in_range(self.source, at, format_args!("workload `{}`", workload.name), field, amount)?;
        }
        Ok(())
    }

    /// Where a replica runs now; nowhere if that may be a GPU that was refused.
    fn location(
        &self,
        at: At,
        workload: &WorkloadSection,
        spot: &Spot,
    ) -> Result<Option<Location>, InputError> {
        let start = SliceStart(spot.start);
        match self.gpu_named(&spot.gpu) {
            Some(gpu) => self.on_own_board(at, workload, spot, gpu).map(|()| Some(Location { gpu, start })),
            None if !self.knows_all_gpus => Ok(None),
            None => {
                let guess = did_you_mean(&spot.gpu, self.cluster.gpus.iter().map(|gpu| gpu.name.as_str()));
                let message = format!(
                    "workload `{}`: no GPU is called \"{}\"{guess}. Name one of the cluster's GPUs.",
                    workload.name, spot.gpu
                );
                Err(self.source.error_at_value(at, "gpu", &spot.gpu, message))
            }
        }
    }

    /// What runs already must be on one of the boards to which it is bound.
    fn on_own_board(
        &self,
        at: At,
        workload: &WorkloadSection,
        spot: &Spot,
        gpu: GpuIndex,
    ) -> Result<(), InputError> {
        let Some(boards) = &workload.boards else { return Ok(()) };
        let here = &self.cluster.boards[self.cluster.gpus[gpu.index()].board.index()];
        let is_here = |name: &String| self.boards.find(name).is_ok_and(|board| Arc::ptr_eq(&board, here));
        if boards.as_slice().iter().any(is_here) {
            return Ok(());
        }
        let message = format!(
            "workload `{}` runs on {}, whose board is not among its `boards`. Add {} to them, or leave `boards` out.",
            workload.name,
            spot.gpu,
            here.name()
        );
        Err(self.source.error_at_value(at, "gpu", &spot.gpu, message))
    }

    /// The request of a workload that is bound to boards: that of its profiles on these boards alone.
    fn bound_request(
        &mut self,
        at: At,
        workload: &WorkloadSection,
        boards: &[String],
    ) -> Result<RequestIndex, InputError> {
        let given = (workload.profile.as_slice().to_vec(), boards.to_vec());
        if let Some(&index) = self.bound_request_numbers.get(&given) {
            return Ok(index);
        }
        let Request { names, on_board } = self.resolved(at, workload)?;
        let mut allowed = vec![false; self.cluster.boards.len()];
        for name in boards.iter().filter(|name| !self.boards.has_refused(name)) {
            let board = self.boards.find(name).map_err(|message| {
                let message = format!("workload `{}`: {message}", workload.name);
                self.source.error_at_value(at, "boards", name, message)
            })?;
            let of_cluster = self.cluster.boards.iter().position(|known| Arc::ptr_eq(known, &board));
            of_cluster.into_iter().for_each(|position| allowed[position] = true);
        }
        let on_board: Vec<_> = on_board
            .into_iter()
            .zip(allowed)
            .map(|(profile, is_allowed)| profile.filter(|_| is_allowed))
            .collect();
        if self.knows_all_gpus && on_board.iter().all(Option::is_none) {
            let message = format!(
                "workload `{}`: `boards` names no board of this cluster that has {}. Name one of {}.",
                workload.name,
                names.join(" or "),
                self.cluster.boards.iter().map(|board| board.name()).join(", ")
            );
            return Err(self.source.error_at(at, Some("boards"), message));
        }
        let index = self.request_index(Request { names, on_board });
        self.bound_request_numbers.insert(given, index);
        Ok(index)
    }

    fn request(&mut self, at: At, workload: &WorkloadSection) -> Result<RequestIndex, InputError> {
        let given = workload.profile.as_slice();
        if let Some(&index) = self.request_numbers.get(given) {
            return Ok(index);
        }
        let request = self.resolved(at, workload)?;
        let index = self.request_index(request);
        self.request_numbers.insert(given.to_vec(), index);
        Ok(index)
    }

    /// Which profile serves a workload on each board.
    fn resolved(&self, at: At, workload: &WorkloadSection) -> Result<Request, InputError> {
        let given = workload.profile.as_slice();
        let refuse = |what: String| {
            let message = format!("workload `{}`: {what}", workload.name);
            Err(self.source.error_at(at, Some("profile"), message))
        };
        if given.is_empty() {
            return refuse("`profile` is an empty list. Name at least one profile.".to_owned());
        }
        let mut names = Vec::with_capacity(given.len());
        for name in given {
            match self.profile_named(name) {
                Ok(known) => names.push(known.to_owned()),
                Err(_) if !self.knows_all_gpus => names.push(name.clone()),
                Err(what) => return refuse(what),
            }
        }
        let boards = self.cluster.boards.iter();
        let on_board = boards.map(|board| given.iter().find_map(|name| board.find_profile(name))).collect();
        Ok(Request { names, on_board })
    }

    /// The number of a request, among those of the cluster from now on.
    fn request_index(&mut self, request: Request) -> RequestIndex {
        let known = self.cluster.requests.iter().position(|known| *known == request);
        let index = known.unwrap_or(self.cluster.requests.len());
        if known.is_none() {
            self.cluster.requests.push(request);
        }
        RequestIndex::at(index)
    }

    /// What boards call the profile that a workload names; else what is wrong with the name.
    fn profile_named<'n>(&'n self, name: &'n str) -> Result<&'n str, String> {
        if name.bytes().all(|digit| digit.is_ascii_digit()) {
            return self.profile_of_id(name);
        }
        let mut boards = self.cluster.boards.iter().chain(self.boards.all()).chain(catalogue().boards());
        boards.find_map(|board| called_on(board, name)).ok_or_else(|| self.no_such_profile(name))
    }

    /// What the boards of the cluster call the profile of an id of the driver.
    fn profile_of_id<'n>(&'n self, id: &'n str) -> Result<&'n str, String> {
        let called = self.cluster.boards.iter().filter_map(|board| Some((board, called_on(board, id)?)));
        let called: Vec<(&Arc<Board>, &str)> = called.unique_by(|&(_, name)| name).collect();
        match called.as_slice() {
            [] => Err(self.no_such_profile(id)),
            [(_, name)] => Ok(name),
            several => Err(format!(
                "the profile id {id} means {}. Name the one that it needs, or accept either: `profile: [{}]`.",
                several.iter().map(|(board, name)| format!("{name} on {}", board.name())).join(" and "),
                several.iter().map(|(_, name)| name).join(", ")
            )),
        }
    }

    fn no_such_profile(&self, name: &str) -> String {
        let boards = self.cluster.boards.iter();
        let profiles = boards.clone().flat_map(|board| board.profiles());
        let known: Vec<&str> = profiles.map(|profile| profile.name.as_str()).unique().collect();
        if let Some(part) = ComputeInstance::named(name)
            && let Some(whole) = boards.clone().find_map(|board| called_on(board, part.of))
        {
            return format!(
                "\"{name}\" is a compute instance: a part of a GPU instance {whole}, of which others may have the rest. Workloads get whole \
                 GPU instances here. Write `{whole}` if it has one to itself."
            );
        }
        format!(
            "no board has a profile \"{name}\"{}. Profiles of this cluster's boards: {}.",
            did_you_mean(name, known.iter().copied()),
            known.join(", ")
        )
    }

    /// Checks whether what runs can run where it does.
    fn check_current_state(&self, complaints: &mut Complaints) {
        let current: Placement = self.cluster.current_placement();
        for violation in check(&self.cluster, &current, HostResources::Checked) {
            complaints.add(self.illegal(&violation));
        }
    }

    fn illegal(&self, violation: &Violation) -> InputError {
        let workload = match violation {
            Violation::UnsupportedProfile { workload, .. } | Violation::IllegalStart { workload, .. } => {
                Some(workload)
            }
            Violation::Overlap { second, .. } => Some(second),
            Violation::LimitExceeded { workloads, .. } => workloads.last(),
            Violation::HostCpu { .. } | Violation::HostMemory { .. } => None,
        };
        let entry = workload.and_then(|name| self.workload_named(name));
        let entry = entry.map(|workload| self.workload_places[workload.index()]);
        let host_place = |name: &str| self.host_named(name).map(|host| self.host_places[host.index()]);
        let (entry, field, fix) = match violation {
            Violation::HostCpu { host, .. } => {
                (host_place(host), "cpu", "the host's or the workloads' `cpu`, or `current` of one of them")
            }
            Violation::HostMemory { host, .. } => (
                host_place(host),
                "memory_gib",
                "the host's or the workloads' `memory_gib`, or `current` of one of them",
            ),
            _ => (entry, "current", "GPU and start in `current`"),
        };
        let message = format!("the current state is not legal: {violation}. Correct {fix}.");
        match entry {
            Some(at) => self.source.error_at(at, Some(field), message),
            None => self.source.error(message),
        }
    }
}

/// Names of entries elsewhere in the file, by which a workload refers to them.
struct Named<'a> {
    field: &'a str,
    names: Option<&'a OneOrMany<String>>,
    /// Where they are listed.
    of: &'a str,
}

impl Named<'_> {
    /// Their positions, in ascending order. What is not found is passed over when not all are known.
    fn find<'k>(
        self,
        source: &SourceText,
        at: At,
        workload: &WorkloadSection,
        kind: &str,
        known: impl Iterator<Item = &'k str> + Clone,
        knows_all: bool,
    ) -> Result<Vec<usize>, InputError> {
        let mut found = Vec::new();
        for name in self.names.map_or(&[][..], |names| names.as_slice()) {
            match known.clone().position(|other| other == name) {
                Some(position) => found.push(position),
                None if !knows_all => {}
                None => {
                    let message = format!(
                        "workload `{}`: no {kind} is called \"{name}\"{}. List it under `{}`.",
                        workload.name,
                        did_you_mean(name, known),
                        self.of
                    );
                    return Err(source.error_at_value(at, self.field, name, message));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// What a board calls the profile that a name means: as given, if that is its name or an alias.
fn called_on<'n>(board: &'n Board, name: &'n str) -> Option<&'n str> {
    let profile = board.find_profile(name)?;
    let is_as_given = board.names_of(profile).any(|known| known.eq_ignore_ascii_case(name));
    Some(if is_as_given { name } else { &board.profile(profile).name })
}

/// A note on workloads of which several replicas are asked for but a single place is told, where one runs and the others are newcomers.
fn note_on_replicas(workloads: &[Located<WorkloadSection>]) -> Option<String> {
    /// So many are named.
    const MOST: usize = 3;
    let with_one_place = |workload: &&WorkloadSection| {
        workload.replicas.is_some_and(|replicas| replicas > 1)
            && matches!(workload.current, Some(OneOrMany::One(_)))
    };
    let found: Vec<&WorkloadSection> =
        workloads.iter().map(|workload| &workload.value).filter(with_one_place).collect();
    let replicas = found.iter().map(|workload| u64::from(workload.replicas.unwrap_or(1)));
    let newcomers = replicas.sum::<u64>() - found.len() as u64;
    let named = found.iter().take(MOST).map(|workload| format!("`{}`", workload.name)).join(", ");
    match found.len() {
        0 => None,
        1 => {
            let wait = if newcomers == 1 { "1 is" } else { &format!("{newcomers} are") };
            Some(format!(
                "workload {named} has {} replicas but a single place under `current`: one runs, {wait} waiting to be placed. List a \
                 place for each that runs.",
                newcomers + 1
            ))
        }
        several => Some(format!(
            "{several} workloads have several replicas but a single place under `current`, so that {newcomers} replicas are waiting \
             to be placed: {named}{}",
            if several > MOST { ", ..." } else { "" }
        )),
    }
}

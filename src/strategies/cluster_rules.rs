//! Rules on where workloads may be and how much may change, for small instances of model wpm.

use cluster::{
    GpuSection, GroupSection, HostGpus, HostSection, Labels, NodeSelector, OneOrMany, SiteKind,
    WorkloadSection,
};
use ground::Amount;
use proptest::prelude::*;
use proptest::sample::select;
use wpm::{Settings, Shifts, UseCase};

/// Name of the only host.
const HOST: &str = "n";
/// The label by which workloads choose nodes.
const LABEL: &str = "zone";

/// Rules as drawn.
#[derive(Clone, Debug)]
pub(super) struct ClusterRules {
    /// So many of the first GPUs are on a host.
    pub hosted: usize,
    host_limits: [Option<u8>; 3],
    groups: Vec<GroupSection>,
    /// One for each workload, and more.
    workloads: Vec<OfWorkload>,
    max_migrations: Option<u32>,
    max_disrupted: Option<u32>,
    counts_shifts: bool,
    host_resources: bool,
}

/// What the rules say of a workload.
#[derive(Clone, Debug)]
struct OfWorkload {
    group: Option<usize>,
    other_group: bool,
    nodes: Nodes,
    needs: [u8; 2],
}

#[derive(Clone, Copy, Debug)]
enum Nodes {
    All,
    /// By name, the first node or the last one.
    First,
    Last,
    /// By the label of every other node.
    Labelled,
}

/// Rules for so many workloads; the plainest are none.
pub(super) fn cluster_rules(workloads: usize) -> impl Strategy<Value = ClusterRules> {
    let limit = |most: u8| proptest::option::weighted(0.4, 0..=most);
    let site = || proptest::option::weighted(0.4, select(vec![SiteKind::Gpu, SiteKind::Node]));
    let group = (site(), site(), prop::bool::weighted(0.4)).prop_map(|(apart, together, as_one)| {
        let go_together = apart.is_none() || (apart, together) == (Some(SiteKind::Gpu), Some(SiteKind::Node));
        let together = together.filter(|_| go_together);
        GroupSection { name: String::new(), apart, together, as_one }
    });
    let nodes = prop_oneof![6 => Just(Nodes::All), 1 => Just(Nodes::First), 1 => Just(Nodes::Last), 1 => Just(Nodes::Labelled)];
    let of_workload =
        (proptest::option::weighted(0.6, 0..2usize), prop::bool::weighted(0.2), nodes, [0..4u8, 0..4u8])
            .prop_map(|(group, other_group, nodes, needs)| OfWorkload { group, other_group, nodes, needs });
    let settings = (
        proptest::option::weighted(0.3, 0..3u32),
        proptest::option::weighted(0.3, 0..3u32),
        prop::bool::weighted(0.4),
        prop::bool::weighted(0.4),
    );
    (
        0..3usize,
        [limit(8), limit(8), limit(2)],
        proptest::collection::vec(group, 2),
        proptest::collection::vec(of_workload, workloads),
        settings,
    )
        .prop_map(|(hosted, host_limits, mut groups, workloads, settings)| {
            for (number, group) in groups.iter_mut().enumerate() {
                group.name = format!("group{number}");
            }
            let (max_migrations, max_disrupted, counts_shifts, host_resources) = settings;
            ClusterRules {
                hosted,
                host_limits,
                groups,
                workloads,
                max_migrations,
                max_disrupted,
                counts_shifts,
                host_resources,
            }
        })
}

impl ClusterRules {
    /// Name of a GPU of this number.
    pub fn gpu_name(&self, number: usize) -> String {
        if number < self.hosted { format!("{HOST}/{number}") } else { format!("g{number}") }
    }

    /// The host and the other GPUs.
    pub fn nodes(&self, gpus: Vec<GpuSection>) -> (Option<HostSection>, Vec<GpuSection>) {
        let mut alone = gpus;
        let rest = alone.split_off(self.hosted.min(alone.len()));
        let carried = std::mem::replace(&mut alone, rest);
        let labelled = |is_labelled: bool| match is_labelled {
            true => Labels::from([(LABEL.to_owned(), "a".to_owned())]),
            false => Labels::new(),
        };
        let of_host = |gpu: GpuSection| HostGpus {
            board: gpu.board,
            count: Some(1),
            numbers: None,
            cordoned: gpu.cordoned,
            drain: gpu.drain,
        };
        let [cpu, memory_gib, max_disrupted] = self.host_limits;
        let whole = |amount: Option<u8>| amount.map(|amount| Amount::whole(amount.into()));
        let host = (!carried.is_empty()).then(|| HostSection {
            labels: labelled(true),
            cpu: whole(cpu),
            memory_gib: whole(memory_gib),
            max_disrupted: max_disrupted.map(u32::from),
            ..HostSection::new(HOST.to_owned(), OneOrMany::Many(carried.into_iter().map(of_host).collect()))
        });
        for (number, gpu) in alone.iter_mut().enumerate() {
            gpu.labels = labelled((number + usize::from(host.is_some())) % 2 == 0);
        }
        (host, alone)
    }

    /// Gives the workloads of a cluster of so many GPUs what the rules say of them.
    pub fn bind(&self, workloads: &mut [WorkloadSection], gpus: usize) {
        let first = if self.hosted > 0 { HOST.to_owned() } else { self.gpu_name(0) };
        let last = if self.hosted >= gpus { HOST.to_owned() } else { self.gpu_name(gpus - 1) };
        let mut used = [0; 2];
        for (workload, rules) in workloads.iter_mut().zip(&self.workloads) {
            let named = |name: &String| Some(Box::new(OneOrMany::One(name.clone())));
            match rules.nodes {
                Nodes::All => {}
                Nodes::First => workload.nodes = named(&first),
                Nodes::Last => workload.nodes = named(&last),
                Nodes::Labelled => {
                    let selector = NodeSelector::new([(LABEL.to_owned(), vec!["a".to_owned()])]);
                    workload.node_selector = Some(Box::new(selector));
                }
            }
            let groups = rules.group.map(|group| match rules.other_group {
                true => OneOrMany::Many(self.groups.iter().map(|group| group.name.clone()).collect()),
                false => OneOrMany::One(self.groups[group].name.clone()),
            });
            workload.group = groups.map(Box::new);
            let [cpu, memory] = self.needs(workload, rules, &mut used);
            (workload.cpu, workload.memory_gib) = (Amount::whole(cpu.into()), Amount::whole(memory.into()));
        }
    }

    /// What a workload needs. What runs on the host must have been possible there.
    fn needs(&self, workload: &WorkloadSection, rules: &OfWorkload, used: &mut [u8; 2]) -> [u8; 2] {
        let carried = format!("{HOST}/");
        let place = workload.current.as_ref().map(|place| &place.as_slice()[0]);
        if place.is_none_or(|place| !place.gpu.starts_with(&carried)) {
            return rules.needs;
        }
        std::array::from_fn(|resource| {
            let need = rules.needs[resource];
            let is_possible =
                self.host_limits[resource].is_none_or(|capacity| used[resource] + need <= capacity);
            let need = if is_possible { need } else { 0 };
            used[resource] += need;
            need
        })
    }

    /// The groups. Where something may be pinned, a group whose workloads run on several GPUs is not asked to be together.
    pub fn groups(&self, workloads: &[WorkloadSection], use_case: UseCase) -> Vec<GroupSection> {
        let may_be_pinned =
            use_case == UseCase::Initial || workloads.iter().any(|workload| !workload.movable);
        let asked = |group: &GroupSection| {
            let is_in = |workload: &&WorkloadSection| {
                let groups = workload.group.as_deref();
                groups.is_some_and(|groups| groups.as_slice().contains(&group.name))
            };
            let members = workloads.iter().filter(is_in);
            let places = members.filter_map(|workload| workload.current.as_ref());
            let mut gpus: Vec<&str> = places.map(|place| place.as_slice()[0].gpu.as_str()).collect();
            gpus.sort_unstable();
            gpus.dedup();
            let together = group.together.filter(|_| !may_be_pinned || gpus.len() < 2);
            GroupSection { together, ..group.clone() }
        };
        self.groups.iter().map(asked).collect()
    }

    /// The settings with the limits.
    pub fn limit(&self, settings: Settings) -> Settings {
        Settings {
            max_migrations: self.max_migrations,
            max_disrupted: self.max_disrupted,
            shifts: if self.counts_shifts { Shifts::Counted } else { Shifts::Free },
            host_resources: self.host_resources,
            ..settings
        }
    }
}

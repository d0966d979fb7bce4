//! Rules of clusters, added to an instance that has none: GPUs out of service, nodes, groups, budgets of changes.

use cluster::{GroupSection, Labels, NodeSelector, OneOrMany, SiteKind};
use kit::located;
use models::InstanceFile;
use proptest::prelude::*;
use proptest::sample::select;

/// Rules before they are written down; what is drawn for hosts, GPUs and workloads holds for them in turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    hosts: Vec<HostRules>,
    gpus: Vec<Service>,
    workloads: Vec<WorkloadRules>,
    groups: Vec<GroupRules>,
    /// Most running workloads that are moved.
    pub max_migrations: Option<u32>,
    /// Most running workloads that are disrupted.
    pub max_disrupted: Option<u32>,
}

/// What a host, or a GPU, is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Service {
    In,
    Cordoned,
    Drain,
}

#[derive(Clone, Debug)]
struct HostRules {
    service: Service,
    zone: bool,
    max_disrupted: Option<u32>,
}

#[derive(Clone, Debug)]
struct WorkloadRules {
    nodes: Option<Nodes>,
    /// Whether it is in each of the groups.
    groups: [bool; 2],
}

/// The nodes of a workload, by numbers of nodes modulo what there is.
#[derive(Clone, Debug)]
enum Nodes {
    /// By their names.
    Named(Vec<usize>),
    /// In the zone of one.
    ZoneOf(usize),
}

#[derive(Clone, Copy, Debug)]
struct GroupRules {
    apart: Option<SiteKind>,
    together: Option<SiteKind>,
    as_one: bool,
}

/// Rules of all kinds; the plainest are none.
pub(super) fn drawn() -> impl Strategy<Value = Rules> {
    let hosts = proptest::collection::vec(host(), 0..4);
    let gpus = proptest::collection::vec(service(6), 0..6);
    let workloads = proptest::collection::vec(workload(), 0..8);
    let groups = proptest::collection::vec(group(), 0..=2);
    let budget = || proptest::option::weighted(0.25, 0..4u32);
    (hosts, gpus, workloads, groups, budget(), budget()).prop_map(
        |(hosts, gpus, workloads, groups, max_migrations, max_disrupted)| Rules {
            hosts,
            gpus,
            workloads,
            groups,
            max_migrations,
            max_disrupted,
        },
    )
}

fn service(plain: u32) -> impl Strategy<Value = Service> {
    prop_oneof![plain => Just(Service::In), 1 => Just(Service::Cordoned), 1 => Just(Service::Drain)]
}

fn host() -> impl Strategy<Value = HostRules> {
    (service(8), any::<bool>(), proptest::option::weighted(0.2, 0..3u32))
        .prop_map(|(service, zone, max_disrupted)| HostRules { service, zone, max_disrupted })
}

fn workload() -> impl Strategy<Value = WorkloadRules> {
    let named = proptest::collection::vec(0..6usize, 1..3).prop_map(Nodes::Named);
    let nodes = prop_oneof![named, (0..6usize).prop_map(Nodes::ZoneOf)];
    (proptest::option::weighted(0.25, nodes), [prop::bool::weighted(0.5), prop::bool::weighted(0.35)])
        .prop_map(|(nodes, groups)| WorkloadRules { nodes, groups })
}

fn group() -> impl Strategy<Value = GroupRules> {
    let kind = || select(vec![SiteKind::Node, SiteKind::Gpu]);
    let apart = proptest::option::weighted(0.4, kind());
    let together = proptest::option::weighted(0.3, kind());
    (apart, together, prop::bool::weighted(0.5)).prop_map(|(apart, together, as_one)| {
        // What is kept apart can be together on a node alone.
        let (apart, together) = match (apart, together) {
            (Some(_), Some(_)) => (Some(SiteKind::Gpu), Some(SiteKind::Node)),
            either => either,
        };
        GroupRules { apart, together, as_one }
    })
}

impl Rules {
    /// Writes them into an instance of single hosts, GPUs and workloads.
    pub fn apply(&self, file: &mut InstanceFile) {
        let zone = |zone: bool| if zone { "b" } else { "a" };
        let mut nodes: Vec<(String, String)> = Vec::new();
        let mut number = 0;
        for (position, host) in file.hosts.iter_mut().enumerate() {
            let rules = self.hosts.get(position);
            let host = &mut host.value;
            if let Some(rules) = rules {
                host.labels = Labels::from([("zone".to_owned(), zone(rules.zone).to_owned())]);
                host.max_disrupted = rules.max_disrupted;
                (host.cordoned, host.drain) =
                    (rules.service == Service::Cordoned, rules.service == Service::Drain);
            }
            nodes.push((host.name.clone(), rules.map_or("", |rules| zone(rules.zone)).to_owned()));
            if let OneOrMany::Many(gpus) = &mut host.gpus {
                for gpu in gpus {
                    let service = self.gpus.get(number).copied().unwrap_or(Service::In);
                    (gpu.cordoned, gpu.drain) = (service == Service::Cordoned, service == Service::Drain);
                    number += 1;
                }
            }
        }
        for (position, gpu) in file.gpus.iter_mut().enumerate() {
            let service = self.gpus.get(number).copied().unwrap_or(Service::In);
            number += 1;
            let in_zone = position % 2 == 1;
            let gpu = &mut gpu.value;
            gpu.labels = Labels::from([("zone".to_owned(), zone(in_zone).to_owned())]);
            (gpu.cordoned, gpu.drain) = (service == Service::Cordoned, service == Service::Drain);
            nodes.push((gpu.name.clone(), zone(in_zone).to_owned()));
        }
        let name = |group: usize| format!("g{group}");
        for (workload, rules) in file.workloads.iter_mut().zip(&self.workloads) {
            let workload = &mut workload.value;
            match &rules.nodes {
                None => {}
                Some(Nodes::Named(numbers)) => {
                    let mut names: Vec<String> =
                        numbers.iter().map(|number| nodes[number % nodes.len()].0.clone()).collect();
                    names.sort();
                    names.dedup();
                    workload.nodes = Some(Box::new(OneOrMany::Many(names)));
                }
                Some(Nodes::ZoneOf(number)) => {
                    let (_, zone) = &nodes[number % nodes.len()];
                    if !zone.is_empty() {
                        let selector = NodeSelector::new([("zone".to_owned(), vec![zone.clone()])]);
                        workload.node_selector = Some(Box::new(selector));
                    }
                }
            }
            let groups: Vec<String> =
                (0..self.groups.len()).filter(|&group| rules.groups[group]).map(name).collect();
            if !groups.is_empty() {
                workload.group = Some(Box::new(OneOrMany::Many(groups)));
            }
        }
        let section = |(number, rules): (usize, &GroupRules)| GroupSection {
            name: name(number),
            apart: rules.apart,
            together: rules.together,
            as_one: rules.as_one,
        };
        file.groups = self.groups.iter().enumerate().map(section).map(located).collect();
    }
}

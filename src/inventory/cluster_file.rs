//! The cluster as an instance file, a line for each host and each workload.

use crate::gather::Gpu;
use crate::joined::Inventory;
use crate::movability::Movability;
use crate::workload::{NodeRule, Workload};
use cluster::{
    DisruptionBudgetSection, GroupSection, Handover, HostGpus, HostSection, NodeSelector, OneOrMany, Spot,
    WorkloadSection,
};
use itertools::Itertools;
use serde::Serialize;
use serde_yaml::FlowMap;
use std::collections::{BTreeMap, BTreeSet};

/// An instance file, as far as an import fills it.
#[derive(Serialize)]
struct ClusterFile {
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<FlowMap<HostSection>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disruption_budgets: Vec<FlowMap<DisruptionBudgetSection>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<FlowMap<GroupSection>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workloads: Vec<FlowMap<WorkloadSection>>,
    wpm: Question,
}

/// Everything that runs keeps running, and all that waits is placed. A shift inside a GPU restarts a workload, so it counts as a move.
#[derive(Serialize)]
struct Question {
    use_case: &'static str,
    place_all: bool,
    shifts: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    host_resources: bool,
}

impl Inventory {
    /// The instance file in YAML.
    ///
    /// # Errors
    /// When it cannot be written as YAML, which is a fault of this program.
    pub fn to_yaml(&self) -> Result<String, String> {
        let chunks = self.gpus.iter().chunk_by(|gpu| gpu.node.as_str());
        let hosts =
            chunks.into_iter().map(|(node, gpus)| self.host_section(node, gpus)).map(FlowMap).collect();
        let mut members: BTreeMap<&str, usize> = BTreeMap::new();
        for class in self.workloads.iter().filter_map(|workload| workload.class.as_deref()) {
            *members.entry(class).or_default() += 1;
        }
        let workloads = self.workloads.iter().map(|workload| {
            let class = workload.class.as_deref().filter(|class| members[class] > 1);
            FlowMap(section_of(workload, class))
        });
        let workloads = workloads.collect();
        let file = ClusterFile {
            name: self.name.clone(),
            hosts,
            disruption_budgets: self.budget_sections().map(FlowMap).collect(),
            groups: self.groups.iter().cloned().map(FlowMap).collect(),
            workloads,
            wpm: Question {
                use_case: "joint",
                place_all: true,
                shifts: "counted",
                host_resources: self.hosts.values().any(|host| host.cpu.is_some() || host.memory.is_some()),
            },
        };
        serde_yaml::to_string(&file).map_err(|error| error.to_string())
    }

    /// A node with its GPUs; where some of them are left out, the others keep their numbers.
    fn host_section<'g>(&self, node: &str, gpus: impl Iterator<Item = &'g Gpu>) -> HostSection {
        let known: Vec<(u32, String, bool)> = gpus
            .filter_map(|gpu| Some((gpu.index?, gpu.board.as_ref()?.name().to_owned(), gpu.is_cordoned)))
            .collect();
        let is_whole = (0..).zip(&known).all(|(number, (index, ..))| number == *index);
        let alike = known.into_iter().chunk_by(|(_, board, cordoned)| (board.clone(), *cordoned));
        let groups = alike.into_iter().map(|((board, cordoned), gpus)| {
            let numbers: Vec<u32> = gpus.map(|(index, ..)| index).collect();
            let (count, numbers) =
                if is_whole { (Some(numbers.len() as u32), None) } else { (None, Some(numbers)) };
            HostGpus { board, count, numbers, cordoned, drain: false }
        });
        let groups = OneOrMany::from(groups.collect::<Vec<_>>());
        let host = self.hosts.get(node).cloned().unwrap_or_default();
        HostSection {
            cordoned: self.nodes.iter().any(|known| known.name == node && known.cordoned),
            cpu: host.cpu,
            memory_gib: host.memory,
            labels: host.labels,
            ..HostSection::new(node.to_owned(), groups)
        }
    }

    /// The budgets that some workload is under.
    fn budget_sections(&self) -> impl Iterator<Item = DisruptionBudgetSection> {
        let used: BTreeSet<&str> =
            self.workloads.iter().flat_map(|workload| &workload.budgets).map(String::as_str).collect();
        let budgets = self.budgets.iter().filter(move |budget| used.contains(budget.name.as_str()));
        budgets.map(|budget| DisruptionBudgetSection {
            name: budget.name.clone(),
            // What was not counted is not spent.
            allowed: budget.allowed.unwrap_or(0),
        })
    }
}

/// What the instance file says of a workload, with its class if others share it.
fn section_of(workload: &Workload, class: Option<&str>) -> WorkloadSection {
    let mut section = WorkloadSection::new(workload.name.clone(), workload.profiles[0].clone());
    if workload.profiles.len() > 1 {
        section.profile = OneOrMany::Many(workload.profiles.clone());
    }
    if let Some(place) = &workload.current {
        section.current = Some(OneOrMany::One(Spot { gpu: place.gpu.clone(), start: place.start }));
        section.movable = workload.movability != Movability::Never;
        if workload.movability == Movability::Restart {
            section.handover = Handover::Restart;
        }
    }
    section.class = class.map(str::to_owned);
    section.budget = names(&workload.budgets);
    section.group = names(&workload.groups);
    match &workload.nodes {
        Some(NodeRule::Labels(labels)) => {
            section.node_selector = Some(Box::new(NodeSelector::new(labels.clone())));
        }
        Some(NodeRule::Names(nodes)) => section.nodes = names(nodes),
        None => {}
    }
    section.cpu = workload.cpu;
    section.memory_gib = workload.memory;
    section
}

/// A field of names; none where there are none.
fn names(names: &[String]) -> Option<Box<OneOrMany<String>>> {
    (!names.is_empty()).then(|| Box::new(OneOrMany::from(names.to_vec())))
}

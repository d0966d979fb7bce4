//! The cluster as an instance file, a line for each host and each workload.

use crate::joined::Inventory;
use crate::movability::Movability;
use crate::workload::Workload;
use cluster::{
    DisruptionBudgetSection, GpuSection, Handover, HostGpus, HostSection, OneOrMany, Spot, WorkloadSection,
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
    gpus: Vec<FlowMap<GpuSection>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disruption_budgets: Vec<FlowMap<DisruptionBudgetSection>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workloads: Vec<FlowMap<WorkloadSection>>,
    wpm: Question,
}

/// Everything that runs keeps running, and all that waits is placed.
#[derive(Serialize)]
struct Question {
    use_case: &'static str,
    place_all: bool,
}

impl Inventory {
    /// The instance file in YAML.
    ///
    /// # Errors
    /// When it cannot be written as YAML, which is a fault of this program.
    pub fn to_yaml(&self) -> Result<String, String> {
        let mut hosts = Vec::new();
        let mut gpus = Vec::new();
        for (node, of_node) in &self.gpus.iter().chunk_by(|gpu| gpu.node.clone()) {
            let of_node: Vec<_> = of_node.collect();
            let is_cordoned = self.nodes.iter().any(|known| known.name == node && known.cordoned);
            let is_whole = (0..).zip(&of_node).all(|(index, gpu)| gpu.index == Some(index));
            let named = of_node.iter().filter_map(|gpu| Some((gpu, gpu.board.as_ref()?.name().to_owned())));
            if is_whole {
                let groups = named.map(|(gpu, board)| (board, gpu.is_cordoned)).dedup_with_count();
                let groups: Vec<HostGpus> = groups
                    .map(|(count, (board, cordoned))| HostGpus {
                        board,
                        count: count as u32,
                        cordoned,
                        drain: false,
                    })
                    .collect();
                let groups = match <[HostGpus; 1]>::try_from(groups) {
                    Ok([one]) => OneOrMany::One(one),
                    Err(groups) => OneOrMany::Many(groups),
                };
                hosts.push(FlowMap(HostSection { cordoned: is_cordoned, ..HostSection::new(node, groups) }));
            } else {
                // GPUs of a host are numbered without gaps; a node of which some are left out cannot be one.
                gpus.extend(named.map(|(gpu, board)| {
                    let cordoned = is_cordoned || gpu.is_cordoned;
                    FlowMap(GpuSection { cordoned, ..GpuSection::new(gpu.name(), board) })
                }));
            }
        }
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
            gpus,
            disruption_budgets: self.budget_sections().map(FlowMap).collect(),
            workloads,
            wpm: Question { use_case: "joint", place_all: true },
        };
        serde_yaml::to_string(&file).map_err(|error| error.to_string())
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
    section.budget = match workload.budgets.as_slice() {
        [] => None,
        [one] => Some(Box::new(OneOrMany::One(one.clone()))),
        several => Some(Box::new(OneOrMany::Many(several.to_vec()))),
    };
    section
}

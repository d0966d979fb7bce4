//! What is counted about the model's solutions.

use super::instance::Problem;
use super::packing::Packing;
use super::parts::VmIndex;
use super::verify::{Score, pages_of};
use crate::model::{MetricEntry, MetricValues};
use serde_json::Number;
use std::collections::BTreeMap;

/// Beginnings of the names of metrics that exist once for each capacity group of the instance.
const BY_GROUP: [&str; 3] = ["active_servers_of", "pages_of", "saved_pages_of"];

/// The same for groups of which a server is in use, as nothing can be saved of nothing.
const REDUCTION_BY_GROUP: &str = "memory_reduction_of";

/// All metrics.
pub const METRICS: &[MetricEntry] = &[
    MetricEntry {
        name: "active_servers",
        title: "active servers",
        unit: "servers",
        more_is_better: false,
        definition: "servers that host a virtual machine; by capacity group in the metrics active_servers_of:GROUP",
    },
    MetricEntry {
        name: "server_cost",
        title: "server cost",
        unit: "cost",
        more_is_better: false,
        definition: "objective (4): costs of the servers that host a virtual machine",
    },
    MetricEntry {
        name: "reach",
        title: "reach",
        unit: "position",
        more_is_better: false,
        definition: "position, from 1, of the last server in use in the order of the instance: m of the first m servers",
    },
    MetricEntry {
        name: "pages",
        title: "pages in use",
        unit: "pages",
        more_is_better: false,
        definition: "pages that the servers hold, each page once per server; by capacity group in the metrics pages_of:GROUP",
    },
    MetricEntry {
        name: "saved_pages",
        title: "pages saved",
        unit: "pages",
        more_is_better: true,
        definition: "memories of all virtual machines less the pages in use; by capacity group in the metrics \
                     saved_pages_of:GROUP",
    },
    MetricEntry {
        name: "memory_reduction",
        title: "memory reduction",
        unit: "ratio",
        more_is_better: true,
        definition: "pages saved over the memories of all virtual machines; by capacity group, where a server is in use, in the \
                     metrics memory_reduction_of:GROUP",
    },
];

/// The metrics of a packing that obeys all rules.
pub fn metric_values(problem: &Problem, packing: &Packing, score: &Score) -> MetricValues {
    let saved = score.requested_pages - score.pages;
    let reduction = saved as f64 / (score.requested_pages as f64).max(1.0);
    let mut values: MetricValues = [
        ("active_servers", Number::from(score.active_servers)),
        ("server_cost", Number::from_f64(score.cost.to_f64()).expect("costs are finite")),
        ("reach", Number::from(score.reach)),
        ("pages", Number::from(score.pages)),
        ("saved_pages", Number::from(saved)),
        ("memory_reduction", Number::from_f64(reduction).expect("a share is finite")),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    for (group, counts) in by_group(problem, packing) {
        for (name, count) in BY_GROUP.iter().zip(counts) {
            values.insert(format!("{name}:{group}"), Number::from(count));
        }
        let [_, pages, saved] = counts;
        if let Some(share) = Number::from_f64(saved as f64 / (pages + saved) as f64) {
            values.insert(format!("{REDUCTION_BY_GROUP}:{group}"), share);
        }
    }
    values
}

/// Servers in use, their pages and the pages saved on them, by capacity group.
fn by_group<'p>(problem: &'p Problem, packing: &Packing) -> BTreeMap<&'p str, [u64; 3]> {
    let mut groups: BTreeMap<&str, [u64; 3]> =
        problem.kinds.iter().map(|kind| (kind.group.as_str(), [0; 3])).collect();
    let hosted = packing.by_server(problem.servers.len());
    for (server, vms) in problem.server_indices().zip(&hosted).filter(|(_, vms)| !vms.is_empty()) {
        let pages = pages_of(problem, vms);
        let requested: u64 = vms.iter().map(|&vm: &VmIndex| problem.vm(vm).pages).sum();
        let counts = groups.entry(&problem.kind_of(server).group).or_default();
        *counts = [counts[0] + 1, counts[1] + pages, counts[2] + requested - pages];
    }
    groups
}

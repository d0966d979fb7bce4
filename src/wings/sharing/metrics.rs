//! What is counted about the model's solutions.

use crate::instance::Problem;
use crate::rules::{Packing, Score, pages_of};
use kit::{Metric, fraction, no_parts};
use serde_json::Number;
use std::collections::BTreeMap;

/// Servers in use and their pages.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    servers: u64,
    pages: u64,
    /// What the pages would be without sharing.
    requested: u64,
}

impl Counts {
    fn saved(&self) -> u64 {
        self.requested - self.pages
    }

    fn reduction(&self) -> f64 {
        self.saved() as f64 / (self.requested as f64).max(1.0)
    }
}

/// What the metrics are read from.
pub struct Figures {
    score: Score,
    all: Counts,
    /// By capacity group of the instance.
    groups: BTreeMap<String, Counts>,
}

impl Figures {
    /// The figures of a packing that obeys all rules.
    pub fn new(problem: &Problem, packing: &Packing, score: &Score) -> Self {
        let all =
            Counts { servers: score.active_servers, pages: score.pages, requested: score.requested_pages };
        let mut groups: BTreeMap<String, Counts> =
            problem.kinds.iter().map(|kind| (kind.group.clone(), Counts::default())).collect();
        let hosted = packing.by_server(problem.servers.len());
        for (server, vms) in problem.server_indices().zip(&hosted).filter(|(_, vms)| !vms.is_empty()) {
            let counts = groups.entry(problem.kind_of(server).group.clone()).or_default();
            counts.servers += 1;
            counts.pages += pages_of(problem, vms);
            counts.requested += vms.iter().map(|&vm| problem.vm(vm).pages).sum::<u64>();
        }
        Figures { score: score.clone(), all, groups }
    }

    /// A number for each capacity group of the instance.
    fn by_group(&self, number: fn(&Counts) -> u64) -> Vec<(String, Number)> {
        self.groups.iter().map(|(group, counts)| (group.clone(), Number::from(number(counts)))).collect()
    }
}

/// All metrics.
pub const METRICS: &[Metric<Figures>] = &[
    Metric {
        name: "active_servers",
        title: "active servers",
        unit: "servers",
        more_is_better: false,
        definition: "servers that host a virtual machine; by capacity group in the metrics active_servers_of:GROUP",
        value: |figures| Some(Number::from(figures.all.servers)),
        parts: |figures| figures.by_group(|counts| counts.servers),
    },
    Metric {
        name: "server_cost",
        title: "server cost",
        unit: "cost",
        more_is_better: false,
        definition: "objective (4): costs of the servers that host a virtual machine",
        value: |figures| Some(fraction(figures.score.cost.to_f64())),
        parts: no_parts,
    },
    Metric {
        name: "reach",
        title: "reach",
        unit: "position",
        more_is_better: false,
        definition: "position, from 1, of the last server in use in the order of the instance: m of the first m servers",
        value: |figures| Some(Number::from(figures.score.reach)),
        parts: no_parts,
    },
    Metric {
        name: "pages",
        title: "pages in use",
        unit: "pages",
        more_is_better: false,
        definition: "pages that the servers hold, each page once per server; by capacity group in the metrics pages_of:GROUP",
        value: |figures| Some(Number::from(figures.all.pages)),
        parts: |figures| figures.by_group(|counts| counts.pages),
    },
    Metric {
        name: "saved_pages",
        title: "pages saved",
        unit: "pages",
        more_is_better: true,
        definition: "memories of all virtual machines less the pages in use; by capacity group in the metrics \
                     saved_pages_of:GROUP",
        value: |figures| Some(Number::from(figures.all.saved())),
        parts: |figures| figures.by_group(Counts::saved),
    },
    Metric {
        name: "memory_reduction",
        title: "memory reduction",
        unit: "ratio",
        more_is_better: true,
        definition: "pages saved over the memories of all virtual machines; by capacity group, where a server is in use, in the \
                     metrics memory_reduction_of:GROUP",
        value: |figures| Some(fraction(figures.all.reduction())),
        parts: |figures| {
            let in_use = figures.groups.iter().filter(|(_, counts)| counts.requested > 0);
            in_use.map(|(group, counts)| (group.clone(), fraction(counts.reduction()))).collect()
        },
    },
];

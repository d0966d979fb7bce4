//! The rules that a solution may break, in words.

use ground::counted;
use itertools::Itertools;
use kit::{Rule, name_some};

/// A rule that a solution breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A rule of the hardware.
    Hardware(cluster::Violation),
    /// A pinned workload is not where it was.
    PinnedMoved { workload: String },
    /// A workload that the use case does not consider has a place.
    NotConsidered { workload: String },
    /// An empty GPU is used although the use case does not use free GPUs.
    FreeGpuUsed { gpu: String },
    /// An instance takes slots of a GPU in use that were not free at first, and the GPU is not repartitioned.
    OccupiedSlotsReused { workload: String, gpu: String },
    /// A GPU is repartitioned that carries a pinned workload.
    PinnedRepartitioned { gpu: String },
    /// A GPU without workloads at first, or without any at last, is said to be repartitioned.
    NothingToRepartition { gpu: String },
    /// In reconfiguration a GPU without pinned workloads must be laid out anew to stay in use.
    NotLaidOutAnew { gpu: String },
    /// A workload starts on a GPU that is cordoned or to be drained.
    StartsOutOfService { workload: String, gpu: String },
    /// A movable workload is still on a GPU that is to be drained.
    NotDrained { workload: String, gpu: String },
    /// A GPU is repartitioned that is cordoned or to be drained.
    RepartitionedOutOfService { gpu: String },
    /// A workload waits although all must be placed.
    Pending { workload: String },
    /// A workload is on a node to which it is not admitted.
    WrongNode { workload: String, node: String },
    /// Workloads of a group that keeps apart share a node or a GPU; those named are all that are there.
    NotApart { group: String, site: String, workloads: Vec<String> },
    /// Workloads of a group that belongs together are on several nodes or GPUs, each with one of them.
    NotTogether { group: String, places: Vec<(String, String)> },
    /// Of a group that counts as one, some workloads have a place and others have none.
    NotAsOne { group: String, placed: String, pending: String },
    /// More running workloads are moved than may be.
    TooManyMigrations { most: u32, workloads: Vec<String> },
    /// More running workloads are disrupted than may be: of those on a host, or of all.
    TooManyDisrupted { host: Option<String>, most: u32, workloads: Vec<String> },
}

impl Rule for Violation {
    fn rule(&self) -> &'static str {
        match self {
            Violation::Hardware(violation) => violation.rule(),
            Violation::PinnedMoved { .. } => "pinned-moved",
            Violation::NotConsidered { .. } => "not-considered",
            Violation::FreeGpuUsed { .. } => "free-gpu-used",
            Violation::OccupiedSlotsReused { .. } => "occupied-slots-reused",
            Violation::PinnedRepartitioned { .. } => "pinned-repartitioned",
            Violation::NothingToRepartition { .. } => "nothing-to-repartition",
            Violation::NotLaidOutAnew { .. } => "not-laid-out-anew",
            Violation::StartsOutOfService { .. } => "starts-out-of-service",
            Violation::NotDrained { .. } => "not-drained",
            Violation::RepartitionedOutOfService { .. } => "repartitioned-out-of-service",
            Violation::Pending { .. } => "pending",
            Violation::WrongNode { .. } => "wrong-node",
            Violation::NotApart { .. } => "not-apart",
            Violation::NotTogether { .. } => "not-together",
            Violation::NotAsOne { .. } => "not-as-one",
            Violation::TooManyMigrations { .. } => "too-many-migrations",
            Violation::TooManyDisrupted { .. } => "too-many-disrupted",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Hardware(violation) => violation.fmt(formatter),
            Violation::PinnedMoved { workload } => {
                write!(formatter, "`{workload}` is pinned but not where it was")
            }
            Violation::NotConsidered { workload } => {
                write!(formatter, "`{workload}` has a place, but this use case considers no newcomers")
            }
            Violation::FreeGpuUsed { gpu } => {
                write!(formatter, "{gpu} was empty and is used, but compaction uses no free GPUs")
            }
            Violation::OccupiedSlotsReused { workload, gpu } => write!(
                formatter,
                "`{workload}` takes slots of {gpu} that were occupied before, but {gpu} is not repartitioned"
            ),
            Violation::PinnedRepartitioned { gpu } => {
                write!(formatter, "{gpu} is repartitioned although it carries a pinned workload")
            }
            Violation::NothingToRepartition { gpu } => {
                write!(formatter, "{gpu} is listed as repartitioned but was empty before or is empty after")
            }
            Violation::NotLaidOutAnew { gpu } => {
                write!(
                    formatter,
                    "{gpu} stays in use without being repartitioned, but reconfiguration lays out every GPU anew"
                )
            }
            Violation::StartsOutOfService { workload, gpu } => {
                write!(formatter, "`{workload}` starts on {gpu}, which is cordoned or to be drained")
            }
            Violation::NotDrained { workload, gpu } => {
                write!(formatter, "`{workload}` may be moved and is still on {gpu}, which is to be drained")
            }
            Violation::RepartitionedOutOfService { gpu } => {
                write!(formatter, "{gpu} is repartitioned, but it is cordoned or to be drained")
            }
            Violation::Pending { workload } => {
                write!(formatter, "`{workload}` has no place, but all must be placed")
            }
            Violation::WrongNode { workload, node } => {
                write!(
                    formatter,
                    "`{workload}` is on {node}, which its `nodes` and `node_selector` do not admit"
                )
            }
            Violation::NotApart { group, site, workloads } => write!(
                formatter,
                "{} workloads of group `{group}`, which keeps apart, share {site}: {}",
                workloads.len(),
                some(workloads)
            ),
            Violation::NotTogether { group, places } => {
                let places =
                    places.iter().map(|(workload, site)| format!("{workload} on {site}")).collect_vec();
                write!(
                    formatter,
                    "workloads of group `{group}`, which belongs together, are in {} places: {}",
                    places.len(),
                    some(&places)
                )
            }
            Violation::NotAsOne { group, placed, pending } => write!(
                formatter,
                "of group `{group}`, which counts as one, `{placed}` has a place and `{pending}` has none"
            ),
            Violation::TooManyMigrations { most, workloads } => write!(
                formatter,
                "{} are moved, but `max_migrations` is {most}: {}",
                counted(workloads.len(), "workload"),
                some(workloads)
            ),
            Violation::TooManyDisrupted { host, most, workloads } => {
                let (of_host, whose) = match host {
                    Some(host) => (format!(" of host {host}"), "its"),
                    None => (String::new(), "the instance's"),
                };
                write!(
                    formatter,
                    "{}{of_host} are disrupted, but {whose} `max_disrupted` is {most}: {}",
                    counted(workloads.len(), "workload"),
                    some(workloads)
                )
            }
        }
    }
}

fn some(names: &[String]) -> String {
    name_some(&names.iter().map(String::as_str).collect_vec())
}

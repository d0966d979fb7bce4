//! What is asked, in plain terms: the cluster as machines, what workloads and changes count, and the goals.

use cluster::{Cluster, GpuIndex, Part};
use ground::Amount;

/// A question of model siavashi.
pub struct Question<'q> {
    /// The cluster.
    pub cluster: &'q Cluster,
    /// The machines; every GPU is in one of them.
    pub machines: Vec<Machine<'q>>,
    /// Per workload: its part.
    pub parts: Vec<Part>,
    /// Per workload: what accepting it counts.
    pub acceptance: Vec<Amount>,
    /// Per workload: what its changes cost; all of it 0 for newcomers.
    pub changes: Vec<Changes>,
    /// Whether every running workload has to have a place.
    pub keeps_residents: bool,
    /// How many running workloads may be on another GPU, or without a place.
    pub max_migrations: Option<u32>,
    /// The goals, one after the other.
    pub stages: Vec<Stage>,
}

/// A machine: a host with its GPUs, or a GPU outside any host.
pub struct Machine<'q> {
    /// Its name.
    pub name: &'q str,
    /// Its cores; `None` when they are not limited.
    pub cpu: Option<Amount>,
    /// Its main memory; `None` when it is not limited.
    pub memory: Option<Amount>,
    /// What it counts when it is in use.
    pub weight: Amount,
    /// What each of its GPUs counts when it is in use.
    pub gpu_weight: Amount,
    /// Its GPUs, all of them on one node.
    pub gpus: &'q [GpuIndex],
}

/// What changes of a running workload cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// To be on another machine.
    pub move_machine: Amount,
    /// To be on another GPU of its machine.
    pub move_gpu: Amount,
    /// To be at another start of its GPU.
    pub move_start: Amount,
    /// To be without a place.
    pub evict: Amount,
}

/// An amount that placements are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// Weights of the workloads with a place.
    Acceptance,
    /// Weights of the machines and GPUs in use.
    Hardware,
    /// Costs of all changes.
    Migrations,
}

impl Term {
    /// All of them.
    pub const ALL: [Term; 3] = [Term::Acceptance, Term::Hardware, Term::Migrations];

    /// 1 if more of it is better, else -1.
    pub(super) fn sign(self) -> i128 {
        if self == Term::Acceptance { 1 } else { -1 }
    }
}

/// A goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// One term: acceptance at most, the others at least.
    Of(Term),
    /// Acceptance less hardware less migrations, at most, each times its weight.
    Weighted([Amount; 3]),
}

impl Stage {
    /// Its name in certificates and answers.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Of(Term::Acceptance) => "acceptance",
            Stage::Of(Term::Hardware) => "hardware",
            Stage::Of(Term::Migrations) => "migrations",
            Stage::Weighted(_) => "weighted",
        }
    }

    /// 1 if more of it is better, else -1.
    pub(super) fn sign(self) -> i128 {
        match self {
            Stage::Of(term) => term.sign(),
            Stage::Weighted(_) => 1,
        }
    }
}

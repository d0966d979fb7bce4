//! What is asked, in plain terms: the cluster, who takes part, and what counts how much.

use cluster::{Cluster, Part};
use ground::Amount;

/// A question of model wpm.
pub struct Question<'q> {
    /// The cluster.
    pub cluster: &'q Cluster,
    /// The reading of what may happen to a GPU in use.
    pub reading: Reading,
    /// Per workload: its part.
    pub parts: Vec<Part>,
    /// Whether empty GPUs in service may be used.
    pub uses_free_gpus: bool,
    /// Whether a GPU in service without pinned workloads stays in use only by a repartition.
    pub lays_out_anew: bool,
    /// Whether another start on the same GPU is a migration wherever it is.
    pub shifts_count: bool,
    /// Whether every workload that takes part has to have a place.
    pub place_all: bool,
    /// How many running workloads may migrate at most.
    pub max_migrations: Option<u32>,
    /// Per workload: its reward.
    pub rewards: &'q [Amount],
    /// Per workload: the cost of its migration.
    pub migrations: &'q [Amount],
    /// Per board of the cluster: its costs.
    pub boards: Vec<BoardCosts>,
    /// The goals, one after the other.
    pub stages: Vec<Stage>,
}

/// What may happen to a GPU in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// It stays as it is, and what comes takes slots that were free at first; or, without pinned workloads, it is repartitioned. Waste of
    /// what stays does not count.
    Printed,
    /// What comes may take every slot that is free in the end; a repartition may go around pinned workloads. All waste counts.
    ExactIndex,
}

/// Costs of a board.
#[derive(Clone, Copy, Debug)]
pub struct BoardCosts {
    /// A GPU in use.
    pub gpu: Amount,
    /// A repartition.
    pub repartition: Amount,
    /// A wasted slice.
    pub waste: Amount,
}

/// An amount that placements are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// Rewards of the workloads that take part and have a place.
    Reward,
    /// Costs of GPUs in use.
    Gpus,
    /// Costs of migrations and repartitions.
    Migrations,
    /// Costs of waste.
    Waste,
}

impl Term {
    pub(super) const ALL: [Term; 4] = [Term::Reward, Term::Gpus, Term::Migrations, Term::Waste];

    /// 1 if more of it is better, else -1.
    pub(super) fn sign(self) -> i128 {
        if self == Term::Reward { 1 } else { -1 }
    }
}

/// A goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// One term: the reward at most, a cost at least.
    Of(Term),
    /// Rewards less all costs, at most.
    Profit,
}

impl Stage {
    /// Its name in certificates and answers.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Of(Term::Reward) => "reward",
            Stage::Of(Term::Gpus) => "gpus",
            Stage::Of(Term::Migrations) => "migrations",
            Stage::Of(Term::Waste) => "waste",
            Stage::Profit => "profit",
        }
    }

    /// 1 if more of it is better, else -1.
    pub(super) fn sign(self) -> i128 {
        match self {
            Stage::Of(term) => term.sign(),
            Stage::Profit => 1,
        }
    }

    /// Whether the term is among what it adds up.
    pub(super) fn has(self, term: Term) -> bool {
        self == Stage::Profit || self == Stage::Of(term)
    }
}

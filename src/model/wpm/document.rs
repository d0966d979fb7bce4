//! The parts of documents that only this model has.

use super::costs::PerBoard;
use super::instance::Problem;
use super::roles::Role;
use super::settings::BoardCosts;
use super::solution::Solution;
use super::solve::reading_for;
use crate::cluster::{Amount, GpuIndex, InputError, SourceText};
use crate::model::{GpuNames, InstanceReference, SolutionDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Costs as they applied.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostsDocument {
    /// Reward per memory slice of workloads without a reward of their own.
    pub reward_per_slice: Amount,
    /// Cost of a GPU in use.
    pub gpu: Amount,
    /// Cost of a repartition.
    pub repartition: Amount,
    /// Cost of a migration per memory slice.
    pub migration_per_slice: Amount,
    /// Cost of a wasted slice.
    pub waste: Amount,
    /// Costs by board, where they differ from the general ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub boards: BTreeMap<String, BoardCosts>,
    /// Whether every step of a goal outweighs all goals after it, so that the order reward, GPUs, migrations, waste is
    /// certain.
    pub order_guaranteed: bool,
}

/// The optimum under the printed reading.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrintedReading {
    /// GPUs in use.
    pub gpus: u64,
    /// Workloads without a place.
    pub pending: u64,
    /// Profit.
    pub profit: Amount,
}

impl CostsDocument {
    /// The costs of a problem.
    pub fn new(problem: &Problem) -> Self {
        let costs = &problem.costs;
        let [reward_per_slice, gpu, repartition, migration_per_slice, waste] = costs.general;
        let general = PerBoard { gpu, repartition, waste };
        let boards = problem.cluster.boards.iter().zip(&costs.board).filter(|(_, own)| **own != general);
        let boards = boards.map(|(board, own)| {
            let own =
                BoardCosts { gpu: Some(own.gpu), repartition: Some(own.repartition), waste: Some(own.waste) };
            (board.name().to_owned(), own)
        });
        CostsDocument {
            reward_per_slice,
            gpu,
            repartition,
            migration_per_slice,
            waste,
            boards: boards.collect(),
            order_guaranteed: costs.order_guaranteed,
        }
    }
}

impl Solution {
    /// Writes the solution down, without its worth.
    pub fn document(&self, problem: &Problem, fingerprint: &str) -> SolutionDocument {
        let cluster = &problem.cluster;
        let name = |gpu: GpuIndex| cluster.gpus[gpu.index()].name.clone();
        let repartitioned = cluster.gpu_indices().filter(|gpu| self.repartitioned[gpu.index()]).map(name);
        SolutionDocument {
            reading: Some(self.reading),
            repartitioned: Some(repartitioned.collect()),
            ..SolutionDocument::new(
                "wpm",
                InstanceReference::new(&cluster.name, fingerprint),
                cluster,
                &self.placement,
                self.pending(problem),
                |workload| problem.role(workload) == Role::Pinned,
            )
        }
    }

    /// Reads a solution back for a problem.
    ///
    /// # Errors
    /// When it belongs to another instance, names unknown workloads or GPUs, or names a workload twice.
    pub fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Self, InputError> {
        let placement = document.resolve(&problem.cluster, fingerprint, source)?;
        let reading = document.reading.unwrap_or_else(|| reading_for(problem));
        let Some(named) = &document.repartitioned else {
            return Ok(Solution::from_placement(problem, reading, placement));
        };
        let gpus = GpuNames::of(&problem.cluster);
        let mut repartitioned = vec![false; problem.cluster.gpus.len()];
        for name in named {
            repartitioned[gpus.find(name, source)?.index()] = true;
        }
        Ok(Solution { reading, placement, repartitioned })
    }
}

//! How answers repeat the question, and what else they say.

use crate::instance::{PerBoard, Problem};
use crate::section::{BoardCosts, UseCase};
use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How answers repeat the question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    /// Which workloads and GPUs take part (wpm).
    pub use_case: UseCase,
    /// How the goals are combined.
    pub objective: String,
    /// The costs that applied, defaults included (wpm).
    pub costs: CostsDocument,
}

/// What else an answer may say.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Remarks {
    /// GPUs in use and profit of the optimum under the printed reading, where pinned workloads made migopt choose the
    /// exact-index reading (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_reading: Option<PrintedReading>,
}

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

//! How answers repeat the question, and what else they say.

use crate::instance::{PerBoard, Problem, Role};
use crate::section::{BoardCosts, Shifts, UseCase};
use ground::Amount;
use itertools::Itertools;
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
    /// How many running workloads were allowed to move, where that was limited (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_migrations: Option<u32>,
    /// How many running workloads were allowed to be disrupted, where that was limited (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
    /// Whether another start on the same GPU counted as a migration; free when left out (wpm).
    #[serde(default, skip_serializing_if = "Shifts::are_free")]
    pub shifts: Shifts,
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

/// The costs that applied.
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
    /// What single units cost, where those differ from the values above or from each other.
    #[serde(default, skip_serializing_if = "UnitCosts::is_empty")]
    pub units: UnitCosts,
    /// Whether every step of a goal outweighs all goals after it, so that the order reward, GPUs, migrations, waste is
    /// certain.
    pub order_guaranteed: bool,
}

/// Rewards and costs of single workloads, GPUs and slices, each where it is not the general one for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitCosts {
    /// Reward of a workload that is decided about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<UnitCost>,
    /// Cost of a GPU in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<UnitCost>,
    /// Cost of a repartition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repartition: Option<UnitCost>,
    /// Cost of migrating a workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration: Option<UnitCost>,
    /// Cost of a wasted slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waste: Option<UnitCost>,
}

/// From what to what a cost goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitCost {
    /// That of the cheapest unit.
    pub least: Amount,
    /// That of the dearest unit.
    pub most: Amount,
}

impl UnitCosts {
    fn new(problem: &Problem) -> Self {
        let (cluster, costs) = (&problem.cluster, &problem.costs);
        let [reward_per_slice, gpu, repartition, migration_per_slice, waste] = costs.general;
        // Per workload with a role: its own amount, and what it would be by slices.
        let of_workloads = |has_role: fn(Role) -> bool, own: &[Amount], per_slice: Amount| {
            let workloads = cluster.workload_indices().filter(|&workload| has_role(problem.role(workload)));
            let slices = |workload| i128::from(cluster.memory_slices(workload).unwrap_or_default());
            UnitCost::of(workloads.map(|workload| (own[workload.index()], per_slice * slices(workload))))
        };
        let of_boards = |own: fn(&PerBoard) -> Amount, general| {
            UnitCost::of(costs.board.iter().map(|board| (own(board), general)))
        };
        UnitCosts {
            reward: of_workloads(Role::is_decided, &costs.reward, reward_per_slice),
            gpu: of_boards(|board| board.gpu, gpu),
            repartition: of_boards(|board| board.repartition, repartition),
            migration: of_workloads(|role| role == Role::Resident, &costs.migration, migration_per_slice),
            waste: of_boards(|board| board.waste, waste),
        }
    }

    fn is_empty(&self) -> bool {
        *self == UnitCosts::default()
    }
}

impl std::fmt::Display for UnitCost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.least.grouped())?;
        if self.least < self.most { write!(formatter, " to {}", self.most.grouped()) } else { Ok(()) }
    }
}

impl UnitCost {
    /// The same for every unit.
    pub fn general(amount: Amount) -> Self {
        UnitCost { least: amount, most: amount }
    }

    /// From what to what the first of the pairs go; nothing where both of each are alike.
    fn of(pairs: impl Iterator<Item = (Amount, Amount)>) -> Option<Self> {
        let mut differ = false;
        let range = pairs.inspect(|(own, general)| differ |= own != general).map(|(own, _)| own).minmax();
        let (least, most) = range.into_option()?;
        differ.then_some(UnitCost { least, most })
    }
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
            units: UnitCosts::new(problem),
            order_guaranteed: costs.order_guaranteed,
        }
    }
}

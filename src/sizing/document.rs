//! The answer as a document.

use crate::counting::Counting;
use cluster::{BoardIndex, Cluster};
use ground::{Amount, counted};
use kit::{ResultDocument, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What `migopt whatif` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt sizing")]
pub struct SizingDocument {
    /// Name of the instance.
    pub instance: String,
    /// How large the load is.
    pub load: LoadCount,
    /// The GPUs that carry a workload now, by board.
    pub now: Vec<BoardCount>,
    /// How the search ended in the case that says least.
    pub status: Status,
    /// Each board alone, in the order of the cluster; then, where there are several, all of them together.
    pub answers: Vec<Sizing>,
}

impl SizingDocument {
    /// The answers to all cases of an instance.
    pub fn new(cluster: &Cluster, load: LoadCount, answers: Vec<Sizing>) -> Self {
        let now: BTreeSet<_> =
            cluster.workloads.iter().filter_map(|workload| Some(workload.current?.gpu)).collect();
        let now = counted_by_board(cluster, now.iter().map(|gpu| cluster.gpus[gpu.index()].board));
        let is_open = |answer: &&Sizing| !matches!(answer.status, Status::Optimal | Status::Infeasible);
        let status = match answers.iter().find(is_open) {
            Some(open) => open.status,
            None if answers.iter().all(|answer| answer.status == Status::Infeasible) => Status::Infeasible,
            None => Status::Optimal,
        };
        SizingDocument { instance: cluster.name.clone(), load, now, status, answers }
    }
}

/// How large a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadCount {
    /// Workloads that run.
    pub running: usize,
    /// Those of them that may not be moved.
    pub pinned: usize,
    /// Workloads of the instance that wait.
    pub waiting: usize,
    /// Workloads that were added.
    pub added: usize,
}

impl LoadCount {
    /// The load of a cluster that has so many workloads with those that were added.
    pub(crate) fn of(cluster: &Cluster, all: usize) -> Self {
        let running = cluster.workloads.iter().filter(|workload| workload.current.is_some());
        let pinned = running.clone().filter(|workload| !workload.movable).count();
        let (running, own) = (running.count(), cluster.workloads.len());
        LoadCount { running, pinned, waiting: own - running, added: all - own }
    }
}

/// So many GPUs of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardCount {
    /// The board.
    pub board: String,
    /// How many.
    pub count: usize,
}

/// So many GPUs with the same instances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutCount {
    /// The board.
    pub board: String,
    /// How many GPUs look like this.
    pub count: usize,
    /// The instances in the order of their slots, each as `PROFILE@START`.
    pub instances: Vec<String>,
}

/// Which GPUs of some boards carry the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sizing {
    /// The boards of which there may be any number.
    pub boards: Vec<String>,
    /// How the search ended.
    pub status: Status,
    /// Why no number of GPUs is enough, where migopt knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the GPUs cost; for a board alone, their number.
    pub cost: Option<Amount>,
    /// No choice of GPUs costs less.
    pub bound: Option<Amount>,
    /// Why, in numbers to add up: one for each group of boards that have no profile of the load in common with others. Where their
    /// bounds add up to less than `bound`, the rest was found by search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counting: Vec<Counting>,
    /// The GPUs, by board; those that hold workloads which may not be moved are among them.
    pub gpus: Vec<BoardCount>,
    /// How they are laid out.
    pub layouts: Vec<LayoutCount>,
    /// What a GPU of each board costs.
    pub costs: BTreeMap<String, Amount>,
}

impl Sizing {
    pub(crate) fn of(
        boards: &[String],
        cluster: &Cluster,
        costs: &[Amount],
        answer: &ResultDocument,
    ) -> Self {
        let mut on_gpu: BTreeMap<&str, Vec<(u8, String)>> = BTreeMap::new();
        for placed in answer.solution.iter().flat_map(|solution| solution.placement.iter().flatten()) {
            let profile = placed.details.profile.as_deref().unwrap_or_default();
            let instance = (placed.start, format!("{profile}@{}", placed.start));
            on_gpu.entry(&placed.gpu).or_default().push(instance);
        }
        let used = cluster.gpus.iter().filter(|gpu| on_gpu.contains_key(gpu.name.as_str()));
        let mut layouts: BTreeMap<(BoardIndex, Vec<(u8, String)>), usize> = BTreeMap::new();
        for gpu in used.clone() {
            let mut instances = on_gpu[gpu.name.as_str()].clone();
            instances.sort_unstable();
            *layouts.entry((gpu.board, instances)).or_default() += 1;
        }
        let layout = |((board, instances), count): ((BoardIndex, Vec<(u8, String)>), usize)| LayoutCount {
            board: cluster.boards[board.index()].name().to_owned(),
            count,
            instances: instances.into_iter().map(|(_, name)| name).collect(),
        };
        let stage = answer.stages.first();
        let names = cluster.boards.iter().map(|board| board.name().to_owned());
        Sizing {
            boards: boards.to_vec(),
            status: answer.status,
            reason: match answer.status {
                Status::Infeasible => unserved(boards, cluster).or_else(|| answer.reason.clone()),
                _ => answer.reason.clone(),
            },
            cost: stage.and_then(|stage| stage.value),
            bound: stage.and_then(|stage| stage.bound),
            counting: match answer.status {
                Status::Infeasible => Vec::new(),
                _ => Counting::of(cluster, costs),
            },
            gpus: counted_by_board(cluster, used.map(|gpu| gpu.board)),
            layouts: layouts.into_iter().map(layout).collect(),
            costs: names.zip(costs.iter().copied()).collect(),
        }
    }

    /// What counting alone says.
    pub fn counted(&self) -> Amount {
        self.counting.iter().map(|counting| counting.bound).sum()
    }
}

/// The workloads that no number of GPUs of these boards serves, as none of them has their profile.
fn unserved(boards: &[String], cluster: &Cluster) -> Option<String> {
    let offered = |board: &BoardIndex| boards.iter().any(|name| name == cluster.boards[board.index()].name());
    let offered: Vec<BoardIndex> = (0..cluster.boards.len()).map(BoardIndex::at).filter(offered).collect();
    let mut unserved = cluster.workloads.iter().filter(|workload| {
        let on_board = &cluster.requests[workload.request.index()].on_board;
        workload.current.is_none() && offered.iter().all(|board| on_board[board.index()].is_none())
    });
    let first = unserved.next()?;
    let profile = cluster.requests[first.request.index()].names.join("|");
    let others = match unserved.count() {
        0 => String::new(),
        others => format!(", nor that of {}", counted(others, "other workload")),
    };
    Some(format!("no {} has the profile {profile} of {}{others}", boards.join(" and no "), first.name))
}

fn counted_by_board(cluster: &Cluster, boards: impl Iterator<Item = BoardIndex>) -> Vec<BoardCount> {
    let mut counts: BTreeMap<BoardIndex, usize> = BTreeMap::new();
    for board in boards {
        *counts.entry(board).or_default() += 1;
    }
    let named = |(board, count): (BoardIndex, usize)| BoardCount {
        board: cluster.boards[board.index()].name().to_owned(),
        count,
    };
    counts.into_iter().map(named).collect()
}

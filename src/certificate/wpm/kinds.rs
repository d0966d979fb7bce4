//! GPUs of which the same may become, counted.

use super::pools::{PoolIndex, Pools};
use super::question::Question;
use crate::refusal::Refusal;
use cluster::{BoardIndex, GpuIndex, Maintenance, NodeSetIndex, Part, WorkloadIndex};
use ground::Amount;
use mig::GpuInstance;
use std::collections::BTreeMap;

/// What a GPU is and carries at first, as far as it matters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Its board.
    pub board: BoardIndex,
    /// Whether it is in service.
    pub maintenance: Maintenance,
    /// The sets of nodes that have its node.
    pub node_sets: Vec<NodeSetIndex>,
    /// What runs on it, in a fixed order.
    pub residents: Vec<Resident>,
}

/// A running workload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resident {
    /// Where on the GPU it runs.
    pub instance: GpuInstance,
    /// What may be done with it; nothing if it is pinned.
    pub movable: Option<Movable>,
}

/// A running workload that may be moved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Movable {
    /// Its pool.
    pub pool: PoolIndex,
    /// The cost of its migration, in units.
    pub migration: i128,
    /// Whether it may be on the node on which it is.
    pub admitted: bool,
}

impl Kind {
    /// The residents that may be moved, with their instances.
    pub fn movable(&self) -> impl Iterator<Item = (GpuInstance, Movable)> + '_ {
        self.residents.iter().filter_map(|resident| Some((resident.instance, resident.movable?)))
    }

    /// The instances of those that are pinned.
    pub fn pinned(&self) -> impl Iterator<Item = GpuInstance> + Clone + '_ {
        self.residents.iter().filter(|resident| resident.movable.is_none()).map(|resident| resident.instance)
    }

    /// Whether workloads bound to these nodes may be here.
    pub fn admits(&self, nodes: Option<NodeSetIndex>) -> bool {
        nodes.is_none_or(|nodes| self.node_sets.contains(&nodes))
    }
}

/// The kinds of the GPUs that may carry something in the end.
pub struct Kinds {
    /// The kinds, each with the number of its GPUs and the first of them.
    pub list: Vec<(Kind, i128, GpuIndex)>,
    /// Per GPU: the position of its kind; none of one that carries nothing in the end.
    pub of: Vec<Option<usize>>,
}

impl Kinds {
    /// How many GPUs are of kinds of which this is true.
    pub fn number(&self, counts: impl Fn(&Kind) -> bool) -> i128 {
        self.list.iter().filter(|(kind, ..)| counts(kind)).map(|(_, number, _)| number).sum()
    }
}

/// Counts the GPUs of a question.
pub fn kinds(question: &Question<'_>, pools: &Pools, migration_unit: Amount) -> Result<Kinds, Refusal> {
    let cluster = question.cluster;
    let resident = |&workload: &WorkloadIndex| {
        let place = cluster.workloads[workload.index()].current;
        let instance = place.and_then(|place| Some((place.gpu, cluster.instance_at(workload, place)?)));
        let (gpu, instance) =
            instance.ok_or_else(|| Refusal::of("a running workload is not where it can run."))?;
        let movable = match (question.parts[workload.index()], pools.of[workload.index()]) {
            (Part::Pinned, None) => None,
            (Part::Resident, Some(pool)) => {
                let migration = question.migrations[workload.index()].in_units_of(migration_unit);
                let migration = migration
                    .ok_or_else(|| Refusal::of("costs of migrations are not multiples of their unit."))?;
                Some(Movable { pool, migration, admitted: cluster.admits(workload, gpu) })
            }
            _ => return Err(Refusal::of("a running workload takes part as one that waits.")),
        };
        Ok(Resident { instance, movable })
    };
    let mut known: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut counted: Vec<(i128, GpuIndex)> = Vec::new();
    let mut of = vec![None; cluster.gpus.len()];
    let by_gpu = cluster.current_placement().by_gpu(cluster);
    for (gpu, workloads) in cluster.gpu_indices().zip(by_gpu.iter()) {
        let described = &cluster.gpus[gpu.index()];
        if workloads.is_empty() && !(question.uses_free_gpus && described.maintenance.is_in_service()) {
            continue;
        }
        let mut residents = workloads.iter().map(resident).collect::<Result<Vec<_>, Refusal>>()?;
        residents.sort_unstable();
        let kind = Kind {
            board: described.board,
            maintenance: described.maintenance,
            node_sets: cluster.node_sets_with(gpu).collect(),
            residents,
        };
        let position = *known.entry(kind).or_insert(counted.len());
        if position == counted.len() {
            counted.push((0, gpu));
        }
        counted[position].0 += 1;
        of[gpu.index()] = Some(position);
    }
    let mut kinds: Vec<(Kind, usize)> = known.into_iter().collect();
    kinds.sort_unstable_by_key(|&(_, position)| position);
    let list = kinds.into_iter().zip(counted).map(|((kind, _), (number, first))| (kind, number, first));
    Ok(Kinds { list: list.collect(), of })
}

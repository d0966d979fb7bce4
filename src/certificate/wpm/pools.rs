//! Workloads that prices do not tell apart, counted.

use super::question::Question;
use crate::names::{one_word, unique};
use crate::refusal::Refusal;
use cluster::{NodeSetIndex, RequestIndex, WorkloadIndex};
use ground::{Amount, index_type};
use std::collections::{BTreeMap, BTreeSet};

index_type!(
    /// A pool, by its position in [`Pools::list`].
    PoolIndex
);

/// Workloads that take part with the same request, reward and nodes.
pub struct Pool {
    /// What certificates call it: its request; further ones with the same request get `~2`, `~3` and so on.
    pub name: String,
    /// What they ask for.
    pub request: RequestIndex,
    /// The nodes to which they are bound.
    pub nodes: Option<NodeSetIndex>,
    /// The reward of each, in units.
    pub reward: i128,
    /// How many they are.
    pub size: i128,
}

/// All pools, in the order of their first workloads.
pub struct Pools {
    /// The pools.
    pub list: Vec<Pool>,
    /// Per workload: its pool; none of what is pinned or does not take part.
    pub of: Vec<Option<PoolIndex>>,
}

impl Pools {
    /// Those of a question, with rewards in this unit.
    pub fn of(question: &Question<'_>, unit: Amount) -> Result<Self, Refusal> {
        let cluster = question.cluster;
        let mut known = BTreeMap::new();
        let (mut names, mut list) = (BTreeSet::new(), Vec::new());
        let mut pool_of = |workload: WorkloadIndex| {
            if !question.parts[workload.index()].is_decided() {
                return Ok(None);
            }
            let described = &cluster.workloads[workload.index()];
            let reward = question.rewards[workload.index()]
                .in_units_of(unit)
                .ok_or_else(|| Refusal::of("rewards are not multiples of their unit."))?;
            let key = (described.request, described.particulars().nodes, reward);
            let next = PoolIndex::at(list.len());
            let pool = *known.entry(key).or_insert(next);
            if pool == next {
                let (request, nodes, reward) = key;
                let request_names = cluster.requests[request.index()].names.join("|");
                let name = unique(&one_word(&request_names), &mut names);
                list.push(Pool { name, request, nodes, reward, size: 0 });
            }
            list[pool.index()].size += 1;
            Ok(Some(pool))
        };
        let of = cluster.workload_indices().map(&mut pool_of).collect::<Result<_, Refusal>>()?;
        Ok(Pools { list, of })
    }
}

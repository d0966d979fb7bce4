//! Empty GPUs that are lent to a cluster for the time of a plan.

use cluster::{BoardIndex, Cluster, Gpu};
use mig::Board;
use std::sync::Arc;

/// The cluster with empty GPUs beside its own, outside any host: a name and a board each.
///
/// # Errors
/// When a name is taken, or when no GPU of the cluster is of that board.
pub fn with_spares<'s>(
    cluster: &Cluster,
    spares: impl IntoIterator<Item = (&'s str, &'s str)>,
) -> Result<Cluster, String> {
    let mut lent = cluster.clone();
    for (name, board) in spares {
        if lent.gpus.iter().any(|gpu| gpu.name == name) {
            return Err(format!("a GPU is called `{name}` already."));
        }
        let is_meant = |known: &Arc<Board>| known.answers_to(board);
        let Some(board) = cluster.boards.iter().position(is_meant).map(BoardIndex::at) else {
            let known: Vec<&str> = cluster.boards.iter().map(|board| board.name()).collect();
            return Err(format!("no GPU of the cluster is a \"{board}\". Boards: {}.", known.join(", ")));
        };
        lent.gpus.push(Gpu {
            name: name.to_owned(),
            host: None,
            board,
            maintenance: cluster::Maintenance::InService,
        });
        // It has no labels, and no workload names it.
        lent.node_sets.iter_mut().for_each(|nodes| nodes.has_gpu.push(false));
    }
    Ok(lent)
}

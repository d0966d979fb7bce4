//! Which board a GPU has.

use super::cluster_facts::ClusterFacts;
use super::gpus::Nodes;
use mig::{Board, Lookup, catalogue};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Finds boards by the names of products, else takes the one that was given.
pub(super) fn find(nodes: &mut Nodes, cluster: &ClusterFacts, given: Option<&Arc<Board>>) {
    // Thousands of GPUs have few products.
    let mut known: BTreeMap<String, Option<Arc<Board>>> = BTreeMap::new();
    for gpu in nodes.all() {
        let of_node = || cluster.nodes.get(&gpu.node).and_then(|node| node.product()).map(str::to_owned);
        gpu.product = gpu.product.take().or_else(of_node);
        gpu.board = gpu
            .product
            .as_ref()
            .and_then(|product| known.entry(product.clone()).or_insert_with(|| named(product)).clone());
        gpu.board = gpu.board.take().or_else(|| given.cloned());
    }
}

fn named(product: &str) -> Option<Arc<Board>> {
    match catalogue().find(product) {
        Lookup::Found(board) => Some(board),
        _ => None,
    }
}

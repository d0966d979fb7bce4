//! What nodes have now.

use cluster::{Cluster, GpuIndex};
use itertools::Itertools;
use mig::{Board, GpuInstance};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes on which a configuration is applied, each by itself.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A node with its GPUs.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name; empty where it is any node with such GPUs.
    pub name: String,
    /// Its GPUs in the order of their indices.
    pub gpus: Vec<Gpu>,
}

/// A GPU as it is now.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// Its index on the node, as `nvidia-smi` counts.
    pub index: u32,
    /// Its board.
    pub board: Arc<Board>,
    /// Whether it is in MIG mode.
    pub mig_enabled: bool,
    /// The GPU instances that it has.
    pub instances: Vec<Instance>,
}

/// A GPU instance as it is now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Profile and start.
    pub instance: GpuInstance,
    /// What uses it, if anything does.
    pub workload: Option<String>,
    /// Whether it has a compute instance, all of it.
    pub has_compute_instance: bool,
}

impl State {
    /// One node without a name, with so many GPUs of a board and nothing on them.
    pub fn of_board(board: &Arc<Board>, gpus: u32) -> Self {
        let gpu = |index| Gpu { index, board: board.clone(), mig_enabled: true, instances: Vec::new() };
        State { nodes: vec![Node { name: String::new(), gpus: (0..gpus).map(gpu).collect() }] }
    }

    /// The nodes of a cluster. A GPU `node/3` is the one of index 3 on its node; a GPU with another name is a node by itself. All GPUs of a
    /// cluster are in MIG mode, and each workload has the GPU instance at its place to itself.
    pub fn of_cluster(cluster: &Cluster) -> Self {
        let placed = cluster.current_placement().by_gpu(cluster);
        let mut nodes: Vec<Node> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, gpu) in cluster.gpu_indices().zip(&cluster.gpus) {
            let (name, number) = node_and_index(&gpu.name);
            let node = *known.entry(name).or_insert_with(|| {
                nodes.push(Node { name: name.to_owned(), gpus: Vec::new() });
                nodes.len() - 1
            });
            nodes[node].gpus.push(Gpu {
                index: number,
                board: cluster.board_of(index).clone(),
                mig_enabled: true,
                instances: instances(cluster, index, &placed[index.index()]),
            });
        }
        nodes.iter_mut().for_each(|node| node.gpus.sort_by_key(|gpu| gpu.index));
        State { nodes }
    }
}

impl Node {
    /// What a GPU of it is called.
    pub fn gpu_name(&self, gpu: &Gpu) -> String {
        if self.name.is_empty() { gpu.index.to_string() } else { format!("{}/{}", self.name, gpu.index) }
    }

    /// The names of its boards, each once.
    pub fn boards(&self) -> Vec<&str> {
        self.gpus.iter().map(|gpu| gpu.board.name()).unique().collect()
    }
}

impl Gpu {
    /// Workloads and GPU instances that destroying all GPU instances meets, in words: `chat (3g.20gb@0)`.
    pub fn users(&self) -> Vec<String> {
        let named = self.instances.iter().filter_map(|standing| {
            let workload = standing.workload.as_ref()?;
            Some(format!("{workload} ({})", self.board.instance_name(standing.instance)))
        });
        named.collect()
    }
}

fn node_and_index(gpu: &str) -> (&str, u32) {
    let numbered = gpu.rsplit_once('/').and_then(|(node, index)| Some((node, index.parse().ok()?)));
    numbered.unwrap_or((gpu, 0))
}

fn instances(cluster: &Cluster, gpu: GpuIndex, workloads: &[cluster::WorkloadIndex]) -> Vec<Instance> {
    let mut standing: Vec<Instance> = workloads
        .iter()
        .filter_map(|&workload| {
            let known = &cluster.workloads[workload.index()];
            let instance = cluster.instance_at(workload, known.current.filter(|place| place.gpu == gpu)?)?;
            Some(Instance { instance, workload: Some(known.name.clone()), has_compute_instance: true })
        })
        .collect();
    standing.sort_by_key(|standing| standing.instance.start);
    standing
}

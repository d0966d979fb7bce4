//! Workloads GPU by GPU.

use super::{GpuIndex, WorkloadIndex};
use std::ops::Index;

/// The workloads on every GPU, each list in the order of the cluster's workloads: all lists one behind the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByGpu {
    /// Where the list of a GPU ends, and that of the next one begins.
    ends: Vec<u32>,
    workloads: Vec<WorkloadIndex>,
}

impl ByGpu {
    /// The lists of so many GPUs, from where each of so many workloads is.
    pub(super) fn new(
        gpus: usize,
        workloads: usize,
        gpu_of: impl Fn(WorkloadIndex) -> Option<GpuIndex>,
    ) -> Self {
        let all = (0..workloads).map(WorkloadIndex::at);
        let places = all.filter_map(|workload| Some((workload, gpu_of(workload)?)));
        // First the length of each list, then where it begins; what is put there moves that on to where it ends.
        let mut ends = vec![0; gpus];
        for (_, gpu) in places.clone() {
            ends[gpu.index()] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut workloads = vec![WorkloadIndex(0); total as usize];
        for (workload, gpu) in places {
            let next = &mut ends[gpu.index()];
            workloads[*next as usize] = workload;
            *next += 1;
        }
        ByGpu { ends, workloads }
    }

    /// The lists, GPU by GPU.
    pub fn iter(&self) -> impl Iterator<Item = &[WorkloadIndex]> {
        (0..self.ends.len()).map(|gpu| &self[gpu])
    }
}

impl Index<usize> for ByGpu {
    type Output = [WorkloadIndex];

    /// The list of the GPU at a position.
    fn index(&self, gpu: usize) -> &[WorkloadIndex] {
        let start = gpu.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.workloads[start as usize..self.ends[gpu] as usize]
    }
}

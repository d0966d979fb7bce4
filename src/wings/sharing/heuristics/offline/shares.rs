//! Requests and capacities in a common measure: shares of an average server.

use crate::instance::{KindIndex, Problem, ServerIndex, VmIndex};

/// One number per dimension: the resources of the problem, then memory.
pub type Row = Vec<f64>;

/// What virtual machines need and servers have, each dimension as a share of what an average server of a pool has.
pub struct Shares {
    /// By virtual machine; memory without any sharing.
    pub requests: Vec<Row>,
    /// By virtual machine, the memory that it needs if all are spread over as few servers as the requests allow: a page of
    /// many counts for it in part.
    pub spread_memory: Vec<f64>,
    /// By kind of server; what is not limited is as much as all requests together.
    pub capacities: Vec<Row>,
    /// By dimension, how scarce it is in the pool: all requests over all capacities; these add up to 1.
    pub scarcity: Row,
}

impl Shares {
    /// The shares for a pool of servers.
    pub fn new(problem: &Problem, pool: &[ServerIndex]) -> Self {
        let dimensions = problem.resources.len() + 1;
        let classes = &problem.page_classes;
        let request = |vm: VmIndex| -> Row {
            let about = problem.vm(vm);
            let resources = about.request.iter().map(|request| request.to_f64());
            resources.chain([about.pages as f64]).collect()
        };
        let mut requests: Vec<Row> = problem.vm_indices().map(request).collect();
        let totals: Row =
            (0..dimensions).map(|dimension| requests.iter().map(|row| row[dimension]).sum()).collect();
        let capacity = |kind: KindIndex| -> Row {
            let kind = &problem.kinds[kind.index()];
            let resources = kind.capacity.iter().zip(&totals);
            let resources =
                resources.map(|(capacity, &total)| capacity.map_or(total, |amount| amount.to_f64()));
            resources.chain([kind.pages as f64]).collect()
        };
        let mut capacities: Vec<Row> =
            (0..problem.kinds.len()).map(|position| capacity(KindIndex::at(position))).collect();
        let of_pool = |dimension: usize| -> f64 {
            pool.iter()
                .map(|server| capacities[problem.servers[server.index()].kind.index()][dimension])
                .sum()
        };
        let in_pool: Row = (0..dimensions).map(of_pool).collect();
        let units: Row =
            in_pool.iter().map(|&sum| if sum > 0.0 { sum / pool.len() as f64 } else { 1.0 }).collect();
        let fewest = totals.iter().zip(&units).map(|(total, unit)| (total / unit).ceil()).fold(1.0, f64::max);
        let memory = units[dimensions - 1];
        let spread = |vm: VmIndex| -> f64 {
            let shared: f64 = classes.of_vm[vm.index()]
                .iter()
                .map(|&class| {
                    let members = classes.shared[class].vms.len() as f64;
                    classes.shared[class].pages as f64 * members.min(fewest) / members
                })
                .sum();
            (classes.private[vm.index()] as f64 + shared) / memory
        };
        let spread_memory = problem.vm_indices().map(spread).collect();
        for row in requests.iter_mut().chain(&mut capacities) {
            row.iter_mut().zip(&units).for_each(|(number, unit)| *number /= unit);
        }
        let tightness: Row = totals
            .iter()
            .zip(&in_pool)
            .map(|(total, sum)| if *sum > 0.0 { total / sum } else { 1.0 })
            .collect();
        let all: f64 = tightness.iter().sum();
        let even = 1.0 / dimensions as f64;
        let scarcity = tightness.iter().map(|one| if all > 0.0 { one / all } else { even }).collect();
        Shares { requests, spread_memory, capacities, scarcity }
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.scarcity.len()
    }

    /// The size of a virtual machine under weights of the dimensions.
    pub fn size(&self, vm: VmIndex, weights: &[f64]) -> f64 {
        dot(&self.requests[vm.index()], weights)
    }
}

/// The weighted sum.
pub fn dot(numbers: &[f64], weights: &[f64]) -> f64 {
    numbers.iter().zip(weights).map(|(number, weight)| number * weight).sum()
}

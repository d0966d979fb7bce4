//! Requests and capacities in whole units, so that programs and bounds hold whole numbers.

use crate::instance::{KindIndex, Problem, VmIndex};
use ground::Amount;

/// Requests and capacities of the resources other than memory, each in the greatest amount of which all requests are whole
/// multiples. Capacities are rounded down: sums of requests are whole.
pub struct Units {
    requests: Vec<Vec<i128>>,
    capacities: Vec<Vec<Option<i128>>>,
}

impl Units {
    /// The units of a problem.
    pub fn of(problem: &Problem) -> Self {
        let resources = 0..problem.resources.len();
        let units: Vec<Amount> = resources
            .map(|resource| Amount::greatest_common_unit(problem.vms.iter().map(|vm| vm.request[resource])))
            .collect();
        let whole = |amount: Amount, unit: Amount| amount.millionths() / unit.millionths();
        Units {
            requests: problem
                .vms
                .iter()
                .map(|vm| vm.request.iter().zip(&units).map(|(&amount, &unit)| whole(amount, unit)).collect())
                .collect(),
            capacities: problem
                .kinds
                .iter()
                .map(|kind| {
                    let capacities = kind.capacity.iter().zip(&units);
                    capacities.map(|(amount, &unit)| amount.map(|amount| whole(amount, unit))).collect()
                })
                .collect(),
        }
    }

    /// What a virtual machine requests, by resource.
    pub fn request(&self, vm: VmIndex) -> &[i128] {
        &self.requests[vm.index()]
    }

    /// What a server of a kind has, by resource; `None` where it is not limited.
    pub fn capacity(&self, kind: KindIndex) -> &[Option<i128>] {
        &self.capacities[kind.index()]
    }
}

//! What machines hold in a placement, in the terms of the checker.

use crate::instance::{MachineIndex, Problem};
use certificate::siavashi::{Checker, Held};
use cluster::Placement;
use ground::Amount;

/// What every machine holds.
pub fn contents(problem: &Problem, checker: &Checker<'_>, placement: &Placement) -> Vec<Held> {
    let by_gpu = placement.by_gpu(&problem.cluster);
    let of_machine = |index: MachineIndex| {
        let mut held = Held::default();
        for &gpu in &problem.machine(index).gpus {
            let here = &by_gpu[gpu.index()];
            held.gpus += i128::from(!here.is_empty());
            for &workload in here {
                let Some(of_type) = checker.type_of(workload) else { continue };
                *held.placed.entry(of_type).or_insert(0) += 1;
                let Some(before) = problem.current(workload) else { continue };
                let costs = &problem.costs;
                let cost = match placement.of(workload) {
                    after if after == Some(before) => Amount::ZERO,
                    _ if before.gpu == gpu => costs.move_start,
                    _ if problem.machine_of(before.gpu) == index => costs.move_gpu,
                    _ => costs.move_machine,
                };
                held.stay += i128::from(before.gpu == gpu);
                let cost = problem.weighted(cost, workload).in_units_of(checker.terms()[2]);
                held.spared += checker.charged(of_type) - cost.unwrap_or_default();
            }
        }
        held
    };
    problem.machine_indices().map(of_machine).collect()
}

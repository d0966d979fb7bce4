//! Columns that say which machines and which GPUs are in use.

use super::stage_plan::coefficient;
use crate::instance::Problem;
use crate::section::Goal;
use good_lp::{Expression, variable};
use milp::{Handle, ProgramBuilder};

/// phi[machine]: the machine is in use.
pub fn machine_columns(problem: &Problem, builder: &mut ProgramBuilder) -> Vec<Handle> {
    let column = |machine| {
        Handle::add(builder, format!("phi[{}]", problem.machine_name(machine)), variable().binary())
    };
    problem.machine_indices().map(column).collect()
}

/// gamma[gpu]: the GPU is in use.
pub fn gpu_columns(problem: &Problem, builder: &mut ProgramBuilder) -> Vec<Handle> {
    let gpus = problem.cluster.gpus.iter();
    gpus.map(|gpu| Handle::add(builder, format!("gamma[{}]", gpu.name), variable().binary())).collect()
}

/// Objective (4).
pub(super) fn hardware(problem: &Problem, gpu_used: &[Handle], machine_used: &[Handle]) -> Expression {
    let mut hardware = Expression::default();
    for (machine, &used) in problem.machine_indices().zip(machine_used) {
        let machine = problem.machine(machine);
        let coefficient = |weight| coefficient(problem, Goal::Hardware, weight);
        hardware.add_mul(coefficient(machine.weight), used.variable);
        for gpu in &machine.gpus {
            hardware.add_mul(coefficient(machine.gpu_weight), gpu_used[gpu.index()].variable);
        }
    }
    hardware
}

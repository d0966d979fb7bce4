//! What an inference task can serve in a slot, in exact fractions: row (10).

use super::allocation::Allocation;
use super::exact::{Exact, exact};
use super::gpu::SizeIndex;
use super::problem::{ModelIndex, Problem};
use crate::section::{Deployment, Reconfiguration};
use num_rational::Ratio;

/// The reconfiguration time in slots.
fn psi(problem: &Problem, model: ModelIndex) -> Exact {
    exact(problem.model(model).reconfiguration) / exact(problem.basis)
}

/// Slots, from the one of a reconfiguration on, in which some capability is lost.
pub fn outage_slots(problem: &Problem, model: ModelIndex) -> u32 {
    let psi = psi(problem, model);
    match problem.readings.reconfiguration {
        _ if psi == Ratio::from_integer(0) => 0,
        Reconfiguration::Carry => {
            let slots = psi.ceil().to_integer().min(i128::from(problem.slots));
            u32::try_from(slots).expect("at most the slots of the window")
        }
        _ => 1,
    }
}

/// Requests that an allocation serves in a slot without a loss.
pub fn capability(problem: &Problem, model: ModelIndex, allocation: &Allocation) -> Exact {
    let tasks = problem.model(model);
    let serves = |size| problem.readings.deployment == Deployment::Gpcs || size >= tasks.minimum;
    let of_size = |size: SizeIndex| {
        let each = exact(tasks.capability[size.index()]);
        each * i128::from(allocation.count(size))
    };
    let sum: Exact = problem.gpu.size_indices().filter(|&size| serves(size)).map(of_size).sum();
    sum * exact(problem.basis)
}

/// The part of its capability that a task keeps `age` slots after a reconfiguration; 1 from
/// [`outage_slots`] on.
pub fn kept(problem: &Problem, model: ModelIndex, allocation: &Allocation, age: u32) -> Exact {
    let (zero, one) = (Ratio::from_integer(0), Ratio::from_integer(1));
    if age >= outage_slots(problem, model) {
        return one;
    }
    let psi = psi(problem, model);
    match problem.readings.reconfiguration {
        Reconfiguration::Clip => one - psi.min(one),
        Reconfiguration::Carry => one - (psi - Ratio::from_integer(i128::from(age))).min(one),
        Reconfiguration::Frac => {
            let instances = i128::from(allocation.instances().max(1));
            (one - psi / Ratio::from_integer(instances)).max(zero)
        }
        Reconfiguration::Charge => one - psi,
    }
}

/// Units of goodput in a slot, exactly.
pub fn goodput(
    problem: &Problem,
    model: ModelIndex,
    slot: u32,
    capability_then: Exact,
    is_retrained: bool,
) -> i64 {
    let tasks = problem.model(model);
    let accuracy = exact(if is_retrained { tasks.after } else { tasks.before });
    let served = capability_then.min(exact(tasks.requests[slot as usize]));
    let units = accuracy * served * i128::from(problem.units);
    debug_assert!(units.is_integer());
    i64::try_from(units.to_integer()).expect("checked when the problem was built")
}

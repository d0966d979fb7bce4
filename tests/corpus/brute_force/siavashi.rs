//! The optimum of model siavashi: the best of the goals that any placement has.

use super::Tried;
use ground::Amount;
use models::Instance;
use siavashi::{Goal, Objective, Problem};
use support::siavashi::ruled::Ruled;
use support::siavashi::trial::{Goals, Trial};

/// Most ways of giving a GPU, or none, to each workload.
const MOST: u64 = 1_000_000;
/// Most workloads, as there is a table of their sets.
const MOST_WORKLOADS: usize = 16;
/// Millionths in one.
const ONE: i128 = 1_000_000;

/// What the best placement is worth.
pub fn best(instance: &Instance) -> Tried {
    let problem = instance.problem::<siavashi::Siavashi>().expect("instances of the corpus pose problems");
    let (workloads, gpus) = (problem.cluster.workloads.len(), problem.cluster.gpus.len() as u64);
    let ways = (gpus + 1).checked_pow(workloads as u32);
    if workloads > MOST_WORKLOADS || ways.is_none_or(|ways| ways > MOST) {
        return Tried::TooMany;
    }
    let attainable = if problem.has_rules() {
        Ruled::new(&problem).attainable()
    } else {
        Some(Trial::new(&problem, problem.residents).attainable())
    };
    let Some(attainable) = attainable else { return Tried::TooMany };
    let worths = attainable.iter().map(|goals| worth(&problem, goals));
    // The first stage that differs decides; acceptance and weighted sums should be great, what has a negative sign small.
    let best = worths.max();
    best.map_or(Tried::Infeasible, |worth| Tried::Best(stages(&problem, &worth)))
}

/// The worth of some goals in millionths, by the stages of the question; more is better.
fn worth(problem: &Problem, goals: &Goals) -> Vec<i128> {
    let signed = [goals[0], -goals[1], -goals[2]];
    match &problem.objective {
        Objective::Lexicographic(order) => order.iter().map(|&goal| signed[goal as usize]).collect(),
        Objective::Weighted(given) => {
            let weights = match given {
                Some(weights) => Goal::ALL.map(|goal| weights.of(goal).millionths()),
                None => safe_weights(problem),
            };
            vec![weights.iter().zip(signed).map(|(weight, goal)| weight * goal).sum::<i128>() / ONE]
        }
    }
}

/// A worth as values of the stages.
fn stages(problem: &Problem, worth: &[i128]) -> Vec<Amount> {
    let amounts = worth.iter().map(|&worth| Amount::from_millionths(worth));
    match &problem.objective {
        Objective::Weighted(_) => amounts.collect(),
        Objective::Lexicographic(order) => {
            let value = |(amount, goal): (Amount, &Goal)| match goal {
                Goal::Acceptance => amount,
                Goal::Hardware | Goal::Migrations => Amount::ZERO - amount,
            };
            amounts.zip(order).map(value).collect()
        }
    }
}

/// The safe weights of the model's page in millionths: of acceptance, hardware and migrations.
fn safe_weights(problem: &Problem) -> [i128; 3] {
    let workloads = || problem.cluster.workload_indices();
    let unit_of_acceptance =
        greatest_common_divisor(workloads().map(|workload| problem.acceptance_weight(workload).millionths()));
    let machines = problem.machines.iter();
    let unit_of_hardware = greatest_common_divisor(
        machines.clone().flat_map(|machine| [machine.weight.millionths(), machine.gpu_weight.millionths()]),
    );
    let most_expensive =
        problem.costs.named().iter().map(|(_, cost)| cost.millionths()).max().expect("there are four");
    let weights = workloads().map(|workload| problem.migration_weight(workload).millionths());
    let most_migrations = weights.map(|weight| weight * most_expensive / ONE).sum::<i128>();
    let most_hardware: i128 = machines
        .map(|machine| {
            machine.weight.millionths() + machine.gpu_weight.millionths() * machine.gpus.len() as i128
        })
        .sum();
    let of_hardware = 1 + most_migrations / unit_of_hardware;
    let of_acceptance = 1 + (of_hardware * most_hardware + most_migrations) / unit_of_acceptance;
    [of_acceptance, of_hardware, 1].map(|weight| weight * ONE)
}

/// Of amounts in millionths; one if all are zero.
fn greatest_common_divisor(amounts: impl Iterator<Item = i128>) -> i128 {
    let divisor = |mut one: i128, mut other: i128| {
        while other != 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    match amounts.fold(0, divisor) {
        0 => ONE,
        unit => unit,
    }
}

//! What is counted about the model's solutions.

use super::instance::Problem;
use super::verify::Score;
use crate::cluster::{Amount, Placement};
use crate::model::{MetricEntry, MetricValues};
use serde_json::Number;
use std::collections::BTreeMap;

/// Beginning of the name of a metric that exists once for each profile that the workloads ask for.
const BY_PROFILE: &str = "acceptance_rate_of";

/// All metrics.
pub const METRICS: &[MetricEntry] = &[
    MetricEntry {
        name: "acceptance_rate",
        title: "acceptance rate",
        unit: "ratio",
        more_is_better: true,
        definition: "workloads with a place over all workloads, whether they ran before or not",
    },
    MetricEntry {
        name: "newcomer_acceptance_rate",
        title: "newcomer acceptance rate",
        unit: "ratio",
        more_is_better: true,
        definition: "newcomers with a place over all newcomers; 1 without any",
    },
    MetricEntry {
        name: "mean_profile_acceptance_rate",
        title: "mean profile acceptance rate",
        unit: "ratio",
        more_is_better: true,
        definition: "mean over the profiles of the share of the workloads asking for it that have a place (the paper's Fig. 8); \
                     the shares themselves are in the metrics acceptance_rate_of:PROFILE",
    },
    MetricEntry {
        name: "active_machines",
        title: "active machines",
        unit: "machines",
        more_is_better: false,
        definition: "machines that carry a workload",
    },
    MetricEntry {
        name: "active_gpus",
        title: "active GPUs",
        unit: "GPUs",
        more_is_better: false,
        definition: "GPUs that carry a workload",
    },
    MetricEntry {
        name: "gpus_of_active_machines",
        title: "GPUs of active machines",
        unit: "GPUs",
        more_is_better: false,
        definition: "all GPUs of machines that carry a workload, idle ones included (section 2 of the paper)",
    },
    MetricEntry {
        name: "inter_migrations",
        title: "inter-machine migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that move to another machine",
    },
    MetricEntry {
        name: "intra_migrations",
        title: "intra-machine migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that move to another GPU of their machine",
    },
    MetricEntry {
        name: "start_moves",
        title: "moves on the same GPU",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that begin at another slot of their GPU (GRMU's intra-GPU migrations)",
    },
    MetricEntry {
        name: "evictions",
        title: "evictions",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that ran and lose their place",
    },
    MetricEntry {
        name: "printed_hardware",
        title: "objective (4) as printed",
        unit: "weight",
        more_is_better: false,
        definition: "weights of the active machines and the GPUs that carry a workload, whatever `active_gpus` says",
    },
    MetricEntry {
        name: "printed_migrations",
        title: "objective (5) as printed",
        unit: "weight",
        more_is_better: false,
        definition: "4 for a change of machine, 2 for a change of GPU and 2 for an eviction, times the migration weight, \
                     whatever `migration_costs` says",
    },
];

/// The metrics of a placement by name.
pub fn metric_values(problem: &Problem, placement: &Placement, score: &Score) -> MetricValues {
    let shares = shares_by_profile(problem, placement);
    let newcomers =
        problem.cluster.workload_indices().filter(|&workload| problem.current(workload).is_none());
    let newcomers = newcomers.count() as u64;
    let mean =
        shares.values().map(|&(placed, all)| share(placed, all)).sum::<f64>() / shares.len().max(1) as f64;
    let printed = printed_values(problem, placement);
    let mut values: Vec<(String, f64)> = [
        ("acceptance_rate", share(score.accepted, problem.cluster.workloads.len() as u64)),
        ("newcomer_acceptance_rate", share(newcomers - score.rejected, newcomers)),
        ("mean_profile_acceptance_rate", if shares.is_empty() { 1.0 } else { mean }),
        ("active_machines", score.machines as f64),
        ("active_gpus", score.gpus as f64),
        ("gpus_of_active_machines", score.gpus_of_machines as f64),
        ("inter_migrations", score.moved_machine as f64),
        ("intra_migrations", score.moved_gpu as f64),
        ("start_moves", score.moved_start as f64),
        ("evictions", score.evicted as f64),
        ("printed_hardware", printed[0].to_f64()),
        ("printed_migrations", printed[1].to_f64()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    let of_profile = |(profile, (placed, all))| (format!("{BY_PROFILE}:{profile}"), share(placed, all));
    values.extend(shares.into_iter().map(of_profile));
    values.into_iter().map(|(name, value)| (name, number(value))).collect()
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Whole numbers stay whole.
fn number(value: f64) -> Number {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Number::from(value as i64)
    } else {
        Number::from_f64(value).expect("metrics are finite")
    }
}

/// Placed and all workloads by the names of the profile that they ask for.
fn shares_by_profile(problem: &Problem, placement: &Placement) -> BTreeMap<String, (u64, u64)> {
    let mut shares: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for workload in problem.cluster.workload_indices() {
        let request = problem.cluster.workloads[workload.index()].request;
        let entry = shares.entry(problem.cluster.requests[request.index()].names.join("|")).or_default();
        entry.0 += u64::from(placement.of(workload).is_some());
        entry.1 += 1;
    }
    shares
}

/// Objectives (4) and (5) as printed.
fn printed_values(problem: &Problem, placement: &Placement) -> [Amount; 2] {
    let on_gpu = placement.by_gpu(&problem.cluster);
    let mut hardware = Amount::ZERO;
    for machine in &problem.machines {
        let used = machine.gpus.iter().filter(|gpu| !on_gpu[gpu.index()].is_empty()).count() as i128;
        hardware += machine.printed_weight * if used > 0 { 1 + used } else { 0 };
    }
    let mut migrations = Amount::ZERO;
    for workload in problem.cluster.workload_indices() {
        let machine = |gpu| problem.machine_of(gpu);
        let changes = match (problem.current(workload), placement.of(workload)) {
            (Some(before), Some(after)) => {
                2 * i128::from(machine(before.gpu) != machine(after.gpu))
                    + 2 * i128::from(before.gpu != after.gpu)
            }
            (Some(_), None) => 2,
            (None, _) => 0,
        };
        migrations += problem.migration_weight(workload) * changes;
    }
    [hardware, migrations]
}

//! What is counted about the model's solutions.

use crate::instance::Problem;
use crate::rules::Score;
use cluster::Placement;
use ground::Amount;
use kit::{Metric, no_parts, whole_or_fraction};
use serde_json::Number;
use std::collections::BTreeMap;

/// What the metrics of a placement are read from.
pub struct Figures {
    score: Score,
    workloads: u64,
    newcomers: u64,
    /// Placed and all workloads by the names of the profile that they ask for.
    by_profile: BTreeMap<String, (u64, u64)>,
    printed_hardware: Amount,
    printed_migrations: Amount,
}

impl Figures {
    /// The figures of a placement of this worth.
    pub fn new(problem: &Problem, placement: &Placement, score: &Score) -> Self {
        let newcomers =
            problem.cluster.workload_indices().filter(|&workload| problem.current(workload).is_none());
        Figures {
            score: score.clone(),
            workloads: problem.cluster.workloads.len() as u64,
            newcomers: newcomers.count() as u64,
            by_profile: by_profile(problem, placement),
            printed_hardware: printed_hardware(problem, placement),
            printed_migrations: printed_migrations(problem, placement),
        }
    }

    fn mean_profile_share(&self) -> f64 {
        if self.by_profile.is_empty() {
            return 1.0;
        }
        let shares = self.by_profile.values().map(|&(placed, all)| share(placed, all));
        shares.sum::<f64>() / self.by_profile.len() as f64
    }

    fn profile_shares(&self) -> Vec<(String, Number)> {
        let share = |(profile, &(placed, all)): (&String, &(u64, u64))| {
            (profile.clone(), whole_or_fraction(share(placed, all)))
        };
        self.by_profile.iter().map(share).collect()
    }
}

/// All metrics.
pub const METRICS: &[Metric<Figures>] = &[
    Metric {
        name: "acceptance_rate",
        title: "acceptance rate",
        unit: "ratio",
        more_is_better: true,
        definition: "workloads with a place over all workloads, whether they ran before or not",
        value: |figures| Some(whole_or_fraction(share(figures.score.accepted, figures.workloads))),
        parts: Figures::profile_shares,
    },
    Metric {
        name: "newcomer_acceptance_rate",
        title: "newcomer acceptance rate",
        unit: "ratio",
        more_is_better: true,
        definition: "newcomers with a place over all newcomers; 1 without any",
        value: |figures| {
            let placed = figures.newcomers - figures.score.rejected;
            Some(whole_or_fraction(share(placed, figures.newcomers)))
        },
        parts: no_parts,
    },
    Metric {
        name: "mean_profile_acceptance_rate",
        title: "mean profile acceptance rate",
        unit: "ratio",
        more_is_better: true,
        definition: "mean over the profiles of the share of the workloads asking for it that have a place (the paper's Fig. 8); \
                     the shares themselves are in the metrics acceptance_rate_of:PROFILE",
        value: |figures| Some(whole_or_fraction(figures.mean_profile_share())),
        parts: no_parts,
    },
    Metric {
        name: "active_machines",
        title: "active machines",
        unit: "machines",
        more_is_better: false,
        definition: "machines that carry a workload",
        value: |figures| Some(figures.score.machines.into()),
        parts: no_parts,
    },
    Metric {
        name: "active_gpus",
        title: "active GPUs",
        unit: "GPUs",
        more_is_better: false,
        definition: "GPUs that carry a workload",
        value: |figures| Some(figures.score.gpus.into()),
        parts: no_parts,
    },
    Metric {
        name: "gpus_of_active_machines",
        title: "GPUs of active machines",
        unit: "GPUs",
        more_is_better: false,
        definition: "all GPUs of machines that carry a workload, idle ones included (section 2 of the paper)",
        value: |figures| Some(figures.score.gpus_of_machines.into()),
        parts: no_parts,
    },
    Metric {
        name: "inter_migrations",
        title: "inter-machine migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that move to another machine",
        value: |figures| Some(figures.score.moved_machine.into()),
        parts: no_parts,
    },
    Metric {
        name: "intra_migrations",
        title: "intra-machine migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that move to another GPU of their machine",
        value: |figures| Some(figures.score.moved_gpu.into()),
        parts: no_parts,
    },
    Metric {
        name: "start_moves",
        title: "moves on the same GPU",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that begin at another slot of their GPU (GRMU's intra-GPU migrations)",
        value: |figures| Some(figures.score.moved_start.into()),
        parts: no_parts,
    },
    Metric {
        name: "evictions",
        title: "evictions",
        unit: "workloads",
        more_is_better: false,
        definition: "workloads that ran and lose their place",
        value: |figures| Some(figures.score.evicted.into()),
        parts: no_parts,
    },
    Metric {
        name: "printed_hardware",
        title: "objective (4) as printed",
        unit: "weight",
        more_is_better: false,
        definition: "weights of the active machines and the GPUs that carry a workload, whatever `active_gpus` says",
        value: |figures| Some(whole_or_fraction(figures.printed_hardware.to_f64())),
        parts: no_parts,
    },
    Metric {
        name: "printed_migrations",
        title: "objective (5) as printed",
        unit: "weight",
        more_is_better: false,
        definition: "4 for a change of machine, 2 for a change of GPU and 2 for an eviction, times the migration weight, \
                     whatever `migration_costs` says",
        value: |figures| Some(whole_or_fraction(figures.printed_migrations.to_f64())),
        parts: no_parts,
    },
];

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Placed and all workloads by the names of the profile that they ask for.
fn by_profile(problem: &Problem, placement: &Placement) -> BTreeMap<String, (u64, u64)> {
    let mut shares: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for workload in problem.cluster.workload_indices() {
        let request = problem.cluster.workloads[workload.index()].request;
        let entry = shares.entry(problem.cluster.requests[request.index()].names.join("|")).or_default();
        entry.0 += u64::from(placement.of(workload).is_some());
        entry.1 += 1;
    }
    shares
}

/// Objective (4) as printed.
fn printed_hardware(problem: &Problem, placement: &Placement) -> Amount {
    let on_gpu = placement.by_gpu(&problem.cluster);
    let mut hardware = Amount::ZERO;
    for machine in &problem.machines {
        let used = machine.gpus.iter().filter(|gpu| !on_gpu[gpu.index()].is_empty()).count() as i128;
        hardware += machine.printed_weight * if used > 0 { 1 + used } else { 0 };
    }
    hardware
}

/// Objective (5) as printed.
fn printed_migrations(problem: &Problem, placement: &Placement) -> Amount {
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
    migrations
}

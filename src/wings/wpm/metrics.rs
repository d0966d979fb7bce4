//! What is counted about the model's solutions: the metrics of Turkkan et al., Table 3.

use cluster::Metrics;
use kit::{Metric, fraction, no_parts};
use serde_json::Number;

/// All metrics, in the order of the paper's table.
pub const METRICS: &[Metric<Metrics>] = &[
    Metric {
        name: "gpus",
        title: "GPUs",
        unit: "GPUs",
        more_is_better: false,
        definition: "GPUs with at least one workload in the final placement",
        value: |metrics| Some(Number::from(metrics.gpus)),
        parts: no_parts,
    },
    Metric {
        name: "memory_waste",
        title: "memory waste",
        unit: "memory slices",
        more_is_better: false,
        definition: "extra memory slices that no instance can reach any more, as an instance holds the last compute slice \
                     without them (on an A100: a one-slice profile at start 6)",
        value: |metrics| Some(Number::from(metrics.memory_waste)),
        parts: no_parts,
    },
    Metric {
        name: "compute_waste",
        title: "compute waste",
        unit: "compute slices",
        more_is_better: false,
        definition: "compute slices that instances block without having them (on an A100: 3g at start 0, 1g of two slices \
                     anywhere but at start 6)",
        value: |metrics| Some(Number::from(metrics.compute_waste)),
        parts: no_parts,
    },
    Metric {
        name: "availability",
        title: "availability",
        unit: "compute slices",
        more_is_better: true,
        definition: "compute slices of the whole cluster that no instance blocks, less those that the pending workloads \
                     would block; negative where they would block more than is free",
        value: |metrics| Some(Number::from(metrics.availability)),
        parts: no_parts,
    },
    Metric {
        name: "migration_size",
        title: "migration size",
        unit: "memory slices",
        more_is_better: false,
        definition: "memory slices of running workloads that move to another GPU",
        value: |metrics| Some(Number::from(metrics.migration_size)),
        parts: no_parts,
    },
    Metric {
        name: "pending_size",
        title: "pending size",
        unit: "memory slices",
        more_is_better: false,
        definition: "memory slices of the pending workloads",
        value: |metrics| Some(Number::from(metrics.pending_size)),
        parts: no_parts,
    },
    Metric {
        name: "sequential_migrations",
        title: "sequential migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "running workloads that move to slices of another GPU which some workload occupies now, so that they \
                     must wait for it to leave",
        value: |metrics| Some(Number::from(metrics.sequential_migrations)),
        parts: no_parts,
    },
    Metric {
        name: "memory_utilisation",
        title: "memory utilisation",
        unit: "ratio",
        more_is_better: true,
        definition: "memory slices of the placed workloads over those of the GPUs in use; 0 without any",
        value: |metrics| Some(fraction(metrics.memory_utilisation)),
        parts: no_parts,
    },
    Metric {
        name: "compute_utilisation",
        title: "compute utilisation",
        unit: "ratio",
        more_is_better: true,
        definition: "compute slices of the placed workloads over those of the GPUs in use; 0 without any",
        value: |metrics| Some(fraction(metrics.compute_utilisation)),
        parts: no_parts,
    },
];

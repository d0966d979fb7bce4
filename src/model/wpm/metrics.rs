//! What is counted about the model's solutions: the metrics of Turkkan et al., Table 3.

use crate::cluster::Metrics;
use crate::model::{MetricEntry, MetricValues};
use serde_json::Value;

/// All metrics, in the order of the paper's table.
pub const METRICS: &[MetricEntry] = &[
    MetricEntry {
        name: "gpus",
        title: "GPUs",
        unit: "GPUs",
        more_is_better: false,
        definition: "GPUs with at least one workload in the final placement",
    },
    MetricEntry {
        name: "memory_waste",
        title: "memory waste",
        unit: "memory slices",
        more_is_better: false,
        definition: "extra memory slices that no instance can reach any more, as an instance holds the last compute slice \
                     without them (on an A100: a one-slice profile at start 6)",
    },
    MetricEntry {
        name: "compute_waste",
        title: "compute waste",
        unit: "compute slices",
        more_is_better: false,
        definition: "compute slices that instances block without having them (on an A100: 3g at start 0, 1g of two slices \
                     anywhere but at start 6)",
    },
    MetricEntry {
        name: "availability",
        title: "availability",
        unit: "compute slices",
        more_is_better: true,
        definition: "compute slices of the whole cluster that no instance blocks, less those that the waiting workloads \
                     would block; negative when more waits than is left",
    },
    MetricEntry {
        name: "migration_size",
        title: "migration size",
        unit: "memory slices",
        more_is_better: false,
        definition: "memory slices of running workloads that move to another GPU",
    },
    MetricEntry {
        name: "pending_size",
        title: "pending size",
        unit: "memory slices",
        more_is_better: false,
        definition: "memory slices of the workloads that are left waiting",
    },
    MetricEntry {
        name: "sequential_migrations",
        title: "sequential migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "running workloads that move to slices of another GPU which some workload occupies now, so that they \
                     must wait for it to leave",
    },
    MetricEntry {
        name: "memory_utilisation",
        title: "memory utilisation",
        unit: "ratio",
        more_is_better: true,
        definition: "memory slices of the placed workloads over those of the GPUs in use; 0 without any",
    },
    MetricEntry {
        name: "compute_utilisation",
        title: "compute utilisation",
        unit: "ratio",
        more_is_better: true,
        definition: "compute slices of the placed workloads over those of the GPUs in use; 0 without any",
    },
];

/// The metrics of a solution by name.
pub fn metric_values(metrics: &Metrics) -> MetricValues {
    let Ok(Value::Object(fields)) = serde_json::to_value(metrics) else {
        unreachable!("plain fields serialise as an object")
    };
    let number = |(name, value)| match value {
        Value::Number(number) => (name, number),
        _ => unreachable!("every metric is a finite number"),
    };
    fields.into_iter().map(number).collect()
}

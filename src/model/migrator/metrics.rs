//! What is counted about the model's solutions.

use super::instance::Problem;
use super::layout::LayoutSummary;
use super::plan::Plan;
use super::verify::Score;
use crate::cluster::Amount;
use crate::model::{MetricEntry, MetricValues};
use serde_json::Number;

/// All metrics.
pub const METRICS: &[MetricEntry] = &[
    MetricEntry {
        name: "goodput",
        title: "goodput",
        unit: "requests",
        more_is_better: true,
        definition: "row (8): requests served in their slot times the accuracy of the moment; by model in the metrics goodput_of:MODEL",
    },
    MetricEntry {
        name: "goodput_share",
        title: "goodput share",
        unit: "ratio",
        more_is_better: true,
        definition: "goodput over the requests received",
    },
    MetricEntry {
        name: "slo_attainment",
        title: "SLO attainment",
        unit: "ratio",
        more_is_better: true,
        definition: "requests served in their slot over the requests received; by model in the metrics slo_attainment_of:MODEL",
    },
    MetricEntry {
        name: "accuracy",
        title: "inference accuracy",
        unit: "ratio",
        more_is_better: true,
        definition: "goodput over the requests served; by model in the metrics accuracy_of:MODEL",
    },
    MetricEntry {
        name: "reconfigurations",
        title: "reconfigurations",
        unit: "times",
        more_is_better: false,
        definition: "slots in which row (11) sees a reconfiguration, over all inference tasks",
    },
    MetricEntry {
        name: "unseen_changes",
        title: "unseen changes",
        unit: "times",
        more_is_better: false,
        definition: "other changes of the mix of instances of an inference task, which row (11) does not see",
    },
    MetricEntry {
        name: "destroyed_instances",
        title: "instances destroyed",
        unit: "GPU instances",
        more_is_better: false,
        definition: "GPU instances destroyed before the end of the window, in the layout that destroys the fewest",
    },
    MetricEntry {
        name: "moved_retrainings",
        title: "retrainings moved",
        unit: "times",
        more_is_better: false,
        definition: "times that the GPU instance of a running retraining has to move, as start slots are not in the model",
    },
    MetricEntry {
        name: "hidden_share",
        title: "reconfiguration hidden",
        unit: "ratio",
        more_is_better: true,
        definition: "share of the seconds of reconfigurations that pre-initialisation on free memory slots hides; 0 without any",
    },
    MetricEntry {
        name: "mps_goodput_share",
        title: "goodput share by MPS",
        unit: "ratio",
        more_is_better: true,
        definition: "only beside plans of the heuristic astraea: its goodput share if it shared the GPU by MPS, estimated; another mechanism, not a plan of the model, so that it may exceed the optimum",
    },
    MetricEntry {
        name: "mps_slo_attainment",
        title: "SLO attainment by MPS",
        unit: "ratio",
        more_is_better: true,
        definition: "the SLO attainment of the same estimate; another mechanism, not a plan of the model, so that it may exceed the optimum",
    },
    MetricEntry {
        name: "mps_accuracy",
        title: "inference accuracy by MPS",
        unit: "ratio",
        more_is_better: true,
        definition: "the inference accuracy of the same estimate; another mechanism, not a plan of the model, so that it may exceed the optimum",
    },
];

/// The metrics of a plan that obeys all rules.
pub fn metric_values(problem: &Problem, plan: &Plan, score: &Score, layout: &LayoutSummary) -> MetricValues {
    let share = |part: Amount, whole: Amount| {
        let share = if whole == Amount::ZERO { 0.0 } else { part.to_f64() / whole.to_f64() };
        Number::from_f64(share).expect("a share is finite")
    };
    let amount = |amount: Amount| Number::from_f64(amount.to_f64()).expect("amounts are finite");
    let mut values: MetricValues = [
        ("goodput", amount(score.goodput)),
        ("goodput_share", share(score.goodput, score.received)),
        ("slo_attainment", share(score.served, score.received)),
        ("accuracy", share(score.goodput, score.served)),
        ("reconfigurations", Number::from(score.reconfigurations)),
        ("unseen_changes", Number::from(score.unseen_changes)),
        ("destroyed_instances", Number::from(layout.destroyed)),
        ("moved_retrainings", Number::from(layout.moved_retrainings)),
        ("hidden_share", share(layout.hidden_seconds, layout.reconfiguration_seconds)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    if let Some(estimate) = &plan.beside {
        let of_mps = [
            ("mps_goodput_share", share(estimate.goodput, estimate.received)),
            ("mps_slo_attainment", share(estimate.served, estimate.received)),
            ("mps_accuracy", share(estimate.goodput, estimate.served)),
        ];
        values.extend(of_mps.map(|(name, value)| (name.to_owned(), value)));
    }
    for (tasks, of_model) in problem.models.iter().zip(&score.models) {
        let by_model = [
            ("goodput_of", amount(of_model.goodput)),
            ("slo_attainment_of", share(of_model.served, of_model.received)),
            ("accuracy_of", share(of_model.goodput, of_model.served)),
        ];
        values.extend(by_model.map(|(name, value)| (format!("{name}:{}", tasks.name), value)));
    }
    values
}

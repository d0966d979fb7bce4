//! What is counted about the model's solutions.

use crate::instance::Problem;
use crate::layout::{LayoutSummary, Solution};
use crate::rules::{ModelScore, MpsEstimate, Score};
use ground::Amount;
use kit::{Metric, fraction, no_parts};
use serde_json::Number;

/// What the metrics of a plan that obeys all rules are read from.
pub struct Figures {
    score: Score,
    layout: LayoutSummary,
    /// What another mechanism is estimated to give, beside plans of heuristics that imitate one.
    beside: Option<MpsEstimate>,
}

impl Figures {
    /// Of a solution with its worth.
    pub fn of(problem: &Problem, solution: &Solution, score: &Score) -> Self {
        let layout = solution.layout(problem).summary(problem);
        Figures { score: score.clone(), layout, beside: solution.plan.beside }
    }
}

/// All metrics.
pub const METRICS: &[Metric<Figures>] = &[
    Metric {
        name: "goodput",
        title: "goodput",
        unit: "requests",
        more_is_better: true,
        definition: "row (8): requests served in their slot times the accuracy of the moment; by model in the metrics goodput_of:MODEL",
        value: |figures| Some(amount(figures.score.goodput)),
        parts: |figures| by_model(figures, |model| amount(model.goodput)),
    },
    Metric {
        name: "goodput_share",
        title: "goodput share",
        unit: "ratio",
        more_is_better: true,
        definition: "goodput over the requests received",
        value: |figures| Some(share(figures.score.goodput, figures.score.received)),
        parts: no_parts,
    },
    Metric {
        name: "slo_attainment",
        title: "SLO attainment",
        unit: "ratio",
        more_is_better: true,
        definition: "requests served in their slot over the requests received; by model in the metrics slo_attainment_of:MODEL",
        value: |figures| Some(share(figures.score.served, figures.score.received)),
        parts: |figures| by_model(figures, |model| share(model.served, model.received)),
    },
    Metric {
        name: "accuracy",
        title: "inference accuracy",
        unit: "ratio",
        more_is_better: true,
        definition: "goodput over the requests served; by model in the metrics accuracy_of:MODEL",
        value: |figures| Some(share(figures.score.goodput, figures.score.served)),
        parts: |figures| by_model(figures, |model| share(model.goodput, model.served)),
    },
    Metric {
        name: "reconfigurations",
        title: "reconfigurations",
        unit: "times",
        more_is_better: false,
        definition: "slots in which row (11) sees a reconfiguration, over all inference tasks",
        value: |figures| Some(Number::from(figures.score.reconfigurations)),
        parts: no_parts,
    },
    Metric {
        name: "unseen_changes",
        title: "unseen changes",
        unit: "times",
        more_is_better: false,
        definition: "other changes of the mix of instances of an inference task, which row (11) does not see",
        value: |figures| Some(Number::from(figures.score.unseen_changes)),
        parts: no_parts,
    },
    Metric {
        name: "destroyed_instances",
        title: "instances destroyed",
        unit: "GPU instances",
        more_is_better: false,
        definition: "GPU instances destroyed before the end of the window, in the layout that destroys the fewest",
        value: |figures| Some(Number::from(figures.layout.destroyed)),
        parts: no_parts,
    },
    Metric {
        name: "moved_retrainings",
        title: "retrainings moved",
        unit: "times",
        more_is_better: false,
        definition: "times that the GPU instance of a running retraining has to move, as start slots are not in the model",
        value: |figures| Some(Number::from(figures.layout.moved_retrainings)),
        parts: no_parts,
    },
    Metric {
        name: "hidden_share",
        title: "reconfiguration hidden",
        unit: "ratio",
        more_is_better: true,
        definition: "share of the seconds of reconfigurations that pre-initialisation on free memory slots hides; 0 without any",
        value: |figures| Some(share(figures.layout.hidden_seconds, figures.layout.reconfiguration_seconds)),
        parts: no_parts,
    },
    Metric {
        name: "mps_goodput_share",
        title: "goodput share by MPS",
        unit: "ratio",
        more_is_better: true,
        definition: "only with plans of the heuristic astraea: its estimated goodput share if it shared the GPU by MPS; another \
                     mechanism, not a plan of the model, so it may exceed the optimum",
        value: |figures| figures.beside.map(|mps| share(mps.goodput, mps.received)),
        parts: no_parts,
    },
    Metric {
        name: "mps_slo_attainment",
        title: "SLO attainment by MPS",
        unit: "ratio",
        more_is_better: true,
        definition: "the SLO attainment of the same estimate; another mechanism, not a plan of the model, so it may exceed the optimum",
        value: |figures| figures.beside.map(|mps| share(mps.served, mps.received)),
        parts: no_parts,
    },
    Metric {
        name: "mps_accuracy",
        title: "inference accuracy by MPS",
        unit: "ratio",
        more_is_better: true,
        definition: "the inference accuracy of the same estimate; another mechanism, not a plan of the model, so it may exceed the optimum",
        value: |figures| figures.beside.map(|mps| share(mps.goodput, mps.served)),
        parts: no_parts,
    },
];

fn amount(amount: Amount) -> Number {
    fraction(amount.to_f64())
}

fn share(part: Amount, whole: Amount) -> Number {
    fraction(if whole == Amount::ZERO { 0.0 } else { part.to_f64() / whole.to_f64() })
}

fn by_model(figures: &Figures, value: impl Fn(&ModelScore) -> Number) -> Vec<(String, Number)> {
    figures.score.models.iter().map(|model| (model.model.clone(), value(model))).collect()
}

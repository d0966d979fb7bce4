//! What a plan is worth: the rules that it breaks, what it costs, and which of its claims hold.

use crate::certificate::{self, Certified};
use crate::document::{Counts, PlanFile, Resolved};
use crate::finding::Finding;
use crate::simulator::{Run, carry_out};
use crate::transition::Transition;
use schemars::JsonSchema;
use serde::Serialize;

/// What is found out about a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Judgement {
    /// The rules that it breaks; none if it is valid.
    pub findings: Vec<Finding>,
    /// What it costs.
    pub counts: Counts,
    /// The bounds that it claims, each with whether its certificate was checked.
    pub certified: Vec<Certified>,
}

/// Carries a plan out and checks everything that its file claims.
pub fn judge(file: &PlanFile, resolved: &Resolved) -> Judgement {
    let Resolved { transition, has_target, plan, operations } = resolved;
    let Run { mut findings, counts, end } = carry_out(transition, plan, operations);
    if findings.is_empty() && *has_target {
        findings.extend(wrong_end(transition, &end));
    }
    if findings.is_empty() {
        findings.extend(broken_promise(file, &end));
        findings.extend(wrong_layouts(file, transition));
    }
    if let Some(claimed) = file.counts.filter(|claimed| *claimed != counts && findings.is_empty()) {
        let message = format!("it claims {claimed:?}, but counted are {counts:?}");
        findings.push(Finding { rule: "counts", message });
    }
    if findings.is_empty() {
        findings.extend(wrong_temporaries(resolved));
    }
    let mut certified = Vec::new();
    if findings.is_empty() {
        (certified, findings) = certificate::check(file, transition, &counts);
    }
    Judgement { findings, counts, certified }
}

/// Every class must hold the places of its target.
fn wrong_end(transition: &Transition, end: &[Option<crate::Place>]) -> Option<Finding> {
    let cluster = &transition.cluster;
    transition.classes.iter().find_map(|class| {
        let held = class.members.iter().filter_map(|workload| end[workload.index()]).collect();
        if class.target == held {
            return None;
        }
        let name = &cluster.workloads[class.members[0].index()].name;
        let message = match (class.target.difference(&held).next(), held.difference(&class.target).next()) {
            (Some(place), _) => {
                format!("in the end, neither `{name}` nor one like it is at {}", place.name(cluster))
            }
            (None, Some(place)) => {
                format!(
                    "in the end, `{name}` or one like it is at {}, which is not in the target",
                    place.name(cluster)
                )
            }
            (None, None) => return None,
        };
        Some(Finding { rule: "target", message })
    })
}

fn broken_promise(file: &PlanFile, end: &[Option<crate::Place>]) -> Option<Finding> {
    let promise = file.promise?;
    let placed = end.iter().flatten().count() as u64;
    let mut gpus: Vec<_> = end.iter().flatten().map(|place| place.gpu).collect();
    gpus.sort_unstable();
    gpus.dedup();
    let gpus = gpus.len() as u64;
    (placed < promise.placed || gpus > promise.gpus).then(|| Finding {
        rule: "promise",
        message: format!(
            "in the end {placed} workloads run on {gpus} GPUs, instead of {} on {}",
            promise.placed, promise.gpus
        ),
    })
}

/// What the plan expects to find must be what is there.
fn wrong_layouts(file: &PlanFile, transition: &Transition) -> Option<Finding> {
    let cluster = &transition.cluster;
    file.expects.iter().find_map(|expected| {
        let gpu = cluster.gpu_indices().find(|gpu| cluster.gpus[gpu.index()].name == expected.gpu);
        let now = gpu.map(|gpu| crate::Expectation::now(transition, gpu));
        (now.as_ref() != Some(expected)).then(|| Finding {
            rule: "layout",
            message: format!(
                "it expects another layout of {}. Import the cluster and plan again",
                expected.gpu
            ),
        })
    })
}

/// `via` must say which places are temporary.
fn wrong_temporaries(resolved: &Resolved) -> Option<Finding> {
    let steps: Vec<_> = resolved.plan.rounds.iter().flatten().collect();
    steps.iter().enumerate().find_map(|(number, step)| {
        let moves_on =
            steps[number + 1..].iter().any(|later| later.workload == step.workload && later.to.is_some());
        let name = &resolved.transition.cluster.workloads[step.workload.index()].name;
        (step.via != (step.to.is_some() && moves_on)).then(|| Finding {
            rule: "via",
            message: match moves_on {
                true => {
                    format!("`{name}` moves on from a place that is not marked as temporary (`via: true`)")
                }
                false => format!("`{name}` stays at a place that is marked as temporary (`via`)"),
            },
        })
    })
}

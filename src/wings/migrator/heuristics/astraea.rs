//! Shares by demand in every slot, rounded to what fits the GPU, with an estimate of the same by MPS.

use super::current::Current;
use super::intensity::intensities;
use super::joint::{Joint, JointList, Joints};
use super::mps::{Curve, cut_to_fit, estimate, retraining_shares};
use super::retrainings::unplannable;
use super::segment::{Runs, Segment, plan_of_runs, segments};
use super::worth::{TaskWorth, Worth};
use crate::instance::{ModelIndex, ModelTasks, Problem};
use crate::rules::{Plan, Retraining, Spare, earliest_start, shortest_schedule};
use kit::{Heuristic, Parameter, ParameterEntry, assign, no_choices, number, parameter_entries};
use std::cmp::Reverse;

/// An MPS policy on MIG instances. Each retraining has a share by compute intensity, on the nearest size; what the retrainings
/// leave is divided in every slot by what the inference tasks need for its requests. Accuracy plays no role, nor do
/// reconfigurations.
#[derive(Clone, Copy)]
pub struct Astraea {
    /// By which part of its time everything is slower beside something else; only in the estimate of MPS.
    pub interference: f64,
}

impl Astraea {
    /// With the usual interference.
    pub const USUAL: Astraea = Astraea { interference: 0.12 };
}

const PARAMETERS: &[Parameter<Astraea>] = &[Parameter {
    name: "interference",
    summary: "by what share of its time a task slows down beside another, from 0 to 10; used only in the estimate of MPS",
    choices: no_choices,
    get: |astraea| Some(astraea.interference.to_string()),
    set: |astraea, text| number(text, 0.0..=10.0).map(|part| astraea.interference = part),
}];

impl Heuristic<Problem, Plan> for Astraea {
    fn name(&self) -> &'static str {
        "astraea"
    }

    fn summary(&self) -> &'static str {
        "splits the GPCs in every slot by demand, and by compute intensity for retrainings, rounded to instances; also \
         estimates the same under MPS"
    }

    fn reference(&self) -> &'static str {
        "Wang et al., section 5.1: like Astraea (Zhang et al.), on MIG instances"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        Plan { beside: Some(estimate(problem, self.interference)), ..on_instances(problem) }
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(PARAMETERS, self)
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Plan>>, String> {
        let mut adjusted = *self;
        assign(self.name(), PARAMETERS, &mut adjusted, values)?;
        Ok(Box::new(adjusted))
    }
}

fn on_instances(problem: &Problem) -> Plan {
    let Some(schedule) = schedule_by_shares(problem) else { return unplannable(problem) };
    let worth = Worth::of(problem);
    let mut joints = Joints::new(problem, &worth);
    let curves: Vec<Curve> =
        problem.models.iter().map(|tasks| Curve::of_capability(problem, tasks)).collect();
    let gpcs = f64::from(problem.gpu.board.compute());
    let mut current = Current::before(&worth);
    let mut runs: Runs = Vec::new();
    for Segment { from, until, running, .. } in segments(problem, &schedule) {
        let list = joints.beside(&running);
        let left = gpcs - f64::from(problem.gpu.gpcs(&running));
        for slot in from..until {
            let need = |(tasks, curve): (&ModelTasks, &Curve)| {
                curve.needed(tasks.requests[slot as usize].to_f64() / problem.basis.to_f64(), gpcs)
            };
            let mut targets: Vec<f64> = problem.models.iter().zip(&curves).map(need).collect();
            cut_to_fit(&mut targets, left);
            let joint = nearest(&worth, &list, &targets, &current);
            current.change_to(&worth, joint.clone());
            runs.push((1, joint));
        }
    }
    plan_of_runs(&worth, &schedule, &runs)
}

/// The joint allocation nearest to targets in squared GPCs; of equals the one with the larger capabilities, then with the fewest
/// changes, then the first.
fn nearest(worth: &Worth, list: &JointList, targets: &[f64], current: &Current) -> Joint {
    let squared = |(task, target): (&TaskWorth, &f64)| {
        task.offers.iter().map(|offer| (f64::from(offer.gpcs) - target).powi(2)).collect()
    };
    let away: Vec<Vec<f64>> = worth.tasks.iter().zip(targets).map(squared).collect();
    let distance = |joint: &Joint| -> f64 { away.iter().zip(joint).map(|(away, &offer)| away[offer]).sum() };
    let ranks = |joint: &Joint| -> u32 {
        let offers = worth.tasks.iter().zip(joint).map(|(task, &offer)| &task.offers[offer]);
        offers.map(|offer| u32::from(offer.rank)).sum()
    };
    let distances: Vec<f64> = list.all.iter().map(distance).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let nearest = list.all.iter().zip(&distances).filter(|&(_, &distance)| distance <= least);
    nearest
        .map(|(joint, _)| joint)
        .min_by_key(|joint| (Reverse(ranks(joint)), current.changes(worth, joint)))
        .expect("a schedule leaves a joint allocation")
        .clone()
}

/// Every retraining on the size nearest to its share, the most intense model first, each as early as it fits; the shortest
/// schedule if that does not end within the window. `None` if that does not either.
fn schedule_by_shares(problem: &Problem) -> Option<Vec<Retraining>> {
    let spare = Spare::of(problem);
    let (weights, shares) = (intensities(problem), retraining_shares(problem));
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&model| Reverse(weights[model]));
    let mut placed: Vec<(usize, Retraining)> = Vec::new();
    for position in order {
        let model = ModelIndex::at(position);
        let choices = spare.choices(problem, model);
        let away = |&(size, _): &(_, u32)| (f64::from(problem.gpu.size(size).gpcs) - shares[position]).abs();
        let nearest = choices.into_iter().min_by(|one, other| away(one).total_cmp(&away(other)))?;
        let others: Vec<Retraining> = placed.iter().map(|&(_, retraining)| retraining).collect();
        let from = earliest_start(problem, &spare, &others, nearest, 0);
        let (size, slots) = nearest;
        placed.push((position, Retraining { size, from, until: from.saturating_add(slots) }));
    }
    placed.sort_by_key(|&(model, _)| model);
    let schedule: Vec<Retraining> = placed.into_iter().map(|(_, retraining)| retraining).collect();
    if schedule.iter().all(|retraining| retraining.until <= problem.slots) {
        return Some(schedule);
    }
    shortest_schedule(problem).filter(|&(_, end)| end <= problem.slots).map(|(schedule, _)| schedule)
}

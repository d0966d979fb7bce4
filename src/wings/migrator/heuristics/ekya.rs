//! Reconfigurations at starts and ends of retrainings only.

use super::forecast::{Expected, Forecast};
use super::joint::{Joint, Joints};
use super::retrainings::{grouped_schedules, unplannable};
use super::segment::{Runs, Segment, plan_of_runs, segments};
use super::worth::Worth;
use crate::instance::Problem;
use crate::rules::{Plan, Retraining};
use kit::{Choices, Heuristic, Parameter, ParameterEntry, assign, parameter_entries, put_choice};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Joint allocations of a segment of which the best sequence is chosen, at most.
const KEPT_BY_SEGMENT: usize = 64;
/// Schedules for which a sequence is chosen, at most; those with the highest bounds.
const CHOSEN_SCHEDULES: usize = 200;

/// All retraining schedules in which groups start one after another, each with the best allocations that change only when a
/// retraining starts or ends, by the expected goodput.
#[derive(Clone, Copy)]
pub struct Ekya {
    /// What is known of the requests.
    pub forecast: Forecast,
}

impl Ekya {
    /// By the mean rate.
    pub const USUAL: Ekya = Ekya { forecast: Forecast::Mean };
}

const PARAMETERS: &[Parameter<Ekya>] = &[Parameter {
    name: "forecast",
    summary: "what is known of the requests",
    choices: Forecast::entries,
    get: |ekya| Some(ekya.forecast.name().to_owned()),
    set: |ekya, text| put_choice(&mut ekya.forecast, text),
}];

impl Heuristic<Problem, Plan> for Ekya {
    fn name(&self) -> &'static str {
        "ekya"
    }

    fn summary(&self) -> &'static str {
        "allocations change only when a retraining starts or ends; all sizes and orders of retrainings are compared"
    }

    fn reference(&self) -> &'static str {
        "Wang et al., section 5.1: like Ekya (Bhardwaj et al.), on MIG instances"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        let worth = Worth::of(problem);
        match best_schedule(problem, &worth, &mut Joints::new(problem, &worth), self.forecast) {
            Some((schedule, runs)) => plan_of_runs(&worth, &schedule, &runs),
            None => unplannable(problem),
        }
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

/// The retrainings, and the allocations beside them; `None` if no schedule fits the window.
pub fn best_schedule<'w>(
    problem: &Problem,
    worth: &'w Worth,
    joints: &mut Joints<'w>,
    forecast: Forecast,
) -> Option<(Vec<Retraining>, Runs)> {
    let mut schedules = grouped_schedules(problem);
    let cut: Vec<Vec<Segment>> = schedules.iter().map(|schedule| segments(problem, schedule)).collect();
    let marks = cut.iter().flatten().map(|segment| segment.until);
    let expected = Expected::new(problem, worth, forecast, marks);
    let mut comparison =
        Comparison { worth, joints, expected, most: BTreeMap::new(), layers: BTreeMap::new() };
    let mut bounds: Vec<(Reverse<i128>, usize)> = Vec::new();
    for (position, segments) in cut.iter().enumerate() {
        let most: i128 = segments.iter().map(|segment| comparison.most(segment)).sum();
        bounds.push((Reverse(most), position));
    }
    bounds.sort_unstable();
    let mut best: Option<(i128, usize, Vec<Joint>)> = None;
    for &(Reverse(most), position) in bounds.iter().take(CHOSEN_SCHEDULES) {
        if best.as_ref().is_some_and(|(known, ..)| *known >= most) {
            break;
        }
        let (value, sequence) = comparison.best_sequence(&cut[position]);
        if best.as_ref().is_none_or(|(known, ..)| value > *known) {
            best = Some((value, position, sequence));
        }
    }
    let (_, position, sequence) = best?;
    let lengths = cut[position].iter().map(|segment| segment.until - segment.from);
    Some((schedules.swap_remove(position), lengths.zip(sequence).collect()))
}

struct Comparison<'c, 'w> {
    worth: &'w Worth,
    joints: &'c mut Joints<'w>,
    expected: Expected<'w>,
    /// What a segment is worth at most.
    most: BTreeMap<Segment, i128>,
    layers: BTreeMap<Segment, Rc<Vec<Candidate>>>,
}

/// A joint allocation of a segment.
struct Candidate {
    joint: Joint,
    /// Goodput in the segment without reconfigurations.
    value: i128,
    /// What each model loses if it is reconfigured at the beginning.
    losses: Vec<i128>,
}

impl Comparison<'_, '_> {
    /// Goodput by offer of each model, without reconfigurations.
    fn values(&self, segment: &Segment) -> Vec<Vec<i128>> {
        let of_model = |model: usize| {
            let offers = 0..self.worth.tasks[model].offers.len();
            offers.map(|offer| self.expected.value(model, offer, segment)).collect()
        };
        (0..self.worth.tasks.len()).map(of_model).collect()
    }

    fn most(&mut self, segment: &Segment) -> i128 {
        if let Some(&known) = self.most.get(segment) {
            return known;
        }
        let list = self.joints.beside(&segment.running);
        let values = self.values(segment);
        let most = list.front.iter().map(|joint| sum(&values, joint)).max().unwrap_or(0);
        self.most.insert(segment.clone(), most);
        most
    }

    fn layer(&mut self, segment: &Segment) -> Rc<Vec<Candidate>> {
        if let Some(known) = self.layers.get(segment) {
            return Rc::clone(known);
        }
        let list = self.joints.beside(&segment.running);
        let values = self.values(segment);
        let mut ranked: Vec<(Reverse<i128>, &Joint)> =
            list.all.iter().map(|joint| (Reverse(sum(&values, joint)), joint)).collect();
        ranked.sort();
        ranked.truncate(KEPT_BY_SEGMENT);
        let candidate = |(Reverse(value), joint): (Reverse<i128>, &Joint)| Candidate {
            joint: joint.clone(),
            value,
            losses: joint
                .iter()
                .enumerate()
                .map(|(model, &offer)| self.expected.loss(model, offer, segment))
                .collect(),
        };
        let layer = Rc::new(ranked.into_iter().map(candidate).collect::<Vec<_>>());
        self.layers.insert(segment.clone(), Rc::clone(&layer));
        layer
    }

    /// The best joint allocations of the segments in turn, reconfigurations included.
    fn best_sequence(&mut self, segments: &[Segment]) -> (i128, Vec<Joint>) {
        let layers: Vec<Rc<Vec<Candidate>>> = segments.iter().map(|segment| self.layer(segment)).collect();
        let signature = |model: usize, offer: usize| self.worth.tasks[model].offers[offer].signature;
        let lost = |candidate: &Candidate, before: &dyn Fn(usize) -> Option<u16>| -> i128 {
            let losses = candidate.joint.iter().zip(&candidate.losses).enumerate();
            let felt = losses.filter(|&(model, (&offer, _))| {
                before(model).is_some_and(|before| before != signature(model, offer))
            });
            felt.map(|(_, (_, loss))| loss).sum()
        };
        let first =
            |candidate: &Candidate| candidate.value - lost(candidate, &|model| self.worth.tasks[model].first);
        let mut values: Vec<i128> = layers[0].iter().map(first).collect();
        let mut came_from: Vec<Vec<usize>> = Vec::new();
        for pair in layers.windows(2) {
            let best_before = |candidate: &Candidate| {
                let through = |(position, before): (usize, &Candidate)| {
                    let change = lost(candidate, &|model| Some(signature(model, before.joint[model])));
                    (values[position] - change, Reverse(position))
                };
                pair[0]
                    .iter()
                    .enumerate()
                    .map(through)
                    .max()
                    .expect("a segment of a schedule has a joint allocation")
            };
            let steps: Vec<_> = pair[1].iter().map(best_before).collect();
            came_from.push(steps.iter().map(|&(_, Reverse(position))| position).collect());
            values = steps
                .iter()
                .zip(pair[1].iter())
                .map(|((value, _), candidate)| value + candidate.value)
                .collect();
        }
        let ranked = values.iter().enumerate().map(|(position, &value)| (value, Reverse(position)));
        let (value, Reverse(mut position)) =
            ranked.max().expect("a segment of a schedule has a joint allocation");
        let mut sequence = vec![layers[layers.len() - 1][position].joint.clone()];
        for (layer, came_from) in layers.iter().zip(&came_from).rev() {
            position = came_from[position];
            sequence.push(layer[position].joint.clone());
        }
        sequence.reverse();
        (value, sequence)
    }
}

fn sum(values: &[Vec<i128>], joint: &Joint) -> i128 {
    values.iter().zip(joint).map(|(values, &offer)| values[offer]).sum()
}

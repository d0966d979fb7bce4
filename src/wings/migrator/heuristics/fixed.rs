//! The best of all plans in which the allocations of the inference tasks never change.

use super::joint::{Joint, Joints};
use super::retrainings::{grouped_schedules, unplannable};
use super::segment::{Runs, Segment, plan_of_runs, segments};
use super::worth::Worth;
use crate::instance::{Allocation, Problem};
use crate::rules::{Plan, Retraining};
use std::collections::{BTreeMap, BTreeSet};

/// What is best is the largest in lexicographic order.
pub type Rating = [i128; 3];

/// The plan with the best sum of ratings of models, retrainings and offers, the first of equals.
///
/// All retrainings start at once if that is possible, and in groups one after another if not.
pub fn best_fixed(
    problem: &Problem,
    worth: &Worth,
    rating: impl Fn(usize, &Retraining, usize) -> Rating,
) -> Plan {
    let schedules = grouped_schedules(problem);
    let (at_once, others): (Vec<_>, Vec<_>) = schedules
        .into_iter()
        .partition(|schedule: &Vec<Retraining>| schedule.iter().all(|retraining| retraining.from == 0));
    let mut fixed =
        Fixed { problem, worth, joints: Joints::new(problem, worth), rating, ratings: BTreeMap::new() };
    let best = fixed.best(&at_once).or_else(|| fixed.best(&others));
    match (best, others.first()) {
        (Some(best), _) => best,
        (None, Some(schedule)) => fixed.changing(schedule),
        (None, None) => unplannable(problem),
    }
}

struct Fixed<'p, R> {
    problem: &'p Problem,
    worth: &'p Worth,
    joints: Joints<'p>,
    rating: R,
    /// By model and retraining, of every offer.
    ratings: BTreeMap<(usize, Retraining), Vec<Rating>>,
}

impl<R: Fn(usize, &Retraining, usize) -> Rating> Fixed<'_, R> {
    fn best(&mut self, schedules: &[Vec<Retraining>]) -> Option<Plan> {
        let mut best: Option<(Rating, &[Retraining], Joint)> = None;
        for schedule in schedules {
            let list = self.joints.beside_each(&most_at_once(self.problem, schedule));
            for (model, retraining) in schedule.iter().enumerate() {
                let offers = 0..self.worth.tasks[model].offers.len();
                self.ratings
                    .entry((model, *retraining))
                    .or_insert_with(|| offers.map(|offer| (self.rating)(model, retraining, offer)).collect());
            }
            let ratings: Vec<&Vec<Rating>> = schedule
                .iter()
                .enumerate()
                .map(|(model, &retraining)| &self.ratings[&(model, retraining)])
                .collect();
            for joint in &list.all {
                let mut sum: Rating = [0; 3];
                for (ratings, &offer) in ratings.iter().zip(joint) {
                    sum.iter_mut().zip(&ratings[offer]).for_each(|(sum, part)| *sum += part);
                }
                if best.as_ref().is_none_or(|(known, ..)| sum > *known) {
                    best = Some((sum, schedule, joint.clone()));
                }
            }
        }
        best.map(|(_, schedule, joint)| plan_of_runs(self.worth, schedule, &[(self.problem.slots, joint)]))
    }

    /// A plan for a schedule beside which no allocation lasts: each segment has one that serves as much as any.
    fn changing(&mut self, schedule: &[Retraining]) -> Plan {
        let run = |segment: Segment| {
            let list = self.joints.beside(&segment.running);
            (segment.until - segment.from, list.front[0].clone())
        };
        let runs: Runs = segments(self.problem, schedule).into_iter().map(run).collect();
        plan_of_runs(self.worth, schedule, &runs)
    }
}

/// The sets of instances of retrainings that run at once, without those that are parts of others.
fn most_at_once(problem: &Problem, schedule: &[Retraining]) -> BTreeSet<Allocation> {
    let sets: BTreeSet<Allocation> =
        segments(problem, schedule).into_iter().map(|segment| segment.running).collect();
    let is_part = |set: &Allocation| {
        let holds = |other: &Allocation| {
            other != set && set.counts().iter().zip(other.counts()).all(|(part, whole)| part <= whole)
        };
        sets.iter().any(holds)
    };
    sets.iter().filter(|set| !is_part(set)).cloned().collect()
}

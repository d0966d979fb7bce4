//! The non-dominated values of two goals.

use super::encoding::Encoding;
use super::known::{Known, Limit};
use super::priced::{ByPrices, End};
use super::search::{Found, Search, in_units_of_user};
use super::stage_plan::StagePlan;
use super::staged::Staged;
use crate::Siavashi;
use crate::instance::Problem;
use crate::rules::{Score, stage_name, why_infeasible};
use crate::section::{GOALS, Goal};
use cluster::Placement;
use ground::counted;
use kit::{Frontier, SenseName, SolveError, SolveOptions, Status};
use milp::StopReason;
use solver::{Control, Effort};
use std::time::Instant;

/// The non-dominated values of the two goals that a text names.
///
/// # Errors
/// When it names others, and as for [`solve_from`](super::solve_from).
pub fn frontier(
    problem: &Problem,
    formulation: &Staged,
    goals: &str,
    options: &SolveOptions,
    control: &Control,
) -> Result<Frontier<Siavashi>, SolveError> {
    let [first, second] = GOALS.pair(goals).map_err(SolveError::Refused)?;
    let (in_order, reversed) =
        (problem.with_goals(vec![first, second]), problem.with_goals(vec![second, first]));
    let mut walk = Walk {
        first,
        second,
        in_order: Order::new(&in_order, formulation)?,
        reversed: Order::new(&reversed, formulation)?,
        effort: &options.effort,
        control,
        began: Instant::now(),
        points: Vec::new(),
        by_prices: Vec::new(),
    };
    let status = walk.run()?;
    let notes = walk.notes();
    let goals = [first, second].map(|goal| (goal.name(), goal.sense()));
    let values = |score: &Score| [score.goal(first), score.goal(second)];
    let reason = (status == Status::Infeasible).then(|| why_infeasible(problem));
    Ok(Frontier { reason, notes, ..Frontier::new(formulation.name, goals, walk.points, values, status) })
}

/// A problem with two goals in one order.
struct Order<'p> {
    problem: &'p Problem,
    plan: StagePlan,
    encoding: Box<dyn Encoding + 'p>,
}

impl<'p> Order<'p> {
    fn new(problem: &'p Problem, formulation: &Staged) -> Result<Self, SolveError> {
        Ok(Order { problem, plan: StagePlan::new(problem), encoding: formulation.build(problem)? })
    }
}

/// From point to point.
///
/// Each is the lexicographic optimum of the first goal, then the second, among the placements in which the second goal is better
/// than in the one before (the epsilon-constraint method of Haimes et al., 1971); the values are multiples of a unit, so that none
/// is missed.
///
/// One search often does for both goals: the best value of the second goal where the first may be worse than in the last point by a unit.
/// If that is better than in the last point, it is the next point; the page `models/siavashi.md` has the proof.
struct Walk<'p> {
    first: Goal,
    second: Goal,
    in_order: Order<'p>,
    reversed: Order<'p>,
    effort: &'p Effort,
    control: &'p Control,
    began: Instant,
    /// The points so far, from the best value of the first goal on, with what each is worth.
    points: Vec<(Placement, Score)>,
    /// The stages that prices have proved.
    by_prices: Vec<ByPrices>,
}

impl Walk<'_> {
    /// Looks for all points; [`Status::Optimal`] when the list is complete.
    fn run(&mut self) -> Result<Status, SolveError> {
        let mut is_dense = false;
        loop {
            if is_dense {
                let last = self.points.len();
                if let Some(stop) = self.neighbour()? {
                    return Status::of(false, &stop);
                }
                is_dense = self.points.len() > last;
            }
            if !is_dense {
                let (stop, point) = self.next()?;
                match (stop, point) {
                    (StopReason::Infeasible, Some(_)) => {
                        let text = "the solver calls infeasible what a verified placement keeps".to_owned();
                        return Err(SolveError::Internal(text));
                    }
                    (StopReason::Infeasible, _) if self.points.is_empty() => return Ok(Status::Infeasible),
                    (StopReason::Infeasible, _) => return Ok(Status::Optimal),
                    (StopReason::Proved, Some(point)) => self.points.push(point),
                    (stop, _) => return Status::of(false, &stop),
                }
                is_dense = self.is_last_a_neighbour();
            }
            if self.points.last().is_some_and(|(_, score)| self.is_best(score)) {
                return Ok(Status::Optimal);
            }
        }
    }

    /// The point after the last one.
    fn next(&mut self) -> Result<(StopReason, Option<(Placement, Score)>), SolveError> {
        let limit = self.points.last().map(|(_, score)| self.limit(self.second, score, 1));
        let mut known = Known::new(self.in_order.problem, &self.in_order.plan, limit);
        known.offer(self.in_order.problem.cluster.current_placement());
        let found = self.search(&self.in_order, limit, 2, &mut known)?;
        let best = known.best;
        self.by_prices.extend(found.by_prices.iter().filter(|stage| stage.end == End::Proved));
        Ok((found.stop, best))
    }

    /// Adds the point that is worse than the last one by a unit of the first goal, if there is one; else why the search ended before that
    /// was clear.
    fn neighbour(&mut self) -> Result<Option<StopReason>, SolveError> {
        let (placement, last) = self.points.last().expect("a point has been found").clone();
        let limit = self.limit(self.first, &last, -1);
        let mut known = Known::new(self.reversed.problem, &self.reversed.plan, Some(limit));
        known.offer(placement);
        let found = self.search(&self.reversed, Some(limit), 1, &mut known)?;
        let best = known.best.expect("the last point keeps the limit");
        self.by_prices.extend(found.by_prices.iter().filter(|stage| stage.end == End::Proved));
        if found.stop != StopReason::Proved {
            return Ok(Some(found.stop));
        }
        if best.1.goal(self.second) != last.goal(self.second) {
            self.points.push(best);
        }
        Ok(None)
    }

    fn search(
        &self,
        order: &Order<'_>,
        limit: Option<Limit>,
        stages: usize,
        known: &mut Known<'_>,
    ) -> Result<Found, SolveError> {
        let search = Search {
            problem: order.problem,
            plan: &order.plan,
            encoding: order.encoding.as_ref(),
            effort: self.effort,
            control: &in_units_of_user(self.control, &order.plan),
            began: self.began,
            stages,
            limit,
        };
        search.run(known)
    }

    /// The value of a goal that is better than that of a score by so many units, as a limit.
    fn limit(&self, goal: Goal, score: &Score, by: i64) -> Limit {
        let value = self.units(goal, score);
        let value = match goal.sense() {
            SenseName::Maximize => value + by,
            SenseName::Minimize => value - by,
        };
        Limit { goal, value }
    }

    fn units(&self, goal: Goal, score: &Score) -> i64 {
        self.in_order.problem.extent.in_units(goal, score.goal(goal)) as i64
    }

    /// Whether the last point is worse than the one before by a unit of the first goal.
    fn is_last_a_neighbour(&self) -> bool {
        let [.., (_, before), (_, last)] = &self.points[..] else { return false };
        self.limit(self.first, before, -1).value == self.units(self.first, last)
    }

    /// Whether no placement can be better in the second goal.
    fn is_best(&self, score: &Score) -> bool {
        score.goal(self.second) == self.in_order.problem.extent.best(self.second)
    }

    /// How often prices have proved a stage.
    fn notes(&self) -> Vec<String> {
        let times = |&stage: &Option<Goal>| {
            let name = stage_name(stage);
            let times = self.by_prices.iter().filter(|proved| proved.stage == name).count();
            (times > 0).then(|| format!("{name} by prices: {}", counted(times, "time")))
        };
        self.in_order.plan.stages().iter().filter_map(times).collect()
    }
}

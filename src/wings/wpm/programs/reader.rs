//! From what a solver found and proved to a verified answer.

use super::stage_plan::StagePlan;
use crate::heuristics::FirstFit;
use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use crate::rules::{Reading, Score, Solution, rules_in_force, verify, why_none};
use crate::section::{Goal, Objective};
use cluster::{GpuIndex, Maintenance, WorkloadIndex};
use ground::{Amount, name_some};
use kit::{Heuristic, Rule, SenseName, SolveError, StageDocument, Status, agrees, gap, unserved};
use milp::StopReason;
use solver::Staged;
use std::collections::BTreeMap;

/// The answer to a problem, with the best verified solution and its worth.
pub type Solved = kit::Solved<(Solution, Score)>;

/// Reads what the stages found and proved as an answer, and holds it against the verifier.
pub struct Reader<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// How the stages express its objective.
    pub plan: &'a StagePlan,
    /// What the stages found and proved.
    pub staged: &'a Staged,
}

impl Reader<'_> {
    /// The answer, given the solution that the columns stand for. Formulation and seconds are for the caller to fill in.
    ///
    /// # Errors
    /// When the solution does not pass the verifier, or is not worth what the solver claims.
    pub fn read(&self, decoded: Option<Solution>, reading: Reading) -> Result<Solved, SolveError> {
        let problem = self.problem;
        let mut solved = Solved {
            formulation: "",
            status: Status::Optimal,
            reason: None,
            stages: Vec::new(),
            gap: None,
            work: self.staged.work,
            build_seconds: 0.0,
            solve_seconds: 0.0,
            best: None,
            notes: Vec::new(),
        };
        let reason = match &self.staged.stop {
            StopReason::Infeasible if decoded.is_none() => Some(why_none(problem)),
            _ => self.impossible_to_place_all(decoded.as_ref()),
        };
        if let Some(reason) = reason {
            solved.status = Status::Infeasible;
            solved.reason = Some(reason);
            return Ok(solved);
        }
        let decoded = match decoded {
            Some(solution) => self.checked(solution)?,
            None => None,
        };
        let all_proved = self.staged.stages.iter().all(|stage| stage.proved);
        solved.best = match decoded {
            Some(found) if all_proved => Some(found),
            found => self.not_worse_than_first_fit(found, reading),
        };
        solved.notes.extend(unserved(&problem.cluster, problem.decided()));
        if solved.best.is_none() {
            solved.notes.push("no placement of all workloads was found before the limit".to_owned());
        }
        let score = solved.best.as_ref().map(|(_, score)| score);
        solved.stages = self.stages(score);
        solved.gap = gap(&solved.stages);
        let met = solved.gap == Some(0.0) && (all_proved || self.staged.stop == StopReason::GapLimit);
        solved.status = Status::of(met, &self.staged.stop)?;
        Ok(solved)
    }

    /// Passes the solution through the verifier and compares its worth with what the solver claims.
    fn checked(&self, solution: Solution) -> Result<Option<(Solution, Score)>, SolveError> {
        let verdict = verify(self.problem, &solution);
        let only_pending = verdict.violations.iter().all(|violation| violation.rule() == "pending");
        if self.plan.begins_with_pending() && only_pending && !verdict.violations.is_empty() {
            return Ok(None);
        }
        if let Some(violation) = verdict.violations.first() {
            let text = format!("the solver's solution breaks a rule: {violation}");
            return Err(SolveError::Internal(text));
        }
        let skipped = usize::from(self.plan.begins_with_pending());
        for (goal, stage) in self.plan.stages().iter().zip(&self.staged.stages[skipped..]) {
            let (Some(claimed), verified) = (stage.value, worth(*goal, &verdict.score)) else { break };
            if !agrees(stage, self.amount(*goal, claimed), verified)? {
                break;
            }
        }
        Ok(Some((solution, verdict.score)))
    }

    /// The solution, or that of first fit where it is better or there is none.
    fn not_worse_than_first_fit(
        &self,
        found: Option<(Solution, Score)>,
        reading: Reading,
    ) -> Option<(Solution, Score)> {
        let placement = FirstFit.propose(self.problem, 0);
        let baseline = Solution::from_placement(self.problem, reading, placement);
        let verdict = verify(self.problem, &baseline);
        let baseline = verdict.violations.is_empty().then_some((baseline, verdict.score));
        match (found, baseline) {
            (Some(found), Some(other)) if self.better(&other.1, &found.1) => Some(other),
            (Some(found), _) => Some(found),
            (None, other) => other,
        }
    }

    /// A stage's value or bound as an amount.
    fn amount(&self, goal: Option<Goal>, value: f64) -> Amount {
        self.plan.unit(goal.unwrap_or(Goal::Reward)) * value.round() as i128
    }

    fn better(&self, score: &Score, other: &Score) -> bool {
        for goal in self.plan.stages() {
            let (one, two) = (worth(*goal, score), worth(*goal, other));
            if one != two {
                return sense(*goal).prefers(one, two);
            }
        }
        false
    }

    /// Bound of a goal that no solution can be better than, even without solving.
    fn trivial_bound(&self, goal: Option<Goal>) -> Amount {
        match goal {
            None | Some(Goal::Reward) => {
                self.problem.decided().map(|workload| self.problem.costs.reward_of(workload)).sum()
            }
            Some(_) => Amount::ZERO,
        }
    }

    fn stages(&self, score: Option<&Score>) -> Vec<StageDocument> {
        let skipped = usize::from(self.plan.begins_with_pending());
        let mut reached = true;
        let staged: Vec<StageDocument> = self
            .plan
            .stages()
            .iter()
            .zip(&self.staged.stages[skipped..])
            .map(|(&goal, stage)| {
                let bound = reached.then(|| match stage.bound {
                    Some(bound) => self.amount(goal, bound),
                    None => self.trivial_bound(goal),
                });
                reached &= stage.settled;
                StageDocument {
                    name: stage_name(goal).to_owned(),
                    sense: sense(goal),
                    value: score.map(|score| worth(goal, score)),
                    bound,
                }
            })
            .collect();
        if self.problem.objective != Objective::Weighted || self.plan.stages() == [None] {
            return staged;
        }
        // Solved goal by goal although the profit is asked for: its bound is the sum of the goals' bounds, a cost that
        // was not reached being at least nothing.
        let bound: Amount = staged
            .iter()
            .map(|stage| {
                let bound = stage.bound.unwrap_or_default();
                if stage.sense == SenseName::Maximize { bound } else { Amount::ZERO - bound }
            })
            .sum();
        let value = score.map(|score| score.profit);
        vec![StageDocument {
            name: stage_name(None).to_owned(),
            sense: sense(None),
            value,
            bound: Some(bound),
        }]
    }

    /// The reason in words, when the first stage proved that some workload has to wait although none may.
    fn impossible_to_place_all(&self, best: Option<&Solution>) -> Option<String> {
        if !self.plan.begins_with_pending() {
            return None;
        }
        let problem = self.problem;
        let least = self.staged.stages.first()?.bound.filter(|&bound| bound > 0.5)?.round();
        let decided = problem.decided().count();
        let mut reason = format!(
            "at least {least} of {decided} workloads must stay pending, whatever the placement (proved). They ask for {} memory slices",
            slices(problem, problem.decided())
        );
        let usable = |gpu: GpuIndex| {
            problem.gpu_role(gpu) != GpuRole::NotConsidered
                && problem.maintenance(gpu) != Maintenance::Draining
        };
        let gpus = problem.cluster.gpu_indices().filter(|&gpu| usable(gpu));
        let capacity: u32 = gpus.map(|gpu| problem.board(gpu).slots()).sum();
        let pinned = problem.cluster.workload_indices().filter(|&workload| {
            let current = problem.cluster.workloads[workload.index()].current;
            problem.role(workload) == Role::Pinned && current.is_some_and(|place| usable(place.gpu))
        });
        reason += &format!(", {} of {capacity} on the usable GPUs are pinned", slices(problem, pinned));
        let out_of_service =
            problem.cluster.gpus.iter().filter(|gpu| !gpu.maintenance.is_in_service()).count();
        match out_of_service {
            0 => {}
            1 => reason += "; 1 GPU is cordoned or to be drained",
            several => reason += &format!("; {several} GPUs are cordoned or to be drained"),
        }
        if let Some(best) = best {
            let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for workload in best.pending(problem) {
                let workload = &problem.cluster.workloads[workload.index()];
                let profile = problem.cluster.requests[workload.request.index()].names.join("|");
                groups.entry(profile).or_default().push(&workload.name);
            }
            let groups = groups
                .iter()
                .map(|(profile, names)| format!("{} x {profile} ({})", names.len(), name_some(names)));
            let groups: Vec<String> = groups.collect();
            if !groups.is_empty() {
                reason += &format!("; in the best placement found, these are pending: {}", groups.join(", "));
            }
        }
        let beside = rules_in_force(problem).join(", ");
        if !beside.is_empty() {
            reason += &format!("; these rules hold as well: {beside}");
        }
        Some(reason + ". Add GPUs, allow moves, or drop `place_all`.")
    }
}

/// Name of the objective that is a goal, or the profit.
fn stage_name(goal: Option<Goal>) -> &'static str {
    goal.map_or("profit", Goal::name)
}

fn sense(goal: Option<Goal>) -> SenseName {
    goal.map_or(SenseName::Maximize, Goal::sense)
}

/// What a solution is worth in a stage: in a goal, or its profit.
pub fn worth(goal: Option<Goal>, score: &Score) -> Amount {
    goal.map_or(score.profit, |goal| score.goal(goal))
}

/// The values of the objectives, without bounds.
pub fn values(objective: &Objective, score: &Score) -> Vec<StageDocument> {
    let goals = match objective {
        Objective::Weighted => vec![None],
        Objective::Lexicographic(goals) => goals.iter().copied().map(Some).collect(),
    };
    let value = |goal| StageDocument::without_bound(stage_name(goal), sense(goal), worth(goal, score));
    goals.into_iter().map(value).collect()
}

fn slices(problem: &Problem, workloads: impl Iterator<Item = WorkloadIndex>) -> u64 {
    workloads.filter_map(|workload| problem.cluster.memory_slices(workload)).map(u64::from).sum()
}

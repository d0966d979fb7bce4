//! The question in the plain terms of the checker.

use crate::instance::Problem;
use crate::rules::Score;
use crate::section::{Goal, Objective, Residents};
use certificate::siavashi::{Changes, Machine, Question, Stage, Term};
use cluster::{Part, WorkloadIndex};
use ground::Amount;

/// The question that a problem asks.
pub fn plain(problem: &Problem) -> Question<'_> {
    let machines = problem.machine_indices().map(|index| {
        let machine = problem.machine(index);
        Machine {
            name: problem.machine_name(index),
            cpu: machine.cpu,
            memory: machine.memory,
            weight: machine.weight,
            gpu_weight: machine.gpu_weight,
            gpus: &machine.gpus,
        }
    });
    let changes = |workload: WorkloadIndex| {
        if problem.part(workload) != Part::Resident {
            return Changes::default();
        }
        let cost = |cost: Amount| problem.weighted(cost, workload);
        let costs = &problem.costs;
        Changes {
            move_machine: cost(costs.move_machine),
            move_gpu: cost(costs.move_gpu),
            move_start: cost(costs.move_start),
            evict: cost(costs.evict),
        }
    };
    let workloads = || problem.cluster.workload_indices();
    Question {
        cluster: &problem.cluster,
        machines: machines.collect(),
        parts: workloads().map(|workload| problem.part(workload)).collect(),
        acceptance: workloads().map(|workload| problem.acceptance_weight(workload)).collect(),
        changes: workloads().map(changes).collect(),
        keeps_residents: problem.residents == Residents::Keep,
        max_migrations: problem.limits.max_migrations,
        stages: stages(problem),
    }
}

/// The goals that are proved, one after the other: where the order of the goals is guaranteed, those of the lexicographic objective,
/// whose optima are those of the weighted sum.
fn stages(problem: &Problem) -> Vec<Stage> {
    let goals = match (&problem.objective, problem.weighted_sum()) {
        (Objective::Lexicographic(goals), _) => goals.as_slice(),
        (Objective::Weighted(_), Some(sum)) if !sum.guarantees_order() => {
            return vec![Stage::Weighted(Goal::ALL.map(|goal| sum.weights().of(goal)))];
        }
        (Objective::Weighted(_), _) => &Goal::ALL,
    };
    let stage = |goal: &Goal| match goal {
        Goal::Acceptance => Stage::Of(Term::Acceptance),
        Goal::Hardware => Stage::Of(Term::Hardware),
        Goal::Migrations => Stage::Of(Term::Migrations),
    };
    goals.iter().map(stage).collect()
}

/// What a placement is worth in every goal that is proved.
pub fn values(problem: &Problem, question: &Question<'_>, score: &Score) -> Vec<Amount> {
    let value = |stage: &Stage| match stage {
        Stage::Of(Term::Acceptance) => score.acceptance,
        Stage::Of(Term::Hardware) => score.hardware,
        Stage::Of(Term::Migrations) => score.migrations,
        Stage::Weighted(_) => problem.weighted_sum().map_or(Amount::ZERO, |sum| sum.of(score.values())),
    };
    question.stages.iter().map(value).collect()
}

//! How a program's stages express the objective.

use crate::instance::{Problem, Values, WeightedSum};
use crate::rules::{Score, asked_stages, stage_name, worth};
use crate::section::Goal;
use good_lp::Expression;
use ground::Amount;
use kit::{ProgramGoal, SenseName};
use milp::{ProgramBuilder, Sense};
use std::ops::Range;

/// How a program's stages express the objective.
///
/// Weights that guarantee the order acceptance, hardware, migrations are solved goal by goal: the optimum is the same, and each
/// stage is a program with small exact numbers.
#[derive(Clone, Debug)]
pub struct StagePlan {
    stages: Vec<Option<Goal>>,
    units: Values,
    sum: Option<WeightedSum>,
}

/// The goals of a program as expressions in the order of [`Goal::ALL`], each in the goal's units.
pub(super) struct GoalExpressions(pub(super) [Expression; 3]);

impl StagePlan {
    /// The stages for a problem.
    pub fn new(problem: &Problem) -> Self {
        let sum = problem.weighted_sum().copied();
        let stages = match sum {
            Some(sum) if sum.guarantees_order() => Goal::ALL.map(Some).to_vec(),
            _ => asked_stages(problem),
        };
        StagePlan { stages, units: problem.extent.units, sum }
    }

    /// The goals in order; `None` for the single stage of the weighted sum.
    pub fn stages(&self) -> &[Option<Goal>] {
        &self.stages
    }

    /// The positions of all stages.
    pub fn all(&self) -> Range<usize> {
        0..self.stages.len()
    }

    /// How many stages at the beginning are about acceptance and hardware alone.
    pub fn stages_without_moves(&self) -> usize {
        let moves = |stage: &Option<Goal>| matches!(stage, None | Some(Goal::Migrations));
        self.stages.iter().position(moves).unwrap_or(self.stages.len())
    }

    /// What 1 is worth in a stage.
    pub fn unit_of(&self, stage: Option<Goal>) -> Amount {
        let of_sum = || self.sum.map_or(Amount::ONE, |sum| sum.unit());
        stage.map_or_else(of_sum, |goal| self.units[goal as usize])
    }

    /// What 1 is worth in the stage of the given name.
    pub fn unit_of_stage(&self, name: &str) -> Amount {
        self.unit_of(Goal::ALL.into_iter().find(|goal| goal.name() == name))
    }

    /// What the stages are worth, with their values in a placement.
    pub fn goals(&self, problem: &Problem, score: Option<&Score>) -> Vec<ProgramGoal> {
        let is_sum_of_goals = self.stages != asked_stages(problem);
        let share = |goal: Goal| {
            let worth = self.sum.map(|sum| sum.worth(goal, self.unit_of(Some(goal))));
            worth.map(|worth| match goal.sense() {
                SenseName::Maximize => worth,
                SenseName::Minimize => Amount::ZERO - worth,
            })
        };
        let stages = self.stages.iter().map(|&stage| ProgramGoal {
            unit: self.unit_of(stage),
            value: score.map(|score| worth(problem, stage, score)),
            share: stage.filter(|_| is_sum_of_goals).and_then(share),
            required: None,
            denominator: 1,
        });
        stages.collect()
    }

    /// Adds some of the stages to a program.
    pub(super) fn add_stages(
        &self,
        builder: &mut ProgramBuilder,
        goals: &GoalExpressions,
        which: Range<usize>,
    ) {
        for &stage in &self.stages[which] {
            let (sense, value) = match (stage, self.sum) {
                (Some(goal), _) => (sense_of(goal), goals.0[goal as usize].clone()),
                (None, sum) => (Sense::Maximize, weighted(&sum.expect("a weighted sum is asked for"), goals)),
            };
            builder.stage(stage_name(stage), sense, value, Some(1.0));
        }
    }
}

fn weighted(weights: &WeightedSum, goals: &GoalExpressions) -> Expression {
    let mut sum = Expression::default();
    for goal in Goal::ALL {
        let sign = if sense_of(goal) == Sense::Maximize { 1.0 } else { -1.0 };
        sum.add_mul(sign * weights.step(goal) as f64, &goals.0[goal as usize]);
    }
    sum
}

/// A goal's direction as programs have it.
fn sense_of(goal: Goal) -> Sense {
    match goal.sense() {
        SenseName::Maximize => Sense::Maximize,
        SenseName::Minimize => Sense::Minimize,
    }
}

/// `amount` as a coefficient of a goal's expression: a whole number, exact in a double.
pub(super) fn coefficient(problem: &Problem, goal: Goal, amount: Amount) -> f64 {
    problem.extent.in_units(goal, amount) as f64
}

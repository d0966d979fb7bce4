//! From the four goals of a problem to the objective stages of a program.
//!
//! Both kinds of programs write each goal as one expression; how the goals are combined is decided here, once.

use crate::instance::Problem;
use crate::section::{Goal, Objective};
use good_lp::Expression;
use ground::Amount;
use kit::{WeightsTooFine, exact_unit};
use milp::{ProgramBuilder, Sense};

/// How a program's stages express the problem's objective.
#[derive(Clone, Debug)]
pub struct StagePlan {
    /// One stage after the other, or the single stage `profit`.
    stages: Vec<Option<Goal>>,
    /// Unit of each goal, in the order of [`Goal::ALL`]: what 1 in the goal's expression is worth.
    units: [Amount; 4],
    /// Whether the first stage counts the workloads without a place.
    place_all: bool,
}

/// The goals of a program as expressions, each in units of [`StagePlan::coefficient`].
pub(super) struct GoalExpressions {
    /// Reward of the decided workloads that get a place.
    pub(super) reward: Expression,
    /// Cost of GPUs in use.
    pub(super) gpus: Expression,
    /// Cost of migrations and repartitions.
    pub(super) migrations: Expression,
    /// Cost of waste.
    pub(super) waste: Expression,
    /// Number of decided workloads without a place.
    pub(super) pending: Expression,
}

impl StagePlan {
    /// Chooses stages and units.
    ///
    /// A weighted objective whose weights guarantee the order of the goals is solved goal by goal: the optimum is the
    /// same, and each stage is a program with small exact numbers.
    ///
    /// # Errors
    /// When a weighted objective has weights that doubles cannot add up exactly.
    pub fn new(problem: &Problem) -> Result<Self, WeightsTooFine> {
        let amounts = Goal::ALL.map(|goal| problem.costs.amounts_of(goal, &problem.roles));
        let place_all = problem.place_all;
        let goals = match &problem.objective {
            Objective::Lexicographic(goals) => Some(goals.clone()),
            Objective::Weighted if problem.costs.order_guaranteed => Some(Goal::ALL.to_vec()),
            Objective::Weighted => None,
        };
        if let Some(goals) = goals {
            let units = amounts.map(Amount::greatest_common_unit);
            return Ok(StagePlan { stages: goals.into_iter().map(Some).collect(), units, place_all });
        }
        let rewards: Amount = problem.decided().map(|workload| problem.costs.reward_of(workload)).sum();
        let gpus: Amount = problem.cluster.gpus.iter().map(|gpu| problem.costs.of_board(gpu.board).gpu).sum();
        let advice = "Use coarser weights, leave costs out so that defaults apply, or solve with `--objective lexicographic`";
        let unit = exact_unit(&amounts.concat(), rewards + gpus, advice)?;
        Ok(StagePlan { stages: vec![None], units: [unit; 4], place_all })
    }

    /// `amount` as a coefficient of a goal's expression: a whole number, exact in a double.
    pub fn coefficient(&self, goal: Goal, amount: Amount) -> f64 {
        let units =
            amount.in_units_of(self.unit(goal)).expect("every amount of a goal is a multiple of its unit");
        units as f64
    }

    /// What 1 in the goal's expression is worth.
    pub fn unit(&self, goal: Goal) -> Amount {
        self.units[goal as usize]
    }

    /// What 1 is worth in the stage of the given name.
    pub fn unit_of_stage(&self, name: &str) -> Amount {
        match Goal::ALL.into_iter().find(|goal| goal.name() == name) {
            Some(goal) => self.unit(goal),
            None if self.stages == [None] => self.units[0],
            None => Amount::ONE,
        }
    }

    /// The goals of the stages after the optional stage `pending`; `None` for the single stage `profit`.
    pub fn stages(&self) -> &[Option<Goal>] {
        &self.stages
    }

    /// Whether the program's first stage is `pending`.
    pub fn begins_with_pending(&self) -> bool {
        self.place_all
    }

    /// Gives a program with several stages a blend of them as its guide: each goal weighs much more than the one after it,
    /// though not so much that the blend were exact.
    pub(super) fn add_guide(&self, builder: &mut ProgramBuilder, goals: &GoalExpressions) {
        let weights = [1.0, 1e2, 1e5, 1e6];
        let mut blend = Expression::default();
        for (goal, weight) in self.stages.iter().flatten().rev().zip(weights) {
            match goal {
                Goal::Reward => blend.add_mul(weight, &goals.reward),
                Goal::Gpus => blend.add_mul(-weight, &goals.gpus),
                Goal::Migrations => blend.add_mul(-weight, &goals.migrations),
                Goal::Waste => blend.add_mul(-weight, &goals.waste),
            }
        }
        builder.guide(Sense::Maximize, blend, Some(1.0));
    }

    /// Adds the stages to a program.
    pub(super) fn add_stages(&self, builder: &mut ProgramBuilder, goals: GoalExpressions) {
        if self.place_all {
            builder.stage("pending", Sense::Minimize, goals.pending, Some(1.0));
        }
        for stage in &self.stages {
            match stage {
                None => {
                    let profit = goals.reward.clone()
                        - goals.gpus.clone()
                        - goals.migrations.clone()
                        - goals.waste.clone();
                    builder.stage("profit", Sense::Maximize, profit, Some(1.0));
                }
                Some(goal) => {
                    let (sense, expression) = match goal {
                        Goal::Reward => (Sense::Maximize, &goals.reward),
                        Goal::Gpus => (Sense::Minimize, &goals.gpus),
                        Goal::Migrations => (Sense::Minimize, &goals.migrations),
                        Goal::Waste => (Sense::Minimize, &goals.waste),
                    };
                    builder.stage(goal.name(), sense, expression.clone(), Some(1.0));
                }
            }
        }
    }
}

//! The linear relaxation of an aggregated program, and the prices that its dual values are.

use super::lattice::Lattice;
use super::linear::Linear;
use super::states::GpuClass;
use crate::section::Goal;
use certificate::wpm::{Checker, Total};
use itertools::Itertools;
use kit::SolveOptions;
use milp::{Column, Program, Row, Sense, Stage};
use solver::{Control, Request};
use std::time::Instant;

/// Families of columns whose upper bounds follow from the rows.
const IMPLIED: [&str; 8] = ["assign[", "pending[", "gpus", "leave[", "cross[", "take[", "fill[", "fresh["];

/// A case of a question.
pub struct Case<'c> {
    /// The values of the first goals, in units of the program.
    pub values: &'c [f64],
    /// The value than which the next goal is to be better; none where any solution is.
    pub worse: Option<f64>,
    /// Bounds of totals: the total, the least and the greatest value.
    pub totals: &'c [(Total, f64, f64)],
}

/// What the relaxation of a case says.
pub struct Duals {
    /// Prices of places, by the position of a pool of the certificate.
    pub prices: Vec<(usize, f64)>,
    /// Multipliers of the first goals, and of the next one.
    pub goals: Vec<f64>,
    /// Multipliers of the totals of the case.
    pub totals: Vec<f64>,
    /// That of the limit on migrations.
    pub migrations: f64,
    /// The point itself.
    pub columns: Vec<f64>,
}

/// The relaxations of a program.
pub struct Relaxations<'r, 'p> {
    lattice: &'r Lattice<'p>,
    /// Per pool of the program: the position of the pool of certificates in which its workloads are.
    pools: Vec<Option<usize>>,
    /// Per kind of the program and class of its GPUs: the position of the kind of certificates that has the same GPUs, if there is one.
    classes: Vec<Vec<Option<usize>>>,
    options: &'r SolveOptions,
    control: &'r Control,
    deadline: Option<Instant>,
}

impl<'r, 'p> Relaxations<'r, 'p> {
    /// Those of a program, about whose workloads and GPUs a checker is asked.
    pub fn new(
        lattice: &'r Lattice<'p>,
        checker: &Checker<'_>,
        (options, control, deadline): (&'r SolveOptions, &'r Control, Option<Instant>),
    ) -> Self {
        let pools = lattice.states.pools.list.iter().map(|pool| checker.pool_of(pool.sample)).collect();
        let kind_of = |class: &GpuClass| {
            let mut kinds = class.gpus.iter().map(|&gpu| checker.kind_of(gpu));
            let (kind, number) = kinds.all_equal_value().ok().flatten()?;
            (number == class.gpus.len() as i128).then_some(kind)
        };
        let classes = lattice.states.kinds.iter().map(|kind| kind.gpu_classes.iter().map(kind_of).collect());
        Relaxations { lattice, pools, classes: classes.collect(), options, control, deadline }
    }

    /// The kinds of certificates whose GPUs that stay as they are the program counts.
    pub fn kinds(&self) -> impl Iterator<Item = usize> + '_ {
        self.classes.iter().flatten().flatten().copied()
    }

    /// Solves the relaxation of a case. With `is_elastic` it is asked how far from feasible the case is, and the multipliers contradict
    /// it. None where the solver has no answer.
    pub fn duals(&self, case: &Case<'_>, is_elastic: bool) -> Option<Duals> {
        let mut program = Program { guide: None, ..self.lattice.program.clone() };
        // What the rows imply has no dual value of its own.
        let is_implied = |column: &&mut Column| IMPLIED.iter().any(|family| column.name.starts_with(family));
        program.columns.iter_mut().filter(is_implied).for_each(|column| column.upper = f64::INFINITY);
        let stages = std::mem::take(&mut program.stages);
        let skipped = usize::from(self.lattice.plan.begins_with_pending());
        let goals = &stages[skipped..];
        let soft = program.rows.len();
        program.rows.extend(stages[..skipped].iter().map(|pending| stage_row(pending, 0.0, 0.0)));
        let first_goal = program.rows.len();
        program
            .rows
            .extend(goals.iter().zip(case.values).map(|(stage, &value)| stage_row(stage, value, value)));
        let next = goals.get(case.values.len()).zip(case.worse);
        if let Some((stage, worse)) = next.filter(|_| is_elastic) {
            program.rows.push(match stage.sense {
                Sense::Maximize => stage_row(stage, worse + 1.0, f64::INFINITY),
                Sense::Minimize => stage_row(stage, f64::NEG_INFINITY, worse - 1.0),
            });
        }
        let first_total = program.rows.len();
        program.rows.extend(case.totals.iter().enumerate().map(|(number, &(total, least, greatest))| {
            self.total(total).row(format!("total[{number}]"), least, greatest)
        }));
        let objective = match next {
            Some((stage, _)) if !is_elastic => minimised(stage),
            _ => make_elastic(&mut program, soft),
        };
        let effort = &self.options.effort;
        let mut session = effort.solver.open(&program, &effort.settings).ok()?;
        session.set_objective(&objective);
        let columns = session.solve(&Request::relaxation(self.deadline, self.control)).columns?;
        let duals = session.row_duals()?;
        let of_goals = goals.iter().zip(&duals[first_goal..first_total]);
        let mut of_goals: Vec<f64> = of_goals.map(|(stage, dual)| sign(stage) * dual).collect();
        of_goals.extend(next.filter(|_| !is_elastic).map(|_| 1.0));
        // Rewards are written as what waiting workloads lack, so that a dual value is what a place is worth, not what it costs.
        let is_rewarded = |stage: &Stage| stage.name == Goal::Reward.name() || stage.name == "profit";
        let rewarded = goals.iter().zip(&of_goals).find(|(stage, _)| is_rewarded(stage));
        let of_reward = rewarded.map_or(0.0, |(_, &multiplier)| multiplier);
        let price = |(row, dual): (&Row, &f64)| {
            let number = row.label.strip_prefix("A6[")?.strip_suffix(']')?.parse::<usize>().ok()?;
            let reward = self.lattice.states.pools.list[number].reward;
            let reward = self.lattice.plan.coefficient(Goal::Reward, reward);
            Some((self.pools[number]?, of_reward * reward + *dual))
        };
        let limit = program.rows.iter().position(|row| row.label == "A15");
        Some(Duals {
            prices: program.rows.iter().zip(&duals).filter_map(price).collect(),
            goals: of_goals,
            totals: (0..case.totals.len()).map(|number| -duals[first_total + number]).collect(),
            migrations: limit.map_or(0.0, |row| -duals[row]),
            columns,
        })
    }

    /// The value of a total at a point of the program.
    pub fn value_of(&self, total: Total, columns: &[f64]) -> f64 {
        self.total(total).value(columns)
    }

    fn total(&self, total: Total) -> Linear {
        let mut linear = Linear::default();
        if let Total::Placed(asked) = total {
            let pools = self.lattice.states.pools.list.iter().zip(&self.lattice.pending).zip(&self.pools);
            for ((pool, &pending), _) in pools.filter(|(_, position)| **position == Some(asked)) {
                linear.add_constant(pool.size as f64);
                linear.add(-1.0, pending);
            }
            return linear;
        }
        let kinds = self.lattice.states.kinds.iter().zip(&self.lattice.columns);
        for ((kind, columns), classes) in kinds.zip(&self.classes) {
            match total {
                Total::Gpus => linear.add(1.0, columns.gpus),
                Total::GpusOf(board) if board == kind.board => linear.add(1.0, columns.gpus),
                Total::Repartitions => columns.cross.values().for_each(|&cross| linear.add(1.0, cross)),
                Total::Migrations => columns.leave.values().for_each(|&leave| linear.add(1.0, leave)),
                Total::GpusOf(_) | Total::Placed(_) | Total::Stays(_) => {}
            }
            for ((class, keep), position) in kind.gpu_classes.iter().zip(&columns.keep).zip(classes) {
                for (option, &keep) in class.options.iter().zip(keep) {
                    let gone = class.contents.departures(&option.keep).map(|(_, number)| u32::from(number));
                    match total {
                        Total::Repartitions => linear.add(f64::from(u8::from(option.repartition)), keep),
                        Total::Migrations => linear.add(f64::from(gone.sum::<u32>()), keep),
                        Total::Stays(asked) => {
                            let counts =
                                *position == Some(asked) && class.is_in_use(option) && !option.repartition;
                            linear.add(f64::from(u8::from(counts)), keep);
                        }
                        Total::Gpus | Total::GpusOf(_) | Total::Placed(_) => {}
                    }
                }
            }
        }
        linear
    }
}

/// 1 if more of it is better, else -1.
fn sign(stage: &Stage) -> f64 {
    match stage.sense {
        Sense::Maximize => 1.0,
        Sense::Minimize => -1.0,
    }
}

/// The row that keeps a goal between two values.
fn stage_row(stage: &Stage, lower: f64, upper: f64) -> Row {
    Row {
        label: format!("goal[{}]", stage.name),
        lower: lower - stage.constant,
        upper: upper - stage.constant,
        terms: stage.terms.clone(),
    }
}

/// The goal as something to be minimised.
fn minimised(stage: &Stage) -> Stage {
    let factor = -sign(stage);
    let terms = stage.terms.iter().map(|&(column, value)| (column, factor * value)).collect();
    Stage { sense: Sense::Minimize, terms, constant: factor * stage.constant, ..stage.clone() }
}

/// Lets the rows from a position on be broken, and counts by how much.
fn make_elastic(program: &mut Program, soft: usize) -> Stage {
    let mut terms = Vec::new();
    for position in soft..program.rows.len() {
        for side in [1.0, -1.0] {
            let column = program.columns.len();
            let name = format!("broken[{position},{side}]");
            program.columns.push(Column { name, lower: 0.0, upper: f64::INFINITY, integer: false });
            program.rows[position].terms.push((column, side));
            terms.push((column, 1.0));
        }
    }
    Stage { name: "broken".to_owned(), sense: Sense::Minimize, terms, constant: 0.0, step: None }
}

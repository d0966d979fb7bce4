//! What contents of machines cost and add to totals, and what they are worth at given prices.

use crate::instance::{Problem, WeightedSum};
use crate::section::Goal;
use prices::ONE;

/// The greatest number that costs may add up to.
const MOST_COST: i128 = 1 << 44;

/// What a stage asks for: how much each unit of a goal costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// What a unit of acceptance saves.
    pub acceptance: i64,
    /// What a unit of hardware costs.
    pub hardware: i64,
    /// What a unit of migrations costs.
    pub migrations: i64,
}

impl Aim {
    /// What a unit of each goal costs; none if that is too much to count.
    pub fn of(problem: &Problem, goal: Option<Goal>) -> Option<Self> {
        let of = |which: Goal| match (goal, problem.weighted_sum()) {
            (Some(goal), _) => i128::from(goal == which),
            (None, sum) => sum.map_or(0, |sum: &WeightedSum| sum.step(which)),
        };
        let extent = &problem.extent;
        let most = |which: Goal| of(which).checked_mul(extent.in_units(which, extent.most[which as usize]));
        let total: Option<i128> = Goal::ALL.into_iter().map(most).sum();
        total.filter(|&total| total < MOST_COST)?;
        let [acceptance, hardware, migrations] = Goal::ALL.map(|which| of(which) as i64);
        Some(Aim { acceptance, hardware, migrations })
    }
}

/// The positions of the totals.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Machines in use.
    pub machines: usize,
    /// GPUs in use.
    pub gpus: usize,
    /// Units of acceptance, where a stage before is about it.
    pub acceptance: Option<usize>,
    /// Units of hardware, where a stage before is about it.
    pub hardware: Option<usize>,
    /// Units of migrations, where a stage before is about it.
    pub migrations: Option<usize>,
    /// The first shape's: workloads of the shape.
    pub placed: usize,
    /// The first shape's: workloads that come to a machine where not so many of the shape run now, where their number matters.
    pub inflow: Option<usize>,
}

/// Workloads that ask for the same.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The position of the shape to whose totals it adds.
    pub total: usize,
    /// How many there are, but for pinned ones.
    pub number: u32,
    /// How many of them must have a place.
    pub must_stay: u32,
    /// How many do not run now.
    pub newcomers: u32,
    /// Units of acceptance of each.
    pub acceptance: i64,
    /// Units of migrations for a resident that does not stay on its machine: those of an eviction, or of a move to another machine
    /// where it has to have a place.
    pub leave: i64,
    /// Units of migrations for a resident on another GPU of its machine.
    pub move_gpu: i64,
    /// Units of migrations for a resident at another start of its GPU.
    pub move_start: i64,
    /// Units of migrations by which a move to another machine costs more than `leave`.
    pub inflow: i64,
}

/// What everything is worth at given prices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worths {
    /// A workload of each shape.
    pub each: Vec<i64>,
    /// A workload of each shape that may be one that stays on its machine; not negative.
    pub kept: Vec<i64>,
    /// A GPU in use.
    pub gpu: i64,
    /// A machine in use.
    pub machine: i64,
    /// A unit of migrations; not positive.
    pub migration: i64,
}

impl Worths {
    /// What everything is worth, given what a unit of hardware is for a machine and its GPUs.
    pub fn new(prices: &[i64], rows: &Rows, aim: &Aim, shapes: &[Shape], weights: (i64, i64)) -> Self {
        let price = |row: Option<usize>| row.map_or(0, |row| prices[row]);
        let acceptance = price(rows.acceptance) + ONE * aim.acceptance;
        let hardware = price(rows.hardware) - ONE * aim.hardware;
        let migration = price(rows.migrations) - ONE * aim.migrations;
        let inflow = |shape: &Shape| rows.inflow.map_or(0, |first| prices[first + shape.total]);
        let by_shape = |worth: &dyn Fn(&Shape) -> i64| shapes.iter().map(worth).collect();
        Worths {
            each: by_shape(&|shape| {
                prices[rows.placed + shape.total] + shape.acceptance * acceptance + inflow(shape)
            }),
            kept: by_shape(&|shape| -inflow(shape) - migration * (shape.leave - shape.move_gpu)),
            gpu: weights.1 * hardware + prices[rows.gpus],
            machine: weights.0 * hardware + prices[rows.machines],
            migration,
        }
    }
}

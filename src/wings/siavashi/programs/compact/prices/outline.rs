//! What a search about a stage is asked, whatever its parts are.

use super::costs::Costs;
use super::stock::{Group, Stock};
use super::terms::{Aim, Rows, Shape};
use super::totals::totals;
use super::view::View;
use crate::programs::priced::PriceTask;
use kit::SolveError;
use milp::{Program, StopReason};
use prices::{Found, Limits, Looking, Part, Question, Total, search};
use solver::{StageOptions, prove_stage};
use std::time::Instant;

/// From so many kinds of machines on a program hardly suffices.
pub const VERY_MANY_GROUPS: usize = 100;

/// What prices of totals are confined by at first, in what a machine with one GPU counts, or a move, or a workload.
const CONFINES: f64 = 0.5;

/// Which part of the time that is left is for the program, should prices not suffice.
const PART_FOR_THE_PROGRAM: u32 = 2;

/// The same with very many kinds of machines.
const PART_OF_VERY_MANY: u32 = 8;

/// The relative gap of a good solution.
const GOOD: f64 = 0.01;

/// What a search about a stage is asked.
pub struct Outline<'t, 'p> {
    /// The stage.
    pub stage: &'t PriceTask<'p>,
    /// What the stage asks for.
    pub aim: Aim,
    /// The positions of the totals.
    pub rows: Rows,
    /// The totals.
    pub totals: Vec<Total>,
    /// Whether more workloads than there are may have a place.
    pub covers: bool,
    /// What placements cost.
    pub costs: Costs<'p>,
    known: i64,
    confines: f64,
    /// When the part of the time is over that is for the search.
    pub deadline: Option<Instant>,
}

impl<'t, 'p> Outline<'t, 'p> {
    /// What is asked about a stage; none where numbers are too great, or if what comes to machines would have to count.
    pub fn of(stage: &'t PriceTask<'p>, stock: &Stock, view: View<'_>, aim: Aim) -> Option<Self> {
        let (problem, shapes) = (stage.problem, &stock.shared().shapes);
        let has_inflow = shapes.iter().any(|shape| shape.inflow > 0);
        if has_inflow && stage.keeps_moves() {
            // The row of migrations would have to count what comes in, too.
            return None;
        }
        let pinned = Stock::pinned_acceptance(problem);
        let (rows, totals) = totals(stage, stock, &aim, view, has_inflow, pinned as i64);
        let covers = totals[rows.placed..].iter().all(|total| total.most.is_none());
        let costs = Costs { problem, goal: stage.goal, offset: pinned * i128::from(aim.acceptance) };
        let known = stage.known.map_or_else(|| costs.above_all(), |(_, score)| costs.of(score))?;
        let share = stage.effort.time_left(stage.began).map(|left| match stock.groups.len() {
            // There the program takes long to build.
            _ if view.knows_places && view.apart.is_some() => left,
            ..VERY_MANY_GROUPS => left - left / PART_FOR_THE_PROGRAM,
            _ => left - left / PART_OF_VERY_MANY,
        });
        let deadline = share.and_then(|share| Instant::now().checked_add(share));
        let confines = CONFINES * confines(stock, &aim);
        Some(Outline { stage, aim, rows, totals, covers, costs, known, confines, deadline })
    }

    /// Searches for contents of parts that are better than the best placement known.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn search<P: Part>(
        &self,
        parts: &mut [P],
        start: Vec<(usize, P::Content)>,
        looking: Option<Looking>,
        most_asked: u32,
    ) -> Result<Found<P::Content>, SolveError> {
        let effort = self.stage.effort;
        let question = Question {
            totals: self.totals.clone(),
            start,
            known: self.known,
            confines: self.confines,
            relative_gap: effort.relative_gap,
            looking,
            most_asked: Some(most_asked),
        };
        let limits = Limits { deadline: self.deadline, control: self.stage.control };
        search(parts, question, effort.solver, &effort.settings, &limits).map_err(|words| self.failed(&words))
    }

    /// A good solution of a program of one stage, none if it has none or none is found in so many nodes.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn propose(&self, program: &Program, nodes: u64) -> Result<Option<Vec<f64>>, SolveError> {
        let effort = self.stage.effort;
        let session = effort.solver.open(program, &effort.settings);
        let mut session = session.map_err(|failure| self.failed(&failure.to_string()))?;
        let options = StageOptions {
            deadline: self.deadline,
            node_limit: Some(nodes),
            relative_gap: GOOD,
            ..StageOptions::default()
        };
        let outcome =
            prove_stage(session.as_mut(), program, &program.stages[0], &options, self.stage.control);
        match outcome.stop {
            StopReason::SolverError(words) => Err(self.failed(&words)),
            _ => Ok(outcome.columns),
        }
    }

    fn failed(&self, words: &str) -> SolveError {
        SolveError::Internal(format!("{} failed: {words}", self.stage.effort.solver.name()))
    }
}

/// What a workload, a machine with one GPU or a move counts at most, in costs.
fn confines(stock: &Stock, aim: &Aim) -> f64 {
    let of_shape =
        |shape: &Shape| aim.acceptance * shape.acceptance + aim.migrations * (shape.leave + shape.inflow);
    let of_group = |group: &Group| aim.hardware * (group.weights.0 + group.weights.1);
    let most = stock.shared().shapes.iter().map(of_shape).chain(stock.groups.iter().map(of_group)).max();
    most.unwrap_or(1).max(1) as f64
}

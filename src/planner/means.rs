//! What a search works with: the solver, and the time that is left.

use crate::history::History;
use crate::options::Options;
use crate::program::{Shape, pose};
use milp::{Program, StopReason};
use plan::Transition;
use solver::{Control, solve_stages};
use std::time::Instant;

/// Programs with more columns than this are not posed.
pub const MOST_COLUMNS: usize = 120_000;
/// Programs with no more columns than this are tried before larger ones.
pub const FEW_COLUMNS: usize = 4_000;
/// No more columns than this are spent on the temporary places of parts.
pub const MANY_COLUMNS: usize = 20_000;

/// How a program ended.
pub enum End {
    /// With a plan without names, and whether it is proved to be as good as any in the stages.
    Found(History, bool),
    /// It has no point.
    Infeasible,
    /// A limit came first.
    Stopped,
}

/// What a search works with.
pub struct Means<'a> {
    /// What is wanted.
    pub transition: &'a Transition,
    /// How to search.
    pub options: &'a Options,
    /// By whom it may be interrupted.
    pub control: &'a Control,
    /// When it began.
    pub began: Instant,
}

impl Means<'_> {
    /// Whether there is no time left.
    pub fn is_over(&self) -> bool {
        let left = self.options.effort.time_left(self.began);
        self.control.is_interrupted() || left.is_some_and(|left| left.is_zero())
    }

    /// Solves the program of a shape.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn solve(&self, shape: Shape<'_>) -> Result<End, String> {
        if self.is_over() {
            return Ok(End::Stopped);
        }
        let mut posed = pose(shape);
        let is_broken = |row: &milp::Row| row.terms.is_empty() && (row.lower > 1e-9 || row.upper < -1e-9);
        if posed.program.rows.iter().any(is_broken) {
            return Ok(End::Infeasible);
        }
        posed.program.rows.retain(|row| !row.terms.is_empty());
        if posed.program.columns.is_empty() {
            return Ok(End::Found(posed.history(&[]), true));
        }
        Ok(match self.point(&posed.program)? {
            Point::Found(columns, is_proved) => End::Found(posed.history(&columns), is_proved),
            Point::Infeasible => End::Infeasible,
            Point::Stopped => End::Stopped,
        })
    }

    /// Solves a program within the time that is left.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn point(&self, program: &Program) -> Result<Point, String> {
        let effort = &self.options.effort;
        let staged = solve_stages(effort.solver, program, &effort.options(self.began, None), self.control);
        match (staged.columns, staged.stop) {
            (Some(columns), stop) => Ok(Point::Found(columns, stop == StopReason::Proved)),
            (None, StopReason::Infeasible) => Ok(Point::Infeasible),
            (None, StopReason::SolverError(error)) => Err(error),
            (None, _) => Ok(Point::Stopped),
        }
    }
}

/// What a solver found.
pub enum Point {
    /// A point, and whether it is proved to be as good as any in the stages.
    Found(Vec<f64>, bool),
    /// There is none.
    Infeasible,
    /// A limit came first.
    Stopped,
}

//! The state that every session keeps beside the solver's own: the program as it stands.

use milp::{Outcome, Program, Rejected, Row, Sense, Stage, StopReason, Work};

use super::session::Request;

/// The tolerance to which a start must satisfy the program, in the sense of [`Program::violations`].
pub(super) const START_TOLERANCE: f64 = 1e-6;

/// A program as it stands after the modifications of a session.
pub struct Loaded {
    /// The columns with their present bounds and all the rows; it has no stages.
    pub program: Program,
    /// The present objective.
    pub objective: Stage,
    /// The proposal for the start of the next integer search.
    pub start: Option<Vec<f64>>,
}

impl Loaded {
    /// Copies the columns and the rows of a program.
    pub fn new(program: &Program) -> Self {
        let program = Program {
            name: program.name.clone(),
            columns: program.columns.clone(),
            rows: program.rows.clone(),
            stages: Vec::new(),
            guide: None,
            search: program.search.clone(),
        };
        Loaded { program, objective: feasibility_only(), start: None }
    }

    /// Replaces the bounds of a column.
    pub fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.program.columns[column].lower = lower;
        self.program.columns[column].upper = upper;
    }

    /// Adds a row.
    pub fn add_row(&mut self, row: &Row) {
        self.program.rows.push(row.clone());
    }

    /// The point to start the next integer search from, once, if it satisfies the program as it stands.
    pub fn take_start(&mut self) -> Option<Vec<f64>> {
        self.start.take().filter(|start| self.program.violations(start, START_TOLERANCE).is_empty())
    }

    /// Whether a request is more than a linear program.
    pub fn is_integer_search(&self, request: &Request) -> bool {
        !request.relaxation && self.program.columns.iter().any(|column| column.integer)
    }

    /// Whether an objective can be unbounded. Solvers' presolves then confuse that with infeasibility.
    pub fn has_infinite_bounds(&self) -> bool {
        self.program.columns.iter().any(|column| column.lower.is_infinite() || column.upper.is_infinite())
    }

    /// An outcome without a point and without a bound.
    pub fn outcome(&self, stop: StopReason) -> Outcome {
        let sizes = self.program.sizes();
        let work =
            Work { columns: sizes.columns, rows: sizes.rows, nonzeros: sizes.nonzeros, ..Work::default() };
        Outcome { stop, columns: None, primal: None, rejected: None, bound: None, work, seconds: 0.0 }
    }

    /// The outcome of a request that needs no solver: it is interrupted or out of time already, a column has no value
    /// between its bounds, or there are no columns at all.
    pub fn outcome_without_solver(&self, request: &Request) -> Option<Outcome> {
        if request.control.is_interrupted() {
            return Some(self.outcome(StopReason::Interrupted));
        }
        if request.time_left().is_some_and(|left| left.is_zero()) {
            return Some(self.outcome(StopReason::TimeLimit));
        }
        if self.program.columns.iter().any(|column| column.lower > column.upper) {
            return Some(self.outcome(StopReason::Infeasible));
        }
        self.program.columns.is_empty().then(|| {
            let mut outcome = self.outcome(StopReason::Proved);
            self.accept_point(Vec::new(), request.relaxation, &mut outcome);
            match outcome.stop {
                StopReason::Proved => outcome.bound = outcome.primal,
                _ => outcome.stop = StopReason::Infeasible,
            }
            outcome
        })
    }

    /// Puts a solver's point into an outcome, after rounding and checking it; a point that fails the check turns the
    /// outcome into a solver error. Returns the objective value.
    pub fn accept_point(&self, point: Vec<f64>, relaxation: bool, outcome: &mut Outcome) -> Option<f64> {
        match self.program.snap(point, relaxation) {
            Ok(point) => {
                let value = self.objective.evaluate(&point);
                outcome.columns = Some(point);
                outcome.primal = Some(value);
                Some(value)
            }
            Err(Rejected { explanation, point }) => {
                outcome.stop = StopReason::SolverError(explanation);
                outcome.rejected = point.filter(|_| !relaxation);
                None
            }
        }
    }

    /// The dual bound that is proved when a solver reports `reported` and may have dropped everything within `allowed` of
    /// its incumbent `value`.
    ///
    /// A solver that drops nodes within an allowed gap reports, when none is left, its incumbent as the bound. What it has
    /// proved is only the incumbent and the gap.
    pub fn proved_bound(&self, reported: f64, value: f64, allowed: f64) -> f64 {
        let dropped = match self.objective.sense {
            Sense::Maximize => value + allowed,
            Sense::Minimize => value - allowed,
        };
        self.objective.sense.weakest(reported, dropped)
    }
}

/// The objective of a search for any feasible point.
pub fn feasibility_only() -> Stage {
    Stage {
        name: "feasibility".to_owned(),
        sense: Sense::Minimize,
        terms: Vec::new(),
        constant: 0.0,
        step: Some(1.0),
    }
}

//! What every solver offers.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use milp::{Outcome, Program, Row, Stage};

use super::control::Control;
use super::log::Log;
use super::solver_option::SolverOptions;

/// A solver of mixed-integer linear programs.
pub trait Solver: Sync + Send {
    /// The name by which the user chooses the solver.
    fn name(&self) -> &'static str;

    /// The version of the solver's library, such as `1.15.0`.
    fn version(&self) -> String;

    /// Where the solver's library is when it is not part of the program.
    fn library(&self) -> Option<PathBuf> {
        None
    }

    /// Why it opens no program at all, if so.
    fn unavailable(&self) -> Option<&'static str> {
        None
    }

    /// The solver's own options that a user may choose.
    fn options(&self) -> &'static SolverOptions;

    /// Loads the columns and the rows of a program.
    ///
    /// The session has no objective before [`Session::set_objective`] is called: it then looks for any feasible point.
    ///
    /// # Errors
    ///
    /// Fails when the solver refuses the program or the settings.
    fn open<'a>(
        &'a self,
        program: &Program,
        settings: &Settings,
    ) -> Result<Box<dyn Session + 'a>, SolverFailure>;
}

/// The solvers of a build, the default one first.
pub type Solvers = &'static [&'static dyn Solver];

/// The choices that hold for a whole session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The number of threads of a search. One thread makes the search deterministic.
    pub threads: u32,
    /// The seed of the solver's own tie-breaking.
    pub seed: u32,
    /// Options of the solver's own, by its names for them; see [`Solver::options`].
    pub options: Vec<(String, String)>,
    /// Where the solver writes what it does.
    pub log: Option<Log>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { threads: 1, seed: 0, options: Vec::new(), log: None }
    }
}

/// A solver refused a program or its settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{solver} cannot load program {program}: {reason}")]
pub struct SolverFailure {
    /// The name of the solver.
    pub solver: &'static str,
    /// The name of the program.
    pub program: String,
    /// The explanation.
    pub reason: String,
}

/// A program that is loaded in a solver and modified in place between solves.
///
/// A modification that the solver refuses turns the outcome of every later solve into a
/// [`SolverError`](milp::StopReason::SolverError).
pub trait Session {
    /// The columns with their present bounds and all the rows.
    fn program(&self) -> &Program;

    /// Replaces the objective.
    fn set_objective(&mut self, stage: &Stage);

    /// Replaces the bounds of the column with the given index.
    fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64);

    /// Adds a row.
    fn add_row(&mut self, row: &Row);

    /// Proposes a point from which the next integer solve starts, one value for each column. The solver may ignore it.
    fn set_start(&mut self, columns: &[f64]);

    /// Solves the program as it stands.
    ///
    /// The bound of the outcome holds whatever the reason for the stop, also when the gaps of the request let the solver
    /// leave a part of the search out.
    fn solve(&mut self, request: &Request) -> Outcome;

    /// The dual values of the rows at the optimum of the last solve, if that was a linear relaxation and the solver knows them: by how
    /// much the objective grows with the row's bound.
    fn row_duals(&mut self) -> Option<Vec<f64>> {
        None
    }
}

/// What one solve is asked for.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Whether to solve the linear relaxation, in which the integer columns may be fractional.
    pub relaxation: bool,
    /// The moment at which to stop.
    pub deadline: Option<Instant>,
    /// The difference between the incumbent and the dual bound at which the search is complete, in units of the objective.
    pub absolute_gap: f64,
    /// The difference relative to the incumbent at which the search may stop; 0 for an exact answer.
    pub relative_gap: f64,
    /// The number of branch-and-bound nodes at which to stop; unlike a deadline it stops at the same point on every machine.
    pub node_limit: Option<u64>,
    /// The objective value at which the search may stop, as nothing better is there: a solver may ignore it.
    pub target: Option<f64>,
    /// Where to look for an interruption and whom to tell of progress.
    pub control: &'a Control,
}

impl<'a> Request<'a> {
    /// The linear relaxation, solved exactly.
    pub fn relaxation(deadline: Option<Instant>, control: &'a Control) -> Self {
        Request {
            relaxation: true,
            deadline,
            absolute_gap: 0.0,
            relative_gap: 0.0,
            node_limit: None,
            target: None,
            control,
        }
    }

    /// The time left until the deadline, zero when it has passed; nothing without a deadline.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

//! What other solvers say of a program that one calls infeasible.
//!
//! A solver that is wrong about that closes a part of a search in which the optimum may be. A point that another one finds, checked
//! against the rows, refutes it; that another one finds none says nothing, so that little is spent on it and none of it is counted
//! as work.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use milp::{Outcome, Program, Row, Stage, StopReason};

use super::session::{Request, Session, Settings, Solver, SolverFailure, Solvers};
use super::solver_option::SolverOptions;

/// The greatest number of coefficients of a program that another solver is asked about.
const MOST_NONZEROS: usize = 50_000;

/// The nodes and the time after which another solver gives up.
const MOST_NODES: u64 = 1_000;
const MOST_TIME: Duration = Duration::from_secs(10);

/// A solver that others check when it calls a program infeasible.
pub struct Checked {
    /// The solver.
    pub solver: &'static dyn Solver,
    /// All solvers, the one itself among them, as they are.
    pub all: Solvers,
}

impl Solver for Checked {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn version(&self) -> String {
        self.solver.version()
    }

    fn library(&self) -> Option<PathBuf> {
        self.solver.library()
    }

    fn options(&self) -> &'static SolverOptions {
        self.solver.options()
    }

    fn open<'a>(
        &'a self,
        program: &Program,
        settings: &Settings,
    ) -> Result<Box<dyn Session + 'a>, SolverFailure> {
        let session = self.solver.open(program, settings)?;
        Ok(Box::new(CheckedSession { session, checked: self, objective: None }))
    }
}

struct CheckedSession<'a> {
    session: Box<dyn Session + 'a>,
    checked: &'a Checked,
    objective: Option<Stage>,
}

impl Session for CheckedSession<'_> {
    fn program(&self) -> &Program {
        self.session.program()
    }

    fn set_objective(&mut self, stage: &Stage) {
        self.objective = Some(stage.clone());
        self.session.set_objective(stage);
    }

    fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.session.set_column_bounds(column, lower, upper);
    }

    fn add_row(&mut self, row: &Row) {
        self.session.add_row(row);
    }

    fn set_start(&mut self, columns: &[f64]) {
        self.session.set_start(columns);
    }

    fn solve(&mut self, request: &Request) -> Outcome {
        let mut outcome = self.session.solve(request);
        if outcome.stop == StopReason::Infeasible
            && let Some((other, point)) = self.checked.refutation(self.session.program(), request)
        {
            outcome.primal = self.objective.as_ref().map(|objective| objective.evaluate(&point));
            outcome.columns = Some(point);
            outcome.stop = StopReason::SolverError(format!(
                "{} calls a program infeasible of which {other} found a feasible point",
                self.checked.name()
            ));
        }
        outcome
    }

    fn row_duals(&mut self) -> Option<Vec<f64>> {
        self.session.row_duals()
    }
}

impl Checked {
    /// A point that another solver finds of a program, and its name.
    ///
    /// Programs with unbounded columns are left alone: solvers confuse infeasible and unbounded, and not all survive them.
    fn refutation(&self, program: &Program, request: &Request) -> Option<(&'static str, Vec<f64>)> {
        let is_bounded =
            program.columns.iter().all(|column| column.lower.is_finite() && column.upper.is_finite());
        let is_empty = program.columns.iter().any(|column| column.lower > column.upper);
        if !is_bounded || is_empty || program.sizes().nonzeros > MOST_NONZEROS {
            return None;
        }
        let control = request.control.unobserved();
        let latest = Instant::now() + MOST_TIME;
        let request = Request {
            deadline: Some(request.deadline.map_or(latest, |deadline| deadline.min(latest))),
            node_limit: Some(request.node_limit.map_or(MOST_NODES, |nodes| nodes.min(MOST_NODES))),
            control: &control,
            ..*request
        };
        let mut others = self.all.iter().filter(|solver| solver.name() != self.name());
        others.find_map(|other| {
            let mut session = other.open(program, &Settings::default()).ok()?;
            Some((other.name(), session.solve(&request).columns?))
        })
    }
}

//! A scripted solver, which lets a test decide what a solver answers and see what it was asked.

use std::collections::VecDeque;
use std::sync::Mutex;

use milp::{Outcome, Program, Row, Stage};

use super::session::{Request, Session, Settings, Solver, SolverFailure};
use super::solver_option::SolverOptions;

/// One call to a session, in the order in which they came.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// The objective with the given name was set.
    Objective(String),
    /// The bounds of a column were set.
    Bounds {
        /// The index of the column.
        column: usize,
        /// Its least value.
        lower: f64,
        /// Its greatest value.
        upper: f64,
    },
    /// A row was added.
    Row(Row),
    /// A start was proposed.
    Start(Vec<f64>),
    /// A solve was asked for.
    Solve {
        /// Whether it was of the linear relaxation.
        relaxation: bool,
    },
}

/// A solver that returns given outcomes, one after the other, whatever it is asked.
pub struct Fake {
    script: Mutex<VecDeque<Outcome>>,
    calls: Mutex<Vec<Call>>,
}

impl Fake {
    /// A solver that will return these outcomes.
    pub fn new(script: impl IntoIterator<Item = Outcome>) -> Self {
        Fake { script: Mutex::new(script.into_iter().collect()), calls: Mutex::default() }
    }

    /// What the sessions were asked so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("no test panics inside a call").clone()
    }

    fn record(&self, call: Call) {
        self.calls.lock().expect("no test panics inside a call").push(call);
    }
}

impl Solver for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn version(&self) -> String {
        "0".to_owned()
    }

    fn options(&self) -> &'static SolverOptions {
        &SolverOptions { allowed: &[], refused: &[] }
    }

    fn open<'a>(&'a self, program: &Program, _: &Settings) -> Result<Box<dyn Session + 'a>, SolverFailure> {
        Ok(Box::new(FakeSession { fake: self, program: program.clone() }))
    }
}

struct FakeSession<'a> {
    fake: &'a Fake,
    program: Program,
}

impl Session for FakeSession<'_> {
    /// The program as it was opened.
    fn program(&self) -> &Program {
        &self.program
    }

    fn set_objective(&mut self, stage: &Stage) {
        self.fake.record(Call::Objective(stage.name.clone()));
    }

    fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.fake.record(Call::Bounds { column, lower, upper });
    }

    fn add_row(&mut self, row: &Row) {
        self.fake.record(Call::Row(row.clone()));
    }

    fn set_start(&mut self, columns: &[f64]) {
        self.fake.record(Call::Start(columns.to_vec()));
    }

    /// Returns the next outcome of the script.
    ///
    /// # Panics
    ///
    /// Panics at the end of the script.
    fn solve(&mut self, request: &Request) -> Outcome {
        self.fake.record(Call::Solve { relaxation: request.relaxation });
        let mut script = self.fake.script.lock().expect("no test panics inside a call");
        script.pop_front().expect("the script has an outcome for every solve")
    }
}

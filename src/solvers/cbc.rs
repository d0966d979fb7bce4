//! CBC, the second solver, through its C interface.
//!
//! The searches of a session run in a copy of the process: CBC cannot be interrupted, is not safe to run on two threads at once, and may,
//! rarely, abort its process by one of its own assertions. A session has a copy of its own, as CBC keeps numbers between searches, on
//! which its answers may depend: so these depend on the session alone. The number of nodes is not passed on by its interface: the node
//! counter stays zero.
//!
//! CBC 2.10.8 is reliable where every column is bounded. On programs with unbounded columns it may call an unbounded program
//! solved.

use std::ffi::{CString, c_int};
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::Instant;

use coin_cbc::raw::{Model, SecondaryStatus, Sense as Direction, Status};
use serde::{Deserialize, Serialize};

use milp::{Outcome, Program, Row, Sense, Stage, StopReason};
use solver::{
    Loaded, Log, OptionValues, Request, Session, Settings, Solver, SolverFailure, SolverOption,
    SolverOptions, feasibility_only,
};

use super::isolated::{Ending, Worker};
use super::library::shared_library;
use super::refusals::{
    ENDS_EARLY, OWN_FLAG_GAP, OWN_FLAG_LOG, OWN_FLAG_SEED, OWN_FLAG_THREADS, OWN_FLAG_TIME, TOLERANCE,
};

/// What CBC reports as the objective value when it has no point is at least this.
const NO_POINT: f64 = 1e49;

/// Why there is no answer where CBC says that there is one.
const NO_SOLUTION: &str = "CBC reports a solution but has none";

const CUTS: OptionValues = OptionValues::Words(&["off", "on", "root", "ifmove", "forceOn"]);
const SWITCH: OptionValues = OptionValues::Words(&["on", "off"]);

/// The options that a user may choose, by CBC's names.
const OPTIONS: SolverOptions = SolverOptions {
    allowed: &[
        SolverOption { name: "cuts", values: CUTS, help: "all cuts" },
        SolverOption { name: "cliqueCuts", values: CUTS, help: "clique cuts" },
        SolverOption { name: "flowCoverCuts", values: CUTS, help: "flow cover cuts" },
        SolverOption { name: "gomoryCuts", values: CUTS, help: "Gomory cuts" },
        SolverOption { name: "knapsackCuts", values: CUTS, help: "knapsack cuts" },
        SolverOption { name: "mixedIntegerRoundingCuts", values: CUTS, help: "mixed-integer rounding cuts" },
        SolverOption { name: "probingCuts", values: CUTS, help: "probing" },
        SolverOption { name: "heuristicsOnOff", values: SWITCH, help: "all heuristics" },
        SolverOption { name: "feasibilityPump", values: SWITCH, help: "heuristic feasibility pump" },
        SolverOption {
            name: "strongBranching",
            values: OptionValues::Whole(0, 999_999),
            help: "columns for strong branching",
        },
        SolverOption {
            name: "trustPseudoCosts",
            values: OptionValues::Whole(0, 999_999),
            help: "branchings until pseudo costs are trusted",
        },
    ],
    refused: &[
        ("integerTolerance", TOLERANCE),
        ("primalTolerance", TOLERANCE),
        ("dualTolerance", TOLERANCE),
        ("increment", ENDS_EARLY),
        ("cutoff", ENDS_EARLY),
        ("maxNodes", ENDS_EARLY),
        ("maxSolutions", ENDS_EARLY),
        ("ratioGap", OWN_FLAG_GAP),
        ("allowableGap", OWN_FLAG_GAP),
        ("seconds", OWN_FLAG_TIME),
        ("threads", OWN_FLAG_THREADS),
        ("randomCbcSeed", OWN_FLAG_SEED),
        ("randomSeed", OWN_FLAG_SEED),
        ("log", OWN_FLAG_LOG),
        ("preprocess", "the integer preprocessing of CBC changes the optimum of some programs"),
    ],
};

/// The solver CBC.
pub(super) struct Cbc;

impl Solver for Cbc {
    fn name(&self) -> &'static str {
        "cbc"
    }

    fn version(&self) -> String {
        Model::version().to_owned()
    }

    fn library(&self) -> Option<PathBuf> {
        shared_library(Model::version().as_bytes())
    }

    fn options(&self) -> &'static SolverOptions {
        &OPTIONS
    }

    fn open<'a>(
        &'a self,
        program: &Program,
        settings: &Settings,
    ) -> Result<Box<dyn Session + 'a>, SolverFailure> {
        let nonzeros = program.sizes().nonzeros;
        if c_int::try_from(nonzeros.max(program.columns.len()).max(program.rows.len())).is_err() {
            return Err(SolverFailure {
                solver: self.name(),
                program: program.name.clone(),
                reason: format!("CBC cannot count {nonzeros} coefficients"),
            });
        }
        Ok(Box::new(CbcSession { loaded: Loaded::new(program), settings: settings.clone(), worker: None }))
    }
}

/// A program whose CBC model is built anew for each solve, because CBC does not allow a model to be modified after a solve.
struct CbcSession {
    loaded: Loaded,
    settings: Settings,
    /// Where the last search ran, unless that ended badly.
    worker: Option<Worker>,
}

impl Session for CbcSession {
    fn program(&self) -> &Program {
        &self.loaded.program
    }

    fn set_objective(&mut self, stage: &Stage) {
        self.loaded.objective = stage.clone();
    }

    fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.loaded.set_column_bounds(column, lower, upper);
    }

    fn add_row(&mut self, row: &Row) {
        self.loaded.add_row(row);
    }

    fn set_start(&mut self, columns: &[f64]) {
        self.loaded.start = Some(columns.to_vec());
    }

    fn solve(&mut self, request: &Request) -> Outcome {
        let started = Instant::now();
        let mut outcome = self.loaded.outcome_without_solver(request).unwrap_or_else(|| self.search(request));
        outcome.seconds = started.elapsed().as_secs_f64();
        outcome
    }
}

impl CbcSession {
    fn search(&mut self, request: &Request) -> Outcome {
        let mut outcome = self.loaded.outcome(StopReason::Proved);
        let start = match self.loaded.is_integer_search(request) {
            true => self.loaded.take_start(),
            false => None,
        };
        let mut answer = self.run(request, start.as_deref(), &mut outcome);
        if start.is_some() && outcome.stop == StopReason::Infeasible {
            // With a start that is optimal already, CBC may find nothing better and call the program infeasible.
            answer = self.run(request, None, &mut outcome);
        }
        match outcome.stop {
            // What CBC calls unbounded is the relaxation, which may have no feasible point at all; and what it calls
            // infeasible may be unbounded.
            StopReason::Unbounded => outcome.stop = self.disambiguate(request, &mut outcome),
            StopReason::Infeasible if self.loaded.has_infinite_bounds() => {
                outcome.stop = self.disambiguate(request, &mut outcome);
            }
            StopReason::Infeasible | StopReason::Interrupted | StopReason::SolverError(_) => {}
            _ => self.read(request, answer, &mut outcome),
        }
        outcome
    }

    /// Solves in a copy of the process, and once more from another seed where CBC aborts that.
    fn run(&mut self, request: &Request, start: Option<&[f64]>, outcome: &mut Outcome) -> Answer {
        let mut ending = self.attempt(request, start, self.settings.seed);
        if let Ok(Ending::Died(_)) = ending {
            ending = self.attempt(request, start, self.settings.seed.wrapping_add(1));
        }
        let answer = match ending {
            Ok(Ending::Finished(bytes)) => postcard::from_bytes(&bytes).expect("an answer of the copy"),
            Ok(Ending::Interrupted) => Answer::without_point(&StopReason::Interrupted),
            Ok(Ending::Died(cause)) => {
                Answer::without_point(&StopReason::SolverError(format!("CBC aborted by itself ({cause})")))
            }
            Err(error) => {
                let reason = format!("CBC needs a process of its own, which cannot be started: {error}");
                Answer::without_point(&StopReason::SolverError(reason))
            }
        };
        outcome.work.iterations += answer.iterations;
        outcome.stop = answer.stop();
        answer
    }

    fn attempt(&mut self, request: &Request, start: Option<&[f64]>, seed: u32) -> io::Result<Ending> {
        if let Some(log) = &self.settings.log {
            let Loaded { program, objective, .. } = &self.loaded;
            log.write(format!("\n=== {}, {}\n\n", program.name, objective.name).as_bytes());
        }
        let order =
            postcard::to_allocvec(&self.order(request, start, seed)).expect("memory takes every order");
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.start()?,
        };
        let ending = worker.ask(&order, || request.control.is_interrupted())?;
        if let Ending::Finished(_) = ending {
            self.worker = Some(worker);
        }
        Ok(ending)
    }

    fn start(&self) -> io::Result<Worker> {
        let mut is_printing = false;
        Worker::start(|bytes| {
            if let Some(log) = self.settings.log.as_ref().filter(|_| !is_printing) {
                print_to(log);
                is_printing = true;
            }
            let order: Order = postcard::from_bytes(bytes).expect("an order of the session");
            postcard::to_allocvec(&order.solve()).expect("memory takes every answer")
        })
    }

    /// Decides between unbounded and infeasible by looking for any feasible point.
    fn disambiguate(&mut self, request: &Request, outcome: &mut Outcome) -> StopReason {
        let objective = std::mem::replace(&mut self.loaded.objective, feasibility_only());
        self.run(request, None, outcome);
        self.loaded.objective = objective;
        match &outcome.stop {
            StopReason::Proved | StopReason::GapLimit => StopReason::Unbounded,
            StopReason::Unbounded => {
                StopReason::SolverError("CBC calls a zero objective unbounded".to_owned())
            }
            stop => stop.clone(),
        }
    }

    /// The program as a minimization without its constant, which leaves no doubt about the sign of anything.
    ///
    /// The last column, fixed at zero, is the model's own. It is an integer column, with which CBC treats a linear program
    /// as it treats the others: it heeds the time limit and tells infeasible from unbounded, neither of which it does
    /// otherwise.
    fn order(&self, request: &Request, start: Option<&[f64]>, seed: u32) -> Order {
        let program = &self.loaded.program;
        let is_integer = self.loaded.is_integer_search(request);
        let count = program.columns.len() + 1;
        let mut entries: Vec<Vec<(c_int, f64)>> = vec![Vec::new(); count];
        for (row, index) in program.rows.iter().zip(0..) {
            for &(column, coefficient) in &row.terms {
                entries[column].push((index, coefficient));
            }
        }
        let mut starts: Vec<c_int> = vec![0];
        let (mut rows, mut coefficients) = (Vec::new(), Vec::new());
        for (row, coefficient) in entries.iter().flat_map(|column| {
            starts.push(
                starts[starts.len() - 1] + c_int::try_from(column.len()).expect("checked at the opening"),
            );
            column.iter().copied()
        }) {
            rows.push(row);
            coefficients.push(coefficient);
        }
        let sign = self.sign();
        let mut costs = vec![0.0; count];
        for &(column, coefficient) in &self.loaded.objective.terms {
            costs[column] = sign * coefficient;
        }
        let bounds = program.columns.iter().map(|column| (column.lower, column.upper));
        let (lower, upper) = bounds.chain([(0.0, 0.0)]).unzip();
        let (least, greatest) = program.rows.iter().map(|row| (row.lower, row.upper)).unzip();
        let integers = program.columns.iter().map(|column| column.integer && is_integer);
        Order {
            is_integer,
            starts,
            rows,
            coefficients,
            lower,
            upper,
            costs,
            least,
            greatest,
            integers: integers.chain([true]).collect(),
            start: start.map(|start| [start, &[0.0]].concat()),
            log_level: u8::from(self.settings.log.is_some()),
            parameters: self.parameters(request, seed),
        }
    }

    /// The names of CBC's parameters with their values, in the order in which they are set.
    fn parameters(&self, request: &Request, seed: u32) -> Vec<(String, String)> {
        let mut parameters = Vec::new();
        let mut set = |name: &str, value: String| parameters.push((name.to_owned(), value));
        set("log", u8::from(self.settings.log.is_some()).to_string());
        set("threads", if self.settings.threads > 1 { self.settings.threads } else { 0 }.to_string());
        // CBC takes the seed zero for the time of day.
        set("randomCbcSeed", (seed % (1 << 30) + 1).to_string());
        set("integerTolerance", "1e-7".to_owned());
        // The integer preprocessing of CBC 2.10.8 makes some small programs infeasible and changes the optimum of others.
        set("preprocess", "off".to_owned());
        if !self.loaded.is_integer_search(request) {
            // The points that they find of a linear program are not optimal, but CBC may end the search with one, or call the
            // program infeasible when no better one is left.
            set("heuristics", "off".to_owned());
        }
        set("allowableGap", request.absolute_gap.to_string());
        set("ratioGap", request.relative_gap.to_string());
        if let Some(nodes) = request.node_limit {
            set("maxNodes", nodes.min(i32::MAX as u64).to_string());
        }
        if let Some(left) = request.time_left() {
            set("timeMode", "elapsed".to_owned());
            set("seconds", left.as_secs_f64().to_string());
        }
        for (name, value) in &self.settings.options {
            set(name, value.clone());
        }
        parameters
    }

    fn read(&self, request: &Request, answer: Answer, outcome: &mut Outcome) {
        let objective = &self.loaded.objective;
        let integer = self.loaded.is_integer_search(request);
        let reported = (answer.bound.abs() < NO_POINT && (integer || outcome.stop == StopReason::Proved))
            .then(|| objective.constant + self.sign() * answer.bound);
        if answer.value >= NO_POINT {
            match outcome.stop {
                StopReason::Proved | StopReason::GapLimit => {
                    outcome.stop = StopReason::SolverError(NO_SOLUTION.to_owned());
                }
                _ => outcome.bound = reported,
            }
            return;
        }
        if !integer && outcome.stop != StopReason::Proved {
            return;
        }
        let mut point = answer.point;
        point.pop();
        if let Some(value) = self.loaded.accept_point(point, request.relaxation, outcome) {
            outcome.bound = match integer {
                true => reported.map(|bound| self.loaded.proved_bound(bound, value, request.absolute_gap)),
                false => Some(value),
            };
            let gap = outcome.bound.map(|bound| (bound - value).abs());
            if outcome.stop == StopReason::GapLimit && gap.is_some_and(|gap| gap <= request.absolute_gap) {
                outcome.stop = StopReason::Proved;
            }
        }
    }

    /// The factor that turns the objective into one to minimize.
    fn sign(&self) -> f64 {
        match self.loaded.objective.sense {
            Sense::Maximize => -1.0,
            Sense::Minimize => 1.0,
        }
    }
}

/// A search of a program by CBC, as it is sent to the copy that does it.
#[derive(Serialize, Deserialize)]
struct Order {
    is_integer: bool,
    /// Where the entries of each column begin, and those of the last one end.
    starts: Vec<c_int>,
    rows: Vec<c_int>,
    coefficients: Vec<f64>,
    /// The bounds of the columns.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// What is to be minimized.
    costs: Vec<f64>,
    /// The bounds of the rows.
    least: Vec<f64>,
    greatest: Vec<f64>,
    integers: Vec<bool>,
    start: Option<Vec<f64>>,
    log_level: u8,
    parameters: Vec<(String, String)>,
}

impl Order {
    fn solve(&self) -> Answer {
        let mut model = Model::new();
        model.load_problem(
            self.costs.len(),
            self.least.len(),
            &self.starts,
            &self.rows,
            &self.coefficients,
            Some(&self.lower),
            Some(&self.upper),
            Some(&self.costs),
            Some(&self.least),
            Some(&self.greatest),
        );
        model.set_obj_sense(Direction::Minimize);
        for (column, _) in self.integers.iter().enumerate().filter(|&(_, &is_integer)| is_integer) {
            model.set_integer(column);
        }
        model.set_log_level(self.log_level.into());
        for (name, value) in &self.parameters {
            let text = |text: &str| CString::new(text).expect("no parameter contains a zero byte");
            model.set_parameter(&text(name), &text(value));
        }
        if let Some(start) = &self.start {
            model.set_initial_solution(start);
        }
        model.solve();
        // SAFETY: writing what C buffers has no preconditions.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        Answer::of(&model, self.is_integer)
    }
}

/// What a search tells, of the program as CBC has it: to be minimized, without its constant and with one column more.
#[derive(Serialize, Deserialize)]
struct Answer {
    /// Which of [`STOPS`] ended it, or what went wrong.
    stop: Result<usize, String>,
    iterations: u64,
    /// The best value that a point could have; at least [`NO_POINT`] in size if nothing is known.
    bound: f64,
    /// The value of the point; at least [`NO_POINT`] if there is none.
    value: f64,
    point: Vec<f64>,
}

/// The ends of a search that need no explanation.
const STOPS: [StopReason; 7] = [
    StopReason::Proved,
    StopReason::GapLimit,
    StopReason::TimeLimit,
    StopReason::NodeLimit,
    StopReason::Infeasible,
    StopReason::Unbounded,
    StopReason::Interrupted,
];

impl Answer {
    fn of(model: &Model, integer: bool) -> Self {
        Answer {
            iterations: u64::try_from(model.iteration_count()).unwrap_or(0),
            bound: model.best_possible_value(),
            value: model.obj_value(),
            point: model.col_solution().to_vec(),
            ..Self::without_point(&stop_reason(model, integer))
        }
    }

    fn without_point(stop: &StopReason) -> Self {
        let stop = match stop {
            StopReason::SolverError(reason) => Err(reason.clone()),
            stop => Ok(STOPS.iter().position(|known| known == stop).expect("CBC ends in no other way")),
        };
        Answer { stop, iterations: 0, bound: f64::INFINITY, value: f64::INFINITY, point: Vec::new() }
    }

    fn stop(&self) -> StopReason {
        match &self.stop {
            Ok(number) => STOPS[*number].clone(),
            Err(reason) => StopReason::SolverError(reason.clone()),
        }
    }
}

/// Makes a log the standard output of this process, to which CBC prints. What cannot be written is lost.
fn print_to(log: &Log) {
    if let Ok(file) = log.file() {
        // SAFETY: both descriptors are open.
        unsafe { libc::dup2(file.as_raw_fd(), libc::STDOUT_FILENO) };
    }
}

fn stop_reason(model: &Model, integer: bool) -> StopReason {
    match (model.status(), model.secondary_status()) {
        // CBC reports the infeasibility of an integer program in the words of a linear one, or says that it has a solution
        // and has none. When it says so of a linear program, it has refused the optimum.
        (Status::Finished, SecondaryStatus::LinearRelaxationInfeasible) => StopReason::Infeasible,
        (Status::Finished, _) if model.is_proven_infeasible() && integer => StopReason::Infeasible,
        (Status::Finished, _) if model.is_proven_infeasible() => {
            StopReason::SolverError(NO_SOLUTION.to_owned())
        }
        (Status::Finished, SecondaryStatus::LinearRelaxationUnbounded) => StopReason::Unbounded,
        (Status::Finished, SecondaryStatus::HasSolution) => StopReason::Proved,
        (Status::Finished, SecondaryStatus::StoppedOnGap) => StopReason::GapLimit,
        (Status::Stopped, SecondaryStatus::StoppedOnTime) => StopReason::TimeLimit,
        (Status::Stopped, SecondaryStatus::StoppedOnNodes) => StopReason::NodeLimit,
        other => StopReason::SolverError(format!("CBC stopped with status {other:?}")),
    }
}

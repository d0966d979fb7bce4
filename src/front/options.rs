//! How to solve, as the library's users say it.

use super::failure::Unsolved;
use ground::SourceText;
use kit::{SolutionDocument, SolveOptions, WarmStart, solver_named, solver_options, solver_seed};
use models::Model;
use solver::{Effort, Settings, Solver};
use solvers::solvers;
use std::time::Duration;

/// How to solve an instance. The default proves the optimum with the default solver, without limit, on one thread.
///
/// ```
/// use migopt::Options;
/// use std::time::Duration;
///
/// let options = Options::default().formulation("printed").time_limit(Duration::from_secs(10));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    formulation: Option<String>,
    solver: Option<String>,
    time_limit: Option<Duration>,
    relative_gap: f64,
    threads: Option<u32>,
    seed: u32,
    solver_options: Vec<String>,
    warm_start: Option<WarmStart>,
}

impl Options {
    /// Writes the problem as a program in this way, instead of the one that suits it; `migopt list formulations` names them.
    pub fn formulation(self, name: impl Into<String>) -> Self {
        Options { formulation: Some(name.into()), ..self }
    }

    /// Solves with this solver: `highs`, or `cbc` where the crate has that feature.
    pub fn solver(self, name: impl Into<String>) -> Self {
        Options { solver: Some(name.into()), ..self }
    }

    /// Stops after this wall-clock time.
    pub fn time_limit(self, limit: Duration) -> Self {
        Options { time_limit: Some(limit), ..self }
    }

    /// Stops when the best solution is within this relative gap of the bound. That is no proof of optimality:
    /// [`answer`](super::answer) returns it as [`WithinGap`](kit::Status::WithinGap), [`solve`](super::solve) refuses it.
    pub fn relative_gap(self, gap: f64) -> Self {
        Options { relative_gap: gap, ..self }
    }

    /// Threads of the solver. With more than one the solution may differ from run to run among those of the same value.
    pub fn threads(self, threads: u32) -> Self {
        Options { threads: Some(threads), ..self }
    }

    /// Seed of the solver's own tie-breaking, at most 2,147,483,647.
    pub fn seed(self, seed: u32) -> Self {
        Options { seed, ..self }
    }

    /// Chooses an option of the solver's own by its name for it, such as `presolve` of HiGHS; `migopt list solvers` names them.
    pub fn solver_option(mut self, name: &str, value: &str) -> Self {
        self.solver_options.push(format!("{name}={value}"));
        self
    }

    /// Starts the solver from the solution of this heuristic, `NAME` or `NAME:KEY=VALUE,...`.
    pub fn warm_start(self, heuristic: impl Into<String>) -> Self {
        Options { warm_start: Some(WarmStart::Heuristic(heuristic.into())), ..self }
    }

    /// Starts the solver from a solution of the same instance, which has to obey all rules of the question.
    pub fn start(self, solution: SolutionDocument) -> Self {
        self.start_from(solution, SourceText::new("the solution to start from", ""))
    }

    /// As [`start`](Options::start), for a solution that stands in a text, of which messages speak.
    pub(crate) fn start_from(self, solution: SolutionDocument, source: SourceText) -> Self {
        Options { warm_start: Some(WarmStart::Solution(Box::new(solution), source)), ..self }
    }

    /// The options as the model's solve takes them.
    pub(super) fn resolve(&self, model: &'static dyn Model) -> Result<SolveOptions, Unsolved> {
        let formulation = self.formulation.as_deref().map(|name| model.formulation_named(name));
        let formulation = formulation.transpose().map_err(Unsolved::BadInput)?;
        if let Some(WarmStart::Heuristic(heuristic)) = &self.warm_start {
            model.check_heuristic(heuristic).map_err(Unsolved::BadInput)?;
        }
        if !self.relative_gap.is_finite() || self.relative_gap < 0.0 {
            let text = format!("the relative gap is {}. Give a number of at least 0.", self.relative_gap);
            return Err(Unsolved::BadInput(text));
        }
        let threads = self.threads.unwrap_or(1);
        if !(1..=256).contains(&threads) {
            let text = format!("the number of threads is {threads}. Give one from 1 to 256.");
            return Err(Unsolved::BadInput(text));
        }
        let solver = self.chosen_solver()?;
        let seed = solver_seed(self.seed.into()).map_err(Unsolved::BadInput)?;
        let options = solver_options(solver, self.solver_options.iter().map(String::as_str));
        let options = options.map_err(Unsolved::BadInput)?;
        let effort = Effort {
            solver,
            settings: Settings { threads, seed, options, ..Settings::default() },
            time_limit: self.time_limit,
            relative_gap: self.relative_gap,
        };
        Ok(SolveOptions { formulation, effort, warm_start: self.warm_start.clone(), remarks: true })
    }

    fn chosen_solver(&self) -> Result<&'static dyn Solver, Unsolved> {
        let Some(name) = &self.solver else { return Ok(solvers()[0]) };
        solver_named(solvers(), name).map_err(Unsolved::BadInput)
    }
}

//! Ways of writing a model's problems as programs, as values: each builds its own program and no other.

use super::entry::FormulationEntry;
use super::export::ProgramGoal;
use super::frontier::Frontier;
use super::solving::{SolveError, SolveOptions, Solved};
use super::terms::Terms;
use milp::Program;
use solver::Control;

/// An answer with the best verified solution of a model and its worth.
pub type SolvedBy<W> = Solved<(<W as Terms>::Solution, <W as Terms>::Score)>;

/// A way of writing the problems of a model as programs.
pub trait Formulation<W: Terms>: Sync {
    /// Unique name, as flags take it.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// A problem as a program.
    ///
    /// # Errors
    /// When the formulation does not apply.
    fn program(&self, problem: &W::Problem) -> Result<Program, SolveError>;

    /// What the stages of the program are worth, with their values in a solution, if there is one.
    ///
    /// # Errors
    /// As for [`program`](Formulation::program).
    fn goals(&self, problem: &W::Problem, score: Option<&W::Score>) -> Result<Vec<ProgramGoal>, SolveError>;

    /// The point of the program that stands for a solution, if the program does not leave that out.
    ///
    /// # Errors
    /// As for [`program`](Formulation::program).
    fn point(&self, problem: &W::Problem, solution: &W::Solution) -> Result<Option<Vec<f64>>, SolveError>;

    /// Solves a problem to proved optimality, or as far as the limits allow, from a solution on that need not obey all rules.
    ///
    /// # Errors
    /// When the formulation does not apply, and when the solver fails or its answer does not pass the verifier.
    fn solve(
        &self,
        problem: &W::Problem,
        start: Option<&W::Solution>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<SolvedBy<W>, SolveError>;

    /// Lists the non-dominated values of two goals, named with a comma between them.
    ///
    /// # Errors
    /// When the model lists none, when it has no such goals, and as for [`solve`](Formulation::solve).
    fn frontier(
        &self,
        problem: &W::Problem,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Frontier<W>, SolveError> {
        let (_, _, _, _) = (problem, goals, options, control);
        let text = format!("model {} lists no non-dominated values of two goals", W::NAME);
        Err(SolveError::Refused(text))
    }
}

impl<W: Terms> dyn Formulation<W> {
    /// What lists say of it.
    pub fn entry(&self) -> FormulationEntry {
        FormulationEntry { name: self.name(), summary: self.summary() }
    }
}

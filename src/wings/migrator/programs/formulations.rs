//! The formulations: each builds its program, and solves problems to proved, verified answers.
//!
//! Adding one is a type here and a place in [`FORMULATIONS`].

use super::answer::answer;
use super::compact::{Flow, Joint};
use super::encoding::Encoding;
use super::printed::Printed;
use super::search::search;
use super::whole::solve_whole;
use crate::Migrator;
use crate::instance::Problem;
use crate::layout::Solution;
use crate::rules::Score;
use ground::Amount;
use kit::{Formulation, ProgramGoal, SolveError, SolveOptions, SolvedBy};
use milp::Program;
use solver::Control;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[&dyn Formulation<Migrator>] = &[&CompactFormulation, &PrintedFormulation];

/// Prices, longest paths, and a flow of what they leave open.
pub struct CompactFormulation;

impl Formulation<Migrator> for CompactFormulation {
    fn name(&self) -> &'static str {
        "compact"
    }

    fn summary(&self) -> &'static str {
        "prices on the GPU's slices, a dynamic program and a flow of what they leave open, proved equal to the printed program; for hours"
    }

    fn program(&self, problem: &Problem) -> Result<Program, SolveError> {
        Ok(Flow::new(&Joint::new(problem)).program().clone())
    }

    fn goals(&self, problem: &Problem, score: Option<&Score>) -> Result<Vec<ProgramGoal>, SolveError> {
        Ok(goodput(problem, score))
    }

    fn point(&self, problem: &Problem, solution: &Solution) -> Result<Option<Vec<f64>>, SolveError> {
        Ok(Flow::new(&Joint::new(problem)).encode(&solution.plan))
    }

    fn solve(
        &self,
        problem: &Problem,
        start: Option<&Solution>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<SolvedBy<Migrator>, SolveError> {
        answer(self.name(), problem, start, |known, began| search(problem, options, control, began, known))
    }
}

/// The paper's program.
pub struct PrintedFormulation;

impl Formulation<Migrator> for PrintedFormulation {
    fn name(&self) -> &'static str {
        "printed"
    }

    fn summary(&self) -> &'static str {
        "the paper's program (1a)-(12), repaired; for windows of a few slots"
    }

    fn program(&self, problem: &Problem) -> Result<Program, SolveError> {
        Ok(Printed::new(problem)?.program().clone())
    }

    fn goals(&self, problem: &Problem, score: Option<&Score>) -> Result<Vec<ProgramGoal>, SolveError> {
        Ok(goodput(problem, score))
    }

    fn point(&self, problem: &Problem, solution: &Solution) -> Result<Option<Vec<f64>>, SolveError> {
        Ok(Printed::new(problem)?.encode(&solution.plan))
    }

    fn solve(
        &self,
        problem: &Problem,
        start: Option<&Solution>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<SolvedBy<Migrator>, SolveError> {
        answer(self.name(), problem, start, |known, began| {
            solve_whole(problem, options, control, began, known)
        })
    }
}

/// The one goal.
fn goodput(problem: &Problem, score: Option<&Score>) -> Vec<ProgramGoal> {
    vec![ProgramGoal {
        unit: Amount::ONE,
        value: score.map(|score| score.goodput),
        share: None,
        required: None,
        denominator: problem.units,
    }]
}

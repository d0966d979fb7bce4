//! The formulations of the model, each with the program that it builds and its way to a proof.

use super::compact::{Compact, Search};
use super::encoding::Encoding;
use super::printed::Printed;
use super::solve::{prove_by_program, solve};
use super::way::Way;
use crate::Sharing;
use crate::instance::Problem;
use crate::rules::{Goal, Packing, Score};
use kit::{Formulation, ProgramGoal, SolveError, SolveOptions, Solved};
use milp::Program;
use solver::Control;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[&dyn Formulation<Sharing>] = &[&COMPACT, &PRINTED];

impl Formulation<Sharing> for Way {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn program(&self, problem: &Problem) -> Result<Program, SolveError> {
        Ok(self.build(problem)?.program().clone())
    }

    fn goals(&self, problem: &Problem, score: Option<&Score>) -> Result<Vec<ProgramGoal>, SolveError> {
        let goal = |&goal: &Goal| ProgramGoal {
            unit: problem.unit(goal),
            value: score.map(|score| score.goal(goal)),
            share: None,
            required: None,
            denominator: 1,
        };
        Ok(problem.optimum.goals().iter().map(goal).collect())
    }

    fn point(&self, problem: &Problem, solution: &Packing) -> Result<Option<Vec<f64>>, SolveError> {
        Ok(Some(self.build(problem)?.encode(solution)))
    }

    fn solve(
        &self,
        problem: &Problem,
        start: Option<&Packing>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Solved<(Packing, Score)>, SolveError> {
        solve(problem, self, start, options, control)
    }
}

/// The program over page classes, and the search that mostly does without.
pub const COMPACT: Way = Way {
    name: "compact",
    summary: "bounds, page classes and patterns, proved equal to the printed program; for hundreds of virtual machines",
    build: |problem| Ok(Box::new(Compact::new(problem))),
    prove: |task, known| Search::new(task).run(known),
};

/// The paper's program.
pub const PRINTED: Way = Way {
    name: "printed",
    summary: "the paper's program (4)-(9), linearised over the sets of virtual machines with common pages; for about twenty virtual machines",
    build: printed,
    prove: |task, known| prove_by_program(task, printed, known),
};

fn printed(problem: &Problem) -> Result<Box<dyn Encoding + '_>, SolveError> {
    let program = Printed::new(problem).map_err(|error| SolveError::Refused(error.to_string()))?;
    Ok(Box::new(program))
}

//! The formulations of the model, each with the program that it builds and its way to a proof.

use super::compact::{Compact, Search};
use super::encoding::Encoding;
use super::known::Known;
use super::printed::Printed;
use super::proof::{Proof, Task};
use super::solve::{prove_by_program, solve};
use crate::instance::Problem;
use crate::rules::{Packing, Score};
use crate::wing::Sharing;
use kit::{Formulation, SolveError, SolveOptions, Solved};
use milp::Program;
use solver::Control;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[&dyn Formulation<Sharing>] = &[&COMPACT, &PRINTED];

/// A formulation: a program of the whole problem, and a way to a proof, which may do without.
pub struct Way {
    name: &'static str,
    summary: &'static str,
    build: for<'p> fn(&'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError>,
    prove: fn(&Task<'_>, &mut Known<'_>) -> Result<Proof, SolveError>,
}

impl Way {
    /// Builds the program, with the way from columns to packings and back.
    ///
    /// # Errors
    /// When it is too large for the problem.
    pub fn build<'p>(&self, problem: &'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError> {
        (self.build)(problem)
    }

    /// Looks for the best packing and its proof. Better packings than the known one are offered to it.
    ///
    /// # Errors
    /// When the program is too large, the solver fails, or its answer does not pass the verifier.
    pub(super) fn prove(&self, task: &Task<'_>, known: &mut Known<'_>) -> Result<Proof, SolveError> {
        (self.prove)(task, known)
    }
}

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

    fn solve(
        &self,
        problem: &Problem,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Solved<(Packing, Score)>, SolveError> {
        solve(problem, self, options, control)
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

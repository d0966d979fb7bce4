//! The paper's program (1a)-(12), repaired where it does not say what the text says.

use super::formulation::Formulation;
use super::instance::Problem;
use super::plan::Plan;
use crate::milp::Program;

/// The printed program of a problem.
pub struct Printed<'p> {
    problem: &'p Problem,
    program: Program,
}

impl<'p> Printed<'p> {
    /// Writes the program.
    pub fn new(problem: &'p Problem) -> Self {
        let _ = problem;
        todo!()
    }
}

impl Formulation for Printed<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, _: &[f64]) -> Plan {
        let _ = self.problem;
        todo!()
    }

    fn encode(&self, _: &Plan) -> Option<Vec<f64>> {
        todo!()
    }
}

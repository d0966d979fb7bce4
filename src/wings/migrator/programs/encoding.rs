//! The problem written as a program, with the way from its columns to plans and back.

use crate::rules::Plan;
use milp::Program;

/// A problem written as a mixed-integer linear program.
pub trait Encoding {
    /// The program.
    fn program(&self) -> &Program;

    /// The plan that a point of the program stands for.
    fn decode(&self, columns: &[f64]) -> Plan;

    /// A point of the program that stands for a plan that obeys all rules; `None` if it leaves that plan out.
    fn encode(&self, plan: &Plan) -> Option<Vec<f64>>;
}

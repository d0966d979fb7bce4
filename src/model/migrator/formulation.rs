//! What every way of writing the problem as a program offers.

use super::plan::Plan;
use crate::milp::Program;

/// Name of the objective.
pub const GOODPUT: &str = "goodput";

/// A problem written as a mixed-integer linear program.
pub trait Formulation {
    /// The program.
    fn program(&self) -> &Program;

    /// The plan that a point of the program stands for.
    fn decode(&self, columns: &[f64]) -> Plan;

    /// A point of the program that stands for a plan that obeys all rules; `None` if it leaves that plan out.
    fn encode(&self, plan: &Plan) -> Option<Vec<f64>>;
}

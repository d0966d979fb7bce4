//! From the floating-point answer of a solver to a point with exact integers.

use super::program::Program;
use super::violation::Violation;

/// The greatest distance from an integer at which a solver's value counts as that integer.
const INTEGRALITY_TOLERANCE: f64 = 1e-5;

/// The tolerance to which the rounded point must satisfy the program, in the sense of [`Program::violations`].
const FEASIBILITY_TOLERANCE: f64 = 1e-6;

/// Why a solver's answer is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// A sentence that names the first value that is not an integer within 1e-5, or the first restriction that the moved point
    /// breaks by more than 1e-6 (see [`Program::violations`] for what that is relative to).
    pub explanation: String,
    /// The moved point, unless a value is not an integer.
    pub point: Option<Vec<f64>>,
}

impl Program {
    /// Moves a solver's answer to the nearest bounds and, unless it answers a linear relaxation, its integer columns to exact
    /// integers; then checks that the point satisfies the program.
    ///
    /// # Errors
    ///
    /// When a value is not an integer, or the moved point breaks a restriction.
    pub fn snap(&self, mut point: Vec<f64>, relaxation: bool) -> Result<Vec<f64>, Rejected> {
        for (column, value) in self.columns.iter().zip(&mut point) {
            if column.integer && !relaxation {
                let rounded = value.round();
                if (*value - rounded).abs() > INTEGRALITY_TOLERANCE {
                    let explanation =
                        format!("the solver gave integer column {} the value {value}", column.name);
                    return Err(Rejected { explanation, point: None });
                }
                *value = rounded;
            } else if *value < column.lower {
                *value = column.lower;
            } else if *value > column.upper {
                *value = column.upper;
            }
            // Adding zero turns negative zero into zero.
            *value += 0.0;
        }
        let broken = self
            .violations(&point, FEASIBILITY_TOLERANCE)
            .into_iter()
            .find(|violation| !(relaxation && matches!(violation, Violation::Integrality { .. })));
        match broken {
            None => Ok(point),
            Some(violation) => {
                let explanation = format!("the solver returned a point that breaks the program: {violation}");
                Err(Rejected { explanation, point: Some(point) })
            }
        }
    }
}

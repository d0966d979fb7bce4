//! The values of totals in the linear program of the contents met so far.

use super::effort::Limits;
use super::selection::Selection;
use solver::{Request, Settings, Solver};

/// The totals, by position, in the relaxation of the program that chooses among the contents met so far; none where these have no solution.
/// To choose nothing costs so much.
pub fn activities(
    met: &Selection<'_>,
    nothing: i64,
    solver: &dyn Solver,
    settings: &Settings,
    limits: &Limits<'_>,
) -> Option<Vec<f64>> {
    let program = met.program(nothing);
    let mut session = solver.open(&program, settings).ok()?;
    session.set_objective(&program.stages[0]);
    // Nothing costs as much as a solution whose contents may be among those met, and is not to stand for it.
    session.set_column_bounds(program.columns.len() - 1, 0.0, 0.0);
    let point = session.solve(&Request::relaxation(limits.deadline, limits.control)).columns?;
    let mut activities = vec![0.0; met.totals.len()];
    for (entry, value) in met.listed.iter().zip(&point) {
        for &(total, amount) in &entry.column.terms {
            activities[total] += amount as f64 * value;
        }
    }
    Some(activities)
}

//! Points that attain a value.

use super::check::check_point;
use super::claim::Claim;
use super::guide::{open, relaxation};
use super::limits::Limits;
use milp::Row;
use solver::Request;

/// The nodes after which the search ends.
const MOST_NODES: u64 = 10_000;

/// A point of the program that has the value of the goal, if the solver finds one.
pub fn attained(claim: &Claim, limits: &Limits<'_>) -> Option<Vec<i64>> {
    let goal = claim.goal.as_ref()?;
    let mut program = relaxation(claim);
    for column in &mut program.columns {
        column.integer = true;
    }
    let terms = goal.terms.iter().map(|&(column, coefficient)| (column, coefficient as f64)).collect();
    let value = goal.value as f64;
    program.rows.push(Row { label: "value".to_owned(), lower: value, upper: value, terms });
    let mut session = open(limits.effort.solver, &program, limits).ok()?;
    let relaxed = Request::relaxation(limits.deadline, limits.control);
    let request = Request { relaxation: false, node_limit: Some(MOST_NODES), ..relaxed };
    let point = session.solve(&request).columns?;
    let point: Vec<i64> = point.iter().map(|value| value.round() as i64).collect();
    check_point(claim, &point).is_ok().then_some(point)
}

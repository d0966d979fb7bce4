//! Linear relaxations, whose values, points and dual values are advice.

use super::claim::Claim;
use super::combination::Range;
use super::limits::Limits;
use super::multipliers::Duals;
use super::unproved::Unproved;
use milp::{Column, Outcome, Program, Row, Search, Sense, Stage, StopReason};
use solver::{Request, Session, Solver};

/// The greatest cost that solvers are given; they lose digits of larger ones.
const GREATEST_COST: f64 = 1e4;

/// What a relaxation says of a box.
pub enum Advice {
    /// The least value of the goal, where it is attained, and dual values.
    Value { value: f64, point: Vec<f64>, duals: Duals },
    /// That the box has no point.
    Nothing,
}

/// The relaxations of a claim in a box.
pub struct Guide<'a> {
    claim: &'a Claim,
    limits: &'a Limits<'a>,
    solver: &'a dyn Solver,
    relaxation: Box<dyn Session + 'a>,
    /// The relaxation whose rows, that of the goal's value among them, may be violated at a cost. It is opened when it is needed.
    elastic: Option<Box<dyn Session + 'a>>,
    /// What the goal's terms are divided by.
    scale: f64,
}

impl<'a> Guide<'a> {
    /// Opens the relaxation.
    ///
    /// # Errors
    /// When the solver refuses it.
    pub fn open(claim: &'a Claim, limits: &'a Limits<'a>) -> Result<Self, Unproved> {
        let goal = costs(claim);
        let greatest = goal.iter().map(|(_, cost)| cost.abs()).fold(0.0, f64::max);
        let scale = (greatest / GREATEST_COST).max(1.0);
        let program = relaxation(claim);
        let solver = limits.effort.solver;
        let mut relaxation = open(solver, &program, limits)?;
        let terms = goal.iter().map(|&(column, cost)| (column, cost / scale)).collect();
        relaxation.set_objective(&objective(terms));
        Ok(Guide { claim, limits, solver, relaxation, elastic: None, scale })
    }

    /// Confines a column.
    pub fn set_range(&mut self, column: usize, range: Range) {
        for session in [Some(&mut self.relaxation), self.elastic.as_mut()].into_iter().flatten() {
            session.set_column_bounds(column, range.lower as f64, range.upper as f64);
        }
    }

    /// What the relaxation says.
    ///
    /// # Errors
    /// When the solver is stopped or fails.
    pub fn advice(&mut self) -> Result<Advice, Unproved> {
        let outcome = solve(self.relaxation.as_mut(), self.limits)?;
        let (Some(value), Some(point)) = (outcome.primal, outcome.columns) else {
            return Ok(Advice::Nothing);
        };
        let rows = self.relaxation.row_duals().ok_or_else(|| Unproved::without_duals(self.solver))?;
        let rows = rows.into_iter().map(|dual| dual * self.scale).collect();
        let duals = Duals { goal: if self.claim.goal.is_some() { 1.0 } else { 0.0 }, rows };
        Ok(Advice::Value { value: value * self.scale, point, duals })
    }

    /// The dual values of the least violation.
    ///
    /// # Errors
    /// When the solver is stopped or fails.
    pub fn duals_of_violation(&mut self, ranges: &[Range]) -> Result<Duals, Unproved> {
        if self.elastic.is_none() {
            self.elastic = Some(self.open_elastic(ranges)?);
        }
        let session = self.elastic.as_mut().expect("it was opened");
        solve(session.as_mut(), self.limits)?;
        let mut rows = session.row_duals().ok_or_else(|| Unproved::without_duals(self.solver))?;
        let goal = match self.claim.goal {
            Some(_) => -rows.pop().unwrap_or_default(),
            None => 0.0,
        };
        Ok(Duals { goal, rows })
    }

    fn open_elastic(&self, ranges: &[Range]) -> Result<Box<dyn Session + 'a>, Unproved> {
        let mut program = relaxation(self.claim);
        for (column, range) in program.columns.iter_mut().zip(ranges) {
            (column.lower, column.upper) = (range.lower as f64, range.upper as f64);
        }
        if let Some(goal) = &self.claim.goal {
            let upper = (goal.sign() * goal.value - 1) as f64;
            program.rows.push(Row {
                label: "better".to_owned(),
                lower: f64::NEG_INFINITY,
                upper,
                terms: costs(self.claim),
            });
        }
        let mut violations = Vec::new();
        for row in &mut program.rows {
            for (side, sign) in [(row.lower, 1.0), (row.upper, -1.0)] {
                if side.is_finite() {
                    let column = program.columns.len();
                    program.columns.push(continuous(format!("violation{column}"), 0.0, f64::INFINITY));
                    row.terms.push((column, sign));
                    violations.push((column, 1.0));
                }
            }
        }
        let mut session = open(self.solver, &program, self.limits)?;
        session.set_objective(&objective(violations));
        Ok(session)
    }
}

/// Loads a program.
///
/// # Errors
/// When the solver refuses it.
pub fn open<'a>(
    solver: &'a dyn Solver,
    program: &Program,
    limits: &Limits<'_>,
) -> Result<Box<dyn Session + 'a>, Unproved> {
    solver.open(program, &limits.effort.settings).map_err(|failure| Unproved::Solver(failure.to_string()))
}

fn solve(session: &mut dyn Session, limits: &Limits<'_>) -> Result<Outcome, Unproved> {
    let outcome = session.solve(&Request::relaxation(limits.deadline, limits.control));
    match outcome.stop {
        StopReason::Proved | StopReason::Infeasible => Ok(outcome),
        StopReason::TimeLimit => Err(Unproved::Time),
        StopReason::Interrupted => Err(Unproved::Interrupted),
        stop => Err(Unproved::Solver(format!("the solver ended with {stop:?}"))),
    }
}

/// The goal's coefficients when it is minimised.
fn costs(claim: &Claim) -> Vec<(usize, f64)> {
    let goal = claim.goal.iter();
    goal.flat_map(|goal| goal.terms.iter().map(|&(column, cost)| (column, (goal.sign() * cost) as f64)))
        .collect()
}

/// The linear relaxation of a claim's program, without its objective.
pub fn relaxation(claim: &Claim) -> Program {
    let columns = claim.program.columns.iter();
    let rows = claim.program.rows.iter().map(|row| Row {
        label: row.label.clone(),
        lower: row.lower.map_or(f64::NEG_INFINITY, |side| side as f64),
        upper: row.upper.map_or(f64::INFINITY, |side| side as f64),
        terms: row.terms.iter().map(|&(column, coefficient)| (column, coefficient as f64)).collect(),
    });
    Program {
        name: "vipr".to_owned(),
        columns: columns
            .map(|column| continuous(column.name.clone(), column.lower as f64, column.upper as f64))
            .collect(),
        rows: rows.collect(),
        stages: Vec::new(),
        guide: None,
        search: Search::default(),
    }
}

fn continuous(name: String, lower: f64, upper: f64) -> Column {
    Column { name, lower, upper, integer: false }
}

fn objective(terms: Vec<(usize, f64)>) -> Stage {
    Stage { name: "certificate".to_owned(), sense: Sense::Minimize, terms, constant: 0.0, step: None }
}

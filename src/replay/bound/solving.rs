//! What programs of the bound prove, solved as linear programs and searched in integers.

use super::super::operator::ReplayError;
use super::relaxation::Relaxation;
use milp::StopReason;
use solver::{Control, Effort, Options, Request, solve_stages, tighten};
use std::time::Instant;

/// What a program of a relaxation proves.
#[derive(Default)]
pub struct Proved {
    /// No more are accepted.
    pub bound: Option<usize>,
    /// The best point found.
    pub columns: Option<Vec<f64>>,
    /// Whether that is the best there is.
    pub is_proved: bool,
}

impl Proved {
    /// A whole bound, a point, and why the solver stopped.
    fn of(bound: Option<f64>, columns: Option<Vec<f64>>, stop: StopReason) -> Result<Self, ReplayError> {
        let is_proved = stop == StopReason::Proved;
        match stop {
            StopReason::SolverError(words) => Err(ReplayError::Internal(words)),
            _ => Ok(Proved { bound: bound.map(|bound| bound as usize), columns, is_proved }),
        }
    }
}

/// What the linear program of a relaxation proves, as far as it is solved in time, and the prices of its rows if the solver has solved it
/// and knows them.
///
/// # Errors
/// When the solver fails.
pub fn linear(
    relaxation: &Relaxation,
    effort: &Effort,
    until: Option<Instant>,
    control: &Control,
) -> Result<(Proved, Option<Vec<f64>>), ReplayError> {
    let program = &relaxation.program;
    let session = effort.solver.open(program, &effort.settings);
    let mut session = session.map_err(|failure| ReplayError::Internal(failure.to_string()))?;
    session.set_objective(&program.stages[0]);
    let linear = session.solve(&Request::relaxation(until, control));
    let bound = linear.bound.map(|bound| tighten(&program.stages[0], bound));
    let proved = Proved::of(bound, linear.columns, linear.stop)?;
    let prices = session.row_duals().filter(|_| proved.is_proved);
    Ok((proved, prices))
}

/// What a search of a relaxation in integers proves, as far as it gets in time. It may leave out what is better by less than a relative
/// gap, and its bound holds nevertheless.
///
/// # Errors
/// When the solver fails.
pub fn searched(
    relaxation: &Relaxation,
    effort: &Effort,
    relative_gap: f64,
    until: Option<Instant>,
    control: &Control,
) -> Result<Proved, ReplayError> {
    let time_limit = until.map(|until| until.saturating_duration_since(Instant::now()));
    let settings = effort.settings.clone();
    let options = Options { time_limit, relative_gap, settings, ..Options::default() };
    let staged = solve_stages(effort.solver, &relaxation.program, &options, control);
    Proved::of(staged.stages[0].bound.map(f64::round), staged.columns, staged.stop)
}

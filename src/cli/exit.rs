//! Exit codes and the failures behind them.

use ground::InputError;
use itertools::Itertools;
use kit::SolveError;

/// Proved optimal, or within the gap asked for; for other subcommands: done.
pub const EXIT_PROVED: u8 = 0;
/// Something failed inside.
pub const EXIT_INTERNAL: u8 = 1;
/// The input or the command line breaks a rule.
pub const EXIT_BAD_INPUT: u8 = 2;
/// No solution obeys all rules.
pub const EXIT_INFEASIBLE: u8 = 3;
/// Stopped at a limit or by Ctrl-C before the proof.
pub const EXIT_LIMIT: u8 = 4;

/// Why a subcommand could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user can fix it.
    #[error("{0}")]
    Input(String),
    /// The user cannot.
    #[error("{0}")]
    Internal(String),
    /// Limits came before the proof.
    #[error("{0}")]
    Unproved(String),
}

impl Failure {
    pub fn code(&self) -> u8 {
        match self {
            Failure::Input(_) => EXIT_BAD_INPUT,
            Failure::Internal(_) => EXIT_INTERNAL,
            Failure::Unproved(_) => EXIT_LIMIT,
        }
    }

    /// Several failures as one; success where there is none.
    pub fn all(failures: Vec<Failure>) -> Result<(), Failure> {
        match failures.len() {
            0 | 1 => failures.into_iter().next().map_or(Ok(()), Err),
            _ => Err(Failure::Internal(failures.iter().join("\n"))),
        }
    }

    /// Words about the value of a flag, as a failure.
    pub fn of_flag(flag: &str) -> impl Fn(String) -> Failure {
        move |message| Failure::Input(format!("{flag}: {message}"))
    }

    /// A failure to solve the instance in a file of that name.
    pub fn of_solve(error: SolveError, file: &str) -> Failure {
        match error {
            SolveError::Refused(text) => Failure::Input(format!("{file}: {text}.")),
            SolveError::Input(error) => error.into(),
            SolveError::Internal(text) => Failure::Internal(format!(
                "{file}: {text}. This is a bug in migopt or the solver, not in the input; please report it."
            )),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error.to_string())
    }
}

/// Keeps a value to the end of the process, which is near: memory then goes back as a whole. Taking a million GPUs and their answer apart
/// before takes a second.
pub fn until_exit<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

//! Solvers of a [`Program`], and the searches that run on any of them.
//!
//! A [`Solver`] opens a program as a [`Session`], which is modified in place and solved again. On top of that stand
//! [`prove_stage`], which proves one objective optimal, and [`solve_stages`], which does so for all the objectives of a
//! program in lexicographic order. With the feature `highs`, `write_program` exports a program to a file.
//!
//! To add a solver, write one file with an implementation of both traits and add one line to [`solvers`]: the command
//! line, the help and the cross-solver tests pick it up from there.

// What only solvers use is not used in a build without one.
#![cfg_attr(not(any(feature = "highs", feature = "cbc")), allow(dead_code))]

#[cfg(not(any(feature = "highs", feature = "cbc")))]
mod absent;
#[cfg(feature = "cbc")]
mod cbc;
mod control;
mod effort;
#[cfg(feature = "highs")]
mod export;
#[cfg(test)]
mod fake;
mod gap;
#[cfg(feature = "highs")]
mod highs;
#[cfg(feature = "cbc")]
mod isolated;
mod library;
mod loaded;
mod log;
mod prove;
#[cfg(any(feature = "highs", feature = "cbc"))]
mod second_opinion;
mod session;
mod solver_option;
mod stages;
#[cfg(test)]
mod tests;

pub use control::{Control, Progress};
pub use effort::Effort;
#[cfg(feature = "highs")]
pub use export::{ExportError, write_program};
pub use gap::relative_gap;
pub use log::Log;
pub use prove::{StageOptions, StageOutcome, prove_stage};
pub use session::{Request, Session, Settings, Solver, SolverFailure};
pub use solver_option::{OptionValues, SolverOption, SolverOptions};
pub use stages::{Options, StageResult, Staged, keep_first_stages, level_row, solve_stages};

#[cfg(any(feature = "highs", feature = "cbc"))]
use second_opinion::Checked;

#[cfg(doc)]
use milp::Program;

/// The solvers as they are.
#[cfg(any(feature = "highs", feature = "cbc"))]
const PLAIN: &[&dyn Solver] = &[
    #[cfg(feature = "highs")]
    &highs::Highs,
    #[cfg(feature = "cbc")]
    &cbc::Cbc,
];

/// The registered solvers, the default one first. Each is checked by the others when it calls a program infeasible. In a build without
/// one there is a single entry, `none`, which opens no program.
pub fn solvers() -> &'static [&'static dyn Solver] {
    static SOLVERS: &[&dyn Solver] = &[
        #[cfg(feature = "highs")]
        &Checked { solver: &highs::Highs, all: PLAIN },
        #[cfg(feature = "cbc")]
        &Checked { solver: &cbc::Cbc, all: PLAIN },
        #[cfg(not(any(feature = "highs", feature = "cbc")))]
        &absent::Absent,
    ];
    SOLVERS
}

/// The registered solver with the given name, if there is one in this build.
pub fn by_name(name: &str) -> Option<&'static dyn Solver> {
    solvers().iter().copied().find(|solver| solver.name() == name)
}

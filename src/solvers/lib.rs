//! The solvers of a build: HiGHS and CBC, each behind a feature of its name.
//!
//! With the feature `highs`, `write_program` exports a program to a file. To add a solver, write one file with an implementation of
//! [`Solver`] and its session, and add one line to [`solvers`]: the command line, the help and the cross-solver tests pick it up from
//! there. Only the commands, and tests, depend on this room: what is given a solver is compiled once for all builds.

// What only solvers use is not used in a build without one.
#![cfg_attr(not(any(feature = "highs", feature = "cbc")), allow(dead_code))]

#[cfg(not(any(feature = "highs", feature = "cbc")))]
mod absent;
#[cfg(feature = "cbc")]
mod cbc;
#[cfg(feature = "highs")]
mod export;
#[cfg(feature = "highs")]
mod highs;
#[cfg(feature = "cbc")]
mod isolated;
mod library;
#[cfg(any(feature = "highs", feature = "cbc"))]
mod refusals;
#[cfg(test)]
mod tests;

#[cfg(feature = "highs")]
pub use export::{ExportError, write_program};

#[cfg(any(feature = "highs", feature = "cbc"))]
use solver::Checked;
use solver::{Solver, Solvers};

/// The solvers as they are.
#[cfg(any(feature = "highs", feature = "cbc"))]
const PLAIN: Solvers = &[
    #[cfg(feature = "highs")]
    &highs::Highs,
    #[cfg(feature = "cbc")]
    &cbc::Cbc,
];

/// The registered solvers, the default one first. Each is checked by the others when it calls a program infeasible. In a build without
/// one there is a single entry, `none`, which opens no program.
pub fn solvers() -> Solvers {
    static SOLVERS: Solvers = &[
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

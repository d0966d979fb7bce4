//! What solvers of a [`Program`] offer, and the searches that run on any of them.
//!
//! A [`Solver`] opens a program as a [`Session`], which is modified in place and solved again. On top of that stand
//! [`prove_stage`], which proves one objective optimal, and [`solve_stages`], which does so for all the objectives of a
//! program in lexicographic order. Which solvers there are is the matter of room `solvers`: nothing here, nor in rooms that are given
//! a solver, depends on those of a build.

mod control;
mod effort;
#[cfg(test)]
mod fake;
mod gap;
mod loaded;
mod log;
mod prove;
mod second_opinion;
mod session;
mod solver_option;
mod stages;
#[cfg(test)]
mod tests;

pub use control::{Control, Progress};
pub use effort::{Effort, THREAD_STACK};
pub use gap::{relative_gap, tighten};
pub use loaded::{Loaded, feasibility_only};
pub use log::Log;
pub use prove::{StageOptions, StageOutcome, prove_stage};
pub use second_opinion::Checked;
pub use session::{Request, Session, Settings, Solver, SolverFailure, Solvers};
pub use solver_option::{OptionValues, SolverOption, SolverOptions};
pub use stages::{Options, StageResult, Staged, keep_first_stages, level_row, solve_stages};

#[cfg(doc)]
use milp::Program;

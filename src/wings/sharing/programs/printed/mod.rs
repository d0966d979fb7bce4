//! The printed formulation: the paper's program, linearised for solvers of linear programs and as it stands for others.

mod multilinear;
mod opening;
mod power_set;
mod program;

pub use multilinear::multilinear;
pub use power_set::{CommonPages, TooManySets, power_set};
pub use program::Printed;

//! What every solver, and every search that runs on any of them, must do.

mod contract;
mod limits;
mod prove;
mod random;
mod registry;
mod second_opinion;
mod sums;

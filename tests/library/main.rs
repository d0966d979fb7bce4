//! The library's front, and how the crate is built.

mod architecture;
mod front;
mod infeasible;
mod instances;
mod public_api;
mod strategies;

//! The library's front, and how the crate is built.

mod architecture;
mod benchmark_library;
mod front;
mod infeasible;
mod instances;
mod public_api;
mod strategies;

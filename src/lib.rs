#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod bench;
pub mod cli;
pub mod cluster;
pub mod mig;
pub mod milp;
pub mod model;
pub mod replay;
pub mod report;
pub mod solver;
pub mod testing;

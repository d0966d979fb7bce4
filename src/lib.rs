//! migopt: the best possible placement of work on partitionable GPUs and servers, with proof.

pub mod cli;
pub mod cluster;
pub mod mig;
pub mod milp;
pub mod model;
pub mod report;
pub mod solver;

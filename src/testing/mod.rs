//! What tests of heuristics need.

#[cfg(feature = "proptest")]
pub mod strategies;

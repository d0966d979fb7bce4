#![doc = include_str!("../README.md")]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod bench;
pub mod cli;
pub mod cluster;
pub mod front;
pub mod mig;
pub mod milp;
pub mod model;
pub mod oracle;
pub mod replay;
pub mod report;
pub mod solver;
pub mod testing;

pub use front::{
    Amount, Distance, Gap, InputError, Instance, Options, Overrides, Proved, ResultDocument, Score, Sense,
    Solution, Stage, Status, Unscored, Unsolved, Verdict, Violation, answer, gap, propose, score, solve,
    verify,
};

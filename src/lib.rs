#![doc = include_str!("../README.md")]
#![warn(missing_docs, clippy::missing_errors_doc)]

#[doc(hidden)]
pub mod cli;
pub mod front;
#[doc(hidden)]
pub mod oracle;
pub mod testing;

pub use front::{
    Amount, Distance, Gap, InputError, Instance, Options, Overrides, Proved, ResultDocument, Score, Sense,
    Solution, Stage, Status, Unscored, Unsolved, Verdict, Violation, answer, gap, propose, score, solve,
    verify,
};

/// What each model alone has: the question that its heuristics read, the section of its settings, its score. Everything else in here
/// may change from version to version.
pub use models::wings as model;

/// The examples of the library's guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/guides/library.md")]
struct LibraryGuide;

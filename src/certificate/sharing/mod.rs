//! Certificates of model sharing: prices of virtual machines, and for every kind of servers by itself the most that one server can be
//! worth at these prices.
//!
//! The theorem, with its proof, is in section *Certificate* of `models/sharing.md`.

mod check;
mod content;
mod counted;
mod explain;
mod question;
mod relaxation;

pub use check::Checker;
pub use question::{Question, Server, Stage, Vm};

use super::size::{SHARED_LINES, lines};

/// Lines of this checker, with what it shares with others.
pub const LINES: usize = SHARED_LINES
    + lines(include_str!("check.rs"))
    + lines(include_str!("content.rs"))
    + lines(include_str!("counted.rs"))
    + lines(include_str!("question.rs"))
    + lines(include_str!("relaxation.rs"));

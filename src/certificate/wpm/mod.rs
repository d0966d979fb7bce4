//! Certificates of model wpm: prices of pools of workloads, multipliers of goals and totals, and for every GPU by itself the best it
//! can do at these prices.
//!
//! The theorem, with its proof, is in section *Certificate* of `models/wpm.md`.

mod check;
mod kinds;
mod layouts;
mod magnitude;
mod part;
mod pools;
mod question;
mod totals;
mod worths;

pub use check::{Accepted, Case, Checker};
pub use question::{BoardCosts, Question, Reading, Stage, Term};
pub use totals::{Range, Total};

/// Lines of this checker, the reader of certificates included: what has to be believed beside the reader of instances and the boards.
pub const LINES: usize = lines(include_str!("../format.rs"))
    + lines(include_str!("../reader/mod.rs"))
    + lines(include_str!("check.rs"))
    + lines(include_str!("kinds.rs"))
    + lines(include_str!("layouts.rs"))
    + lines(include_str!("magnitude.rs"))
    + lines(include_str!("part.rs"))
    + lines(include_str!("pools.rs"))
    + lines(include_str!("question.rs"))
    + lines(include_str!("totals.rs"))
    + lines(include_str!("worths.rs"));

const fn lines(text: &str) -> usize {
    let (bytes, mut position, mut lines) = (text.as_bytes(), 0, 0);
    while position < bytes.len() {
        lines += (bytes[position] == b'\n') as usize;
        position += 1;
    }
    lines
}

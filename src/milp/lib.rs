//! A mixed-integer linear program as a plain value.
//!
//! A formulation builds a [`Program`] once, with a builder of this crate that takes good_lp expressions so that the code reads
//! like the page of mathematics. Every backend in the room `solver` and both file writers consume that value; none
//! of them is named here. [`Outcome`] is what one solve gives back.

mod builder;
mod handle;
mod outcome;
mod program;
mod snap;
mod violation;

pub use builder::ProgramBuilder;
pub use handle::Handle;
pub use outcome::{Outcome, StopReason, Work};
pub use program::{Column, GUIDE, Program, Row, Search, Sense, Sizes, Stage};
pub use snap::Rejected;
pub use violation::Violation;

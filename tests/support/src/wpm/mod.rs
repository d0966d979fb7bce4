//! The optimum of small instances of model wpm by trying all solutions.

mod rules;
pub mod trial;

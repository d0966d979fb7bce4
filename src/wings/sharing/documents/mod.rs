//! The model's documents: questions, solutions, and answers in words.

mod about;
mod question;
mod solution;
pub mod words;

pub use about::About;
pub use question::{QuestionDocument, QuestionPageClass, QuestionServer, QuestionVm};

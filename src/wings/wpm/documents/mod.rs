//! The model's documents: questions, solutions, and answers in words.

mod about;
mod question;
mod solution;
pub mod words;

pub use about::{About, CostsDocument, PrintedReading, Remarks};
pub use question::{QuestionBoard, QuestionDocument, QuestionGpu, QuestionWorkload};

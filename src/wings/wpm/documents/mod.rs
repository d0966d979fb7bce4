//! The model's documents: questions, solutions, and answers in words.

mod about;
mod question;
mod solution;
pub mod words;

pub use about::{About, CostsDocument, PrintedReading, Remarks, UnitCost, UnitCosts};
pub use question::{QuestionBoard, QuestionDocument, QuestionGpu, QuestionWorkload};

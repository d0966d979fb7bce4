//! What is written about questions and answers.

mod about;
mod question;
mod solution;
mod words;

pub use about::{About, GoalWeights};
pub use question::{QuestionBoard, QuestionDocument, QuestionGpu, QuestionMachine, QuestionWorkload};
pub use solution::document;
pub use words::{goals, worth};

//! What files and answers say of the model, beside the section of the instance.

mod about;
mod question;
mod solution;
mod words;

pub use about::About;
pub use question::{QuestionDocument, QuestionModel};
pub use words::worth;

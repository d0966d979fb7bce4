//! Why nothing is better than an answer: in words, and as a section of a page.

mod section;
mod text;
mod words;

pub use section::section;
pub use text::paragraphs;

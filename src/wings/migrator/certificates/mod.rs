//! Certificates of answers: the question in the plain terms of their checker, how they are found, and what they prove.

mod explanation;
mod leaves;
mod maker;
mod plain;
mod verdict;

pub use explanation::explain;
pub use maker::make;
pub use plain::plain;
pub use verdict::check;

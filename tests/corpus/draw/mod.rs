//! The instances of the corpus, drawn by seeds: the same ones in every run.

mod family;
pub mod migrator;
pub mod sharing;
pub mod siavashi;
pub mod wpm;

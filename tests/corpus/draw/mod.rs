//! The instances of the corpus, drawn by seeds: the same ones in every run.

pub mod migrator;
pub mod sharing;
pub mod siavashi;
pub mod wpm;

//! The instances that are shipped with their optima.

/// The small instances of a model that are shipped, as texts of files.
pub struct Corpus {
    /// An instance as JSON on each line.
    pub instances: &'static str,
    /// The table of their optima, which `scripts/prove-corpus` makes.
    pub optima: &'static str,
}

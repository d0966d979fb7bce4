//! The center from which the search for prices does not jump far.

/// The prices that prove most so far.
pub struct Center {
    /// What they prove, nearly, in units of the costs.
    pub fraction: f64,
    pub prices: Vec<i64>,
    /// What a server of each kind can host at most.
    pub worth: Vec<i64>,
}

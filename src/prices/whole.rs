//! When a share that a linear program takes of a content counts as whole.

/// How near to a whole number a share counts as whole.
pub const WHOLE: f64 = 1e-6;

/// Whether a share counts as whole.
pub fn is_whole(share: f64) -> bool {
    (share - share.round()).abs() < WHOLE
}

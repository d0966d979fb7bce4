//! Named values of parameters.

/// The values of a switch.
pub const YES_NO: &[(&str, bool)] = &[("yes", true), ("no", false)];

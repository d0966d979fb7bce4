//! Why options of solvers are refused.

/// An option that would make a proof less than one.
pub(super) const TOLERANCE: &str = "a proof needs the tolerances that migopt sets";
/// An option that would let a solver end before the proof.
pub(super) const ENDS_EARLY: &str = "it ends the search before the proof";
pub(super) const OWN_FLAG_GAP: &str = "use --gap, which is judged by migopt's own values";
pub(super) const OWN_FLAG_TIME: &str = "use --time-limit, which holds for everything that is solved";
pub(super) const OWN_FLAG_THREADS: &str = "use --threads";
pub(super) const OWN_FLAG_SEED: &str = "use --seed";
pub(super) const OWN_FLAG_LOG: &str = "use --log FILE";

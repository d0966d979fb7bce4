//! Proofs of small random programs, against all their points.

mod claims;
mod files;
mod mutations;
mod random;

//! What the tools of MIG clusters print: one file or folder per tool, each with what it writes as records that know where they stand.
//!
//! [`read`] tells from its content what a file is. Nothing here joins files, and nothing knows which board a GPU has; records that name
//! instances can be held against a board once it is known.

mod contents;
pub mod dcgm;
pub mod dra;
pub mod hami;
pub mod kubelet;
pub mod kubernetes;
pub mod mig_parted;
mod node;
pub mod nvidia_smi;
mod place;
pub mod slurm;

#[cfg(test)]
mod tests;

pub use contents::{Contents, foreign, read};
pub use place::{Place, Record, values};

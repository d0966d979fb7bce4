//! Plans as the files by which operators apply them.
//!
//! A plan says which places are entered and left in which round; the lock of the cluster says what its GPUs are called and which instances
//! they have beside those that workloads hold. Both together make a [`Course`]: what each GPU has before and after each round. From it
//! come scripts, checkpoints, configurations, annotations and taints. Nothing is applied here; files are text.

mod applied_file;
mod checkpoint;
mod course;
mod dra;
mod hami;
mod handover;
mod kubernetes;
mod mig_parted;
mod nvidia_smi;
mod shell;
mod slurm;
mod tool;

#[cfg(test)]
mod tests;

pub use applied_file::AppliedFile;
pub use course::{Change, Course, Held, Layout, Stage};
pub use tool::Tool;

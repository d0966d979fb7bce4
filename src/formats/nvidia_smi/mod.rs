//! `nvidia-smi` and the driver's list of capabilities.

pub mod compute_instances;
pub mod devices;
pub mod gpu_instances;
pub mod mig_minors;
pub mod query;
mod table;

use super::Record;

/// What a listing of instances says.
#[derive(Clone, Debug)]
pub enum Listing<T> {
    /// Its rows, at least one.
    Rows(Vec<Record<T>>),
    /// MIG is on, but there are no instances.
    NoInstances,
    /// No GPU has MIG switched on.
    NoMig,
}

impl<T> Listing<T> {
    /// The rows; none where there is no instance.
    pub fn rows(&self) -> &[Record<T>] {
        match self {
            Listing::Rows(rows) => rows,
            Listing::NoInstances | Listing::NoMig => &[],
        }
    }
}

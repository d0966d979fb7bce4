//! What a MIG cluster has and who uses it, joined from whatever files of its tools there are.
//!
//! Few sources tell where instances are, others tell who uses them, and none tells both for all clusters: an import is a join. Its key is the
//! node, the GPU and the id of the GPU instance, or the UUID of the MIG device; never the name of a profile. What no file tells is named,
//! with the command that would tell it, and is never guessed.

mod classes;
mod cluster_file;
mod file;
mod gather;
mod lock;
mod movability;
mod rules;
mod summary;
mod workloads;

#[cfg(test)]
mod tests;

pub use classes::Classes;
pub use file::{InputFile, files_below};
pub use gather::{Gpu, Instance, Mig, State, Unknown, User};
pub use lock::{
    ClusterLock, LOCK_VERSION, LockedBudget, LockedCompute, LockedGpu, LockedInstance, LockedNode,
    LockedState, LockedUnknown, LockedWorkload,
};
pub use movability::Movability;
pub use rules::{Rule, Rules};
pub use workloads::{Place, Workload};

use gather::Gathered;
use ground::InputError;
use mig::Board;
use std::sync::Arc;

/// How files are joined.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the cluster.
    pub name: String,
    /// The board of GPUs of which no file tells a product that is known.
    pub board: Option<Arc<Board>>,
    /// Whether instances that nobody uses are kept where they are instead of being free room.
    pub keep_idle: bool,
    /// Which workloads may stand for each other.
    pub classes: Classes,
    /// What overrides the movability of workloads.
    pub rules: Rules,
}

/// A cluster as its files tell it.
#[derive(Debug)]
pub struct Inventory {
    /// Its name.
    pub name: String,
    /// The GPUs that can be planned for, node by node in the order of their indices.
    pub gpus: Vec<Gpu>,
    /// What runs, in the order of the GPUs, then what waits.
    pub workloads: Vec<Workload>,
    /// GPUs that are left out, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// What no file tells.
    pub unknown: Vec<Unknown>,
    /// What is worth knowing beyond that.
    pub remarks: Vec<String>,
    nodes: Vec<LockedNode>,
    budgets: Vec<LockedBudget>,
    files: Vec<String>,
}

/// Joins files.
///
/// # Errors
/// All that is wrong: files that are cut or of no tool that is known, rows that no board allows, files that contradict each other, and a
/// cluster of which no GPU can be planned for, with what is missing.
pub fn import(files: Vec<InputFile>, options: &Options) -> Result<Inventory, InputError> {
    let gathered = Gathered::join(files, options.board.as_ref())?;
    workloads::assemble(gathered, options)
}

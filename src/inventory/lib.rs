//! What a MIG cluster has and who uses it, joined from whatever files of its tools there are.
//!
//! Few sources tell where instances are, others tell who uses them, and none tells both for all clusters: an import is a join. Its key is the
//! node, the GPU and the id of the GPU instance, or the UUID of the MIG device; never the name of a profile. What no file tells is named,
//! with the command that would tell it, and is never guessed.

mod classes;
mod cluster_file;
mod file;
mod gather;
mod grouping;
mod host;
mod host_resources;
mod joined;
mod lock;
mod locking;
mod movability;
mod nodes;
mod rules;
mod summary;
mod workload;
mod workloads;

#[cfg(test)]
mod tests;

pub use classes::Classes;
pub use file::{InputFile, files_below};
pub use gather::{Gpu, Instance, Mig, State, Unknown, User};
pub use host::Host;
pub use joined::{Inventory, Options};
pub use lock::{
    ClusterLock, LOCK_VERSION, LockedBudget, LockedCompute, LockedGpu, LockedInstance, LockedNode,
    LockedState, LockedUnknown, LockedWorkload,
};
pub use movability::Movability;
pub use rules::{Rule, Rules};
pub use workload::{NodeRule, Place, Workload};

use gather::Gathered;
use ground::InputError;

/// Joins files.
///
/// # Errors
/// All that is wrong: files that are cut or of no tool that is known, rows that no board allows, files that contradict each other, and a
/// cluster of which no GPU can be planned for, with what is missing.
pub fn import(files: Vec<InputFile>, options: &Options) -> Result<Inventory, InputError> {
    let gathered = Gathered::join(files, options.board.as_ref())?;
    workloads::assemble(gathered, options)
}

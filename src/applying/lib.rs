//! Plans as the files by which operators apply them.
//!
//! A plan says which places are entered and left in which round; the lock of the cluster says what its GPUs are called and which instances
//! they have beside those that workloads hold. Both together make a [`Course`]: what each GPU has before and after each round. From it
//! come scripts, checkpoints, configurations, annotations and taints. Nothing is applied here; files are text.

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

#[cfg(test)]
mod tests;

pub use course::{Change, Course, Held, Layout, Stage};

use inventory::ClusterLock;
use plan::PlanFile;

/// For whom files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Scripts of `nvidia-smi mig`, for each node and round.
    NvidiaSmi,
    /// Configurations of mig-parted, for each node and round.
    MigParted,
    /// Checkpoints of mig-parted after the plan, for each node.
    Checkpoint,
    /// Labels for NVIDIA's MIG manager, for each node and round.
    Kubernetes,
    /// Taints of devices, for dynamic resource allocation.
    Dra,
    /// Annotations for HAMi.
    Hami,
    /// Lines of Slurm's configuration, and its order of steps.
    Slurm,
}

/// A file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedFile {
    /// Its name, without a folder.
    pub name: String,
    /// What it holds.
    pub text: String,
    /// Whether it is a program.
    pub is_script: bool,
}

impl AppliedFile {
    pub(crate) fn text(name: impl Into<String>, text: String) -> Self {
        AppliedFile { name: name.into(), text, is_script: false }
    }

    pub(crate) fn script(name: impl Into<String>, text: String) -> Self {
        AppliedFile { name: name.into(), text, is_script: true }
    }
}

impl Tool {
    /// All of them.
    pub const ALL: &'static [Tool] = &[
        Tool::NvidiaSmi,
        Tool::MigParted,
        Tool::Checkpoint,
        Tool::Kubernetes,
        Tool::Dra,
        Tool::Hami,
        Tool::Slurm,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tool::NvidiaSmi => "nvidia-smi",
            Tool::MigParted => "mig-parted",
            Tool::Checkpoint => "checkpoint",
            Tool::Kubernetes => "kubernetes",
            Tool::Dra => "dra",
            Tool::Hami => "hami",
            Tool::Slurm => "slurm",
        }
    }

    /// The files of a plan.
    ///
    /// # Errors
    /// When the plan and the lock do not belong together, when the lock lacks what the tool needs, and when the tool cannot do what the
    /// plan asks for.
    pub fn files(self, plan: &PlanFile, lock: &ClusterLock) -> Result<Vec<AppliedFile>, String> {
        let course = Course::of(plan, lock)?;
        match self {
            Tool::NvidiaSmi => nvidia_smi::files(&course),
            Tool::MigParted => mig_parted::files(&course),
            Tool::Checkpoint => checkpoint::files(&course),
            Tool::Kubernetes => kubernetes::files(&course),
            Tool::Dra => dra::files(&course),
            Tool::Hami => hami::files(&course),
            Tool::Slurm => slurm::files(&course),
        }
    }
}

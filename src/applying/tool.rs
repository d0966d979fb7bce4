//! The tools that plans are written for.

use crate::applied_file::AppliedFile;
use crate::course::Course;
use crate::{checkpoint, dra, hami, kubernetes, mig_parted, nvidia_smi, slurm};
use inventory::ClusterLock;
use plan::{Backend, PlanFile};

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

    /// The back end of plans that it can apply.
    pub fn backend(self) -> Backend {
        match self {
            Tool::NvidiaSmi | Tool::Checkpoint => Backend::NvidiaSmi,
            Tool::MigParted | Tool::Kubernetes => Backend::MigParted,
            Tool::Dra => Backend::Dra,
            Tool::Hami => Backend::Hami,
            Tool::Slurm => Backend::Slurm,
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

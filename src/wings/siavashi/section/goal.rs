//! The goals of the model.

use kit::SenseName;

/// A goal of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// Weights of the workloads that have a place (3).
    Acceptance,
    /// Weights of the machines and GPUs in use (4).
    Hardware,
    /// Costs of what changes for workloads that run (5).
    Migrations,
}

impl Goal {
    /// All goals in the default order of importance.
    pub const ALL: [Goal; 3] = [Goal::Acceptance, Goal::Hardware, Goal::Migrations];

    /// The goal's name in files, flags and answers.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Acceptance => "acceptance",
            Goal::Hardware => "hardware",
            Goal::Migrations => "migrations",
        }
    }

    /// Its direction.
    pub fn sense(self) -> SenseName {
        match self {
            Goal::Acceptance => SenseName::Maximize,
            Goal::Hardware | Goal::Migrations => SenseName::Minimize,
        }
    }
}

//! What the command line, or an answer that is read back, asks for instead of what the instance says.

use super::sharing::Optimum;
use super::siavashi::Residents;
use super::wpm::UseCase;
use itertools::Itertools;

/// Settings of the question that take the place of the instance's; a model refuses those that it does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Overrides {
    /// How to combine the goals, instead of what the instance says: lexicographic, or lexicographic:GOAL,GOAL,...
    /// (wpm: also weighted; its goals are reward, gpus, migrations, waste. siavashi: also weighted, or
    /// weighted:acceptance=1000,hardware=10,migrations=1; its goals are acceptance, hardware, migrations. sharing has no such
    /// choice, but --optimum)
    #[arg(long)]
    pub objective: Option<String>,
    /// Use case, instead of the instance's (wpm)
    #[arg(long)]
    pub use_case: Option<UseCase>,
    /// Whether workloads that run may lose their place, instead of what the instance says (siavashi)
    #[arg(long)]
    pub residents: Option<Residents>,
    /// Which servers the optimum may use, instead of what the instance says (sharing)
    #[arg(long)]
    pub optimum: Option<Optimum>,
}

impl std::fmt::Display for Overrides {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let use_case = self.use_case.map(|use_case| format!("use case {use_case}"));
        let objective = self.objective.as_ref().map(|objective| format!("objective {objective}"));
        let residents = self.residents.map(|residents| format!("residents {}", residents.name()));
        let optimum = self.optimum.map(|optimum| format!("optimum {}", optimum.name()));
        formatter.write_str(&use_case.into_iter().chain(residents).chain(optimum).chain(objective).join(", "))
    }
}

/// Why an override cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RefusedOverride {
    /// The field of [`Overrides`].
    pub field: &'static str,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

impl RefusedOverride {
    /// A setting that only another model has.
    pub fn not_of(field: &'static str, model: &str, other: &str) -> Self {
        RefusedOverride {
            field,
            message: format!("model {model} has no such setting, only {other} has. Leave it out."),
        }
    }
}

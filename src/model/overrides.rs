//! What the command line, or an answer that is read back, asks for instead of what the instance says.

use super::migrator::{Deployment, Reconfiguration, Signature};
use super::sharing::Optimum;
use super::siavashi::Residents;
use super::wpm::UseCase;
use itertools::Itertools;
use schemars::JsonSchema;
use serde::Deserialize;

/// Settings of the question that take the place of the instance's; a model refuses those that it does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::Args)]
pub struct Overrides {
    /// How to combine the goals, instead of what the instance says: lexicographic, or lexicographic:GOAL,GOAL,...
    /// (wpm: also weighted; its goals are reward, gpus, migrations, waste. siavashi: also weighted, or
    /// weighted:acceptance=1000,hardware=10,migrations=1; its goals are acceptance, hardware, migrations. sharing has no such
    /// choice, but --optimum; migrator has one goal)
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
    /// What a reconfiguration costs, instead of what the instance says (migrator)
    #[arg(long)]
    pub reconfiguration: Option<Reconfiguration>,
    /// What an inference task needs at least, instead of what the instance says (migrator)
    #[arg(long)]
    pub deployment: Option<Deployment>,
    /// What counts as a reconfiguration, instead of what the instance says (migrator)
    #[arg(long)]
    pub signature: Option<Signature>,
}

impl Overrides {
    /// These settings, and others where these say nothing.
    pub fn or(self, others: Overrides) -> Overrides {
        Overrides {
            objective: self.objective.or(others.objective),
            use_case: self.use_case.or(others.use_case),
            residents: self.residents.or(others.residents),
            optimum: self.optimum.or(others.optimum),
            reconfiguration: self.reconfiguration.or(others.reconfiguration),
            deployment: self.deployment.or(others.deployment),
            signature: self.signature.or(others.signature),
        }
    }

    /// Refuses the settings that another model has.
    ///
    /// # Errors
    /// When there is one.
    pub(crate) fn refuse_those_of_others(&self, model: &str) -> Result<(), RefusedOverride> {
        let owners = [
            ("use_case", "wpm", self.use_case.is_some()),
            ("residents", "siavashi", self.residents.is_some()),
            ("optimum", "sharing", self.optimum.is_some()),
            ("reconfiguration", "migrator", self.reconfiguration.is_some()),
            ("deployment", "migrator", self.deployment.is_some()),
            ("signature", "migrator", self.signature.is_some()),
        ];
        match owners.into_iter().find(|&(_, owner, is_given)| is_given && owner != model) {
            Some((field, other, _)) => {
                let message = format!("model {model} has no such setting, only {other} has. Leave it out.");
                Err(RefusedOverride { field, message })
            }
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Overrides {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let use_case = self.use_case.map(|use_case| format!("use case {use_case}"));
        let objective = self.objective.as_ref().map(|objective| format!("objective {objective}"));
        let residents = self.residents.map(|residents| format!("residents {}", residents.name()));
        let optimum = self.optimum.map(|optimum| format!("optimum {}", optimum.name()));
        let reconfiguration =
            self.reconfiguration.map(|reading| format!("reconfiguration {}", reading.name()));
        let deployment = self.deployment.map(|reading| format!("deployment {}", reading.name()));
        let signature = self.signature.map(|reading| format!("signature {}", reading.name()));
        let readings = reconfiguration.into_iter().chain(deployment).chain(signature);
        let settings = use_case.into_iter().chain(residents).chain(optimum).chain(readings);
        formatter.write_str(&settings.chain(objective).join(", "))
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

//! The `migrator` section of an instance file, as it stands in YAML.

mod limits;
mod reading;
mod requests_file;

pub use limits::{LARGEST_NUMBER, LARGEST_WINDOW, rule_broken, wrong_length};
pub use reading::{Deployment, Readings, Reconfiguration, Signature};
pub use requests_file::{numbers, read_requests, rows};

use ground::{Amount, Located};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_yaml::FlowSeq;
use std::collections::BTreeMap;

/// The `migrator` section: a window of time on one GPU, and the models that serve and are retrained in it.
///
/// Sizes of GPU instances are written as on the board, without the memory: `1g`, `2g`, `3g`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MigratorSection")]
pub struct Section {
    /// Board of the GPU: one of `migopt list boards` or of this file's `boards`.
    #[serde(default = "usual_board")]
    pub board: String,
    /// Length of the window in seconds; a whole number of slots.
    pub window_seconds: Amount,
    /// Length of a slot in seconds: allocations change between slots only.
    #[serde(default = "one_second")]
    pub basis_seconds: Amount,
    /// What a reconfiguration costs.
    #[serde(default)]
    pub reconfiguration: Reconfiguration,
    /// What an inference task needs at least.
    #[serde(default)]
    pub deployment: Deployment,
    /// What counts as a reconfiguration.
    #[serde(default)]
    pub signature: Signature,
    /// The models, each with an inference task and a retraining task.
    #[schemars(with = "Vec<ModelSection>")]
    pub models: Vec<Located<ModelSection>>,
}

/// A model: an inference task that serves requests, and a retraining task that raises its accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSection {
    /// Name of the model, unique in the file.
    pub name: String,
    /// Size of the smallest instance on which the inference task can be deployed, L; by default the smallest of the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_instance: Option<String>,
    /// Requests per second that an instance of each size serves; a size left out serves none.
    pub capability: BTreeMap<String, Amount>,
    /// Share of the served requests that are answered correctly.
    pub accuracy: Accuracy,
    /// Seconds of retraining on an instance of each size, rounded up to whole slots; a size left out is not used.
    pub retraining_seconds: BTreeMap<String, Amount>,
    /// Seconds that a reconfiguration of the inference task takes (psi in the paper).
    pub reconfiguration_seconds: Amount,
    /// Billions of floating-point operations per request, by which the heuristics `paris` and `astraea` divide the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gflops: Option<Amount>,
    /// Requests received in each slot of the window; give this or `requests_from`.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "in_brackets")]
    pub requests: Option<Vec<Amount>>,
    /// File with the requests received in each slot, beside the instance file: one number per line, or a CSV file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_from: Option<RequestsFile>,
    /// Instances of the inference task before the window, by size; without them the first allocation is free of cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_allocation: Option<Vec<String>>,
}

/// Share of the served requests that are answered correctly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accuracy {
    /// Accuracy until the retraining is complete, from 0 to 1.
    pub before: Amount,
    /// Accuracy from the slot after its completion on, from 0 to 1.
    pub after: Amount,
}

/// Where a series of requests is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestsFile {
    /// Path of the file, relative to the folder of the instance file.
    pub file: String,
    /// The column of a CSV file, by its heading; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

impl Section {
    /// The readings that it asks for.
    pub fn readings(&self) -> Readings {
        Readings {
            reconfiguration: self.reconfiguration,
            deployment: self.deployment,
            signature: self.signature,
        }
    }
}

/// The paper's board.
pub fn usual_board() -> String {
    "A100-40GB".to_owned()
}

/// Writes a series into one line of YAML.
fn in_brackets<S: Serializer>(series: &Option<Vec<Amount>>, serializer: S) -> Result<S::Ok, S::Error> {
    series.as_ref().map(FlowSeq).serialize(serializer)
}

fn one_second() -> Amount {
    Amount::ONE
}

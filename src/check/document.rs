//! What a check says, as a document.

use super::apply::Action;
use super::lints::Level;
use schemars::JsonSchema;
use serde::Serialize;

/// What `migopt check` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "migopt check")]
pub struct CheckDocument {
    /// The configuration file.
    pub file: String,
    /// Whether the number of GPUs of a node was taken from the file, as it was not given.
    pub gpus_assumed: bool,
    /// The worst verdict of all configurations; null if none of them matches a GPU.
    pub verdict: Option<VerdictName>,
    /// The configurations in the order of the file.
    pub configurations: Vec<ConfigurationDocument>,
}

/// Whether a layout comes about when the driver chooses the starts; the later, the worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictName {
    /// Every order of creation succeeds, whatever start the driver picks.
    Safe,
    /// Some orders succeed whatever the driver picks; one is told.
    SafeInOrder,
    /// It fits, but no order is safe unless the starts are told.
    DependsOnTheDriver,
    /// There is no layout.
    Impossible,
}

/// A configuration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConfigurationDocument {
    /// Its name.
    pub name: String,
    /// Its line in the file.
    pub line: u64,
    /// The worst verdict of its layouts; null if it matches no GPU.
    pub verdict: Option<VerdictName>,
    /// What GPUs are to have. A GPU that several entries match is listed with each of them.
    pub layouts: Vec<LayoutDocument>,
    /// What the configuration does beside what it says.
    pub lints: Vec<LintDocument>,
    /// What an apply would do, GPU by GPU; empty where it is not known what GPUs have now.
    pub apply: Vec<EffectDocument>,
}

/// What an entry asks of like GPUs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LayoutDocument {
    /// The line of the entry.
    pub line: u64,
    /// The board.
    pub board: String,
    /// The GPUs: `node/index`, or the index alone where no node is known.
    pub gpus: Vec<String>,
    /// Whether they are to be in MIG mode.
    pub mig_enabled: bool,
    /// The devices in words.
    pub devices: String,
    /// Whether the layout comes about.
    pub verdict: VerdictName,
    /// An order of creation that succeeds whatever the driver picks, where not every order does.
    pub order: Vec<String>,
    /// How an order fails, where one can.
    pub trap: Option<TrapDocument>,
    /// A layout with least waste; empty if there is none.
    pub layout: Vec<PlaceDocument>,
    /// The command that makes that layout on empty GPUs, whatever the driver would pick; null if there is nothing to make.
    pub command: Option<String>,
    /// Why there is no layout; null where there is one.
    pub impossible: Option<ImpossibleDocument>,
}

/// A GPU instance at its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PlaceDocument {
    /// Its profile.
    pub profile: String,
    /// The first memory slot that it occupies.
    pub start: u8,
}

/// GPU instances beside which another one finds no start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct TrapDocument {
    /// The instances where the driver may put them.
    pub standing: Vec<PlaceDocument>,
    /// The profile that then finds no start.
    pub refused: String,
}

/// Why there is no layout.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ImpossibleDocument {
    /// The smallest part of the devices without a layout, in words; empty if the board lacks a profile.
    pub smallest: String,
    /// Why that has none.
    pub reasons: Vec<ReasonDocument>,
}

/// A reason why there is no layout.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ReasonDocument {
    /// `slots`, `starts`, `limit` (compute slices, engines, number of instances) or `profile` (the board does not have it).
    pub reason: String,
    /// The reason in words: what the smallest part needs, or what the board has.
    pub message: String,
}

/// A remark on a configuration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct LintDocument {
    /// Its short, stable name.
    pub rule: String,
    /// Whether to mend it or to know it.
    pub level: Level,
    /// Where it belongs, as `line:column`.
    pub place: String,
    /// What is so, and what to do about it.
    pub message: String,
}

/// What an apply would do to a GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct EffectDocument {
    /// The GPU, as `node/index`.
    pub gpu: String,
    /// What becomes of it.
    pub action: Action,
    /// The workloads whose GPU instances would be destroyed, each with its instance. Destroying one that is used fails: they have to go
    /// first.
    pub in_the_way: Vec<String>,
    /// Whether the first attempt fails for instances without compute instance, which only a second one finds cleared.
    pub first_attempt_fails: bool,
}

impl VerdictName {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            VerdictName::Safe => "safe",
            VerdictName::SafeInOrder => "safe in order",
            VerdictName::DependsOnTheDriver => "depends on the driver",
            VerdictName::Impossible => "impossible",
        }
    }
}

impl CheckDocument {
    /// Whether nothing needs attention: every layout comes about in some order, and no remark asks to be heeded.
    pub fn is_clean(&self) -> bool {
        let lints = self.configurations.iter().flat_map(|configuration| &configuration.lints);
        let mut warnings = lints.filter(|lint| lint.level == Level::Warning);
        self.verdict < Some(VerdictName::DependsOnTheDriver) && warnings.next().is_none()
    }
}

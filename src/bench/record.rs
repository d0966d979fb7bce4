//! One flat row per (instance, method, seed): everything that tables and plots need.

use super::conditions::Conditions;
use super::program::Digests;
use ground::Amount;
use kit::{StageDocument, TracePoint, WorkDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the rows that are written.
pub const ROW_VERSION: u32 = 3;

fn first_version() -> u32 {
    1
}

/// What one method answered on one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt sweep row")]
pub struct Record {
    /// Version of the format: 3. Rows of version 2 have neither `program` nor `conditions`; rows without a version are of version
    /// 1, in which `question` was called `use_case`.
    #[serde(default = "first_version")]
    pub version: u32,
    /// Name of the instance.
    pub instance: String,
    /// The instance's file: below the sweep's folder if it was generated there, else as the command line named it.
    pub path: String,
    /// The instance's digest; with model, method, program, seed and conditions it identifies the row.
    pub fingerprint: String,
    /// The model.
    pub model: String,
    /// The question that the instance asks, as far as results may be compared; for model wpm the use case.
    #[serde(alias = "use_case")]
    pub question: String,
    /// The family of the instance, if it is of one: its instances differ by chance alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// GPUs of the cluster; 0 where the model has none.
    pub cluster_gpus: u64,
    /// Workloads or virtual machines of the instance.
    pub workloads: u64,
    /// The method: `optimum`, a formulation, a heuristic, `exec:` and a command, or `library` for what the benchmark library knows.
    pub method: String,
    /// The seed given to the method; none where the method takes none.
    pub seed: Option<u64>,
    /// What the command of the method ran: a digest of each file that its words name, and of what its programs are on PATH.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Digests>,
    /// Version and limits with which the row was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, or why the instance is infeasible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The objectives in order; a heuristic has no bounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageDocument>,
    /// The bound of the objective that was solved first before any branching, where its linear relaxation was solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_bound: Option<f64>,
    /// How value and bound came together, where a solver worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TracePoint>,
    /// What one GPU in use costs, in units of the profit, so that gaps can be told in GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_cost: Option<Amount>,
    /// Metrics of the placement by name; the model's table of metrics has their titles, units and definitions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
    /// Size of the program and work done, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkDocument>,
    /// Wall-clock seconds of building, solving or running the heuristic, without starting a process and reading files.
    pub seconds: f64,
}

/// How a method ended on an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Proved optimal.
    Optimal,
    /// Proved that no solution obeys all rules.
    Infeasible,
    /// A verified solution without proof: what heuristics give.
    Valid,
    /// A verified solution with a bound, stopped by the time limit before the proof.
    TimeLimit,
    /// A verified solution with a bound, stopped by the solver's memory before the proof.
    MemoryLimit,
    /// No answer: a crash, a broken rule, malformed output, a limit without any solution. The reason says which.
    Failed,
}

impl Outcome {
    /// Its name in rows and reports.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Optimal => "optimal",
            Outcome::Infeasible => "infeasible",
            Outcome::Valid => "valid",
            Outcome::TimeLimit => "time-limit",
            Outcome::MemoryLimit => "memory-limit",
            Outcome::Failed => "failed",
        }
    }
}

impl Record {
    /// Whether the row holds a verified solution.
    pub fn has_solution(&self) -> bool {
        !self.stages.is_empty() && self.stages.iter().all(|stage| stage.value.is_some())
    }

    /// Whether the row holds no answer.
    pub fn is_failed(&self) -> bool {
        self.outcome == Outcome::Failed
    }

    /// Whether the row proves that nothing is better (or that nothing is possible).
    pub fn is_proved(&self) -> bool {
        matches!(self.outcome, Outcome::Optimal | Outcome::Infeasible)
    }

    /// What tells the row from all others.
    pub fn key(&self) -> Key {
        Key {
            fingerprint: self.fingerprint.clone(),
            model: self.model.clone(),
            method: self.method.clone(),
            seed: self.seed,
            program: self.program.clone(),
            conditions: self.conditions.as_ref().map(Conditions::key),
        }
    }
}

/// What tells a row from all others: two rows with the same key say the same, times aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The instance's digest.
    pub fingerprint: String,
    /// The model.
    pub model: String,
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: Option<u64>,
    /// What the method's command ran.
    pub program: Option<Digests>,
    /// The conditions, as one text.
    pub conditions: Option<String>,
}

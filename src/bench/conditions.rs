//! Under which conditions rows are made.

use super::method::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solver::Effort;

/// What must be equal for a row to be what a command asks for, besides instance, method and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// Version of migopt.
    pub version: String,
    /// The solver and its version; none where the method needs no solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Threads of the solver; none where the method needs no solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Time limit of the row in seconds.
    pub time_limit: f64,
    /// Limit of the row's address space in GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<f64>,
}

impl Conditions {
    /// The conditions of a method's rows.
    pub fn of(method: &Method, effort: &Effort, memory_limit: Option<f64>) -> Self {
        let solving = method.solves_with(effort);
        let solving = solving.as_ref();
        Conditions {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            solver: solving.map(|effort| format!("{} {}", effort.solver.name(), effort.solver.version())),
            threads: solving.map(|effort| effort.settings.threads),
            time_limit: effort.time_limit.unwrap_or_default().as_secs_f64(),
            memory_limit,
        }
    }

    /// The conditions of a row in a folder whose rows do not tell theirs, but the folder's.
    pub(super) fn of_row(self, solves: bool) -> Self {
        if solves { self } else { Conditions { solver: None, threads: None, ..self } }
    }

    /// The conditions as one text, in which conditions differ that do.
    pub(super) fn key(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }

    /// What was otherwise under earlier conditions, in words.
    pub(super) fn changes_from(&self, earlier: &Conditions) -> Vec<String> {
        let parts = |conditions: &Conditions| {
            let seconds = format!("{} s", conditions.time_limit);
            let memory = conditions.memory_limit.map_or("none".to_owned(), |limit| format!("{limit} GiB"));
            let solver = conditions.solver.clone().unwrap_or_else(|| "none".to_owned());
            let threads = conditions.threads.map_or("none".to_owned(), |threads| threads.to_string());
            [
                ("migopt", conditions.version.clone()),
                ("the solver", solver),
                ("the number of threads", threads),
                ("the time limit", seconds),
                ("the memory limit", memory),
            ]
        };
        let pairs = parts(earlier).into_iter().zip(parts(self));
        let pairs = pairs.filter(|((_, was), (_, is))| was != is);
        pairs.map(|((what, was), (_, is))| format!("{what} was {was}, now {is}")).collect()
    }
}

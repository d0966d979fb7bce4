//! The policies that a replay can run, by their names.

use super::journalled::Journalled;
use super::online::OnlineOperator;
use super::operator::Operator;
use super::optimal::{Optimal, OptimalOptions};
use super::trace::Trace;
use kit::{Chosen, unknown};
use siavashi::{Online, POLICIES, policies, policy_named};
use solver::{Control, Effort};
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;

/// The policy that solves a program whenever virtual machines arrive.
pub const OPTIMAL: &str = "optimal";

/// What policies are told beside their own parameters.
#[derive(Clone)]
pub struct PolicyOptions {
    /// Intervals from one consolidation to the next.
    pub consolidates_every: NonZeroU64,
    /// Intervals between two times at which all that runs is laid out anew on the fewest GPUs; none where it never is.
    pub repacks_every: Option<NonZeroU64>,
    /// How the policy [`OPTIMAL`] decides.
    pub optimal: OptimalOptions,
}

/// Names of the policies that decide without a program, in the order of tables.
pub fn online_policies() -> Vec<&'static str> {
    policies().into_iter().map(|policy| policy.name()).collect()
}

/// Names of the policies that are replayed where none are named: the paper's.
pub fn default_policies() -> Vec<&'static str> {
    POLICIES.iter().map(|policy| policy.name()).collect()
}

/// The policy that a text names, if it decides without a program.
fn online(text: &str) -> Result<Chosen<dyn Online>, String> {
    let name = text.split(':').next().unwrap_or(text);
    if name == OPTIMAL {
        return Err(format!("the policy {OPTIMAL} takes no parameters. Write `{OPTIMAL}`."));
    }
    let known = online_policies();
    if known.contains(&name) {
        policy_named(text)
    } else {
        let known: Vec<&str> = known.into_iter().chain([OPTIMAL]).collect();
        Err(unknown(name, "a policy", "Policies", &known))
    }
}

/// Those of the options that matter to a policy, in words: what must be equal for two runs to be the same.
///
/// # Errors
/// When the text names no policy.
pub fn policy_settings(text: &str, options: &PolicyOptions) -> Result<BTreeMap<String, String>, String> {
    let mut settings = BTreeMap::new();
    let mut set =
        |key: &str, value: Option<String>| settings.extend(value.map(|value| (key.to_owned(), value)));
    if text == OPTIMAL {
        let OptimalOptions { effort, objective, warm_start, shortcuts: _ } = &options.optimal;
        let Effort { solver, settings: own, time_limit, relative_gap: _ } = effort;
        set("solver", Some(format!("{} {}", solver.name(), solver.version())));
        set("time_limit", time_limit.map(|limit| limit.as_secs_f64().to_string()));
        set("objective", objective.clone());
        set("warm_start", warm_start.clone());
        set("threads", Some(own.threads.to_string()));
    } else {
        let consolidates = online(text)?.consolidates();
        set("consolidate_every_intervals", consolidates.then(|| options.consolidates_every.to_string()));
        set("repack_every_intervals", options.repacks_every.map(|every| every.to_string()));
    }
    Ok(settings)
}

/// The policy that a text names, `name` or `name:key=value,key=value`, at the beginning of a trace. One that solves programs
/// keeps its decisions in a journal, if there is one, and does not take those again that are in it.
///
/// # Errors
/// When the text names no policy, an option is not allowed, or the journal cannot be used; the message says how to fix it.
pub fn operator_for<'t>(
    text: &str,
    trace: &'t Trace,
    options: &PolicyOptions,
    control: &Control,
    journal: Option<&Path>,
) -> Result<Box<dyn Operator<'t> + 't>, String> {
    if text != OPTIMAL {
        let operator = OnlineOperator::new(trace, online(text)?, options.consolidates_every);
        return Ok(Box::new(match options.repacks_every {
            Some(every) => operator.repacking(every)?,
            None => operator,
        }));
    }
    let optimal = Box::new(Optimal::new(trace, options.optimal.clone(), control)?);
    match journal {
        None => Ok(optimal),
        Some(path) => match Journalled::new(trace, optimal, path) {
            Ok(journalled) => Ok(Box::new(journalled)),
            Err(error) => Err(error.to_string()),
        },
    }
}

//! The policies that a replay can run, by their names.

use super::online::OnlineOperator;
use super::operator::Operator;
use super::trace::Trace;
use crate::model::siavashi::heuristic::{POLICIES, policy_named};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// What policies are told beside their own parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolicyOptions {
    /// Intervals from one consolidation to the next.
    pub consolidates_every: NonZeroU64,
}

/// Names of all policies, in the order of tables.
pub fn policy_names() -> Vec<&'static str> {
    POLICIES.iter().map(|policy| policy.name()).collect()
}

/// Those of the options that matter to a policy, in words: what must be equal for two runs to be the same.
///
/// # Errors
/// When the text names no policy.
pub fn policy_settings(text: &str, options: &PolicyOptions) -> Result<BTreeMap<String, String>, String> {
    let policy = policy_named(text)?;
    let every = ("consolidate_every_intervals".to_owned(), options.consolidates_every.to_string());
    Ok(Some(every).filter(|_| policy.consolidates()).into_iter().collect())
}

/// The policy that a text names, `name` or `name:key=value,key=value`, at the beginning of a trace.
///
/// # Errors
/// When the text names no policy; the message lists those that there are.
pub fn operator_for<'t>(
    text: &str,
    trace: &'t Trace,
    options: &PolicyOptions,
) -> Result<Box<dyn Operator<'t> + 't>, String> {
    let policy = policy_named(text)?;
    Ok(Box::new(OnlineOperator::new(trace, &*policy, options.consolidates_every)))
}

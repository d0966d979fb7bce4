//! An objective of a question with its value and its bound.

use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Value and proved bound of an objective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageDocument {
    /// `profit`, or a goal of the model.
    pub name: String,
    /// `maximize` or `minimize`.
    pub sense: SenseName,
    /// The solution's value, counted by the verifier.
    pub value: Option<Amount>,
    /// No solution that is as good in the stages before is better than this; null for a stage that was not reached.
    pub bound: Option<Amount>,
}

/// Direction of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenseName {
    /// Larger is better.
    Maximize,
    /// Smaller is better.
    Minimize,
}

impl SenseName {
    /// Whether one value of an objective is better than another.
    pub fn prefers(self, one: Amount, other: Amount) -> bool {
        match self {
            SenseName::Maximize => one > other,
            SenseName::Minimize => one < other,
        }
    }
}

impl StageDocument {
    /// The value of an objective of which no bound is known.
    pub fn without_bound(name: &str, sense: SenseName, value: Amount) -> Self {
        StageDocument { name: name.to_owned(), sense, value: Some(value), bound: None }
    }
}

/// Orders two solutions of one question, the better one first: the first objective in which they differ decides.
pub fn compare_stages(one: &[StageDocument], other: &[StageDocument]) -> Ordering {
    let stages = one.iter().zip(other);
    let orders = stages.map(|(one, other)| match one.sense {
        SenseName::Maximize => other.value.cmp(&one.value),
        SenseName::Minimize => one.value.cmp(&other.value),
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

/// The difference of a value to the optimum over the optimum's magnitude; over the finest amount there is where the optimum
/// is 0.
pub fn relative_to_optimum(value: Amount, optimum: Amount) -> f64 {
    let finest = Amount::from_millionths(1);
    let magnitude = if optimum.is_negative() { Amount::ZERO - optimum } else { optimum };
    (value - optimum).to_f64().abs() / magnitude.max(finest).to_f64()
}

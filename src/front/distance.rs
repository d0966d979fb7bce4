//! How far the values of one solution are from those of another.

use ground::Amount;
use kit::{StageDocument, compare_stages, relative_to_optimum};
use std::cmp::Ordering;

/// How far a solution's values are from the optimum's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// The first objective in which the two differ; none if the solution is optimal.
    pub stage: Option<String>,
    /// The solution's value of that objective; of the last objective if the solution is optimal.
    pub value: Amount,
    /// The optimum's value of the same objective.
    pub optimum: Amount,
    /// The difference of the two over the optimum's magnitude, as in reports on sweeps; over a millionth where the optimum
    /// is 0.
    pub relative: f64,
}

impl Distance {
    /// The distance of the objectives of a solution to those of the optimum; none if it would be better than the optimum.
    pub(crate) fn to_optimum(own: &[StageDocument], best: &[StageDocument]) -> Option<Self> {
        if compare_stages(own, best) == Ordering::Less {
            return None;
        }
        let pairs = || own.iter().zip(best);
        let differing = pairs().find(|(own, best)| own.value != best.value);
        let (own, best) = differing.or(pairs().next_back())?;
        let (value, optimum) = own.value.zip(best.value)?;
        let stage = differing.map(|(own, _)| own.name.clone());
        Some(Distance { stage, value, optimum, relative: relative_to_optimum(value, optimum) })
    }

    /// Whether the solution is optimal.
    pub fn is_optimal(&self) -> bool {
        self.stage.is_none()
    }
}

impl std::fmt::Display for Distance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (value, optimum) = (self.value.grouped(), self.optimum.grouped());
        match &self.stage {
            None => formatter.write_str("optimal"),
            Some(stage) if self.optimum == Amount::ZERO => {
                write!(formatter, "{stage} {value} against the optimum's 0")
            }
            Some(stage) => {
                let percent = 100.0 * self.relative;
                write!(formatter, "{stage} {value} against the optimum's {optimum}, a gap of {percent:.2} %")
            }
        }
    }
}

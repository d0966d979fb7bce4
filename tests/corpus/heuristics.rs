//! Heuristics beside a proved optimum.

use crate::entries::Entry;
use kit::{SenseName, StageDocument};
use models::{Model, Question};
use std::cmp::Ordering;

/// Rules that a heuristic may fail to obey although a solution does: it need not find one.
const MAY_BE_MISSED: [&str; 2] = ["pending", "unplaced"];

/// How far a heuristic is from the optimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distance {
    /// It finds an optimum.
    None,
    /// Number of the first stage that differs, and the difference in shares of the optimum's value, or of 1 where that is less.
    Stage(usize, f64),
    /// It finds no solution where there is one.
    NoSolution,
}

impl Distance {
    /// Orders by how far away it is: an earlier stage is farther, and in the same stage a greater share.
    pub fn cmp(self, other: Distance) -> Ordering {
        let key = |distance| match distance {
            Distance::None => (0, 0, 0.0),
            Distance::Stage(stage, share) => (1, usize::MAX - stage, share),
            Distance::NoSolution => (2, 0, 0.0),
        };
        let (one, other): ((u8, usize, f64), _) = (key(self), key(other));
        (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2))
    }
}

/// Runs every heuristic: each proposes the same twice, breaks no rule and is never better than the optimum; where there is no
/// solution, none finds one.
pub fn judge_all(
    model: &'static dyn Model,
    entry: &Entry,
    optimum: Option<&[StageDocument]>,
) -> Result<Vec<(&'static str, Distance)>, String> {
    let question = model.pose(&entry.instance).map_err(|error| error.to_string())?;
    let judged = model.heuristics().into_iter().map(|heuristic| {
        let distance = judge(question.as_ref(), heuristic.name, optimum);
        let distance = distance.map_err(|what| format!("{}: {what}", heuristic.name))?;
        Ok((heuristic.name, distance))
    });
    judged.collect()
}

fn judge(
    question: &dyn Question,
    heuristic: &str,
    optimum: Option<&[StageDocument]>,
) -> Result<Distance, String> {
    let proposal = question.propose(heuristic, 7)?;
    let again = question.propose(heuristic, 7)?;
    let [one, other] = [&proposal, &again].map(|proposal| serde_json::to_value(&proposal.solution).unwrap());
    if one != other {
        return Err("it proposes something else the second time".to_owned());
    }
    let is_valid = proposal.violations.is_empty();
    let Some(optimum) = optimum else {
        return if is_valid {
            Err("it finds a solution where none is".to_owned())
        } else {
            Ok(Distance::NoSolution)
        };
    };
    let may_be_missed = |rule: &str| MAY_BE_MISSED.contains(&rule);
    if !is_valid && proposal.violations.iter().all(|violation| may_be_missed(&violation.rule)) {
        return Ok(Distance::NoSolution);
    }
    if !is_valid {
        return Err(format!("it breaks rules: {:?}", proposal.violations));
    }
    distance(&proposal.stages, optimum)
}

fn distance(proposed: &[StageDocument], optimum: &[StageDocument]) -> Result<Distance, String> {
    assert_eq!(proposed.len(), optimum.len());
    for (number, (proposed, best)) in proposed.iter().zip(optimum).enumerate() {
        let (found, value) = (proposed.value.expect("verified"), best.value.expect("proved"));
        if found != value {
            let is_better = match best.sense {
                SenseName::Maximize => found > value,
                SenseName::Minimize => found < value,
            };
            let share = (found - value).to_f64().abs() / value.to_f64().abs().max(1.0);
            let better = format!("{} {found} is better than the optimum {value}", best.name);
            return if is_better { Err(better) } else { Ok(Distance::Stage(number, share)) };
        }
    }
    Ok(Distance::None)
}

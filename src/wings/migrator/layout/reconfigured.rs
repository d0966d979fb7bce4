//! Which inference tasks a change of the contents reconfigures, as the model counts it: row (11).

use super::contents::{Contents, Owner};
use crate::instance::{Allocation, ModelIndex, Problem};
use kit::TaskKind;

/// Whether the inference task of a model is reconfigured between two contents.
pub fn is_reconfigured(problem: &Problem, model: ModelIndex, before: &Contents, after: &Contents) -> bool {
    differ(problem, &allocation(problem, model, before), &allocation(problem, model, after))
}

/// Whether the inference task of a model is reconfigured at the first slot of the window.
pub fn is_reconfigured_at_first(problem: &Problem, model: ModelIndex, contents: &Contents) -> bool {
    let first = problem.model(model).first.as_ref();
    first.is_some_and(|first| differ(problem, first, &allocation(problem, model, contents)))
}

fn differ(problem: &Problem, before: &Allocation, after: &Allocation) -> bool {
    problem.signature(before) != problem.signature(after)
}

/// What the inference task of a model has.
fn allocation(problem: &Problem, model: ModelIndex, contents: &Contents) -> Allocation {
    let owner = Owner { model, task: TaskKind::Inference };
    let count = |size| {
        let held = contents.get(&(problem.gpu.size(size).profile, owner));
        held.map_or(0, |&count| u8::try_from(count).unwrap_or(u8::MAX))
    };
    Allocation::from_counts(problem.gpu.size_indices().map(count).collect())
}

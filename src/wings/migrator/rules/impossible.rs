//! Reasons why no plan obeys all rules, found before anything is solved.
//!
//! Allocations may change in every slot, so that there is a plan exactly when the retrainings alone can be finished within the
//! window beside the least that the inference tasks need.

use super::schedule::{Spare, shortest_schedule};
use crate::instance::{ModelIndex, ModelTasks, Problem};
use crate::section::Deployment;
use ground::Amount;
use itertools::Itertools;

/// Why the problem has no solution, in words; `None` if it has one.
pub fn impossible(problem: &Problem) -> Option<String> {
    let spare = Spare::of(problem);
    if spare.is_empty() {
        return Some(inference_does_not_fit(problem));
    }
    let never_retrained = |model| retraining_does_not_fit(problem, &spare, model);
    problem.model_indices().find_map(never_retrained).or_else(|| retrainings_do_not_finish(problem))
}

/// The inference tasks do not fit beside each other.
fn inference_does_not_fit(problem: &Problem) -> String {
    let (gpu, board) = (&problem.gpu, &problem.gpu.board);
    let sizes = problem.models.iter().map(|tasks| gpu.size(tasks.minimum));
    let gpcs: u32 = sizes.clone().map(|size| size.gpcs).sum();
    let memory: u32 = sizes.map(|size| board.profile(size.profile).size).sum();
    let missing = |needed: u32, there: u32, what: &str| {
        format!(
            "together that is {needed} {what}, and the board {} has {there}: {} too few",
            board.name(),
            needed - there
        )
    };
    let lack = if gpcs > board.compute() {
        missing(gpcs, board.compute(), "GPCs")
    } else if memory > board.slots() && problem.readings.deployment == Deployment::Instance {
        missing(memory, board.slots(), "memory slots")
    } else {
        format!("the board {} has no place for all of them at once", board.name())
    };
    format!(
        "The inference tasks do not fit beside each other even on the least that they need, {}: {lack}. Take a model out, lower \
         `minimum_instance`, or use another board.",
        minima(problem)
    )
}

/// A model's retraining fits beside the inference tasks on no size, or only on sizes that take too long.
fn retraining_does_not_fit(problem: &Problem, spare: &Spare, model: ModelIndex) -> Option<String> {
    let tasks = problem.model(model);
    let size_name = |size| problem.gpu.size(size).name.as_str();
    let choices = spare.choices(problem, model);
    let Some(&(size, slots)) = choices.iter().min_by_key(|&&(_, slots)| slots) else {
        let offered = problem.gpu.size_indices().zip(&tasks.retraining).filter(|(_, slots)| slots.is_some());
        let room = match spare.largest(problem) {
            Some(size) => format!("room for {} at most", size_name(size)),
            None => "no room for a retraining".to_owned(),
        };
        return Some(format!(
            "The retraining of `{}` fits on no instance: `retraining_seconds` has {}, and the inference tasks leave {room} even on \
             the least that they need, {}. Give the seconds on a smaller size, or take a model out.",
            tasks.name,
            offered.map(|(size, _)| size_name(size)).join(", "),
            minima(problem)
        ));
    };
    (slots > problem.slots).then(|| {
        let larger = match problem.retraining_sizes(model).map(|(size, _)| size_name(size)).join(", ") {
            quick if quick.is_empty() => String::new(),
            quick => format!(
                " On {quick} it would be quick enough, but does not fit beside the least that the inference tasks need, {}.",
                minima(problem)
            ),
        };
        format!(
            "The retraining of `{}` takes at least {} seconds, on {}, and the window has {}: {} too few.{larger} Lengthen the window, \
             or give the seconds on another size.",
            tasks.name,
            seconds(problem, slots),
            size_name(size),
            seconds(problem, problem.slots),
            seconds(problem, slots - problem.slots)
        )
    })
}

/// The retrainings cannot all be finished within the window.
fn retrainings_do_not_finish(problem: &Problem) -> Option<String> {
    let (schedule, end) = shortest_schedule(problem)?;
    let retrainings = problem.models.iter().zip(&schedule).map(|(tasks, retraining)| {
        format!(
            "`{}` on {} from {} to {}",
            tasks.name,
            problem.gpu.size(retraining.size).name,
            seconds(problem, retraining.from),
            seconds(problem, retraining.until)
        )
    });
    (end > problem.slots).then(|| {
        format!(
            "The retrainings cannot all be finished within the window: they take at least {} seconds beside the least that the \
             inference tasks need, and the window has {}: {} too few. The shortest schedule, in seconds: {}. Lengthen the window, or \
             take a model out.",
            seconds(problem, end),
            seconds(problem, problem.slots),
            seconds(problem, end - problem.slots),
            { retrainings }.join(", ")
        )
    })
}

/// What each inference task needs at least, such as `a` 1g, `b` 2g.
fn minima(problem: &Problem) -> String {
    let of_model = |tasks: &ModelTasks| {
        let size = problem.gpu.size(tasks.minimum);
        match problem.readings.deployment {
            Deployment::Instance => format!("`{}` {}", tasks.name, size.name),
            Deployment::Gpcs => format!("`{}` {} GPCs", tasks.name, size.gpcs),
        }
    };
    problem.models.iter().map(of_model).join(", ")
}

fn seconds(problem: &Problem, slots: u32) -> Amount {
    problem.basis * i128::from(slots)
}

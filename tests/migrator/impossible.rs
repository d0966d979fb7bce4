//! Which windows of model migrator have no plan, against a search through all schedules, and what is said of them.

use crate::small::draw;
use migrator::{Allocation, Problem, Retraining, SizeIndex, Spare, impossible, shortest_schedule};
use std::collections::BTreeMap;
use support::migrator::problem;

/// Whether the inference tasks have legal allocations beside the running retrainings, by trying all.
fn leaves_enough(problem: &Problem, used: &Allocation, model: usize) -> bool {
    let Some(index) = problem.model_indices().nth(model) else { return true };
    problem
        .allocations(index)
        .iter()
        .map(|allocation| used.plus(allocation))
        .any(|used| problem.gpu.fits(&used) && leaves_enough(problem, &used, model + 1))
}

/// The earliest slot in which all retrainings can have ended, if that is at most `latest`, by trying all.
fn earliest_end(
    problem: &Problem,
    latest: u32,
    chosen: &mut Vec<Retraining>,
    known: &mut BTreeMap<Allocation, bool>,
) -> Option<u32> {
    let mut fits_at = |slot: u32, chosen: &[Retraining]| {
        let running = chosen.iter().filter(|retraining| retraining.runs(slot));
        let used = running.fold(problem.gpu.nothing(), |used, retraining| used.plus_one(retraining.size));
        *known
            .entry(used)
            .or_insert_with_key(|used| problem.gpu.fits(used) && leaves_enough(problem, used, 0))
    };
    if !(0..latest).all(|slot| fits_at(slot, chosen)) {
        return None;
    }
    let Some(tasks) = problem.models.get(chosen.len()) else {
        return chosen.iter().map(|retraining| retraining.until).max().filter(|&end| end <= latest);
    };
    let mut best: Option<u32> = None;
    for (size, slots) in tasks.retraining.iter().enumerate() {
        let Some(slots) = slots.filter(|&slots| slots <= latest) else { continue };
        for from in 0..=latest - slots {
            chosen.push(Retraining { size: SizeIndex::at(size), from, until: from + slots });
            let found = earliest_end(problem, best.map_or(latest, |end| end - 1), chosen, known);
            chosen.pop();
            best = found.or(best);
        }
    }
    best
}

#[test]
fn what_is_impossible_is_what_no_schedule_achieves() {
    let (mut impossible_ones, mut compared) = (0, 0);
    for seed in 0..600 {
        let problem = &problem(draw(seed));
        let deepest = if problem.models.len() > 3 { problem.slots.min(4) } else { problem.slots };
        if deepest < problem.slots {
            continue;
        }
        compared += 1;
        let end = earliest_end(problem, deepest, &mut Vec::new(), &mut BTreeMap::new());
        let reason = impossible(problem);
        assert_eq!(reason.is_none(), end.is_some(), "seed {seed}: {reason:?}\n{}", draw(seed));
        impossible_ones += u32::from(reason.is_some());
        if let Some(end) = end {
            assert_eq!(
                shortest_schedule(problem).map(|(_, end)| end),
                Some(end),
                "seed {seed}\n{}",
                draw(seed)
            );
        }
    }
    assert!(
        compared > 400 && (80..compared - 80).contains(&impossible_ones),
        "{impossible_ones} of {compared}"
    );
}

#[test]
fn shortest_schedules_are_schedules_and_do_not_depend_on_the_window() {
    for seed in 0..600 {
        let problem = &problem(draw(seed));
        let spare = Spare::of(problem);
        let Some((schedule, end)) = shortest_schedule(problem) else { continue };
        assert_eq!(schedule.iter().map(|retraining| retraining.until).max(), Some(end));
        for (tasks, retraining) in problem.models.iter().zip(&schedule) {
            let slots = tasks.retraining[retraining.size.index()].unwrap();
            assert_eq!(retraining.until - retraining.from, slots);
        }
        for slot in 0..end {
            let running = schedule.iter().filter(|retraining| retraining.runs(slot));
            let used = running.fold(problem.gpu.nothing(), |used, retraining| used.plus_one(retraining.size));
            assert!(spare.admits(&used), "seed {seed}, slot {slot}");
        }
        let longer = Problem { slots: problem.slots + 100, ..problem.clone() };
        assert_eq!(shortest_schedule(&longer), Some((schedule, end)));
        assert_eq!(impossible(&longer), None, "seed {seed}");
    }
}

/// A model's name, its minimum and its seconds of retraining.
type TestedModel = (&'static str, &'static str, &'static str);

/// A window of ten slots of half a second.
fn window(deployment: &str, models: &[TestedModel]) -> String {
    let mut text = format!(
        "name: x\nmigrator:\n  window_seconds: 5\n  basis_seconds: 0.5\n  deployment: {deployment}\n  models:\n"
    );
    for (name, minimum, seconds) in models {
        text += &format!(
            "  - {{name: {name}, minimum_instance: {minimum}, capability: {{1g: 1}}, accuracy: {{before: 0.5, after: 0.6}}, \
             retraining_seconds: {{{seconds}}}, reconfiguration_seconds: 1, requests: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}}\n"
        );
    }
    text
}

fn reason(text: &str) -> Option<String> {
    impossible(&problem(text))
}

#[test]
fn reasons_name_who_and_how_much() {
    let cases: [(&str, &[TestedModel], &str); 7] = [
        (
            "instance",
            &[("a", "4g", "1g: 1"), ("b", "4g", "1g: 1")],
            "The inference tasks do not fit beside each other even on the least that they need, `a` 4g, `b` 4g: together that is 8 \
             GPCs, and the board A100-40GB has 7: 1 too few. Take a model out, lower `minimum_instance`, or use another board.",
        ),
        (
            "instance",
            &[("a", "3g", "1g: 1"), ("b", "3g", "1g: 1"), ("c", "1g", "1g: 1")],
            "The inference tasks do not fit beside each other even on the least that they need, `a` 3g, `b` 3g, `c` 1g: together that \
             is 9 memory slots, and the board A100-40GB has 8: 1 too few. Take a model out, lower `minimum_instance`, or use another \
             board.",
        ),
        (
            "instance",
            &[("a", "3g", "1g: 1"), ("b", "2g", "1g: 1, 3g: 0.5"), ("c", "1g", "3g: 1, 7g: 1")],
            "The retraining of `c` fits on no instance: `retraining_seconds` has 3g, 7g, and the inference tasks leave room for 1g at \
             most even on the least that they need, `a` 3g, `b` 2g, `c` 1g. Give the seconds on a smaller size, or take a model out.",
        ),
        (
            "gpcs",
            &[("a", "4g", "1g: 1"), ("b", "3g", "1g: 1")],
            "The retraining of `a` fits on no instance: `retraining_seconds` has 1g, and the inference tasks leave no room for a \
             retraining even on the least that they need, `a` 4 GPCs, `b` 3 GPCs. Give the seconds on a smaller size, or take a model \
             out.",
        ),
        (
            "instance",
            &[("a", "3g", "1g: 7.2, 2g: 6, 4g: 2, 7g: 1"), ("b", "2g", "1g: 1")],
            "The retraining of `a` takes at least 6 seconds, on 2g, and the window has 5: 1 too few. On 4g, 7g it would be quick enough, but \
             does not fit beside the least that the inference tasks need, `a` 3g, `b` 2g. Lengthen the window, or give the seconds on \
             another size.",
        ),
        (
            "instance",
            &[("a", "1g", "1g: 9, 2g: 5.1")],
            "The retraining of `a` takes at least 5.5 seconds, on 2g, and the window has 5: 0.5 too few. Lengthen the window, or give \
             the seconds on another size.",
        ),
        (
            "instance",
            &[("a", "4g", "1g: 4, 2g: 2.5"), ("b", "1g", "1g: 9, 2g: 3")],
            "The retrainings cannot all be finished within the window: they take at least 5.5 seconds beside the least that the \
             inference tasks need, and the window has 5: 0.5 too few. The shortest schedule, in seconds: `a` on 2g from 0 to 2.5, `b` \
             on 2g from 2.5 to 5.5. Lengthen the window, or take a model out.",
        ),
    ];
    for (deployment, models, expected) in cases {
        assert_eq!(reason(&window(deployment, models)).as_deref(), Some(expected));
    }
}

#[test]
fn what_fits_exactly_is_possible() {
    for models in [
        &[("a", "4g", "1g: 4, 2g: 2.5"), ("b", "1g", "2g: 2.5")][..],
        &[("a", "1g", "1g: 5"), ("b", "3g", "2g: 5")],
        &[("a", "4g", "1g: 2.5"), ("b", "1g", "1g: 5")],
    ] {
        assert_eq!(reason(&window("instance", models)), None);
    }
}

#[test]
fn six_models_are_scheduled_one_after_another() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let models = names.map(|name| (name, "1g", "1g: 0.9, 2g: 0.5"));
    let text = window("instance", &models);
    assert_eq!(shortest_schedule(&problem(&text)).map(|(_, end)| end), Some(12));
    assert!(reason(&text).unwrap().contains("at least 6 seconds"));
}

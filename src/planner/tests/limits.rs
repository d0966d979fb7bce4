//! Limits on rounds, on nodes and of budgets, against all plans that keep them.

use super::cases::{PLAIN, Recipe};
use super::theorems::compare;

#[test]
fn plans_within_limits_are_as_good_as_any() {
    let limited = Recipe { limits: true, newcomers: true, most_workloads: 3, ..PLAIN };
    let tally = compare(limited, 60, 5);
    eprintln!("{tally:?}");
    assert!(tally.compared > 30 && tally.several_rounds > 10, "{tally:?}");
}

#[test]
fn plans_within_budgets_are_as_good_as_any() {
    let careful = Recipe { budgets: true, restarts: true, classes: true, most_workloads: 3, ..PLAIN };
    let tally = compare(careful, 60, 6);
    eprintln!("{tally:?}");
    assert!(tally.compared > 30, "{tally:?}");
}

#[test]
fn plans_never_start_anything_on_a_cordoned_gpu() {
    let cordoned = Recipe { cordoned: true, classes: true, gpus: 3, most_workloads: 3, ..PLAIN };
    let tally = compare(cordoned, 60, 7);
    eprintln!("{tally:?}");
    assert!(tally.compared > 30, "{tally:?}");
}

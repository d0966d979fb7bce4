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

#[test]
fn plans_keep_workloads_to_their_nodes() {
    let bound = Recipe { nodes: true, classes: true, gpus: 3, most_workloads: 3, ..PLAIN };
    let tally = compare(bound, 60, 8);
    assert!(tally.compared > 40 && tally.proved > 60, "{tally:?}");
}

#[test]
fn what_counts_as_one_moves_at_once() {
    let pods = Recipe { as_one: true, restarts: true, most_workloads: 3, ..PLAIN };
    let tally = compare(pods, 80, 9);
    assert!(tally.compared > 50 && tally.proved > 50 && tally.impossible > 0, "{tally:?}");
}

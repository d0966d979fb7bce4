//! Plans against all plans, on random clusters of one and two GPUs: Theorems 1 to 3 and Lemma 4 in one.

use super::cases::{PLAIN, Recipe, draw};
use super::exhaustive::cheapest;
use crate::{Answer, DEFAULT_ORDER, Found, Options, plan};
use plan::Transition;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::{Control, Effort, Solver};
use solvers::solvers;

pub fn options(solver: &'static dyn Solver) -> Options {
    Options { order: DEFAULT_ORDER.to_vec(), effort: Effort::exact(solver) }
}

pub fn found(transition: &Transition, options: &Options) -> Option<Found> {
    match plan(transition, options, &Control::silent()).unwrap() {
        Answer::Found(found) => Some(*found),
        Answer::Impossible(_) => None,
        // Groups may have no plan in any number of rounds, which is not proved then.
        Answer::Stopped(reason) => {
            assert!(!transition.as_one.is_empty(), "{reason}");
            None
        }
    }
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Tally {
    pub compared: usize,
    pub proved: usize,
    pub aside: usize,
    pub stopped: usize,
    pub several_rounds: usize,
    pub impossible: usize,
}

/// Compares so many cases with all plans.
pub fn compare(recipe: Recipe, cases: usize, seed: u64) -> Tally {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut tally = Tally::default();
    for case in 0..cases {
        let transition = draw(recipe, &mut random);
        let Some(truth) = cheapest(&transition, 40_000) else { continue };
        tally.compared += 1;
        for solver in solvers() {
            let found = found(&transition, &options(*solver));
            let Some(found) = found else {
                assert_eq!(truth, Err(()), "{recipe:?} case {case}: there is a plan");
                tally.impossible += 1;
                continue;
            };
            let truth = truth.expect("there is no plan, and one was found");
            let counts = found.judgement.counts;
            let worth = [counts.stops, counts.downtime, counts.bounces, counts.rounds, counts.moves];
            let what =
                || format!("{} case {case}: {worth:?} and {truth:?}\n{:#?}", solver.name(), found.file);
            if found.file.proved {
                assert_eq!(worth, truth, "{}", what());
            } else {
                assert!(worth >= truth, "{}", what());
            }
            let bounds = found.file.bounds.as_ref().unwrap();
            let known = [&bounds.stops, &bounds.downtime, &bounds.bounces, &bounds.rounds, &bounds.moves];
            let known: Vec<u64> = known.into_iter().map(|bound| bound.as_ref().unwrap().value).collect();
            // A bound holds among the plans that are as good in what comes before.
            let differs = worth.iter().zip(&truth).position(|(one, other)| one != other).unwrap_or(4);
            assert!((0..=differs).all(|at| known[at] <= truth[at]), "{known:?} {}", what());
            tally.proved += usize::from(found.file.proved);
            tally.aside += usize::from(counts.bounces > 0);
            tally.stopped += usize::from(counts.stops > counts.restarts);
            tally.several_rounds += usize::from(counts.rounds > 1);
        }
    }
    tally
}

impl std::fmt::Debug for Recipe {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} x {}", self.gpus, self.board)
    }
}

#[test]
fn plans_with_fixed_names_are_as_good_as_any() {
    let one = compare(Recipe { gpus: 1, ..PLAIN }, 150, 1);
    let two = compare(PLAIN, 60, 2);
    eprintln!("{one:?} {two:?}");
    assert!(one.compared > 100 && two.compared > 30, "{one:?} {two:?}");
    assert!(two.aside > 3 && one.several_rounds + two.several_rounds > 10, "{one:?} {two:?}");
}

#[test]
fn plans_with_classes_newcomers_restarts_and_pins_are_as_good_as_any() {
    let mixed =
        Recipe { classes: true, newcomers: true, restarts: true, pins: true, most_workloads: 3, ..PLAIN };
    let one = compare(Recipe { gpus: 1, most_workloads: 4, ..mixed }, 150, 3);
    let two = compare(mixed, 60, 4);
    eprintln!("{one:?} {two:?}");
    assert!(one.compared > 100 && two.compared > 30, "{one:?} {two:?}");
    assert!(two.proved * 10 > two.compared * 8, "{two:?}");
}

//! The search part by part, against one program of the whole cluster and all places, on clusters too large for trying all plans.

use super::cases::{PLAIN, Recipe, draw};
use super::theorems::{compare, found, options};
use crate::graph::Waits;
use crate::objective::Objective;
use crate::parts::parts;
use crate::program::{Absent, Shape, direct, everywhere, pose};
use plan::Transition;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::{Control, Options, Solver, solve_stages};
use solvers::solvers;

/// The fewest temporary places in so many rounds, of plans that have at most so many; all places are considered, and nobody stops.
fn fewest(transition: &Transition, solver: &dyn Solver, rounds: usize, most: Option<u64>) -> Option<u64> {
    let shape = Shape {
        transition,
        rounds,
        absent: Absent::Never,
        pairs: everywhere(transition),
        stages: vec![Objective::Bounces],
        most: most.map(|most| (Objective::Bounces, most)).into_iter().collect(),
        beside: None,
        is_limited: true,
    };
    let mut program = pose(shape).program;
    if program.rows.iter().any(|row| row.terms.is_empty() && (row.lower > 1e-9 || row.upper < -1e-9)) {
        return None;
    }
    program.rows.retain(|row| !row.terms.is_empty());
    let solved = solve_stages(solver, &program, &Options::default(), &Control::silent());
    solved.columns.and(solved.stages[0].value).map(|value| value.round() as u64)
}

/// Compares plans of so many cases with the whole program. How many were proved with temporary places, and how many stop somebody.
fn compare_with_whole(recipe: Recipe, cases: usize, seed: u64) -> (usize, usize) {
    const MOST_ROUNDS: usize = 6;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut aside, mut stopped) = (0, 0);
    for case in 0..cases {
        let transition = draw(recipe, &mut random);
        let solver = solvers()[0];
        let Some(found) = found(&transition, &options(solver)) else { panic!("there is always a plan") };
        let counts = found.judgement.counts;
        if counts.rounds == 0 {
            continue;
        }
        let truth = fewest(&transition, solver, MOST_ROUNDS, None);
        let what = || format!("case {case}: {counts:?} {truth:?} {:#?}", found.file);
        if counts.stops > 0 {
            assert!(!found.file.proved || truth.is_none(), "{}", what());
            stopped += 1;
            continue;
        }
        if counts.rounds <= MOST_ROUNDS as u64 {
            assert!(truth.is_some_and(|truth| truth <= counts.bounces), "{}", what());
        }
        let bounds = found.file.bounds.as_ref().unwrap();
        let bound = bounds.bounces.as_ref().unwrap().value;
        assert!(truth.is_none_or(|truth| bound <= truth), "{}", what());
        if bound < counts.bounces {
            assert!(!found.file.proved);
            continue;
        }
        let rounds = bounds.rounds.as_ref().unwrap().value as usize;
        if rounds > 1 {
            let sooner = fewest(&transition, solver, rounds - 1, Some(bound));
            assert_eq!(sooner, None, "{}", what());
        }
        aside += usize::from(found.file.proved && counts.bounces > 0);
    }
    (aside, stopped)
}

#[test]
fn plans_of_several_parts_are_as_good_as_those_of_the_whole() {
    let crowded = Recipe { gpus: 5, most_workloads: 16, crowded: true, ..PLAIN };
    let (aside, stopped) = compare_with_whole(crowded, 40, 31);
    eprintln!("{aside} {stopped}");
    assert!(aside > 10, "{aside} {stopped}");
    let alike = Recipe { classes: true, ..crowded };
    let (aside, stopped) = compare_with_whole(alike, 30, 32);
    eprintln!("{aside} {stopped}");
    assert!(aside > 5, "{aside} {stopped}");
}

#[test]
fn limits_hold_across_parts() {
    let limited = Recipe { gpus: 4, most_workloads: 8, crowded: true, limits: true, ..PLAIN };
    let (aside, stopped) = compare_with_whole(limited, 40, 33);
    eprintln!("{aside} {stopped}");
    assert!(aside > 5, "{aside} {stopped}");
}

#[test]
fn plans_of_crowded_clusters_are_as_good_as_any() {
    let crowded = Recipe { gpus: 1, most_workloads: 3, crowded: true, ..PLAIN };
    let tally = compare(crowded, 80, 34);
    eprintln!("{tally:?}");
    let careful = Recipe { budgets: true, restarts: true, limits: true, ..crowded };
    let tally = compare(careful, 80, 35);
    eprintln!("{tally:?}");
    assert!(tally.compared > 15, "{tally:?}");
}

#[test]
fn parts_have_all_places_and_none_is_in_the_way_of_another_part() {
    let mut random = ChaCha8Rng::seed_from_u64(36);
    let mut several = 0;
    for _ in 0..100 {
        let recipe = Recipe { gpus: 6, most_workloads: 20, crowded: true, classes: true, ..PLAIN };
        let transition = draw(recipe, &mut random);
        let parts = parts(&transition, &Waits::of(&transition));
        let mut all: Vec<_> = parts.iter().flat_map(|part| part.pairs.clone()).collect();
        let mut known = direct(&transition);
        all.sort_unstable();
        known.sort_unstable();
        assert_eq!(all, known);
        for (number, part) in parts.iter().enumerate() {
            let others = || parts.iter().skip(number + 1);
            assert!(others().all(|other| !other.classes.iter().any(|class| part.classes.contains(class))));
            for (one, other) in itertools::iproduct!(&part.pairs, others().flat_map(|other| &other.pairs)) {
                let may_meet = one.before != other.before;
                assert!(!may_meet || !one.place.excludes(other.place, &transition.cluster));
            }
        }
        several += usize::from(parts.iter().filter(|part| part.pairs.len() > 2).count() > 1);
    }
    assert!(several > 20, "{several}");
}

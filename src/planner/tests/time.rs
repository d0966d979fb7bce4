//! One limit for all that a command does.

use super::cases::{PLAIN, Recipe, draw};
use super::theorems::options;
use crate::{Answer, plan, plan_open, plan_with_spares};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::Control;
use solvers::solvers;
use std::time::{Duration, Instant};

#[test]
fn what_was_done_before_counts() {
    let mut options = options(solvers()[0]);
    assert_eq!(options.since(Instant::now()).effort.time_limit, None);
    options.effort.time_limit = Some(Duration::from_secs(60));
    let began = Instant::now().checked_sub(Duration::from_secs(45)).expect("the clock is older");
    let left = options.since(began).effort.time_limit.expect("there is a limit");
    assert!(left <= Duration::from_secs(15) && left > Duration::from_secs(5), "{left:?}");
    let left = options.since(began).since(began).effort.time_limit;
    assert_eq!(left, Some(Duration::ZERO));
}

#[test]
fn without_time_nothing_is_claimed_that_takes_a_search() {
    let mut random = ChaCha8Rng::seed_from_u64(61);
    let mut options = options(solvers()[0]);
    options.effort.time_limit = Some(Duration::ZERO);
    for _ in 0..20 {
        let transition = draw(Recipe { gpus: 4, most_workloads: 12, crowded: true, ..PLAIN }, &mut random);
        let board = transition.cluster.boards[0].name().to_owned();
        let control = Control::silent();
        let answers = [
            plan(&transition, &options, &control).unwrap(),
            plan_open(&transition, &options, &control).unwrap().0,
            plan_with_spares(&transition, &board, &options, &control).unwrap().answer,
        ];
        for answer in answers {
            if let Answer::Found(found) = answer {
                assert!(!found.file.proved || found.judgement.counts.bounces == 0);
            }
        }
    }
}

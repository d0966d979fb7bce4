//! True claims are proved, false ones are not.

use super::random::{better_by, claim, proof};
use crate::{Claim, Limits, Refusal, Unproved, attained, check, check_point, prove};
use solver::{Control, Effort};
use solvers::solvers;
use std::time::Instant;

const PROGRAMS: u64 = 600;

#[test]
fn the_best_value_of_any_program_has_a_proof() {
    let (mut split, mut infeasible) = (0, 0);
    for seed in 0..PROGRAMS {
        let claim = claim(seed);
        let tree = proof(&claim).unwrap_or_else(|why| panic!("{seed}: {why}: {claim:?}"));
        assert_eq!(check(&claim, &tree), Ok(()));
        split += usize::from(tree.leaves() > 1);
        infeasible += usize::from(claim.goal.is_none());
    }
    assert!(split > 20 && infeasible > 20, "{split} with splits, {infeasible} without points");
}

/// That nothing is better than what is worse than the best is false: the point that contradicts it is found.
#[test]
fn a_value_that_is_not_the_best_has_no_proof() {
    for claim in (0..PROGRAMS).map(claim).filter(|claim| claim.goal.is_some()) {
        assert_eq!(proof(&better_by(&claim, -1)), Err(Unproved::Better), "{claim:?}");
        let without_point = Claim { goal: None, point: None, ..claim };
        assert_eq!(proof(&without_point), Err(Unproved::Better), "{without_point:?}");
    }
}

/// That nothing is better than what nothing attains is true, but the point that should attain it does not.
#[test]
fn a_point_has_to_attain_the_value() {
    for claim in (0..PROGRAMS).map(claim).filter(|claim| claim.goal.is_some()) {
        let unattained = Claim { point: claim.point.clone(), ..better_by(&claim, 1) };
        let tree = proof(&claim).expect("it has a proof");
        assert_eq!(
            check(&unattained, &tree),
            Err(Refusal::Point("the value of the objective".to_owned())),
            "{claim:?}"
        );
    }
}

#[test]
fn a_point_that_attains_the_value_is_found() {
    let (effort, control) = (Effort::exact(solvers()[0]), Control::silent());
    let limits = Limits { effort: &effort, deadline: None, control: &control };
    for claim in (0..PROGRAMS).map(claim).filter(|claim| claim.goal.is_some()) {
        let point = attained(&claim, &limits).expect("there is one");
        assert_eq!(check_point(&claim, &point), Ok(()));
        assert_eq!(attained(&better_by(&claim, 1), &limits), None, "{claim:?}");
    }
}

#[test]
fn who_interrupts_or_has_no_time_gets_no_proof() {
    let (claim, effort, control) = (claim(1), Effort::exact(solvers()[0]), Control::silent());
    let limits = Limits { effort: &effort, deadline: Some(Instant::now()), control: &control };
    assert_eq!(prove(&claim, &limits), Err(Unproved::Time));
    let interrupted = Control::new(std::sync::Arc::new(true.into()), None);
    let limits = Limits { effort: &effort, deadline: None, control: &interrupted };
    assert_eq!(prove(&claim, &limits), Err(Unproved::Interrupted));
}

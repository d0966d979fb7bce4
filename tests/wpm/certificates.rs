//! Certificates: no bound is beaten by a placement, real certificates are accepted, and what proves something false is refused.

use crate::small::{brute_force, problem, samples};
use certificate::wpm::{Checker, Question, Stage, Term};
use certificate::{Accepted, Certificate, Claimed, Leaf, Multipliers, Refutes};
use ground::Amount;
use kit::{SolveOptions, Wing};
use migopt::testing::strategies::Sample;
use models::Instance;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use solver::Control;
use solvers::solvers;
use support::certificates::mutations;
use wpm::{Goal, Problem, Reading, Solution, Wpm, plain};

/// Placements that brute force may try per instance.
pub const MOST_TRIALS: u64 = 20_000;

/// Instances of the corpus whose proof needs other cases than those by totals.
const MOST_WITHOUT: usize = 2;

/// Numbers of many magnitudes, and none as often as not.
fn multiplier() -> impl Strategy<Value = i64> {
    prop_oneof![5 => Just(0i64), 5 => -20i64..60, 3 => -300i64..3000, 1 => -1_000_000i64..1_000_000]
}

fn named<'n>(names: impl Iterator<Item = &'n str>, multipliers: &[i64]) -> Multipliers {
    names.map(str::to_owned).zip(multipliers.iter().copied()).collect()
}

/// What a placement with these values of all goals is worth at the multipliers of goals.
fn worth(checker: &Checker<'_>, question: &Question<'_>, leaf: &Leaf, values: &[Amount; 4]) -> i128 {
    let of = |stage: Stage| match stage {
        Stage::Of(Term::Reward) => values[0],
        Stage::Of(Term::Gpus) => Amount::ZERO - values[1],
        Stage::Of(Term::Migrations) => Amount::ZERO - values[2],
        Stage::Of(Term::Waste) => Amount::ZERO - values[3],
        Stage::Profit => values[0] - values[1] - values[2] - values[3],
    };
    let goals = leaf.goals.iter().map(|(name, multiplier)| {
        let stage = question.stages.iter().find(|stage| stage.name() == name).unwrap();
        let units = of(*stage).in_units_of(checker.unit(*stage)).expect("values are multiples of units");
        i128::from(*multiplier) * units
    });
    goals.sum()
}

/// No legal placement is worth more than the bound, whatever the multipliers.
fn check_bounds(sample: &Sample, multipliers: &[[i64; 16]]) {
    let problem = problem(sample);
    for reading in [Reading::Printed, Reading::ExactIndex] {
        let Ok(truth) = brute_force(&problem, reading, MOST_TRIALS) else { continue };
        let question = plain(&problem, reading);
        let checker = Checker::new(&question).expect("the question is sound");
        for numbers in multipliers {
            let leaf = Leaf {
                prices: named(checker.pool_names(), &numbers[..8]),
                goals: named(question.stages.iter().map(|stage| stage.name()), &numbers[8..12]),
                totals: named(["gpus", "repartitions", "migrations"].into_iter(), &numbers[12..15]),
                ..Leaf::default()
            };
            let Ok(bound) = checker.bound(&leaf, &[]) else { continue };
            for values in &truth.attainable {
                let worth = worth(&checker, &question, &leaf, values);
                assert!(
                    worth <= bound,
                    "{values:?} is worth {worth}, the bound {bound} at {leaf:?}{sample:?}"
                );
            }
        }
    }
}

/// The certificate of the optimum under a reading, if there is one, and what the best solution is.
pub fn certified(problem: &Problem, reading: Reading) -> (Option<Solution>, Result<Certificate, String>) {
    let formulation = crate::formulation(if reading == Reading::Printed { "compact" } else { "exact-index" });
    let options = SolveOptions {
        formulation: Some((formulation as &dyn kit::Formulation<Wpm>).entry()),
        ..SolveOptions::exact(solvers()[0])
    };
    let solved = crate::differential::solve(problem, formulation_name(reading), solvers()[0]);
    let best = solved.best.as_ref().map(|(solution, score)| (solution, score));
    let certificate = Wpm::certify(problem, "f", best, &options, &Control::silent());
    (solved.best.map(|(solution, _)| solution), certificate)
}

fn formulation_name(reading: Reading) -> &'static str {
    if reading == Reading::Printed { "compact" } else { "exact-index" }
}

/// The certificate of an optimum is accepted; one that claims anything else of the same instance is not.
fn check_certificates(sample: &Sample) {
    let problem = problem(sample);
    for reading in [Reading::Printed, Reading::ExactIndex] {
        let (best, certificate) = certified(&problem, reading);
        let Ok(certificate) = certificate else { continue };
        let question = plain(&problem, reading);
        let checker = Checker::new(&question).unwrap();
        let accepted =
            checker.check(&certificate).expect("certificates are checked before they are given away");
        assert_eq!(accepted == Accepted::Infeasible, best.is_none());
        check_explanation(&problem, best.as_ref(), &certificate);
        let text = certificate.to_string();
        assert_eq!(Certificate::parse(&text).unwrap().to_string(), text);
        for mutated in mutations(&text) {
            let Ok(mutated) = Certificate::parse(&mutated) else { continue };
            if let Ok(other) = checker.check(&mutated) {
                assert!(
                    is_true(&question, &other, &accepted),
                    "a false claim is accepted: {mutated}{sample:?}"
                );
            }
        }
    }
}

/// What the GPUs are below their best is what the bound is beyond the value, together with workloads that wait.
fn check_explanation(problem: &Problem, best: Option<&Solution>, certificate: &Certificate) {
    let explanation = Wpm::explain(problem, best, certificate).expect("the certificate is a proof");
    let waits = best.is_some_and(|best| best.pending(problem).next().is_some());
    // What is placed at a negative price is beyond the least number, which is what the bound counts.
    let is_negative = certificate.to_string().contains(" -");
    for claim in &explanation.claims {
        let [case] = claim.cases.as_slice() else { continue };
        let (Some(bound), Some(value)) = (case.bound, claim.value) else { continue };
        let below: Vec<i128> = case
            .parts
            .iter()
            .flat_map(|part| part.below.as_ref().expect("there is a solution"))
            .map(|below| below.by.millionths())
            .collect();
        assert!(below.iter().all(|by| *by > 0), "{claim:?}");
        let (below, beyond) = (below.iter().sum::<i128>(), (bound - value).millionths().abs());
        // Each number is rounded to millionths.
        const ROUNDED: i128 = 20;
        assert!(below <= beyond + ROUNDED, "{claim:?}");
        let is_counted_elsewhere =
            waits || is_negative || !case.limits.is_empty() || !problem.cluster.groups.is_empty();
        assert!(is_counted_elsewhere || beyond <= below + ROUNDED, "{claim:?}");
    }
}

/// Whether nothing is better than what is claimed to be the best, given what is the best.
fn is_true(question: &Question<'_>, claimed: &Accepted, truth: &Accepted) -> bool {
    match (claimed, truth) {
        (_, Accepted::Infeasible) => true,
        (Accepted::Infeasible, Accepted::Optimal(_)) => false,
        (Accepted::Optimal(claimed), Accepted::Optimal(truth)) => {
            let mut goals = question.stages.iter().zip(claimed.iter().zip(truth));
            let differing = goals.find(|(_, (claimed, truth))| claimed != truth);
            differing.is_none_or(|(stage, (claimed, truth))| match stage {
                Stage::Of(Term::Reward) | Stage::Profit => claimed > truth,
                Stage::Of(_) => claimed < truth,
            })
        }
    }
}

proptest! {
    #![proptest_config(Config { rng_seed: RngSeed::Fixed(20261123), ..Config::with_cases(60) })]

    #[test]
    fn no_bound_is_beaten(sample in samples(), multipliers in proptest::collection::vec(proptest::array::uniform16(multiplier()), 40)) {
        check_bounds(&sample, &multipliers);
    }

    #[test]
    fn certificates_of_random_instances_prove_nothing_false(sample in samples()) {
        check_certificates(&sample);
    }
}

/// How many instances of the corpus have a certificate, and which have none.
#[test]
fn the_corpus_is_certified() {
    let corpus = models::model_of::<Wpm>().corpus();
    let (mut number, mut without) = (0, Vec::new());
    for line in corpus.instances.lines() {
        let instance = Instance::from_yaml(line).unwrap();
        let problem = instance.problem::<Wpm>().unwrap();
        let (_, certificate) = certified(&problem, wpm::reading_for(&problem));
        number += 1;
        if let Err(why) = certificate {
            without.push(format!("{}: {why}", instance.name));
        }
    }
    println!("{} of {number} have no certificate:\n{}", without.len(), without.join("\n"));
    assert!(number > 300 && without.len() <= MOST_WITHOUT, "{} of {number} have none", without.len());
}

/// A claim that is one unit better than the optimum.
#[test]
fn a_wrong_optimum_is_refused() {
    let instance = Instance::from_file("instances/wpm/eight-gpus.yaml").unwrap();
    let problem = instance.problem::<Wpm>().unwrap();
    let reading = wpm::reading_for(&problem);
    let (_, certificate) = certified(&problem, reading);
    let certificate = certificate.unwrap();
    let question = plain(&problem, reading);
    let checker = Checker::new(&question).unwrap();
    for (number, claim) in certificate.claims.iter().enumerate() {
        let Claimed::Best { stage, value } = &claim.claimed else { panic!("there is a solution") };
        let unit = checker.unit(question.stages[number]);
        let worse = if stage == Goal::Reward.name() { Amount::ZERO - unit } else { unit };
        let mut wrong = certificate.clone();
        wrong.claims[number].claimed = Claimed::Best { stage: stage.clone(), value: *value + worse };
        let refusal = checker.check(&wrong).expect_err(stage);
        assert!(refusal.reason.contains("not refuted") && refusal.line > claim.line, "{refusal}");
    }
}

//! Certificates: no bound is beaten by a plan, real certificates are accepted, and what proves something false is refused.

use certificate::migrator::{Checker, Measure, Total};
use certificate::{
    Accepted, Certificate, Claimed, Explains, LARGEST_MULTIPLIER, Leaf, Range, Refusal, Refutes, Run, Step,
};
use ground::Amount;
use kit::{Formulation, SolveOptions, Wing};
use migrator::{CompactFormulation, Migrator, Problem, Reconfiguration, Score, Solution, plain, verify};
use models::{Instance, model_of};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::Control;
use solvers::solvers;
use support::certificates::mutations;
use support::instances::{posed, read, shipped};
use support::migrator::{
    A30, A100, Case, Family, Run as Retraining, UNITS, best, goodput, problem, random_proposal,
};

const READINGS: [Reconfiguration; 4] =
    [Reconfiguration::Clip, Reconfiguration::Carry, Reconfiguration::Frac, Reconfiguration::Charge];

/// A small window, of any reading.
fn window(seed: u64) -> Case {
    let reconfiguration = READINGS[seed as usize % READINGS.len()];
    let family = |models, slots, board| Family { models, slots, board, reconfiguration };
    Case::draw(
        seed,
        &match seed / 4 % 5 {
            0 => family(1..=1, 3..=8, &A100),
            1 => family(2..=2, 2..=5, &A100),
            2 => family(2..=2, 3..=8, &A30),
            3 => family(3..=3, 3..=4, &A30),
            _ => family(1..=2, 4..=6, &A30),
        },
    )
}

/// Prices of many magnitudes, and of some things alone.
fn leaf(random: &mut ChaCha8Rng, checker: &Checker<'_>, slots: usize) -> Leaf {
    let unit = [1, 1_000, 250_000, 1_000_000, 7_000_000][random.random_range(0..5)];
    let density = [0.0, 0.2, 0.9][random.random_range(0..3)];
    let mut leaf = Leaf { prices: vec![("unit".to_owned(), unit)], ..Leaf::default() };
    let names: Vec<String> = checker.priced().map(str::to_owned).collect();
    for name in names {
        if random.random_bool(density) {
            let (mut left, mut series) = (slots, Vec::new());
            while left > 0 {
                let count = random.random_range(1..=left);
                series.push(Run { number: random.random_range(-20..40), count: count as u32 });
                left -= count;
            }
            leaf.series.push((name, series));
        }
    }
    leaf
}

/// Goodput as answers say it.
fn value(goodput: i64) -> Amount {
    Amount::from_millionths((i128::from(goodput) * 1_000_000).div_euclid(i128::from(UNITS)))
}

/// A case in which the retraining of a plan is, by one of its numbers.
fn case_of(random: &mut ChaCha8Rng, checker: &Checker<'_>, numbers: &[[i128; 3]]) -> Vec<(Total, Range)> {
    let mut case = Vec::new();
    for _ in 0..random.random_range(0..4) {
        let (model, measure) = (random.random_range(0..numbers.len()), random.random_range(0..3));
        let (total, number) = (Total { model, measure: Measure::ALL[measure] }, numbers[model][measure]);
        let at = number + random.random_range(-2..3);
        let [first, second] = checker.split(total, at, &case);
        case.push((total, if number <= at { first } else { second }));
    }
    case
}

#[test]
fn no_bound_is_beaten_and_no_plan_refuted() {
    let (mut bounds, mut refused) = (0, 0);
    for seed in 0..400 {
        let window = window(seed);
        let problem = problem(window.yaml());
        let question = plain(&problem);
        let checker = Checker::new(&question).expect("the question is sound");
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..6 {
            let Some(proposal) = random_proposal(&window, random) else { continue };
            let worth = goodput(&window, &proposal);
            let of_run = |run: &Retraining| {
                [run.from as i128, run.until as i128, i128::from(question.sizes[run.size].gpcs)]
            };
            let numbers: Vec<[i128; 3]> = proposal.retraining.iter().map(of_run).collect();
            for _ in 0..4 {
                let (leaf, case) =
                    (leaf(random, &checker, window.slots), case_of(random, &checker, &numbers));
                let bound = checker.bound(&leaf, &case, -(1 << 100)).expect("the numbers are moderate");
                let bound = bound.expect("there is a plan in the case");
                assert!(
                    i128::from(worth) * checker.atoms() * 1_000_000 <= bound * i128::from(UNITS),
                    "the bound {bound} is beaten at {leaf:?} in {case:?}\n{}",
                    window.yaml()
                );
                bounds += 1;
                let below = Amount::from_millionths(value(worth).millionths() - 1);
                let effort = [0, 300, Checker::MOST_EFFORT][random.random_range(0..3)];
                let refuted = checker.refute_within(&leaf, &[below], &case, effort);
                assert!(refuted.is_err(), "a plan is refuted at {leaf:?} in {case:?}\n{}", window.yaml());
                refused += 1;
            }
        }
    }
    assert!(bounds > 4_000 && refused == bounds, "{bounds} bounds");
}

/// What is left without one of the models is bounded at any prices.
#[test]
fn what_models_are_worth_is_not_less_than_it_is_said() {
    let (mut bounds, mut attained) = (0, 0);
    for seed in 3_000..3_200 {
        let window = self::window(seed);
        let Some(truth) = best(&window).filter(|_| window.models.len() > 1) else { continue };
        let problem = problem(window.yaml());
        let question = plain(&problem);
        let checker = Checker::new(&question).unwrap();
        let without = (0..window.models.len()).map(|model| {
            let mut others = self::window(seed);
            others.models.remove(model);
            best(&others).expect("the others can be retrained alone")
        });
        let without: Vec<i64> = without.collect();
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..4 {
            let leaf = leaf(random, &checker, window.slots);
            let explained = checker.explain(&leaf, &[value(truth)], &[], None).unwrap();
            assert_eq!(explained.items.len(), without.len());
            assert_eq!(explained.spans.last().map(|span| span.until), Some(window.slots));
            for (item, &best) in explained.items.iter().zip(&without) {
                let bound = (explained.bound + item.change) * i128::from(UNITS);
                let worth = i128::from(best) * checker.atoms() * 1_000_000;
                assert!(worth <= bound, "{worth} exceeds {bound} at {leaf:?} in {}", window.yaml());
                (bounds, attained) = (bounds + 1, attained + u32::from(worth == bound));
            }
        }
    }
    assert!(bounds > 400 && attained > 50, "{attained} of {bounds} bounds are attained");
}

/// Whatever the prices, a sweep with enough effort refutes what is not there: the checker finds the optimum of every small window.
#[test]
fn with_effort_any_prices_prove_the_optimum() {
    let (mut proved, mut infeasible) = (0, 0);
    // Windows in which a sweep without prices to speak of is not too wide.
    for (seed, window) in (1_000..1_400).map(|seed| (seed, window(seed))) {
        if window.models.len() > 1 && window.board == &A100 {
            continue;
        }
        let problem = problem(window.yaml());
        let question = plain(&problem);
        let checker = Checker::new(&question).unwrap();
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let leaf = leaf(random, &checker, window.slots);
        let refute = |values: &[Amount]| checker.refute_within(&leaf, values, &[], Checker::MOST_EFFORT);
        match best(&window) {
            Some(best) => {
                let best = value(best);
                assert_eq!(refute(&[best]), Ok(()), "{}", window.yaml());
                assert!(
                    refute(&[Amount::from_millionths(best.millionths() - 1)]).is_err(),
                    "{}",
                    window.yaml()
                );
                assert!(refute(&[]).is_err(), "{}", window.yaml());
                proved += 1;
            }
            None => {
                assert_eq!(refute(&[]), Ok(()), "{}", window.yaml());
                infeasible += 1;
            }
        }
    }
    assert!(proved > 100 && infeasible > 100, "{proved} proved, {infeasible} infeasible");
}

/// The certificate of the optimum, if there is one, and what the best plan is.
fn certified(problem: &Problem) -> (Option<(Solution, Score)>, Result<Certificate, String>) {
    let options = SolveOptions::exact(solvers()[0]);
    let solved = CompactFormulation.solve(problem, None, &options, &Control::silent()).unwrap();
    let best = solved.best.as_ref().map(|(solution, score)| (solution, score));
    let certificate = Migrator::certify(problem, "f", best, &options, &Control::silent());
    (solved.best, certificate)
}

/// Whether nothing is better than what is claimed to be the best, given what is the best.
fn is_true(claimed: &Accepted, truth: Option<Amount>) -> bool {
    match (claimed, truth) {
        (_, None) => true,
        (Accepted::Infeasible, Some(_)) => false,
        (Accepted::Optimal(claimed), Some(truth)) => claimed[0] >= truth,
    }
}

#[test]
fn certificates_of_random_windows_prove_nothing_false() {
    let mut accepted = 0;
    for seed in 2_000..2_060 {
        let window = window(seed);
        let problem = problem(window.yaml());
        let truth = best(&window).map(value);
        let certificate = certified(&problem).1.unwrap();
        let question = plain(&problem);
        let checker = Checker::new(&question).unwrap();
        let proved =
            checker.check(&certificate).expect("certificates are checked before they are given away");
        assert_eq!(proved == Accepted::Infeasible, truth.is_none(), "{}", window.yaml());
        let explanation = Migrator::explain(&problem, None, &certificate).expect("it is a proof");
        let bound = explanation.claims[0].cases[0].bound;
        assert_eq!(bound, truth, "{}", window.yaml());
        let text = certificate.to_string();
        assert_eq!(Certificate::parse(&text).unwrap().to_string(), text);
        for mutated in mutations(&text) {
            let Ok(mutated) = Certificate::parse(&mutated) else { continue };
            if let Ok(claimed) = checker.check(&mutated) {
                accepted += 1;
                assert!(is_true(&claimed, truth), "a false claim is accepted: {mutated}{}", window.yaml());
            }
        }
    }
    assert!(accepted > 100, "{accepted} mutations are accepted");
}

/// How many instances of the corpus have a certificate, and which have none.
#[test]
fn the_corpus_is_certified() {
    let corpus = model_of::<Migrator>().corpus();
    let (mut number, mut bytes, mut most, mut without) = (0, 0, 0, Vec::new());
    for line in corpus.instances.lines() {
        let instance = Instance::from_yaml(line).unwrap();
        let problem = instance.problem::<Migrator>().unwrap();
        number += 1;
        match certified(&problem).1 {
            Ok(certificate) => {
                bytes += certificate.to_string().len();
                most = certificate.to_string().len().max(most);
            }
            Err(why) => without.push(format!("{}: {why}", instance.name)),
        }
    }
    println!(
        "{number} instances, {bytes} bytes, {most} at most, {} without:\n{}",
        without.len(),
        without.join("\n")
    );
    assert!(number > 320 && without.is_empty(), "{} of {number} have none", without.len());
}

/// The window of the paper's size has a certificate of some kilobytes.
#[test]
fn a_window_of_200_slots_has_a_certificate() {
    let problem = posed::<Migrator>(&read(shipped("migrator", "w1")));
    let (best, certificate) = certified(&problem);
    let (solution, score) = best.unwrap();
    let certificate = certificate.unwrap();
    let again = Migrator::certify(
        &problem,
        "f",
        Some((&solution, &score)),
        &SolveOptions::exact(solvers()[0]),
        &Control::silent(),
    );
    assert_eq!(again.as_ref(), Ok(&certificate));
    let size = certificate.to_string().len();
    println!("{size} bytes, {} steps", certificate.claims[0].proof.len());
    assert!(size < 150_000, "{size} bytes");
}

/// What the checker says of a certificate that was changed.
fn refusal(checker: &Checker<'_>, certificate: &Certificate, change: &dyn Fn(&mut Certificate)) -> Refusal {
    let mut wrong = certificate.clone();
    change(&mut wrong);
    checker.check(&wrong).expect_err("it is wrong")
}

/// Claims that are a millionth below the optimum, names of what is not there, and other questions.
#[test]
fn wrong_claims_are_refused() {
    let problem = posed::<Migrator>(&read(shipped("migrator", "tiny")));
    let (best, certificate) = certified(&problem);
    let (solution, certificate) = (best.unwrap().0, certificate.unwrap());
    let score = verify(&problem, &solution.plan).score;
    let question = plain(&problem);
    let checker = Checker::new(&question).unwrap();
    let refused = |words: &str, change: &dyn Fn(&mut Certificate)| {
        let refusal = refusal(&checker, &certificate, change);
        assert!(refusal.reason.contains(words), "{words}: {refusal}");
    };
    let claim = |value: Amount| {
        move |wrong: &mut Certificate| {
            wrong.claims[0].claimed = Claimed::Best { stage: "goodput".to_owned(), value };
        }
    };
    let below = Amount::from_millionths(score.goodput.millionths() - 1);
    refused("a better plan is not refuted", &claim(below));
    refused("is not refuted: the retrainings can be finished", &|wrong| {
        wrong.claims[0].claimed = Claimed::Infeasible;
    });
    refused("it is not about the reading `clip, instance, count`", &|wrong| {
        wrong.reading = Some("carry, instance, count".to_owned());
    });
    let with = |change: &dyn Fn(&mut Leaf), words: &str| {
        refused(words, &|wrong| {
            let leaves = wrong.claims[0].proof.iter_mut();
            let mut leaves =
                leaves.filter_map(|step| if let Step::Leaf(leaf) = step { Some(leaf) } else { None });
            change(leaves.next().unwrap());
        });
    };
    let series = |name: &str, number: i64, count: u32| vec![(name.to_owned(), vec![Run { number, count }])];
    with(&|leaf| leaf.series = series("9g", 1, 1), "`9g` is nothing that has a price");
    with(&|leaf| leaf.series = series("1g", 1, 7), "`1g` has more prices than the window has slots");
    with(&|leaf| leaf.series = series("1g", 0, u32::MAX), "`1g` has more prices than the window has slots");
    with(&|leaf| leaf.prices.push(("1g".to_owned(), 3)), "`1g` has no price that holds for all slots");
    with(&|leaf| leaf.goals.push(("goodput".to_owned(), 1)), "have no multipliers here");
    with(
        &|leaf| {
            leaf.prices = vec![("unit".to_owned(), LARGEST_MULTIPLIER)];
            leaf.series = series("1g", LARGEST_MULTIPLIER, 2);
        },
        "too large to be added up",
    );
    let other = posed::<Migrator>(&read(shipped("migrator", "swing")));
    let other = plain(&other);
    assert!(Checker::new(&other).unwrap().check(&certificate).is_err());
}

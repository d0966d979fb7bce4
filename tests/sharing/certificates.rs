//! Certificates: no bound is beaten by a packing, real certificates are accepted, and what proves something false is refused.

use crate::small::options;
use certificate::sharing::{Checker, Question, Stage};
use certificate::{Accepted, Certificate, Claimed, LARGEST_MULTIPLIER, Leaf, Multipliers, Range, Refutes};
use ground::Amount;
use kit::{SolveOptions, Wing};
use models::{Instance, InstanceFile, model_of};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sharing::{
    COMPACT, Family, GeneratorOptions, Packing, Problem, Score, Sharing, generate, plain, solve, verify,
};
use solver::Control;
use solvers::solvers;
use std::time::Instant;
use support::certificates::mutations;
use support::instances::{posed, written};
use support::sharing::random::{Family as SmallFamily, instance};
use support::sharing::{all_packings, best_values, problem};

const SMALL: SmallFamily = SmallFamily { most_vms: 6, most_servers: 3 };

/// A number of many magnitudes, and none as often as not.
fn multiplier(random: &mut ChaCha8Rng) -> i64 {
    match random.random_range(0..14) {
        0..4 => 0,
        4..9 => random.random_range(0..20),
        9..13 => random.random_range(0..3_000),
        _ => random.random_range(0..1_000_000),
    }
}

fn leaf(random: &mut ChaCha8Rng, checker: &Checker<'_>, question: &Question<'_>) -> Leaf {
    let mut named = |names: Vec<String>| -> Multipliers {
        names.into_iter().map(|name| (name, multiplier(random))).collect()
    };
    let prices = named(checker.type_names().map(str::to_owned).collect());
    let goals = named(vec!["servers".to_owned()]);
    let totals = question.resources.iter().map(|name| format!("requested:{name}"));
    let mut totals = named(totals.chain(["pages".to_owned()]).collect());
    // Mostly prices of virtual machines decide, and mostly one total.
    totals.retain(|_| random.random_bool(0.3));
    Leaf { prices, goals, totals, ..Leaf::default() }
}

/// A legal packing: what it costs in units, how far it reaches, and how many servers of each kind it uses.
struct Legal {
    cost: i128,
    reach: usize,
    in_use: Vec<i128>,
}

fn legal(problem: &Problem, checker: &Checker<'_>) -> Vec<Legal> {
    let legal = |packing: Packing| {
        let verified = verify(problem, &packing);
        let cost =
            verified.score.cost.in_units_of(checker.unit()).expect("costs are multiples of their unit");
        let mut in_use = vec![0; checker.kinds()];
        for (server, vms) in packing.by_server(problem.servers.len()).iter().enumerate() {
            in_use[checker.kind_of(server)] += i128::from(!vms.is_empty());
        }
        let reach = verified.score.reach as usize;
        verified.violations.is_empty().then_some(Legal { cost, reach, in_use })
    };
    all_packings(problem).filter_map(legal).collect()
}

#[test]
fn no_bound_is_beaten() {
    let (mut bounds, mut tight) = (0, 0);
    for seed in 0..150 {
        let yaml = instance(seed, &SMALL);
        let problem = problem(&yaml);
        let question = plain(&problem);
        let checker = Checker::new(&question).expect("the question is sound");
        let legal = legal(&problem, &checker);
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..40 {
            let leaf = leaf(random, &checker, &question);
            let first = random.random_range(0..=problem.servers.len());
            let mut case = Vec::new();
            if random.random_bool(0.5) {
                let kind = random.random_range(0..checker.kinds());
                case.push((
                    kind,
                    checker.split(kind, random.random_range(0..3), &case)[random.random_range(0..2)],
                ));
            }
            let effort = [0, 40, Checker::MOST_EFFORT][random.random_range(0..3)];
            let (earned, bound) =
                checker.bound(&leaf, first, &case, effort).expect("the numbers are moderate");
            let is_in = |legal: &&Legal| {
                let of = |&(kind, Range { least, greatest }): &(usize, Range)| {
                    (least..=greatest).contains(&legal.in_use[kind])
                };
                legal.reach <= first && case.iter().all(of)
            };
            let worth = |legal: &Legal| earned - i128::from(leaf.goals[0].1) * legal.cost;
            let best = legal.iter().filter(is_in).map(worth).max();
            bounds += u32::from(best.is_some());
            tight += u32::from(best == Some(bound));
            assert!(
                best.is_none_or(|best| best <= bound),
                "{best:?} is above the bound {bound} at {leaf:?} on {first} servers in {case:?}\n{yaml}"
            );
        }
    }
    assert!(bounds > 1_500 && tight > 300, "{tight} of {bounds} bounds are tight");
}

/// The certificate of the optimum, if there is one, and what the best packing is.
fn certified(problem: &Problem) -> (Option<(Packing, Score)>, Result<Certificate, String>) {
    let options = SolveOptions::exact(solvers()[0]);
    let solved = solve(problem, &COMPACT, None, &options, &Control::silent()).unwrap();
    let best = solved.best.as_ref().map(|(packing, score)| (packing, score));
    let certificate = Sharing::certify(problem, "f", best, &options, &Control::silent());
    (solved.best, certificate)
}

/// Whether nothing is better than what is claimed to be the best, given what is the best.
fn is_true(claimed: &Accepted, truth: Option<&Vec<Amount>>) -> bool {
    match (claimed, truth) {
        (_, None) => true,
        (Accepted::Infeasible, Some(_)) => false,
        (Accepted::Optimal(claimed), Some(truth)) => claimed <= truth,
    }
}

/// What the servers are below their best is no more than what the bound is beyond the value.
fn check_explanation(problem: &Problem, best: Option<&Packing>, certificate: &Certificate) {
    let explanation = Sharing::explain(problem, best, certificate).expect("the certificate is a proof");
    for claim in &explanation.claims {
        let [case] = claim.cases.as_slice() else { continue };
        let (Some(bound), Some(value)) = (case.bound, claim.value) else { continue };
        let below: Vec<i128> = case
            .parts
            .iter()
            .flat_map(|part| part.below.iter().flatten())
            .map(|below| below.by.millionths())
            .collect();
        assert!(below.iter().all(|by| *by > 0), "{claim:?}");
        assert!(below.iter().sum::<i128>() <= (value - bound).millionths() + 20, "{claim:?}");
    }
}

#[test]
fn certificates_of_random_instances_prove_nothing_false() {
    let (mut without, mut accepted) = (0, 0);
    for seed in 0..120 {
        let yaml = instance(seed, &SMALL);
        let problem = problem(&yaml);
        let truth = best_values(&problem);
        let (best, certificate) = certified(&problem);
        let Ok(certificate) = certificate else {
            without += 1;
            continue;
        };
        let question = plain(&problem);
        let checker = Checker::new(&question).unwrap();
        let proved =
            checker.check(&certificate).expect("certificates are checked before they are given away");
        assert_eq!(proved == Accepted::Infeasible, truth.is_none(), "{yaml}");
        check_explanation(&problem, best.as_ref().map(|(packing, _)| packing), &certificate);
        let text = certificate.to_string();
        assert_eq!(Certificate::parse(&text).unwrap().to_string(), text);
        for mutated in mutations(&text) {
            let Ok(mutated) = Certificate::parse(&mutated) else { continue };
            if let Ok(claimed) = checker.check(&mutated) {
                accepted += 1;
                assert!(is_true(&claimed, truth.as_ref()), "a false claim is accepted: {mutated}{yaml}");
            }
        }
    }
    assert!(without <= 2 && accepted > 100, "{without} have none, {accepted} mutations are accepted");
}

/// How many instances of the corpus have a certificate, and which have none.
#[test]
fn the_corpus_is_certified() {
    let corpus = model_of::<Sharing>().corpus();
    let (mut number, mut bytes, mut without) = (0, 0, Vec::new());
    for line in corpus.instances.lines() {
        let instance = Instance::from_yaml(line).unwrap();
        let problem = instance.problem::<Sharing>().unwrap();
        let (_, certificate) = certified(&problem);
        number += 1;
        match certificate {
            Ok(certificate) => bytes += certificate.to_string().len(),
            Err(why) => without.push(format!("{}: {why}", instance.name)),
        }
    }
    println!("{number} instances, {bytes} bytes, {} without:\n{}", without.len(), without.join("\n"));
    assert!(number > 390 && without.is_empty(), "{} of {number} have none", without.len());
}

/// A stream of a thousand virtual machines is proved by counting.
#[test]
fn a_long_stream_has_a_short_certificate() {
    let of_stream = GeneratorOptions { low_thousandths: Some(850), ..options(Family::Stream, 1_000) };
    let file = InstanceFile::of::<Sharing>(generate(&of_stream));
    let problem = posed::<Sharing>(&written(&file));
    let began = Instant::now();
    let (best, certificate) = certified(&problem);
    println!("solved and certified in {:?}", began.elapsed());
    let certificate = certificate.unwrap();
    let best = best.unwrap();
    let began = Instant::now();
    let again = Sharing::certify(
        &problem,
        "f",
        Some((&best.0, &best.1)),
        &SolveOptions::exact(solvers()[0]),
        &Control::silent(),
    );
    println!("certified in {:?}: {certificate}", began.elapsed());
    assert_eq!(again.as_ref(), Ok(&certificate));
    assert!(certificate.to_string().len() < 300);
}

/// Claims that are one unit better than the optimum, and claims about other goals.
#[test]
fn wrong_claims_are_refused() {
    let instance = Instance::from_file("instances/sharing/first-m-of-the-order.yaml").unwrap();
    let problem = instance.problem::<Sharing>().unwrap();
    let (_, certificate) = certified(&problem);
    let certificate = certificate.unwrap();
    let question = plain(&problem);
    let checker = Checker::new(&question).unwrap();
    for (number, claim) in certificate.claims.iter().enumerate() {
        let Claimed::Best { stage, value } = &claim.claimed else { panic!("there is a packing") };
        let unit = if question.stages[number] == Stage::Reach { Amount::ONE } else { checker.unit() };
        let mut wrong = certificate.clone();
        wrong.claims[number].claimed = Claimed::Best { stage: stage.clone(), value: *value + unit };
        let refusal = checker.check(&wrong).expect_err(stage);
        assert!(refusal.reason.contains("not refuted") && refusal.line > claim.line, "{refusal}");
    }
    let refused = |change: &dyn Fn(&mut Certificate), words: &str| {
        let mut wrong = certificate.clone();
        change(&mut wrong);
        let refusal = checker.check(&wrong).expect_err(words);
        assert!(refusal.reason.contains(words), "{words}: {refusal}");
    };
    let first = |change: &dyn Fn(&mut Leaf), certificate: &mut Certificate| {
        let certificate::Step::Leaf(leaf) = &mut certificate.claims[0].proof[0] else {
            panic!("it is a leaf")
        };
        change(leaf);
    };
    refused(&|wrong| wrong.claims.swap(0, 1), "the goal that comes here is `reach`, not `servers`");
    refused(&|wrong| wrong.claims[1] = wrong.claims[0].clone(), "the goal that comes here is `servers`");
    refused(&|wrong| wrong.claims.truncate(1), "it has 1 goals, and the question has 2");
    refused(&|wrong| wrong.reading = Some("printed".to_owned()), "it is about a reading `printed`");
    let named = |name: &str, number: i64| vec![(name.to_owned(), number)];
    let priced = |name: &'static str, number: i64| move |leaf: &mut Leaf| leaf.prices = named(name, number);
    refused(&|wrong| first(&priced("nobody", 1), wrong), "`nobody` is no type of virtual machines");
    let vm = checker.type_names().next().unwrap();
    refused(&|wrong| first(&|leaf| leaf.prices = named(vm, -1), wrong), "is negative: that proves nothing");
    refused(&|wrong| first(&|leaf| leaf.goals = named("servers", 1), wrong), "the cost is not limited here");
    refused(
        &|wrong| first(&|leaf| leaf.goals = named("reach", 1), wrong),
        "`reach` is no goal with a multiplier",
    );
    refused(
        &|wrong| first(&|leaf| leaf.totals = named("moons", 1), wrong),
        "`moons` is no total with a multiplier",
    );
}

/// Numbers whose products leave 128 bits are refused, in sums of any size.
#[test]
fn absurd_numbers_are_refused() {
    let problem = problem(
        "
name: huge
sharing:
  servers:
    - {name: s, count: 2, memory_pages: 500000000000000, capacity: {cpu: 999999999}}
  components: {base: 100000000000000}
  vms:
    - {name: large, memory_pages: 300000000000000, request: {cpu: 999999999}, components: [base]}
    - {name: small, memory_pages: 100000000000001, request: {cpu: 0.000001}, components: [base]}
",
    );
    let question = plain(&problem);
    let checker = Checker::new(&question).unwrap();
    for (total, is_too_large) in [("requested:cpu", true), ("pages", true), ("none", false)] {
        for number in [1, LARGEST_MULTIPLIER] {
            let mut leaf = Leaf { prices: vec![("large".to_owned(), number)], ..Leaf::default() };
            if total != "none" {
                leaf.totals = vec![(total.to_owned(), number)];
            }
            let bound = checker.bound(&leaf, 2, &[], Checker::MOST_EFFORT);
            assert_eq!(bound.is_err(), is_too_large && number > 1, "{total} {number}: {bound:?}");
        }
    }
}

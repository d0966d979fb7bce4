//! Certificates: no bound is beaten by a placement, real certificates are accepted, and what proves something false is refused.

use crate::differential::{check_drawn, goals, objective, samples, solve, where_starts_cost};
use certificate::siavashi::{Checker, Effort, Question, Stage, Term, Total};
use certificate::{Accepted, Certificate, Claimed, LARGEST_MULTIPLIER, Leaf, Multipliers, Range, Refutes};
use cluster::Placement;
use ground::Amount;
use itertools::Itertools;
use kit::{SolveOptions, Wing};
use migopt::testing::strategies::Sample;
use models::{Instance, InstanceFile, model_of};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use siavashi::{GeneratorOptions, Mix, Problem, Residents, Siavashi, Solved, plain, verify};
use solver::Control;
use solvers::solvers;
use std::cell::Cell;
use std::time::Instant;
use support::certificates::mutations;
use support::instances::{posed, written};
use support::siavashi::problem;
use support::siavashi::ruled::Ruled;
use support::siavashi::trial::{Goals, Trial};

/// The least effort that tables exceed, one that is soon at its end, and the whole.
const EFFORTS: [Effort; 3] = [Effort::TABLES, Effort { states: 3, steps: 40 }, Effort::FULL];

/// A number of many magnitudes, and none as often as not.
fn multiplier(random: &mut ChaCha8Rng) -> i64 {
    match random.random_range(0..14) {
        0..6 => 0,
        6..10 => random.random_range(-10..20),
        10..13 => random.random_range(-300..3_000),
        _ => random.random_range(-1_000_000..1_000_000),
    }
}

/// All totals of a question.
fn totals(checker: &Checker<'_>) -> Vec<Total> {
    let (types, kinds) = (0..checker.types(), 0..checker.kinds());
    let pairs = types.clone().flat_map(|of| kinds.clone().map(move |kind| Total::PlacedOn(of, kind)));
    let mut totals = vec![Total::Machines, Total::Gpus, Total::Moved];
    totals.extend(kinds.clone().flat_map(|kind| [Total::MachinesOf(kind), Total::GpusOf(kind)]));
    totals.extend(types.map(Total::Placed).chain(pairs));
    totals
}

fn leaf(random: &mut ChaCha8Rng, checker: &Checker<'_>, question: &Question<'_>) -> Leaf {
    let mut leaf = Leaf::default();
    let mut has_many = random.random_bool(0.3);
    for total in totals(checker) {
        let name = checker.name(total);
        let number = (name.clone(), multiplier(random));
        match total {
            Total::Placed(_) => leaf.prices.push((name["placed:".len()..].to_owned(), number.1)),
            _ if has_many => leaf.totals.push(number),
            _ => {}
        }
        has_many &= random.random_bool(0.9);
    }
    for stage in &question.stages {
        let number = multiplier(random);
        // Mostly migrations count, and then not as a gain.
        let number = if stage.name() == "migrations" { number.abs() } else { number };
        leaf.goals.push((stage.name().to_owned(), number));
    }
    leaf
}

/// What a placement with these values of the goals is worth at the multipliers of a leaf.
fn worth(
    checker: &Checker<'_>,
    problem: &Problem,
    question: &Question<'_>,
    leaf: &Leaf,
    goals: &Goals,
) -> i128 {
    let [acceptance, hardware, migrations] = goals.map(Amount::from_millionths);
    let of_goal = |(name, multiplier): &(String, i64)| {
        let number = question.stages.iter().position(|stage| stage.name() == name).unwrap();
        let (sign, value) = match question.stages[number] {
            Stage::Of(Term::Acceptance) => (1, acceptance),
            Stage::Of(Term::Hardware) => (-1, hardware),
            Stage::Of(Term::Migrations) => (-1, migrations),
            Stage::Weighted(_) => (1, problem.weighted_sum().unwrap().of([acceptance, hardware, migrations])),
        };
        let units = value.in_units_of(checker.unit(number).0).expect("values are multiples of units");
        i128::from(*multiplier) * sign * units
    };
    leaf.goals.iter().map(of_goal).sum()
}

/// What a total is in a placement.
fn total_of(checker: &Checker<'_>, problem: &Problem, placement: &Placement, total: Total) -> i128 {
    let by_gpu = placement.by_gpu(&problem.cluster);
    let machines = || problem.machine_indices().enumerate();
    let in_use = |index| {
        problem.machine(index).gpus.iter().filter(|gpu| !by_gpu[gpu.index()].is_empty()).count() as i128
    };
    let placed = |of: usize, kind: Option<usize>| {
        let is_counted = |workload: &cluster::WorkloadIndex| {
            let place = placement.of(*workload);
            let on = place.map(|place| checker.kind_of(problem.machine_of(place.gpu).index()));
            checker.type_of(*workload) == Some(of) && on.is_some() && (kind.is_none() || on == kind)
        };
        problem.cluster.workload_indices().filter(is_counted).count() as i128
    };
    match total {
        Total::Machines => machines().filter(|&(_, index)| in_use(index) > 0).count() as i128,
        Total::Gpus => machines().map(|(_, index)| in_use(index)).sum(),
        Total::MachinesOf(kind) => {
            let counts = |&(number, index): &(usize, _)| checker.kind_of(number) == kind && in_use(index) > 0;
            machines().filter(counts).count() as i128
        }
        Total::GpusOf(kind) => machines()
            .filter(|&(number, _)| checker.kind_of(number) == kind)
            .map(|(_, index)| in_use(index))
            .sum(),
        Total::Moved => {
            let moves = |workload: &cluster::WorkloadIndex| {
                let gpu = |place: cluster::Location| place.gpu;
                problem.is_resident(*workload)
                    && problem.current(*workload).map(gpu) != placement.of(*workload).map(gpu)
            };
            problem.cluster.workload_indices().filter(moves).count() as i128
        }
        Total::Placed(of) => placed(of, None),
        Total::PlacedOn(of, kind) => placed(of, Some(kind)),
    }
}

/// How many bounds there were, and how many of them something attains.
#[derive(Default)]
struct Tight(Cell<(u32, u32)>);

impl Tight {
    fn count(&self, is_tight: bool) {
        let (all, tight) = self.0.get();
        self.0.set((all + 1, tight + u32::from(is_tight)));
    }
}

/// No placement is worth more than the bound, whatever the multipliers.
fn check_bounds(yaml: &str, seed: u64, attainable: impl Fn(&Problem) -> Option<Vec<Goals>>, tight: &Tight) {
    let problem = problem(yaml);
    let Some(attainable) = attainable(&problem) else { return };
    let question = plain(&problem);
    let checker = Checker::new(&question).expect("the question is sound");
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    for number in 0..30 {
        let leaf = leaf(random, &checker, &question);
        let Ok(bound) = checker.bound(&leaf, &[], EFFORTS[number % 3]) else { continue };
        let worths = attainable.iter().map(|goals| worth(&checker, &problem, &question, &leaf, goals));
        let best = worths.max();
        tight.count(best == Some(bound));
        assert!(
            best.is_none_or(|best| best <= bound),
            "{best:?} is above the bound {bound} at {leaf:?}\n{yaml}"
        );
    }
}

#[test]
fn no_bound_is_beaten() {
    let tight = Tight::default();
    let attainable =
        |problem: &Problem| Some(Trial::new(problem, problem.residents).attainable().into_iter().collect());
    check_drawn(samples(), 120, |sample, seed| check_bounds(&sample.text, seed, attainable, &tight));
    check_drawn(samples(), 60, |sample, seed| {
        check_bounds(&where_starts_cost(sample, seed).text, seed, attainable, &tight);
    });
    let (all, tight) = tight.0.get();
    assert!(all > 3_000 && tight > 100, "{tight} of {all} bounds are attained");
}

#[test]
fn no_bound_is_beaten_under_rules() {
    let tight = Tight::default();
    let attainable = |problem: &Problem| Some(Ruled::new(problem).attainable()?.into_iter().collect());
    check_drawn(crate::rules::samples(), 150, |sample, seed| {
        check_bounds(&sample.text, seed, attainable, &tight);
    });
    assert!(tight.0.get().0 > 1_500, "{:?}", tight.0.get());
}

/// Bounds of cases, against placements drawn at random.
#[test]
fn no_bound_of_a_case_is_beaten() {
    let (met, tight) = (Cell::new(0), Tight::default());
    check_drawn(samples(), 150, |sample, seed| {
        let yaml = &sample.text;
        let problem = problem(yaml);
        let question = plain(&problem);
        let checker = Checker::new(&question).expect("the question is sound");
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let trial = Trial::new(&problem, problem.residents);
        let mut placements: Vec<Placement> =
            (0..20).map(|_| trial.random_placement(random.random())).collect();
        placements.push(problem.cluster.current_placement());
        for number in 0..30 {
            let leaf = leaf(random, &checker, &question);
            let all = totals(&checker);
            let mut case: Vec<(Total, Range)> = Vec::new();
            for _ in 0..random.random_range(1..4) {
                let total = all[random.random_range(0..all.len())];
                let sides = checker.split(total, random.random_range(0..4), &case);
                case.push((total, sides[random.random_range(0..2)]));
            }
            let Ok(bound) = checker.bound(&leaf, &case, EFFORTS[number % 3]) else { continue };
            let is_in = |placement: &&Placement| {
                case.iter().all(|&(total, Range { least, greatest })| {
                    (least..=greatest).contains(&total_of(&checker, &problem, placement, total))
                })
            };
            let best = placements.iter().filter(is_in).map(|placement| {
                let score = verify(&problem, placement).score;
                worth(&checker, &problem, &question, &leaf, &goals(&score))
            });
            let best = best.max();
            met.set(met.get() + u32::from(best.is_some()));
            tight.count(best == Some(bound));
            assert!(
                best.is_none_or(|best| best <= bound),
                "{best:?} is above {bound} at {leaf:?} in {case:?}\n{yaml}"
            );
        }
    });
    assert!(met.get() > 800 && tight.0.get().1 > 10, "{} cases, {:?}", met.get(), tight.0.get());
}

/// The answer and the certificate of the optimum, if there is one.
pub fn certified(problem: &Problem, yaml: &str) -> (Solved, Result<Certificate, String>) {
    let options = SolveOptions::exact(solvers()[0]);
    let solved = solve(problem, &options, yaml);
    let best = solved.best.as_ref().map(|(placement, score)| (placement, score));
    let certificate = Siavashi::certify(problem, "f", best, &options, &Control::silent());
    (solved, certificate)
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
                Stage::Of(Term::Acceptance) | Stage::Weighted(_) => claimed > truth,
                Stage::Of(_) => claimed < truth,
            })
        }
    }
}

/// Certificates of what trying all placements finds prove it, and nothing false when they are changed.
fn check_certificates(sample: &Sample, attainable: Option<Vec<Goals>>, counts: &Cell<(u32, u32, u32)>) {
    let yaml = &sample.text;
    let Some(attainable) = attainable else { return };
    let problem = problem(yaml);
    let (solved, certificate) = certified(&problem, yaml);
    let (number, without, accepted) = counts.get();
    counts.set((number + 1, without + u32::from(certificate.is_err()), accepted));
    let best = attainable.iter().map(|goals| objective(sample).worth(goals)).max();
    let found = solved.best.as_ref().map(|(_, score)| objective(sample).worth(&goals(score)));
    assert_eq!(found, best, "{yaml}");
    let Ok(certificate) = certificate else { return };
    let question = plain(&problem);
    let checker = Checker::new(&question).unwrap();
    let truth = checker.check(&certificate).expect("certificates are checked before they are given away");
    assert_eq!(truth == Accepted::Infeasible, best.is_none(), "{yaml}");
    let text = certificate.to_string();
    assert_eq!(Certificate::parse(&text).unwrap().to_string(), text);
    for mutated in mutations(&text) {
        let Ok(mutated) = Certificate::parse(&mutated) else { continue };
        if let Ok(claimed) = checker.check(&mutated) {
            let (number, without, accepted) = counts.get();
            counts.set((number, without, accepted + 1));
            assert!(is_true(&question, &claimed, &truth), "a false claim is accepted: {mutated}{yaml}");
        }
    }
}

#[test]
fn certificates_of_random_instances_prove_nothing_false() {
    let counts = Cell::new((0, 0, 0));
    check_drawn(samples(), 60, |sample, seed| {
        let sample = if seed % 3 == 0 { &where_starts_cost(sample, seed) } else { sample };
        let problem = problem(&sample.text);
        let attainable = Trial::new(&problem, problem.residents).attainable();
        check_certificates(sample, Some(attainable.into_iter().collect()), &counts);
    });
    let (number, without, accepted) = counts.get();
    println!("{without} of {number} have none, {accepted} mutations are accepted");
    assert!(without * 10 <= number && accepted > 100, "{:?}", counts.get());
}

#[test]
fn certificates_under_rules_prove_nothing_false() {
    let counts = Cell::new((0, 0, 0));
    check_drawn(crate::rules::samples(), 60, |sample, _| {
        let problem = problem(&sample.text);
        let attainable = Ruled::new(&problem).attainable().map(|goals| goals.into_iter().collect());
        check_certificates(sample, attainable, &counts);
    });
    let (number, without, _) = counts.get();
    println!("{without} of {number} have none");
    assert!(without * 2 <= number, "{:?}", counts.get());
}

/// How many instances of the corpus have a certificate, and which have none.
#[test]
fn the_corpus_is_certified() {
    let corpus = model_of::<Siavashi>().corpus();
    let (mut bytes, mut without) = (Vec::new(), Vec::new());
    let mut seconds = [0.0; 3];
    for line in corpus.instances.lines() {
        let instance = Instance::from_yaml(line).unwrap();
        let problem = instance.problem::<Siavashi>().unwrap();
        let options = SolveOptions::exact(solvers()[0]);
        let began = Instant::now();
        let solved = solve(&problem, &options, line);
        seconds[0] += began.elapsed().as_secs_f64();
        let best = solved.best.as_ref().map(|(placement, score)| (placement, score));
        let began = Instant::now();
        let certificate = Siavashi::certify(&problem, "f", best, &options, &Control::silent());
        seconds[1] += began.elapsed().as_secs_f64();
        match certificate {
            Ok(certificate) => {
                bytes.push(certificate.to_string().len());
                let began = Instant::now();
                assert!(Siavashi::check_certificate(&problem, best, &certificate).is_ok());
                seconds[2] += began.elapsed().as_secs_f64();
            }
            Err(why) => without.push(format!("{}: {why}", instance.name)),
        }
    }
    let (number, all) = (bytes.len() + without.len(), bytes.iter().sum::<usize>());
    let (mean, most) = (all / bytes.len().max(1), bytes.iter().max());
    println!("{number} instances, {} without:\n{}", without.len(), without.join("\n"));
    println!("{mean} bytes in the mean, {most:?} at most; solved, made and checked in {seconds:.2?}");
    assert!(number > 290 && without.len() <= MOST_WITHOUT, "{} of {number} have none", without.len());
}

/// Instances of the corpus whose proof needs other cases than those by totals: eviction-002 and -004, pinned-007, migration-costs-012,
/// orders-009 and -016.
const MOST_WITHOUT: usize = 6;

fn interval(mix: Mix, workloads: u32, load: f64, setting: Residents) -> Problem {
    let options = GeneratorOptions { workloads, load, mix, setting, seed: 1, ..GeneratorOptions::default() };
    posed::<Siavashi>(&written(&InstanceFile::of::<Siavashi>(siavashi::generate(&options))))
}

/// Whole intervals are proved by few numbers, the same every time; the slow ones are asked once.
#[test]
fn generated_intervals_are_certified() {
    for (mix, workloads, load, setting, times) in [
        (Mix::Light, 20, 1.2, Residents::Keep, 2),
        (Mix::Light, 50, 1.2, Residents::Keep, 1),
        (Mix::Trace, 20, 1.2, Residents::Evictable, 2),
        (Mix::Trace, 20, 0.6, Residents::Keep, 1),
    ] {
        let problem = interval(mix, workloads, load, setting);
        let certify = |_| certified(&problem, "generated").1.unwrap().to_string();
        let certificates: Vec<String> = (0..times).map(certify).collect();
        assert!(certificates[0].len() < 6_000, "{}", certificates[0]);
        assert!(certificates.iter().all_equal());
    }
}

/// Claims that are one unit better than the optimum, and claims about other goals.
#[test]
fn wrong_claims_are_refused() {
    let problem = interval(Mix::Trace, 16, 1.2, Residents::Evictable);
    let (_, certificate) = certified(&problem, "generated");
    let certificate = certificate.unwrap();
    let question = plain(&problem);
    let checker = Checker::new(&question).unwrap();
    for (number, claim) in certificate.claims.iter().enumerate() {
        let Claimed::Best { stage, value } = &claim.claimed else { panic!("there is a placement") };
        let (unit, _) = checker.unit(number);
        let worse = if stage == "acceptance" { Amount::ZERO - unit } else { unit };
        let mut wrong = certificate.clone();
        wrong.claims[number].claimed = Claimed::Best { stage: stage.clone(), value: *value + worse };
        let refusal = checker.check(&wrong).expect_err(stage);
        assert!(refusal.reason.contains("not refuted") && refusal.line > claim.line, "{refusal}");
    }
    let refused = |change: &dyn Fn(&mut Certificate), words: &str| {
        let mut wrong = certificate.clone();
        change(&mut wrong);
        let refusal = checker.check(&wrong).expect_err(words);
        assert!(refusal.reason.contains(words), "{words}: {refusal}");
    };
    refused(&|wrong| wrong.claims.swap(0, 1), "the goal that comes here is `acceptance`, not `hardware`");
    refused(&|wrong| wrong.claims.truncate(2), "it has 2 goals, and the question has 3");
    refused(&|wrong| wrong.reading = Some("printed".to_owned()), "it is about a reading `printed`");
    let named = |name: &str, number: i64| -> Multipliers { vec![(name.to_owned(), number)] };
    let with = |goal: usize, leaf: Leaf| {
        move |wrong: &mut Certificate| wrong.claims[goal].proof = vec![certificate::Step::Leaf(leaf.clone())]
    };
    let prices = Leaf { prices: named("nobody", 1), ..Leaf::default() };
    refused(&with(0, prices), "`placed:nobody` is no total of this instance");
    let totals = Leaf { totals: named("moons", 1), ..Leaf::default() };
    refused(&with(0, totals), "`moons` is no total of this instance");
    let later = Leaf { goals: named("hardware", 1), ..Leaf::default() };
    refused(&with(0, later), "`hardware` is no goal up to this one");
    let gain = Leaf { goals: named("hardware", -1), ..Leaf::default() };
    refused(&with(1, gain), "the multiplier of the goal itself is negative");
    let moves = Leaf { totals: named("moved", -1), ..Leaf::default() };
    refused(&with(0, moves), "a move is a gain at these multipliers");
}

/// Numbers whose sums leave what is counted in are refused.
#[test]
fn absurd_numbers_are_refused() {
    let problem = interval(Mix::Trace, 16, 1.2, Residents::Keep);
    let question = plain(&problem);
    let checker = Checker::new(&question).unwrap();
    for total in totals(&checker) {
        for number in [1, LARGEST_MULTIPLIER] {
            let leaf = Leaf { totals: vec![(checker.name(total), number)], ..Leaf::default() };
            let bound = checker.bound(&leaf, &[], Effort::FULL);
            assert_eq!(bound.is_err(), number > 1, "{total:?} {number}: {bound:?}");
        }
    }
}

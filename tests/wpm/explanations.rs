//! What explanations say of instances that differ in one thing is true, by trying all placements of these.

use crate::certificates::{MOST_TRIALS, certified};
use crate::small::{brute_force, problem, samples};
use certificate::wpm::{Checker, Stage, Term};
use cluster::{GpuSection, WorkloadIndex};
use ground::Amount;
use kit::{Wing, located};
use migopt::testing::strategies::Sample;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::Cell;
use support::explanations::{Looked, check_changed, one_less, one_more, one_place};
use wpm::{Problem, Reading, Wpm, plain};

/// What all placements are worth, goal by goal, where one workload more than they hold has a place that earns so much; none where there
/// are too many.
fn attainable(problem: &Problem, reading: Reading, elsewhere: Amount) -> Option<Vec<Vec<Amount>>> {
    let question = plain(problem, reading);
    let truth = brute_force(problem, reading, MOST_TRIALS).ok()?;
    let of_goals = |&[reward, gpus, migrations, waste]: &[Amount; 4]| {
        let reward = reward + elsewhere;
        let value = |stage: &Stage| match stage {
            Stage::Of(Term::Reward) => reward,
            Stage::Of(Term::Gpus) => gpus,
            Stage::Of(Term::Migrations) => migrations,
            Stage::Of(Term::Waste) => waste,
            Stage::Profit => reward - gpus - migrations - waste,
        };
        question.stages.iter().map(value).collect()
    };
    Some(truth.attainable.iter().map(of_goals).collect())
}

/// A problem with the rewards and costs of another one, of whose workloads it may lack one: those that are left open follow from the
/// whole instance.
fn priced_like(asked: &Problem, without: Option<WorkloadIndex>, changed: Problem) -> Problem {
    let mut costs = asked.costs.clone();
    if let Some(workload) = without {
        costs.reward.remove(workload.index());
        costs.migration.remove(workload.index());
    }
    Problem { costs, ..changed }
}

fn check_sample(sample: &Sample, reading: Reading, looked: &mut Looked) {
    let of_sample = problem(sample);
    let (best, certificate) = certified(&of_sample, reading);
    let Ok(certificate) = certificate else { return };
    let explanation =
        Wpm::explain(&of_sample, best.as_ref(), &certificate).expect("the certificate is a proof");
    let question = plain(&of_sample, reading);
    let checker = Checker::new(&question).unwrap();
    for part in &explanation.claims[0].cases[0].parts {
        let mut file = sample.file.clone();
        let Some(gpu) = file.gpus.iter().find(|gpu| gpu.value.name == part.like) else { continue };
        let gpu = GpuSection { name: "one-more".to_owned(), ..gpu.value.clone() };
        file.gpus.push(located(gpu));
        let changed = Sample::of(file);
        let with = priced_like(&of_sample, None, problem(&changed));
        let Some(attainable) = attainable(&with, reading, Amount::ZERO) else { continue };
        check_changed(&explanation, &attainable, |case| one_more(case, &part.like), looked, &changed.text);
    }
    let names: Vec<&str> = checker.pool_names().collect();
    for workload in of_sample.cluster.workload_indices() {
        let runs = of_sample.cluster.workloads[workload.index()].current.is_some();
        let Some(pool) = checker.pool_of(workload).filter(|_| !runs) else { continue };
        let mut file = sample.file.clone();
        file.workloads.remove(workload.index());
        let changed = Sample::of(file);
        let without = priced_like(&of_sample, Some(workload), problem(&changed));
        let Some(of_changed) = attainable(&without, reading, Amount::ZERO) else { continue };
        check_changed(&explanation, &of_changed, |case| one_less(case, names[pool]), looked, &changed.text);
        let reward = question.rewards[workload.index()];
        let elsewhere = attainable(&without, reading, reward).expect("they were not too many before");
        let about = format!("a place for {} elsewhere than in {}", names[pool], sample.text);
        check_changed(&explanation, &elsewhere, |case| one_place(case, names[pool]), looked, &about);
    }
}

#[test]
fn bounds_of_other_instances_are_true() {
    let looked = Cell::new(Looked::default());
    let config = Config { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::with_cases(60) };
    let checked = TestRunner::new(config).run(&samples(), |sample| {
        let mut so_far = looked.get();
        for reading in [Reading::Printed, Reading::ExactIndex] {
            check_sample(&sample, reading, &mut so_far);
        }
        looked.set(so_far);
        Ok::<(), TestCaseError>(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
    let Looked { bounds, attained } = looked.get();
    println!("{bounds} bounds, {attained} attained");
    assert!(bounds > 500 && attained > 100, "{attained} of {bounds} bounds are attained");
}

//! What explanations say of instances that differ in one thing is true, by trying all placements of these.

use crate::certificates::certified;
use crate::differential::{check_drawn, samples, where_starts_cost};
use certificate::siavashi::{Checker, Question, Stage, Term, Total};
use cluster::{GpuSection, HostSection};
use ground::Amount;
use kit::{Wing, located};
use migopt::testing::strategies::Sample;
use models::InstanceFile;
use siavashi::{Problem, Siavashi, plain};
use std::cell::Cell;
use support::explanations::{Looked, check_below, check_changed, one_less, one_more, one_place};
use support::siavashi::problem;
use support::siavashi::trial::Trial;

/// What all placements of an instance are worth by the goals of another one, where one workload more than they hold is accepted that counts
/// so much.
fn attainable(problem: &Problem, asked: &Problem, elsewhere: Amount) -> Vec<Vec<Amount>> {
    let question: Question<'_> = plain(asked);
    let goals = Trial::new(problem, problem.residents).attainable();
    let of_goals = |goals: &[i128; 3]| {
        let [acceptance, hardware, migrations] = goals.map(Amount::from_millionths);
        let acceptance = acceptance + elsewhere;
        let value = |stage: &Stage| match stage {
            Stage::Of(Term::Acceptance) => acceptance,
            Stage::Of(Term::Hardware) => hardware,
            Stage::Of(Term::Migrations) => migrations,
            Stage::Weighted(_) => {
                let sum = asked.weighted_sum().expect("the objective is a sum");
                sum.of([acceptance, hardware, migrations])
            }
        };
        question.stages.iter().map(value).collect()
    };
    goals.iter().map(of_goals).collect()
}

/// The instance with one more of a machine on which nothing runs.
fn with_one_more(file: &InstanceFile, like: &str) -> InstanceFile {
    let mut file = file.clone();
    let name = "one-more".to_owned();
    match file.hosts.iter().find(|host| host.value.name == like).cloned() {
        Some(host) => file.hosts.push(located(HostSection { name, ..host.value })),
        None => {
            let gpu = file.gpus.iter().find(|gpu| gpu.value.name == like).expect("there is such a machine");
            let gpu = GpuSection { name, ..gpu.value.clone() };
            file.gpus.push(located(gpu));
        }
    }
    file
}

fn check_sample(sample: &Sample, looked: &mut Looked) {
    let of_sample = problem(&sample.text);
    let (solved, certificate) = certified(&of_sample, &sample.text);
    let Ok(certificate) = certificate else { return };
    let best = solved.best.as_ref().map(|(placement, _)| placement);
    let explanation = Siavashi::explain(&of_sample, best, &certificate).expect("the certificate is a proof");
    check_below(&explanation);
    let question = plain(&of_sample);
    let checker = Checker::new(&question).unwrap();
    for part in &explanation.claims[0].cases[0].parts {
        let changed = Sample::of(with_one_more(&sample.file, &part.like)).text;
        let attainable = attainable(&problem(&changed), &of_sample, Amount::ZERO);
        check_changed(&explanation, &attainable, |case| one_more(case, &part.like), looked, &changed);
    }
    for workload in of_sample.cluster.workload_indices().filter(|workload| !of_sample.is_resident(*workload))
    {
        let Some(of_type) = checker.type_of(workload) else { continue };
        let name = checker.name(Total::Placed(of_type))["placed:".len()..].to_owned();
        let mut file = sample.file.clone();
        file.workloads.remove(workload.index());
        if file.workloads.is_empty() {
            continue;
        }
        let changed = Sample::of(file).text;
        let without = problem(&changed);
        let of_changed = attainable(&without, &of_sample, Amount::ZERO);
        check_changed(&explanation, &of_changed, |case| one_less(case, &name), looked, &changed);
        let elsewhere = attainable(&without, &of_sample, of_sample.acceptance_weight(workload));
        let about = format!("a place for {name} elsewhere than in {}", sample.text);
        check_changed(&explanation, &elsewhere, |case| one_place(case, &name), looked, &about);
    }
}

#[test]
fn bounds_of_other_instances_are_true() {
    let looked = Cell::new(Looked::default());
    check_drawn(samples(), 90, |sample, seed| {
        let sample = if seed % 3 == 0 { &where_starts_cost(sample, seed) } else { sample };
        let mut so_far = looked.get();
        check_sample(sample, &mut so_far);
        looked.set(so_far);
    });
    let Looked { bounds, attained } = looked.get();
    println!("{bounds} bounds, {attained} attained");
    assert!(bounds > 500 && attained > 100, "{attained} of {bounds} bounds are attained");
}

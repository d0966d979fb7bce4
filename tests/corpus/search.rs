//! Searches for instances on which heuristics are far from the optimum. The seeds that it finds stand in the drawings as `FAR`.

use crate::asked::{Answer, proved};
use crate::draw;
use crate::entries::lines;
use crate::heuristics::{Distance, judge_all};
use crate::parallel::in_parallel;
use kit::SolveOptions;
use models::{Model, model_named};
use solver::Control;
use solvers::solvers;
use std::collections::{BTreeMap, BTreeSet};

/// Seeds that are tried.
const SEEDS: u64 = 2000;
/// Seeds that are kept for each heuristic.
const KEPT: usize = 8;

#[test]
#[ignore = "prints the seeds for the drawings; MIGOPT_CORPUS_MODELS names the models"]
fn search() {
    for name in std::env::var("MIGOPT_CORPUS_MODELS").expect("names of models").split_whitespace() {
        let model = model_named(name).unwrap_or_else(|error| panic!("{error}"));
        let seeds: Vec<u64> = (0..SEEDS).collect();
        let mut found: BTreeMap<&str, Vec<(u64, Distance)>> = BTreeMap::new();
        for (seed, distances) in seeds.iter().zip(in_parallel(&seeds, |seed| distances(model, *seed))) {
            for (heuristic, distance) in distances {
                found.entry(heuristic).or_default().push((*seed, distance));
            }
        }
        // An instance is kept for one heuristic only.
        let mut taken = BTreeSet::new();
        for (heuristic, mut found) in found {
            found.retain(|(seed, _)| !taken.contains(seed));
            found.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(&other.0)));
            found.truncate(KEPT);
            let seeds: Vec<u64> = found.iter().map(|(seed, _)| *seed).collect();
            let farthest: Vec<Distance> = found.iter().map(|(_, distance)| *distance).collect();
            println!("    (\"far-{heuristic}\", &{seeds:?}), // {farthest:?}");
            taken.extend(seeds);
        }
    }
}

/// How far the heuristics are from the optimum on the candidate of a seed.
fn distances(model: &'static dyn Model, seed: u64) -> Vec<(&'static str, Distance)> {
    let candidate = draw::line(&draw::candidate(model.name(), seed));
    let entry = &lines(&candidate)[0];
    let question = model.pose(&entry.instance).unwrap_or_else(|error| panic!("{error}"));
    let result = question.solve(&SolveOptions::exact(solvers()[0]), &Control::silent()).unwrap();
    let answer = proved(question.as_ref(), &result).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
    assert_ne!(answer, Answer::Infeasible, "seed {seed}");
    judge_all(model, entry, Some(&result.stages)).unwrap_or_else(|what| panic!("seed {seed}: {what}"))
}

//! The shipped instances, in files of their own and as lines of a corpus: each is proved by every method that applies, and
//! compared with the truth.csv of its folder.

mod asked;
mod brute_force;
mod certificates;
mod draw;
mod entries;
mod heuristics;
mod mutations;
mod parallel;
mod proof;
mod search;
mod truth;
mod write;

use certificates::stored_certificates;
use entries::{Entry, files, lines, stored_corpus};
use mig::catalogue;
use models::{MODELS, Model, model_named};
use parallel::in_parallel;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};
use truth::{Row, stored_truth};

/// One line out of so many is proved anew in a run of the tests.
const SAMPLE: usize = 20;

/// Fewest lines of a corpus, and fewest files beside one.
const FEWEST: usize = 200;
const FEWEST_FILES: usize = 13;

/// Whether there are small instances beside the files. A new model may do without.
fn has_corpus(model: &'static dyn Model) -> bool {
    !model.corpus().instances.is_empty()
}

fn all_entries(model: &'static dyn Model) -> Vec<Entry> {
    files(model).into_iter().chain(lines(&stored_corpus(model))).collect()
}

/// The files, and the lines whose turn it is: other ones every day, or those that the environment asks for.
fn sample(model: &'static dyn Model) -> Vec<Entry> {
    let day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let asked =
        std::env::var("MIGOPT_CORPUS_SAMPLE").map(|number| number.parse().expect("a number of a sample"));
    let offset = asked.unwrap_or(day as usize % SAMPLE);
    println!(
        "{}: the files, and every {SAMPLE}th line of the corpus from line {} on",
        model.name(),
        offset + 1
    );
    let lines = lines(&stored_corpus(model)).into_iter().skip(offset).step_by(SAMPLE);
    files(model).into_iter().chain(lines).collect()
}

/// Does something with each of the entries, in parallel, and complains of all that fail.
fn check_all<Work: Fn(&Entry, &[Row]) -> Result<(), String> + Sync>(model: &'static dyn Model, work: Work) {
    let truth = stored_truth(model);
    let done = in_parallel(&sample(model), |entry| {
        work(entry, &truth[&entry.name]).err().map(|what| format!("{}: {what}", entry.name))
    });
    let failed: Vec<String> = done.into_iter().flatten().collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_instance_has_its_truth() {
    for &model in MODELS {
        let names: Vec<String> = all_entries(model).into_iter().map(|entry| entry.name).collect();
        let unique: BTreeSet<String> = names.iter().cloned().collect();
        assert_eq!(unique.len(), names.len(), "names of {} are unique", model.name());
        assert_eq!(unique, stored_truth(model).into_keys().collect());
        assert!(files(model).len() >= if has_corpus(model) { FEWEST_FILES } else { 1 });
    }
}

#[test]
fn every_sampled_truth_is_proved_again_and_no_heuristic_is_better() {
    for &model in MODELS {
        let certificates = stored_certificates(model);
        check_all(model, |entry, truth| {
            let certificate = certificates.get(&entry.instance.fingerprint).map(String::as_str);
            let proof = proof::prove_again(model, entry, (truth, certificate))?;
            heuristics::judge_all(model, entry, proof.optimum.as_deref()).map(drop)
        });
    }
}

/// All of them, without a solver; so this runs in a build without one as well.
#[test]
fn every_instance_has_a_certificate_that_proves_its_truth() {
    for &model in MODELS {
        let (truth, mut certificates) = (stored_truth(model), stored_certificates(model));
        for entry in all_entries(model) {
            let certificate = certificates.get(&entry.instance.fingerprint);
            certificates::agrees(model, &entry, &truth[&entry.name], certificate)
                .unwrap_or_else(|what| panic!("{}: {what}", entry.name));
        }
        for entry in all_entries(model) {
            certificates.remove(&entry.instance.fingerprint);
        }
        assert!(certificates.is_empty(), "{} has certificates of nothing", model.name());
    }
}

#[test]
fn drawing_again_gives_the_same_corpus() {
    for model in MODELS {
        assert!(
            draw::corpus(model.name()) == stored_corpus(*model),
            "./scripts/prove-corpus --draw {}",
            model.name()
        );
    }
}

/// How many lines a corpus has of each family.
fn families(model: &'static dyn Model) -> BTreeMap<String, usize> {
    let mut families = BTreeMap::new();
    for entry in lines(&stored_corpus(model)) {
        *families.entry(entry.instance.family.clone().expect("lines have families")).or_default() += 1;
    }
    families
}

#[test]
fn a_corpus_is_large_and_its_names_tell_the_family() {
    for &model in MODELS.iter().filter(|model| has_corpus(**model)) {
        let entries = lines(&stored_corpus(model));
        assert!(entries.len() >= FEWEST, "{} has {} lines", model.name(), entries.len());
        assert!(families(model).len() >= 10);
        for entry in entries {
            let (family, number) = entry.name.rsplit_once('-').unwrap();
            assert_eq!(Some(family), entry.instance.family.as_deref());
            assert!(
                number.len() == 3 && number.bytes().all(|digit| digit.is_ascii_digit()),
                "{}",
                entry.name
            );
            assert!(
                family
                    .bytes()
                    .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-')
            );
        }
    }
}

#[test]
fn the_readme_tells_every_family() {
    let readme = include_str!("../../instances/README.md");
    for &model in MODELS.iter().filter(|model| has_corpus(**model)) {
        for family in families(model).into_keys().filter(|family| !family.starts_with("far-")) {
            assert!(readme.contains(&format!("`{family}`")), "{} has a family {family}", model.name());
        }
    }
}

/// The heuristics of the papers. Those of schedulers that people run have no hard cases of their own.
const OF_PAPERS: [(&str, &[&str]); 2] = [
    ("wpm", &["rule-based", "first-fit", "load-balanced"]),
    ("siavashi", &["ff", "bf", "mcc", "mecc", "grmu"]),
];

#[test]
fn a_corpus_has_all_boards_and_the_hard_cases_of_the_papers_heuristics() {
    for (model, heuristics) in OF_PAPERS {
        let model = model_named(model).unwrap();
        let entries = lines(&stored_corpus(model));
        let used: BTreeSet<&str> = entries
            .iter()
            .flat_map(|entry| &entry.instance.cluster.boards)
            .map(|board| board.name())
            .collect();
        for board in catalogue().boards() {
            assert!(used.contains(board.name()), "{} lacks {}", model.name(), board.name());
        }
        let families = families(model);
        for heuristic in heuristics {
            assert!(families[&format!("far-{heuristic}")] >= 4, "{heuristic}");
        }
    }
}

/// Every line is proved by both solvers, and by trying all solutions or by a second formulation.
#[test]
fn every_line_is_proved_by_independent_methods() {
    for &model in MODELS {
        let truth = stored_truth(model);
        for entry in lines(&stored_corpus(model)) {
            for row in &truth[&entry.name] {
                let programs: Vec<(&str, &str)> =
                    row.proved_by.iter().filter_map(|method| method.split_once('/')).collect();
                let formulations: BTreeSet<&str> =
                    programs.iter().map(|(formulation, _)| *formulation).collect();
                let solvers: BTreeSet<&str> = programs.iter().map(|(_, solver)| *solver).collect();
                let tried = row.proved_by.iter().any(|method| method == "brute-force");
                assert_eq!(solvers, BTreeSet::from(["cbc", "highs"]), "{row:?}");
                assert!(tried || formulations.len() > 1, "{row:?}");
            }
        }
    }
}

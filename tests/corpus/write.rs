//! Proves everything anew and writes it down: `./scripts/prove-corpus`.

use crate::all_entries;
use crate::certificates::certificates_file;
use crate::draw;
use crate::entries::{Entry, corpus_file, files, lines, stored_corpus};
use crate::heuristics::{Distance, judge_all};
use crate::parallel::in_parallel;
use crate::proof::{Proof, certify, prove};
use crate::truth::{stored_truth, table, truth_file};
use models::{MODELS, Model, model_named};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// What is found out about an instance: its truth, and how far each heuristic is from it.
struct Found {
    proof: Proof,
    distances: Vec<(&'static str, Distance)>,
}

#[test]
#[ignore = "writes files; ./scripts/prove-corpus runs it"]
fn prove_and_write() {
    let is_drawn = std::env::var_os("MIGOPT_CORPUS_DRAW").is_some();
    for model in asked_models() {
        prove_model(model, is_drawn);
    }
}

#[test]
#[ignore = "writes files; ./scripts/prove-corpus --certificates runs it"]
fn certify_and_write() {
    for model in asked_models() {
        certify_model(model);
    }
}

/// The models that the environment names, or all.
fn asked_models() -> Vec<&'static dyn Model> {
    let asked = std::env::var("MIGOPT_CORPUS_MODELS").unwrap_or_default();
    let named = |name| model_named(name).unwrap_or_else(|error| panic!("{error}"));
    let asked: Vec<&'static dyn Model> = asked.split_whitespace().map(named).collect();
    if asked.is_empty() { MODELS.to_vec() } else { asked }
}

/// Makes the certificates of a model anew. Nothing else of its truth changes.
fn certify_model(model: &'static dyn Model) {
    let truth = stored_truth(model);
    let entries = all_entries(model);
    let proofs = in_parallel(&entries, |entry| {
        certify(model, entry, &truth[&entry.name]).unwrap_or_else(|what| panic!("{}: {what}", entry.name))
    });
    write_proofs(model, &entries, &proofs.iter().collect::<Vec<_>>());
}

/// Writes what is proved, and tells what has no certificate.
fn write_proofs(model: &'static dyn Model, entries: &[Entry], proofs: &[&Proof]) {
    write(&truth_file(model), &table(proofs.iter().flat_map(|proof| &proof.rows)));
    let certificates: String = proofs.iter().filter_map(|proof| proof.certificate.as_deref()).collect();
    if !certificates.is_empty() {
        write(&certificates_file(model), &certificates);
    }
    let without = entries.iter().zip(proofs).filter(|(_, proof)| proof.certificate.is_none());
    let without: Vec<&str> = without.map(|(entry, _)| entry.name.as_str()).collect();
    let number = entries.len() - without.len();
    println!(
        "{}: {number} of {} have certificates, {} bytes",
        model.name(),
        entries.len(),
        certificates.len()
    );
    if number > 0 && !without.is_empty() {
        println!("  without one: {}", without.join(" "));
    }
}

/// Writes nothing unless all methods agree on all instances of the model.
fn prove_model(model: &'static dyn Model, is_drawn: bool) {
    let began = Instant::now();
    let corpus = if is_drawn { draw::corpus(model.name()) } else { stored_corpus(model) };
    let entries: Vec<Entry> = files(model).into_iter().chain(lines(&corpus)).collect();
    let found = in_parallel(&entries, |entry| {
        let began = Instant::now();
        let found = find(model, entry);
        let seconds = began.elapsed().as_secs_f64();
        match &found {
            Ok(found) => println!("{}: {} ({seconds:.1} s)", entry.name, summary(&found.proof)),
            Err(what) => println!("{}: WRONG: {what}", entry.name),
        }
        found
    });
    let wrong = found.iter().filter(|found| found.is_err()).count();
    assert_eq!(
        wrong,
        0,
        "{}: nothing is written, as {wrong} instances are told above to be wrong",
        model.name()
    );
    let found: Vec<Found> = found.into_iter().flatten().collect();
    if is_drawn && !corpus.is_empty() {
        write(&corpus_file(model), &corpus);
    }
    let rows: Vec<_> = found.iter().flat_map(|found| &found.proof.rows).collect();
    write_proofs(model, &entries, &found.iter().map(|found| &found.proof).collect::<Vec<_>>());
    let mut methods: BTreeMap<&str, usize> = BTreeMap::new();
    for method in rows.iter().flat_map(|row| &row.proved_by) {
        *methods.entry(method).or_default() += 1;
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{}: {} instances, {} rows in {seconds:.0} s", model.name(), entries.len(), rows.len());
    methods.iter().for_each(|(method, rows)| println!("  {method} proves {rows} rows"));
    tell_distances(&entries, &found);
}

fn find(model: &'static dyn Model, entry: &Entry) -> Result<Found, String> {
    let proof = prove(model, entry)?;
    let distances = judge_all(model, entry, proof.optimum.as_deref())?;
    Ok(Found { proof, distances })
}

/// Values of the goals, and the methods that found them.
fn summary(proof: &Proof) -> String {
    let goal = |row: &crate::truth::Row| match row.value {
        Some([value, _]) => format!("{} = {value}", row.objective),
        None => row.objective.clone(),
    };
    let goals: Vec<String> = proof.rows.iter().map(goal).collect();
    let mut methods: Vec<&str> =
        proof.rows.iter().flat_map(|row| &row.proved_by).map(String::as_str).collect();
    methods.sort_unstable();
    methods.dedup();
    format!("{} by {}", goals.join(", "), methods.join(" "))
}

/// Tells how often each heuristic finds the optimum, and where it is farthest from it.
fn tell_distances(entries: &[Entry], found: &[Found]) {
    let mut of_heuristic: BTreeMap<&str, Vec<(&str, Distance)>> = BTreeMap::new();
    let solvable = entries.iter().zip(found).filter(|(_, found)| found.proof.optimum.is_some());
    for (entry, found) in solvable {
        for &(heuristic, distance) in &found.distances {
            of_heuristic.entry(heuristic).or_default().push((&entry.name, distance));
        }
    }
    for (heuristic, distances) in of_heuristic {
        let optimal = distances.iter().filter(|(_, distance)| *distance == Distance::None).count();
        let farthest = distances.iter().max_by(|one, other| one.1.cmp(other.1));
        let (at, farthest) = farthest.expect("it was judged on some instance");
        println!(
            "  {heuristic} is optimal on {optimal} of {}, farthest on {at}: {farthest:?}",
            distances.len()
        );
    }
}

/// Puts a text into a file at once, so that nobody sees half of it.
fn write(file: &Path, text: &str) {
    let beside = file.with_extension("new");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(&beside, file).unwrap();
}

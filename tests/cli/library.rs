//! `migopt library`, and sweeps over the instances of the library.
#![cfg(target_os = "linux")]

use models::MODELS;
use serde_json::Value;
use support::cli::schemas::{check, schema};
use support::cli::{BAD_INPUT, Folder, PROVED, instance, run};

const SMALL: &str = "wpm-joint-8-1";

fn entries(arguments: &[&str]) -> Vec<Value> {
    run(&[&["library", "--format", "json"], arguments].concat(), PROVED).json().as_array().unwrap().clone()
}

fn rows(folder: &Folder) -> Vec<Value> {
    folder.read("sweep/rows.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn refused(arguments: &[&str], parts: &[&str]) {
    let done = run(arguments, BAD_INPUT);
    for part in parts {
        assert!(done.stderr.contains(part), "{part}: {}", done.stderr);
    }
}

#[test]
fn lists_name_all_instances_of_a_model_or_the_open_ones() {
    let all = entries(&[]);
    for model in MODELS {
        let own = entries(&["--model", model.name()]);
        assert_eq!(own.len(), model.library().len());
        assert!(own.iter().all(|entry| entry["model"] == model.name()));
    }
    let proved = |entry: &&Value| entry["proved"] == true;
    let open = entries(&["--open"]);
    assert_eq!(open.len(), all.len() - all.iter().filter(proved).count());
    assert!(open.iter().all(|entry| entry["proved"] == false));

    let text = run(&["library", "--model", "wpm"], PROVED).stdout;
    assert!(text.starts_with("Library of wpm: "), "{text}");
    assert_eq!(text.lines().count(), 1 + MODELS[0].library().len());
}

#[test]
fn an_instance_is_described_and_written() {
    let folder = Folder::new();
    let schema = schema(&["instance"]);
    for file in ["one.yaml", "one.json"] {
        let path = folder.text(file);
        let said = run(&["library", SMALL, "--output", &path], PROVED).stdout;
        assert!(said.contains("migopt generate wpm --gpus 8 --use-case joint --seed 1"), "{said}");
        check(&schema, &support::from_yaml(&folder.read(file)));
        let [known] = entries(&[SMALL]).try_into().unwrap();
        let solved = run(&["solve", &path, "--format", "json"], PROVED).json();
        assert_eq!(solved["solution"]["instance"]["fingerprint"], known["fingerprint"]);
        assert_eq!(solved["stages"], known["stages"]);
    }
}

/// The instance of the library is that of the command which the library names, but for its name.
#[test]
fn the_command_of_an_instance_makes_it() {
    let folder = Folder::new();
    let [known] = entries(&[SMALL]).try_into().unwrap();
    let command = known["command"].as_str().unwrap().strip_prefix("migopt ").unwrap();
    let command: Vec<&str> = command.split(' ').chain(["--output", "-"]).collect();
    let generated: Value = support::from_yaml(&run(&command, PROVED).stdout);
    run(&["library", SMALL, "--output", &folder.text("one.json")], PROVED);
    let written = folder.json("one.json");
    for part in ["gpus", "workloads", "wpm"] {
        assert_eq!(written[part], generated[part]);
    }
}

#[test]
fn what_cannot_be_listed_is_refused() {
    refused(
        &["library", "wpm-joint-8-11"],
        &["is not an instance of the library (did you mean \"wpm-joint-8-1\"?)"],
    );
    refused(&["library", "--model", "wmp"], &["wmp"]);
    refused(&["library", "--output", "one.yaml"], &["<NAME>"]);
    refused(&["library", SMALL, "--open"], &["--open"]);
    refused(&["library", SMALL, "--output", "/no/such/folder/one.yaml"], &["/no/such/folder/one.yaml"]);
}

#[test]
fn a_sweep_over_the_library_has_its_values_and_all_heuristics() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let names = format!("--library={SMALL},sharing-paper-10-1");
    run(&["bench", &names, "--output", &output], PROVED);
    let rows = rows(&folder);
    let heuristics: usize =
        ["wpm", "sharing"].map(|name| models::model_named(name).unwrap().heuristics().len()).iter().sum();
    assert_eq!(rows.len(), 2 + heuristics);
    let of_library: Vec<&Value> = rows.iter().filter(|row| row["method"] == "library").collect();
    assert_eq!(of_library.len(), 2);
    for row in of_library {
        let [known] = entries(&[row["instance"].as_str().unwrap()]).try_into().unwrap();
        assert_eq!((&row["outcome"], &row["stages"]), (&"optimal".into(), &known["stages"]));
    }
    let report = run(&["report", &output], PROVED).stdout;
    assert!(report.contains("All 2 optima are proved."), "{report}");
    let scoreboard = run(&["report", &output, "--scoreboard"], PROVED).stdout;
    assert!(scoreboard.contains("## Model wpm") && scoreboard.contains("## Model sharing"), "{scoreboard}");
    assert!(!scoreboard.contains("| library |"), "{scoreboard}");
}

#[test]
fn methods_beside_the_library_are_those_that_are_asked_for() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let library = format!("--library={SMALL}");
    run(&["bench", &library, "--methods", "optimum,first-fit", "--output", &output], PROVED);
    let methods: Vec<Value> = rows(&folder).iter().map(|row| row["method"].clone()).collect();
    assert_eq!(methods, ["library", "optimum", "first-fit"]);
    run(&["bench", &library, "--methods", "heuristics", "--output", &output], PROVED);
    assert_eq!(rows(&folder).len(), 1 + MODELS[0].heuristics().len());
}

#[test]
fn the_library_knows_nothing_of_other_instances() {
    let folder = Folder::new();
    run(&["bench", &instance("pinned"), "--methods", "library", "--output", &folder.text("sweep")], PROVED);
    let [row] = rows(&folder).try_into().unwrap();
    assert_eq!(row["outcome"], "failed");
    assert!(row["reason"].as_str().unwrap().contains("no instance of the library"), "{row}");
}

#[test]
fn wrong_names_of_sweeps_and_of_scoreboards_are_refused() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    refused(
        &["bench", "--library=wpm-joint", "--output", &output],
        &["--library: \"wpm-joint\" is not an instance"],
    );
    let library = format!("--library={SMALL}");
    refused(
        &["bench", &library, "--model", "sharing", "--output", &output],
        &["is of model wpm, not sharing"],
    );
    let heuristic = ["heuristic", &instance("pinned"), "--policy", "library"];
    refused(&heuristic, &["a method of sweeps alone"]);

    run(&["bench", &library, "--methods", "first-fit,rule-based", "--output", &output], PROVED);
    let csv = folder.text("scoreboard.csv");
    refused(&["report", &output, "--scoreboard", "--output", &csv], &["not as rows", ".html or .md"]);
    let result = folder.text("result.json");
    run(&["solve", &instance("pinned"), "--quiet", "--output", &result], PROVED);
    refused(&["report", &result, "--scoreboard"], &["ranks the heuristics of a sweep"]);
    let html = folder.text("scoreboard.html");
    run(&["report", &output, "--scoreboard", "--output", &html], PROVED);
    assert!(folder.read("scoreboard.html").contains("<table"));
}

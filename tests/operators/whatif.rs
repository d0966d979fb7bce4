//! `migopt whatif`.

use serde_json::json;
use support::cli::schemas::check_schema;
use support::cli::{BAD_INPUT, Folder, PROVED, run};
use support::root;

/// Two A100 and an A30, and what runs on them.
const MIXED: &str = "\
name: mixed
gpus:
  - {name: a, board: A100-40GB, count: 2}
  - {name: b, board: A30}
workloads:
  - {name: wide, profile: 3g.20gb, current: {gpu: a-0, start: 4}}
  - {name: small, profile: 1g.5gb, current: {gpu: a-1, start: 0}}
  - {name: narrow, profile: 1g.6gb, current: {gpu: b, start: 0}}
";

fn two_nodes() -> String {
    root().join("instances/operators/two-nodes/expected/instance.yaml").display().to_string()
}

#[test]
fn the_load_of_the_small_cluster_needs_four_gpus_and_adds_up() {
    let folder = Folder::new();
    let file = folder.text("sizing.json");
    let text = run(&["whatif", &two_nodes(), "--output", &file], PROVED).stdout;
    assert!(text.contains("A100-40GB alone: 4 A100-40GB (proved: none is cheaper)"), "{text}");
    assert!(text.contains("  at least 4: ") && text.contains("; A100-40GB carries "), "{text}");
    let sizing = folder.json("sizing.json");
    check_schema(&["sizing"], &sizing);
    let answer = &sizing["answers"][0];
    assert_eq!((&answer["cost"], &answer["bound"]), (&json!(4), &json!(4)));
    let [counting] = answer["counting"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    let weighs = |of: &serde_json::Value| of["number"].as_u64().unwrap() * of["weight"].as_u64().unwrap();
    let load: u64 = counting["weights"].as_array().unwrap().iter().map(weighs).sum();
    assert_eq!(counting["load"], load);
    assert_eq!(load.div_ceil(counting["capacities"][0]["capacity"].as_u64().unwrap()), 4);
    assert_eq!(run(&["whatif", &two_nodes(), "--format", "json"], PROVED).json(), sizing);
}

#[test]
fn boards_are_answered_alone_and_mixed_at_their_costs() {
    let folder = Folder::new();
    let cluster = folder.write("mixed.yaml", MIXED);
    let flags = ["--cost", "A30=1", "--cost", "A100-SXM4-40GB=4", "--add", "1g.6gb=3"];
    let arguments = [&["whatif", &cluster, "--format", "json"], &flags[..]].concat();
    let sizing = run(&arguments, PROVED).json();
    check_schema(&["sizing"], &sizing);
    let answers = sizing["answers"].as_array().unwrap();
    let statuses: Vec<_> = answers.iter().map(|answer| answer["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["infeasible", "infeasible", "optimal"]);
    // The A100 carries what only it can, and four 1g.6gb fill an A30.
    assert_eq!(answers[2]["cost"], 5);
    assert_eq!(sizing["load"], json!({"running": 3, "pinned": 0, "waiting": 0, "added": 3}));
    assert_eq!(sizing["now"], json!([{"board": "A100-40GB", "count": 2}, {"board": "A30-24GB", "count": 1}]));
    let text = run(&[&["whatif", &cluster], &flags[..]].concat(), PROVED).stdout;
    let why =
        "A30-24GB alone: not possible (proved): no A30-24GB has the profile 3g.20gb of wide, nor that of";
    assert!(text.contains(why), "{text}");
    assert!(text.contains("A100-40GB of cost 4 carries"), "{text}");
}

#[test]
fn wrong_questions_are_refused_in_one_paragraph() {
    let cluster = two_nodes();
    for (arguments, words) in [
        (["--add", "5g.20gb=1"], ["--add: ", "\"5g.20gb\"", "3g.20gb"]),
        (["--add", "3g.20gb"], ["--add", "PROFILE=NUMBER", "3g.20gb=5"]),
        (["--cost", "A40=2"], ["--cost: ", "\"A40\"", "A100-40GB"]),
        (["--cost", "A100-40GB=0"], ["--cost", "BOARD=COST", "above 0"]),
    ] {
        let told = run(&[&["whatif", &cluster], &arguments[..]].concat(), BAD_INPUT).stderr;
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
    let folder = Folder::new();
    let servers = folder.write("none.yaml", "name: none\ngpus: []\n");
    let told = run(&["whatif", &servers], BAD_INPUT).stderr;
    assert!(told.contains("none.yaml") && told.contains("GPU"), "{told}");
}

#[test]
fn rules_that_new_gpus_cannot_keep_are_refused() {
    let folder = Folder::new();
    let bound = MIXED.replace("profile: 1g.6gb,", "profile: 1g.6gb, nodes: b,");
    let told = run(&["whatif", &folder.write("bound.yaml", bound)], BAD_INPUT).stderr;
    assert!(told.contains("workload `narrow` is bound to nodes") && told.contains("bound.yaml:8"), "{told}");
}

//! Everything else that the command prints: instances, schemas, drawings, lists, completions, manual pages.

use models::MODELS;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use support::cli::schemas::{check, schema};
use support::cli::{Folder, LIMIT, PROVED, instance, run};
use support::instances::all_shipped;

fn instances() -> Vec<String> {
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    all_shipped("wpm").into_iter().map(name).collect()
}

#[test]
fn documents_obey_their_schemas() {
    let folder = Folder::new();
    let [of_instance, of_solution, of_result] =
        ["instance", "solution", "result"].map(|document| schema(&[document]));
    for name in instances() {
        let path = instance(&name);
        let text = std::fs::read_to_string(&path).unwrap();
        check(&of_instance, &support::from_yaml(&text));
        // Large shipped instances need not be solved for this.
        if text.len() > 20_000 {
            continue;
        }
        for flags in [&[][..], &["--time-limit", "0"], &["--objective", "lexicographic"]] {
            let output = folder.text("result.json");
            let arguments = [&["solve", &path, "--quiet", "--output", &output], flags].concat();
            let done = support::cli::read(support::cli::migopt().args(arguments).output().unwrap());
            assert!([0, 3, LIMIT].contains(&done.code.unwrap()), "{name}: {done:?}");
            let result = folder.json("result.json");
            check(&of_result, &result);
            if !result["solution"].is_null() {
                check(&of_solution, &result["solution"]);
            }
        }
    }
    run(&["generate", "wpm", "--pinned", "0.3", "--gpus", "3", "--output", &folder.text("")], PROVED);
    let generated = support::from_yaml(&folder.read("wpm-joint-3-seed1.yaml"));
    check(&of_instance, &generated);
}

#[test]
fn a_trace_in_yaml_obeys_its_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/instances/traces/two-boards.yaml");
    let trace: Value = support::from_yaml(&std::fs::read_to_string(path).unwrap());
    let of_trace = schema(&["trace"]);
    check(&of_trace, &trace);
    let mut misspelt = trace;
    misspelt["arrivals"][0]["leaves"] = 1.into();
    assert!(!of_trace.is_valid(&misspelt));
}

#[test]
fn schemas_refuse_what_the_reader_refuses() {
    let of_instance = schema(&["instance"]);
    let gpu = serde_json::json!([{"name": "g", "board": "A30"}]);
    let cases = [
        serde_json::json!({"gpus": gpu}),
        serde_json::json!({"name": "x", "gpu": gpu}),
        serde_json::json!({"name": "x", "gpus": gpu, "wpm": {"use_case": "compact"}}),
        serde_json::json!({"name": "x", "gpus": gpu, "wpm": {"objective": "lexicographic:speed"}}),
        serde_json::json!({"name": "x", "gpus": gpu, "workloads": [{"name": "w"}]}),
        serde_json::json!({"name": "x", "gpus": gpu, "workloads": [{"name": "w", "profile": "p", "replicas": -1}]}),
    ];
    for case in cases {
        assert!(!of_instance.is_valid(&case), "{case}");
    }
}

/// What `migopt schema` has a schema of that is the same for all models.
const DOCUMENTS: [&str; 16] = [
    "instance",
    "solution",
    "result",
    "proposal",
    "row",
    "frontier",
    "check",
    "trace",
    "request",
    "response",
    "lock",
    "rules",
    "plan",
    "no-plan",
    "sizing",
    "explanation",
];

/// All schemas that the command prints, by the arguments of `migopt schema`.
fn schemas() -> BTreeMap<Vec<&'static str>, Value> {
    let questions = MODELS.iter().map(|model| vec!["question", "--model", model.name()]);
    let arguments = DOCUMENTS.into_iter().map(|document| vec![document]).chain(questions);
    arguments.map(|words| (words.clone(), run(&[&["schema"], &words[..]].concat(), PROVED).json())).collect()
}

/// The places of the fields in a schema that nothing describes, neither themselves nor the object of which they are all.
fn undescribed(schema: &Value, place: &str) -> Vec<String> {
    let described = |schema: &Value| schema["description"].as_str().is_some_and(|text| !text.contains("[`"));
    let fields = schema["properties"].as_object().into_iter().flatten();
    let alone = |schema: &Value| schema["properties"].as_object().is_some_and(|fields| fields.len() == 1);
    let missing = fields
        .filter(|(_, field)| !(described(field) || alone(schema) && described(schema)))
        .map(|(name, _)| format!("{place}/{name}"));
    let below: Vec<(String, &Value)> = match schema {
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(array) => {
            array.iter().enumerate().map(|(key, value)| (key.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    missing
        .chain(below.iter().flat_map(|(key, value)| undescribed(value, &format!("{place}/{key}"))))
        .collect()
}

#[test]
fn every_field_of_every_schema_is_described() {
    for (arguments, schema) in schemas() {
        assert_eq!(undescribed(&schema, ""), Vec::<String>::new(), "{arguments:?}");
    }
}

#[test]
fn schemas_and_their_types_have_names_of_their_own() {
    let schemas = schemas();
    for property in ["$id", "title"] {
        let names: BTreeSet<&str> =
            schemas.values().map(|schema| schema[property].as_str().unwrap_or_default()).collect();
        assert_eq!(names.len(), schemas.len(), "{property}: {names:?}");
        assert!(!names.contains(""), "{property}");
    }
    // A number at the end of a name is how two types of one name are told apart.
    let types = schemas.values().filter_map(|schema| schema["$defs"].as_object()).flatten();
    let numbered: BTreeSet<&String> =
        types.map(|(name, _)| name).filter(|name| name.ends_with(|end: char| end.is_ascii_digit())).collect();
    assert!(numbered.is_empty(), "{numbered:?}");
}

#[test]
fn generated_instances_are_the_same_bytes_twice() {
    let folder = Folder::new();
    let runs = ["one", "two"].map(|name| {
        let output = folder.text(name);
        let flags =
            ["--gpus", "10", "--count", "3", "--seed", "7", "--use-case", "compaction", "--output", &output];
        let done = run(&[&["generate", "wpm"], &flags[..]].concat(), PROVED);
        let files: Vec<String> =
            done.stdout.lines().map(|line| std::fs::read_to_string(line).unwrap()).collect();
        (done.stdout.replace(&output, ""), files)
    });
    assert_eq!(runs[0], runs[1]);
    let (names, files) = &runs[0];
    let expected: String = (7..10).map(|seed| format!("/wpm-compaction-10-seed{seed}.yaml\n")).collect();
    assert_eq!(*names, expected);
    assert!(files[0] != files[1] && files[1] != files[2]);

    let printed = run(
        &["generate", "wpm", "--gpus", "10", "--seed", "7", "--use-case", "compaction", "--output", "-"],
        0,
    );
    assert_eq!(printed.stdout, files[0]);
    let other_board = run(&["generate", "wpm", "--gpus", "4", "--board", "A30", "--output", "-"], PROVED);
    assert!(other_board.stdout.contains("A30-24GB"));
}

#[test]
fn drawings_of_instance_solution_and_result() {
    let folder = Folder::new();
    let (path, output) = (instance("a30-joint"), folder.text("result.json"));
    run(&["solve", &path, "--quiet", "--output", &output], PROVED);
    let solution = folder.write("solution.json", folder.json("result.json")["solution"].to_string());
    for file in [&path, &output, &solution] {
        let done = run(&["show", file], PROVED);
        assert!(
            done.stdout.contains("a30-joint") && done.stdout.contains("edge-1/1"),
            "{file}: {}",
            done.stdout
        );
        assert!(!done.stdout.contains('\u{1b}'), "no colours where no terminal is");
        let picture = folder.text("picture.svg");
        assert_eq!(run(&["show", file, "--picture", &picture], PROVED).stdout, "");
        assert!(folder.read("picture.svg").contains("edge-1/1"), "{file}");
    }
}

#[test]
fn lists_name_everything_that_flags_take() {
    let everything = run(&["list"], PROVED).stdout;
    let topics: &[(&str, &[&str])] = &[
        ("models", &["wpm"]),
        ("formulations", &["printed", "compact", "exact-index"]),
        ("solvers", &["highs"]),
        ("heuristics", &["rule-based", "first-fit", "load-balanced"]),
        ("metrics", &["sequential_migrations", "[memory slices]"]),
        ("boards", &["A100-80GB", "RTX PRO 6000", "not usable"]),
    ];
    for (topic, names) in topics {
        let text = run(&["list", topic], PROVED).stdout;
        assert!(everything.contains(text.trim_end()), "{topic}");
        assert!(names.iter().all(|name| text.contains(name)), "{topic}: {text}");
    }
}

#[test]
fn completions_manual_and_help() {
    for (shell, part) in [("bash", "complete"), ("zsh", "#compdef migopt"), ("fish", "complete -c migopt")] {
        assert!(run(&["completions", shell], PROVED).stdout.contains(part), "{shell}");
    }
    assert!(run(&["manual"], PROVED).stdout.contains(".TH migopt 1"));
    let folder = Folder::new();
    let pages = run(&["manual", "--output", &folder.text("man")], PROVED).stdout;
    assert!(folder.read("man/migopt-solve.1").contains("\\-\\-time\\-limit"));
    assert!(folder.read("man/migopt-generate-wpm.1").contains("\\-\\-newcomers"));
    let subcommands = [
        "solve",
        "pareto",
        "verify",
        "explain",
        "check",
        "import",
        "plan",
        "whatif",
        "export",
        "repack",
        "heuristic",
        "oracle",
        "corpus",
        "library",
        "bench",
        "report",
        "generate",
        "show",
        "trace",
        "replay",
        "replay-bound",
        "list",
        "schema",
        "completions",
        "manual",
    ];
    // One for the whole command, and one for the generator of each model.
    assert_eq!(pages.lines().count(), 1 + subcommands.len() + MODELS.len(), "{pages}");
    for subcommand in subcommands {
        assert!(run(&[subcommand, "--help"], PROVED).stdout.contains("Example"), "{subcommand}");
        assert!(pages.contains(&format!("migopt-{subcommand}.1")));
    }
    assert!(run(&["--version"], PROVED).stdout.starts_with("migopt "));
}

#[test]
fn schemas_say_what_they_are() {
    let mut identities = std::collections::BTreeSet::new();
    for document in DOCUMENTS.into_iter().chain(["question"]) {
        let schema = run(&["schema", document], PROVED).json();
        assert!(schema["title"].as_str().unwrap().starts_with("migopt "), "{document}: {}", schema["title"]);
        assert!(identities.insert(schema["$id"].as_str().unwrap().to_owned()), "{document}");
        for name in schema["$defs"].as_object().unwrap().keys() {
            assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{document}: {name}");
        }
    }
    let of_model = run(&["schema", "question", "--model", "sharing"], PROVED).json();
    assert!(identities.insert(of_model["$id"].as_str().unwrap().to_owned()));
    let of_solution = schema(&["solution"]);
    for (reading, known) in [("printed", true), ("exact-index", true), ("approximate", false)] {
        let solution = serde_json::json!({"instance": {"name": "x"}, "placement": [], "reading": reading});
        assert_eq!(of_solution.is_valid(&solution), known, "{reading}");
    }
}

#[test]
fn lists_and_drawings_are_documents_for_programs() {
    let lists = run(&["list", "--format", "json"], PROVED).json();
    let of = |topic: &str, model: &str| {
        let lists = lists.as_array().unwrap();
        let found = lists.iter().find(|list| list["topic"] == topic && list["model"] == model).unwrap();
        found["entries"].as_array().unwrap().clone()
    };
    for model in MODELS {
        let names: Vec<Value> =
            of("heuristics", model.name()).iter().map(|entry| entry["name"].clone()).collect();
        let known: Vec<Value> = model.heuristics().iter().map(|entry| entry.name.into()).collect();
        assert_eq!(names, known);
    }
    let grmu = of("heuristics", "siavashi").into_iter().find(|entry| entry["name"] == "grmu").unwrap();
    assert!(
        grmu["parameters"].as_array().unwrap().iter().any(|parameter| parameter["name"] == "consolidate")
    );

    let folder = Folder::new();
    let (path, output) = (instance("a30-joint"), folder.text("result.json"));
    run(&["solve", &path, "--quiet", "--output", &output], PROVED);
    let shown = run(&["show", &path, "--format", "json"], PROVED).json();
    check(&schema(&["question"]), &shown);
    assert_eq!(
        run(&["show", &output, "--format", "json"], PROVED).json(),
        folder.json("result.json")["solution"]
    );
}

#[test]
fn shells_offer_names_and_short_help_is_short() {
    let script = run(&["completions", "fish"], PROVED).stdout;
    let offers = |flag: &str, name: &str| {
        let (_, after) = script.split_once(&format!("-l {flag} ")).unwrap_or_default();
        after.split("\ncomplete ").next().is_some_and(|values| values.contains(name))
    };
    for (flag, name) in [("policy", "load-balanced"), ("formulation", "exact-index"), ("methods", "optimum")]
    {
        assert!(offers(flag, name), "{flag} {name}");
    }
    let [short, long] = ["-h", "--help"].map(|flag| run(&["solve", flag], PROVED).stdout);
    assert!(!short.contains("--residents") && long.contains("--residents"), "{short}");
    assert!(long.contains("Settings of wpm:"), "{long}");
    // Older names go on working.
    let path = instance("a30-joint");
    run(&["heuristic", &path, "--heuristic", "first-fit", "--quiet"], PROVED);
    run(&["solve", &path, "--relative-gap", "0.1", "--quiet"], PROVED);
}

#[test]
fn answers_name_all_parts_of_the_time() {
    let path = instance("a30-joint");
    let parts_named = |flags: &[&str], names: &[&str]| {
        let command = [&["solve", &path, "--format", "json"], flags].concat();
        let result = run(&command, PROVED).json();
        let seconds = result["seconds"].as_object().unwrap();
        let part = |name: &&str| seconds[*name].as_f64().unwrap();
        assert!(names.iter().map(part).sum::<f64>() <= part(&"total"), "{seconds:?}");
        assert_eq!(seconds.len(), names.len() + 1, "{seconds:?}");
    };
    parts_named(&[], &["read", "build", "solve", "lay_out"]);
    parts_named(&["--picture", "/dev/null"], &["read", "build", "solve", "lay_out", "draw"]);
    assert!(run(&["solve", &path], PROVED).stdout.contains("(read "));
}

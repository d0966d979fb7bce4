//! Every command with `--model siavashi`, on generated intervals and on one made by hand.

use serde_json::{Value, json};
use support::cli::schemas::check_schema;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, LIMIT, PROVED, lines_without_seconds, run};

const INTERNAL: i32 = 1;

/// Two hosts and a GPU alone; `fixed` is pinned. On two GPUs `media` and `other` exclude each other.
const BY_HAND: &str = "\
name: by-hand
hosts:
  - {name: a, cpu: 8, memory_gib: 32, gpus: [{board: A100-40GB, count: 2}]}
  - {name: b, cpu: 4, memory_gib: 16, gpus: [{board: A100-40GB}]}
gpus:
  - {name: alone, board: A30-24GB}
workloads:
  - {name: fixed, profile: 3g.20gb, cpu: 2, memory_gib: 8, movable: false, current: {gpu: a/0, start: 4}}
  - {name: loose, profile: 2g.10gb, cpu: 2, memory_gib: 8, current: {gpu: b/0, start: 2}}
  - {name: media, profile: 1g.5gb+me}
  - {name: other, profile: 1g.5gb+me}
  - {name: busy, profile: 1g.5gb, cpu: 3}
  - {name: tall, profile: 1g.5gb, memory_gib: 12}
  - {name: small, profile: 1g.6gb}
siavashi: {residents: keep}
";

/// A valid placement of it.
const PLACES: [(&str, &str, u8); 7] = [
    ("fixed", "a/0", 4),
    ("loose", "b/0", 2),
    ("media", "a/0", 0),
    ("other", "a/1", 0),
    ("busy", "a/1", 1),
    ("tall", "a/1", 2),
    ("small", "alone", 0),
];

/// An external heuristic that leaves everything where it is.
const STAY: &str = "exec:python3 -c '
import json, sys
q = json.load(sys.stdin)
placed = [dict(workload=w[\"name\"], **w[\"current\"]) for w in q[\"workloads\"] if \"current\" in w]
json.dump(dict(model=q[\"model\"], instance=q[\"instance\"], placement=placed), sys.stdout)
'";

fn by_hand(folder: &Folder) -> String {
    folder.write("by-hand.yaml", BY_HAND)
}

/// A generated interval in which not everything fits.
fn interval(folder: &Folder, flags: &[&str]) -> String {
    let output = folder.text("");
    let given = ["generate", "siavashi", "--workloads", "14", "--gpus-per-machine", "2", "--output", &output];
    run(&[&given, flags].concat(), PROVED).stdout.trim_end().to_owned()
}

fn solved(path: &str, flags: &[&str]) -> Value {
    let arguments = ["solve", path, "--model", "siavashi", "--format", "json"];
    run(&[&arguments, flags].concat(), PROVED).json()
}

/// Values of the stages, which must equal the bounds.
fn values(result: &Value) -> Vec<i64> {
    let stages = result["stages"].as_array().unwrap();
    assert!(stages.iter().all(|stage| stage["value"] == stage["bound"]), "{result}");
    stages.iter().map(|stage| stage["value"].as_i64().unwrap()).collect()
}

/// `small` needs `alone`, `fixed` holds a/0, and `media` and `other` need two GPUs of the paper's: with `loose` moved there,
/// machine a has room for the rest.
#[test]
fn the_answer_tells_goals_score_and_metrics() {
    let folder = Folder::new();
    let result = solved(&by_hand(&folder), &[]);
    assert_eq!((&result["model"], &result["formulation"]), (&json!("siavashi"), &json!("compact")));
    assert_eq!(
        (&result["status"], &result["proved"], &result["gap"]),
        (&json!("optimal"), &json!(true), &json!(0.0))
    );
    assert_eq!(
        (&result["objective"], &result["residents"]),
        (&json!("lexicographic:acceptance,hardware,migrations"), &json!("keep"))
    );
    assert_eq!(values(&result), [7, 5, 4]);
    let score = json!({
        "accepted": 7, "rejected": 0, "evicted": 0, "acceptance": 7,
        "machines": 2, "gpus": 3, "gpus_of_machines": 3, "hardware": 5,
        "moved_machine": 1, "moved_gpu": 0, "moved_start": 0, "migrations": 4,
    });
    assert_eq!(result["score"], score);
    let metrics =
        [("acceptance_rate", 1), ("active_machines", 2), ("inter_migrations", 1), ("printed_migrations", 4)];
    for (metric, value) in metrics {
        assert_eq!(result["metrics"][metric], value, "{metric}");
    }
    check_schema(&["result"], &result);
    check_schema(&["solution"], &result["solution"]);
    check_schema(&["instance"], &support::from_yaml(BY_HAND));

    let text = run(&["solve", &by_hand(&folder), "--model", "siavashi"], PROVED).stdout;
    let parts = [
        "by-hand: optimal (proved: bound and verified value meet)",
        "model siavashi, formulation compact",
        "residents keep",
        "7 workloads placed, 0 newcomers rejected, 0 residents evicted",
        "2 machines and 3 GPUs in use",
        "1 to another machine",
    ];
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }
}

#[test]
fn formulations_and_solvers_give_the_same_values() {
    let folder = Folder::new();
    for (path, formulations) in [
        (by_hand(&folder), &["compact", "slots", "printed"][..]),
        (interval(&folder, &["--load", "1.3", "--seed", "3"]), &["compact", "slots"]),
    ] {
        let reference = values(&solved(&path, &[]));
        for formulation in formulations {
            let result = solved(&path, &["--formulation", formulation]);
            assert_eq!((values(&result), &result["formulation"]), (reference.clone(), &json!(formulation)));
            #[cfg(feature = "cbc")]
            if *formulation != "printed" {
                let result = solved(&path, &["--formulation", formulation, "--solver", "cbc"]);
                assert_eq!(values(&result), reference, "{formulation}");
            }
        }
    }
}

#[test]
fn flags_replace_the_settings_of_the_file() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    let evictable = solved(&path, &["--residents", "evictable"]);
    assert_eq!(evictable["residents"], "evictable");
    // `fixed` is there anyway, and `loose` may move beside it.
    let hardware = solved(&path, &["--objective", "lexicographic:hardware"]);
    assert_eq!((values(&hardware), &hardware["stages"][0]["name"]), (vec![2], &json!("hardware")));
    let weighted = solved(&path, &["--objective", "weighted:acceptance=10,hardware=1,migrations=2"]);
    // Moving `loose` would cost 8 and save 1.
    assert_eq!((values(&weighted), &weighted["stages"][0]["name"]), (vec![70 - 6], &json!("weighted")));
    let without = solved(&path, &["--objective", "weighted"]);
    assert_eq!(without["score"], solved(&path, &[])["score"]);

    let refused: &[(&[&str], &str)] = &[
        (&["--use-case", "joint"], "use"),
        (&["--objective", "lexicographic:profit"], "\"profit\""),
        (&["--formulation", "exact-index"], "Formulations: compact, slots, printed."),
    ];
    for (flags, part) in refused {
        let done = run(&[&["solve", &path, "--model", "siavashi"], *flags].concat(), BAD_INPUT);
        assert!(done.stderr.contains(part), "{flags:?}: {done:?}");
    }
}

#[test]
fn formulations_that_cannot_say_what_is_asked_name_one_that_can() {
    let folder = Folder::new();
    let costs = |costs: &str| BY_HAND.replace("keep}", &format!("keep, migration_costs: {{{costs}}}}}"));
    let starts = folder.write("starts.yaml", costs("move_start: 1"));
    assert_eq!(solved(&starts, &[])["formulation"], "compact");
    let disruptions = folder.write("disruptions.yaml", BY_HAND.replace("keep}", "keep, max_disrupted: 0}"));
    assert_eq!(solved(&disruptions, &[])["formulation"], "slots");
    let evictions = folder.write("evictions.yaml", costs("evict: 9"));
    assert_eq!(solved(&evictions, &[])["formulation"], "compact");
    for (path, formulation, other) in [
        (&disruptions, "compact", "`slots`"),
        (&starts, "printed", "`slots`"),
        (&evictions, "printed", "`compact`"),
    ] {
        let arguments = ["solve", path, "--model", "siavashi", "--formulation", formulation];
        let done = run(&arguments, BAD_INPUT);
        assert!(done.stderr.contains(other), "{formulation}: {done:?}");
    }
}

/// Without `small` machine a suffices, and without one of `media` and `other` and two more its first GPU.
#[test]
fn frontiers_list_every_trade() {
    let folder = Folder::new();
    let (path, output, plot) = (by_hand(&folder), folder.text("frontier.json"), folder.text("plot.svg"));
    let asked = ["pareto", &path, "--model", "siavashi", "--objectives", "acceptance,hardware"];
    let text = run(&[&asked, &["--output", &output, "--plot", &plot][..]].concat(), PROVED).stdout;
    assert!(text.contains("by-hand: 3 non-dominated points, all of them (proved)"), "{text}");
    let frontier = folder.json("frontier.json");
    check_schema(&["frontier"], &frontier);
    let values: Vec<&Value> =
        frontier["points"].as_array().unwrap().iter().map(|point| &point["values"]).collect();
    assert_eq!(values, [&json!([7, 5]), &json!([6, 3]), &json!([4, 2])]);
    for point in frontier["points"].as_array().unwrap() {
        let solution = folder.write("solution.json", point["solution"].to_string());
        let verdict = run(&["verify", &path, &solution, "--format", "json"], PROVED).json();
        assert_eq!(verdict["score"], point["score"]);
    }
    assert!(folder.read("plot.svg").contains("<svg"));
    let done = run(&[&asked, &["--time-limit", "0"][..]].concat(), LIMIT);
    assert!(done.stdout.contains("0 non-dominated points, stopped at a limit"), "{done:?}");
    for goals in ["acceptance", "acceptance,profit", "hardware,hardware", "acceptance,hardware,migrations"] {
        let asked = ["pareto", &path, "--model", "siavashi", "--objectives", goals];
        let words = run(&asked, BAD_INPUT).stderr;
        assert!(words.contains("goals") && !words.contains(".."), "{words}");
    }
}

/// A placement of the instance made by hand, with one workload somewhere else or nowhere.
fn placement(moved: &str, place: Option<(&str, u8)>) -> Value {
    let placed = PLACES.iter().filter_map(|&(workload, gpu, start)| {
        let (gpu, start) = if workload == moved { place? } else { (gpu, start) };
        Some(json!({"workload": workload, "gpu": gpu, "start": start}))
    });
    json!({"model": "siavashi", "instance": {"name": "by-hand"}, "placement": placed.collect::<Vec<_>>()})
}

#[test]
fn verify_names_each_broken_rule() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    let cases = [
        ("overlap", "busy", Some(("a/1", 0))),
        ("illegal-start", "loose", Some(("b/0", 3))),
        ("unsupported-profile", "small", Some(("a/1", 5))),
        ("limit-exceeded", "other", Some(("a/0", 1))),
        ("host-cpu", "busy", Some(("b/0", 0))),
        ("host-memory", "tall", Some(("b/0", 0))),
        ("pinned-moved", "fixed", Some(("a/1", 4))),
        ("pinned-moved", "fixed", None),
        ("evicted", "loose", None),
    ];
    for (rule, moved, place) in cases {
        let solution = folder.write("solution.json", placement(moved, place).to_string());
        let verdict = run(&["verify", &path, &solution, "--format", "json"], INFEASIBLE).json();
        let violations = verdict["violations"].as_array().unwrap();
        assert_eq!((violations.len(), &violations[0]["rule"]), (1, &json!(rule)), "{verdict}");
        assert_eq!((&verdict["valid"], &verdict["score"]), (&json!(false), &Value::Null));
        let text = run(&["verify", &path, &solution], INFEASIBLE).stdout;
        assert!(
            text.contains(": not valid: 1 rule broken\n") && text.contains(&format!("\n  {rule}: ")),
            "{text}"
        );
    }
    let valid = folder.write("solution.json", placement("nothing", None).to_string());
    let text = run(&["verify", &path, &valid], PROVED).stdout;
    for expected in [
        "valid (verified; not proved optimal)\n",
        " 7   7 workloads placed, 0 newcomers rejected, 0 residents evicted\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }

    // Where residents may be evicted, that breaks no rule; what no rule forbids a newcomer never does.
    let evictable = folder.write("evictable.yaml", BY_HAND.replace("keep", "evictable"));
    for (workload, count) in [("loose", "evicted"), ("busy", "rejected")] {
        let solution = folder.write("solution.json", placement(workload, None).to_string());
        let verdict = run(&["verify", &evictable, &solution, "--format", "json"], PROVED).json();
        assert_eq!(verdict["score"][count], 1, "{verdict}");
    }
}

#[test]
fn verify_accepts_results_and_refuses_tampered_ones() {
    let folder = Folder::new();
    for path in [by_hand(&folder), interval(&folder, &["--seed", "5"])] {
        let output = folder.text("result.json");
        run(&["solve", &path, "--model", "siavashi", "--quiet", "--output", &output], PROVED);
        let verdict = run(&["verify", &path, &output, "--format", "json"], PROVED).json();
        let mut result = folder.json("result.json");
        assert_eq!((&verdict["valid"], &verdict["score"]), (&json!(true), &result["score"]));
        run(&["verify", &path, &output, "--model", "siavashi"], PROVED);
        let other = run(&["verify", &path, &output, "--model", "wpm"], BAD_INPUT).stderr;
        assert!(other.contains("this is a solution of model siavashi, not wpm"), "{other}");

        let placed = result["solution"]["placement"].as_array_mut().unwrap();
        let (gpu, start) = (placed[0]["gpu"].clone(), placed[0]["start"].clone());
        placed[1]["gpu"] = gpu;
        placed[1]["start"] = start;
        let tampered = folder.write("tampered.json", result.to_string());
        let done = run(&["verify", &path, &tampered], INFEASIBLE);
        assert!(done.stdout.contains("  overlap: ") || done.stdout.contains("  illegal-start: "), "{done:?}");
    }
    // A result is judged by the settings that it answers.
    let (path, output) = (by_hand(&folder), folder.text("result.json"));
    let flags = ["--residents", "evictable", "--objective", "lexicographic:hardware", "--output", &output];
    run(&[&["solve", path.as_str(), "--model", "siavashi", "--quiet"], &flags[..]].concat(), PROVED);
    assert_eq!(folder.json("result.json")["score"]["evicted"], 1);
    run(&["verify", &path, &output], PROVED);
}

#[test]
fn the_same_file_is_a_question_of_the_other_model() {
    let folder = Folder::new();
    for path in [by_hand(&folder), interval(&folder, &[])] {
        let result = run(&["solve", &path, "--model", "wpm", "--format", "json"], PROVED).json();
        assert_eq!((&result["model"], &result["status"]), (&json!("wpm"), &json!("optimal")));
        assert_eq!(result["stages"][0]["name"], "profit");
    }
}

/// Hardware ends within the gap, and migrations are solved all the same.
#[test]
fn a_gap_reaches_every_goal() {
    let folder = Folder::new();
    let asked = ["generate", "siavashi", "--workloads", "60", "--load", "0.6", "--seed", "2", "--output"];
    let path = run(&[&asked[..], &[&folder.text("")]].concat(), PROVED).stdout.trim_end().to_owned();
    let result = solved(&path, &["--gap", "0.2"]);
    assert_eq!(result["status"], "within-gap", "the test needs an instance that is not proved at once");
    let stages = result["stages"].as_array().unwrap();
    let names: Vec<_> = stages.iter().map(|stage| stage["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["acceptance", "hardware", "migrations"]);
    for stage in stages {
        let [value, bound] = ["value", "bound"].map(|key| stage[key].as_f64().expect("the goal was reached"));
        assert!((value - bound).abs() <= 0.2 * value.abs(), "{stage}");
    }
    let differ = |stage: &Value| stage["value"] != stage["bound"];
    assert!(stages[..2].iter().any(differ), "{result}");
    let solution = folder.write("result.json", result.to_string());
    run(&["verify", &path, &solution], PROVED);
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let folder = Folder::new();
    let path = interval(&folder, &["--seed", "9"]);
    for formulation in ["compact", "slots"] {
        let runs = ["one", "two"].map(|name| {
            let files = ["json", "svg", "lp"].map(|ending| folder.text(&format!("{name}.{ending}")));
            let [output, picture, export] = files.each_ref().map(String::as_str);
            let flags =
                ["--formulation", formulation, "--output", output, "--picture", picture, "--export", export];
            run(&[&["solve", path.as_str(), "--model", "siavashi", "--quiet"], &flags[..]].concat(), PROVED);
            let endings = ["svg", "1-acceptance.lp", "2-hardware.lp", "3-migrations.lp"];
            let files = endings.map(|ending| folder.read(&format!("{name}.{ending}")));
            (lines_without_seconds(&folder.read(&format!("{name}.json"))), files)
        });
        assert!(runs[0].0.len() > 40);
        assert!(runs[0] == runs[1], "{formulation}");
    }
}

#[test]
fn no_time_at_all_still_gives_a_verified_solution_and_a_bound() {
    let folder = Folder::new();
    for path in [by_hand(&folder), interval(&folder, &["--seed", "2"])] {
        for formulation in ["compact", "slots", "printed"] {
            for objective in ["lexicographic", "weighted", "weighted:acceptance=2,hardware=1,migrations=1"] {
                let output = folder.text("result.json");
                let flags = ["--time-limit", "0", "--formulation", formulation, "--output", &output];
                let asked = ["solve", &path, "--model", "siavashi", "--objective", objective];
                let done = run(&[&asked, &flags[..]].concat(), LIMIT);
                assert!(done.stdout.contains("stopped by the time limit"), "{done:?}");
                let result = folder.json("result.json");
                let stage = &result["stages"][0];
                let [value, bound] =
                    [&stage["value"], &stage["bound"]].map(|number| number.as_f64().unwrap());
                assert!(bound >= value && result["gap"].as_f64().unwrap() > 0.0, "{stage}");
                let later = &result["stages"].as_array().unwrap()[1..];
                assert!(later.iter().all(|stage| stage["bound"].is_null()), "{result}");
                run(&["verify", &path, &output], PROVED);
            }
        }
    }
}

#[test]
fn programs_pictures_and_drawings_are_written() {
    let folder = Folder::new();
    let (path, output) = (by_hand(&folder), folder.text("result.json"));
    for formulation in ["compact", "slots", "printed"] {
        for (ending, end) in [("lp", "end"), ("mps", "ENDATA")] {
            let export = folder.text(&format!("program.{ending}"));
            let flags = ["--formulation", formulation, "--export", &export, "--output", &output, "--quiet"];
            run(&[&["solve", path.as_str(), "--model", "siavashi"], &flags[..]].concat(), PROVED);
            for stage in ["1-acceptance", "2-hardware", "3-migrations"] {
                let text = folder.read(&format!("program.{stage}.{ending}"));
                assert!(
                    text.trim_end().ends_with(end) && text.contains("loose"),
                    "{formulation} {stage} {ending}"
                );
            }
        }
    }
    let solution = folder.write("solution.json", folder.json("result.json")["solution"].to_string());
    for file in [&path, &output, &solution] {
        assert!(run(&["show", file], PROVED).stdout.contains("a/1"), "{file}");
        run(&["show", file, "--picture", &folder.text("picture.svg")], PROVED);
        assert!(folder.read("picture.svg").contains("<svg"), "{file}");
    }
}

#[test]
fn workloads_that_can_never_be_placed_are_named() {
    let folder = Folder::new();
    let more = "  - {name: foreign, profile: 7g.80gb}\n  - {name: hungry, profile: 1g.5gb, cpu: 9}\nsiavashi";
    let path = folder.write("never.yaml", BY_HAND.replace("siavashi", more));
    for formulation in ["compact", "slots", "printed"] {
        let arguments = ["solve", &path, "--model", "siavashi", "--formulation", formulation];
        let text = run(&arguments, PROVED).stdout;
        assert!(text.contains("note: 2 workloads can never be placed"), "{formulation}: {text}");
        assert!(text.contains("needed: foreign, hungry"), "{formulation}: {text}");
    }
    assert_eq!(values(&solved(&path, &[])), [7, 5, 4]);
    let notes = solved(&path, &[])["notes"].clone();
    assert_eq!(notes.as_array().unwrap().len(), 1, "{notes}");
}

#[test]
fn external_heuristics_read_the_question_and_are_judged() {
    let folder = Folder::new();
    for path in [by_hand(&folder), interval(&folder, &["--seed", "4"])] {
        let question = folder.text("question.json");
        let keep = format!("exec:cat > {question}; exit 4");
        run(&["heuristic", &path, "--model", "siavashi", "--policy", &keep, "--seed", "9"], INTERNAL);
        let question = folder.json("question.json");
        check_schema(&["question", "--model", "siavashi"], &question);
        assert_eq!((&question["model"], &question["seed"]), (&json!("siavashi"), &json!(9)));
        let workloads = question["workloads"].as_array().unwrap();
        let residents = workloads.iter().filter(|workload| workload.get("current").is_some()).count();

        let output = folder.text("proposal.json");
        let arguments = ["heuristic", &path, "--model", "siavashi", "--policy", STAY, "--output", &output];
        let text = run(&arguments, PROVED).stdout;
        assert!(text.contains("valid (verified; not proved optimal)"), "{text}");
        let proposal = folder.json("proposal.json");
        check_schema(&["proposal"], &proposal);
        assert_eq!((&proposal["valid"], &proposal["heuristic"]), (&json!(true), &json!(STAY)));
        assert_eq!(proposal["score"]["accepted"], residents);
        assert_eq!(proposal["score"]["migrations"], 0);
        assert!(values(&solved(&path, &[]))[0] >= residents as i64);
        run(&["verify", &path, &output], PROVED);
    }
    let nowhere =
        "exec:echo '{\"model\": \"siavashi\", \"instance\": {\"name\": \"by-hand\"}, \"placement\": []}'";
    let done = run(&["heuristic", &by_hand(&folder), "--model", "siavashi", "--policy", nowhere], INFEASIBLE);
    assert!(done.stdout.contains("pinned-moved: ") && done.stdout.contains("evicted: "), "{done:?}");
}

#[test]
fn sweeps_make_rows_and_reports_read_them() {
    let folder = Folder::new();
    let sweep = folder.text("sweep");
    let path = by_hand(&folder);
    let arguments = [
        "bench",
        &path,
        "--model",
        "siavashi",
        "--generate",
        "siavashi:workloads=10,gpus-per-machine=2,count=2,seed=6",
        "--methods",
        "optimum,slots",
        "--method",
        STAY,
        "--output",
        &sweep,
    ];
    assert!(run(&arguments, PROVED).stdout.contains("9 of 9 rows, 9 made now"));
    assert!(run(&arguments, PROVED).stdout.contains("9 of 9 rows, 0 made now"));
    let rows: Vec<Value> =
        folder.read("sweep/rows.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &rows {
        check_schema(&["row"], row);
        let proved = row["method"] != STAY;
        assert_eq!(row["model"], "siavashi");
        assert_eq!(row["outcome"], if proved { "optimal" } else { "valid" }, "{row}");
        assert_eq!(row["stages"].as_array().unwrap().len(), 3);
        let optimum =
            rows.iter().find(|other| other["instance"] == row["instance"] && other["method"] == "optimum");
        let [own, best] = [row, optimum.unwrap()].map(|row| row["stages"][0]["value"].as_i64().unwrap());
        assert!(if proved { own == best } else { own <= best }, "{row}");
    }
    let report = run(&["report", &sweep], PROVED).stdout;
    for part in ["siavashi", "Gap to the optimum", "acceptance rate", "slots"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    run(&["report", &sweep, "--output", &folder.text("report.html")], PROVED);
    assert!(folder.read("report.html").contains("</html>"));
}

#[test]
fn generated_intervals_are_the_same_bytes_twice_and_say_what_they_are() {
    let folder = Folder::new();
    let flags = ["--mix", "heavy", "--load", "0.8", "--board", "A30", "--residents", "0.5", "--churn", "2"];
    let path = interval(&folder, &flags);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(path.ends_with("siavashi-heavy-14-load80-keep-seed1.yaml"), "{path}");
    let asked = ["generate", "siavashi", "--workloads", "14", "--gpus-per-machine", "2", "--output", "-"];
    assert_eq!(run(&[&asked, &flags[..]].concat(), PROVED).stdout, text);
    assert!(run(&[&asked, &flags[..], &["--seed", "2"]].concat(), PROVED).stdout != text);
    check_schema(&["instance"], &support::from_yaml(&text));
    for part in ["A30-24GB", "7 newcomers", "siavashi:", "residents: keep"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for (flag, value) in
        [("--load", "0"), ("--churn", "0.5"), ("--residents", "2"), ("--board", "A300"), ("--mix", "odd")]
    {
        let done = run(&[&asked, &[flag, value][..]].concat(), BAD_INPUT);
        assert!(done.stderr.contains(value), "{flag}: {done:?}");
    }
}

/// Machines with one GPU count 2 as a whole, so that one unit of hardware is 2.
#[test]
fn the_weights_of_the_sum_are_shown() {
    let folder = Folder::new();
    for (active_gpus, objective, weights) in [
        ("used", "weighted", [25, 5, 1]),
        ("whole-machine", "weighted", [17, 3, 1]),
        ("used", "weighted:acceptance=1000,migrations=2", [1000, 0, 2]),
    ] {
        let text = format!(
            "name: w\nhosts: [{{name: h, count: 2, gpus: {{board: A30}}}}]\nworkloads:\n  \
             - {{name: runs, profile: 1g.6gb, current: {{gpu: h-0/0, start: 0}}}}\n  - {{name: new, profile: 2g.12gb}}\n\
             siavashi: {{active_gpus: {active_gpus}, objective: '{objective}'}}\n"
        );
        let path = folder.write("weights.yaml", text);
        let [acceptance, hardware, migrations] = weights;
        let result = run(&["solve", &path, "--format", "json"], PROVED).json();
        let wanted =
            serde_json::json!({"acceptance": acceptance, "hardware": hardware, "migrations": migrations});
        assert_eq!(result["weights"], wanted, "{active_gpus} {objective}");
        let shown = run(&["solve", &path], PROVED).stdout;
        let line = format!("acceptance {acceptance}, hardware {hardware}, migrations {migrations}");
        assert!(shown.contains(&line.replace("1000", "1,000")), "{shown}");
    }
}

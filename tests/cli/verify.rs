//! `migopt verify`: accepts what is right, names what is wrong, and knows which instance a solution is for.

use serde_json::Value;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, PROVED, instance, run};

/// Two GPUs, one pinned workload, one that may move, one newcomer.
const INSTANCE: &str = "\
name: small
gpus:
  - {name: g, board: A100-80GB, count: 2}
workloads:
  - {name: fixed, profile: 3g.40gb, movable: false, current: {gpu: g-0, start: 0}}
  - {name: loose, profile: 2g.20gb, current: {gpu: g-1, start: 2}}
  - {name: new, profile: 1g.10gb}
";

/// A change to a solution, and what the complaint about it says.
type Tampering<'a> = (&'a dyn Fn(&mut Value), &'a str);

/// A solution as a person would write it.
fn by_hand(fixed: &str, loose: &str, new: &str) -> String {
    format!(
        "instance: {{name: small}}\nplacement:\n  - {{workload: fixed, {fixed}}}\n  - {{workload: loose, {loose}}}\n  \
         - {{workload: new, {new}}}\n"
    )
}

#[test]
fn results_in_either_format_and_bare_solutions_pass() {
    let folder = Folder::new();
    let path = instance("mixed-boards");
    for name in ["result.json", "result.yaml"] {
        run(&["solve", &path, "--quiet", "--output", &folder.text(name)], PROVED);
        let done = run(&["verify", &path, &folder.text(name)], PROVED);
        assert!(
            done.stdout.contains(": valid (verified; not proved optimal)\n")
                && done.stdout.contains("\n  profit "),
            "{done:?}"
        );
    }
    let result = folder.json("result.json");
    let verdict = run(&["verify", &path, &folder.text("result.json"), "--format", "json"], PROVED).json();
    assert_eq!(verdict["valid"], true);
    assert_eq!(verdict["violations"], Value::Array(Vec::new()));
    assert_eq!(verdict["score"], result["score"]);

    let bare = folder.write("bare.json", result["solution"].to_string());
    run(&["verify", &path, &bare], PROVED);
    // All on one line, and with fields in another order, it is still the same result.
    let compact = folder.write("compact.json", result.to_string());
    run(&["verify", &path, &compact], PROVED);
}

#[test]
fn a_result_is_judged_by_the_question_that_it_answers() {
    let folder = Folder::new();
    let path = instance("mixed-boards");
    for use_case in ["initial", "compaction", "reconfiguration"] {
        let output = folder.text("result.json");
        let flags = ["--use-case", use_case, "--objective", "lexicographic", "--output", &output];
        run(&[&["solve", path.as_str(), "--quiet"], &flags[..]].concat(), PROVED);
        let verdict = run(&["verify", &path, &output, "--format", "json"], PROVED).json();
        assert_eq!(verdict["score"], folder.json("result.json")["score"], "{use_case}");
    }
}

#[test]
fn solutions_by_hand() {
    let folder = Folder::new();
    let path = folder.write("small.yaml", INSTANCE);
    let stay = "gpu: g-0, start: 0";
    let cases = [
        ("valid", by_hand(stay, "gpu: g-0, start: 4", "gpu: g-0, start: 6"), None),
        ("overlap", by_hand(stay, "gpu: g-0, start: 2", "gpu: g-0, start: 6"), Some("overlap")),
        ("illegal start", by_hand(stay, "gpu: g-0, start: 5", "gpu: g-0, start: 6"), Some("illegal-start")),
        (
            "pinned moved",
            by_hand("gpu: g-0, start: 4", "gpu: g-1, start: 2", "gpu: g-1, start: 0"),
            Some("pinned-moved"),
        ),
        (
            "reused",
            by_hand(stay, "gpu: g-0, start: 4", "gpu: g-1, start: 2")
                + "repartitioned: []\nreading: printed\n",
            Some("occupied-slots-reused"),
        ),
        // Without a reading it is that by which the instance is solved: with exact indexes, as something is pinned.
        (
            "reused at once",
            by_hand(stay, "gpu: g-0, start: 4", "gpu: g-1, start: 2") + "repartitioned: []\n",
            None,
        ),
        // Left out, repartitions are those with which the placement is worth most.
        ("repartitioned", by_hand(stay, "gpu: g-0, start: 4", "gpu: g-1, start: 2"), None),
    ];
    for (name, text, rule) in cases {
        let solution = folder.write("solution.yaml", text);
        let code = if rule.is_some() { INFEASIBLE } else { PROVED };
        let verdict = run(&["verify", &path, &solution, "--format", "json"], code).json();
        let rules: Vec<&str> = verdict["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|broken| broken["rule"].as_str().unwrap())
            .collect();
        assert_eq!(verdict["valid"], rule.is_none(), "{name}: {verdict}");
        assert!(rule.is_none_or(|rule| rules.contains(&rule)), "{name}: {rules:?}");
        let text = run(&["verify", &path, &solution], code).stdout;
        assert!(rule.is_none_or(|rule| text.contains(&format!("  {rule}: `"))), "{name}: {text}");
    }
}

/// Where a resident that shifts costs less than a repartition, leaving `repartitioned` out repartitions nothing.
#[test]
fn repartitions_that_are_left_out_are_the_cheapest() {
    let folder = Folder::new();
    let workloads = |moving: &str| {
        format!(
            "name: shift\ngpus: [{{name: g, board: A100-80GB, count: 2}}]\nworkloads:\n  \
             - {{name: a, profile: 1g.10gb, current: {{gpu: g-0, start: 0}}, migration_cost: {moving}}}\n  \
             - {{name: pin, profile: 1g.10gb, current: {{gpu: g-1, start: 0}}, movable: false}}\n  \
             - {{name: big, profile: 4g.40gb}}\n  - {{name: other, profile: 3g.40gb}}\n\
             wpm: {{costs: {{reward_per_slice: 1000, gpu: 300, repartition: 100, waste: 0}}}}\n"
        )
    };
    let placement = "instance: {name: shift}\nplacement:\n  - {workload: a, gpu: g-0, start: 4}\n  \
                     - {workload: pin, gpu: g-1, start: 0}\n  - {workload: big, gpu: g-0, start: 0}\n  \
                     - {workload: other, gpu: g-1, start: 4}\n";
    // Two GPUs, nine slices placed: 9,000 - 600 - what the shift costs.
    for (moving, repartitions, profit) in [("1", 0, 8399), ("100", 0, 8300), ("101", 1, 8300)] {
        let path = folder.write("shift.yaml", workloads(moving));
        let solution = folder.write("solution.yaml", placement);
        let score = &run(&["verify", &path, &solution, "--format", "json"], PROVED).json()["score"];
        assert_eq!(score["repartitions"], repartitions, "{moving}: {score}");
        assert_eq!(score["profit"], profit, "{moving}: {score}");
        let optimum = run(&["solve", &path, "--format", "json"], PROVED).json();
        assert_eq!(optimum["stages"][0]["value"], score["profit"], "{moving}");
    }
}

#[test]
fn tampered_results_are_found_out() {
    let folder = Folder::new();
    let path = folder.write("small.yaml", INSTANCE);
    run(&["solve", &path, "--quiet", "--output", &folder.text("result.json")], PROVED);
    let result = folder.json("result.json");
    let place_of = |name: &str| {
        let placed = result["solution"]["placement"].as_array().unwrap();
        placed.iter().position(|entry| entry["workload"] == name).unwrap()
    };
    let tampered = |change: &dyn Fn(&mut Value)| {
        let mut copy = result.clone();
        change(&mut copy["solution"]);
        folder.write("tampered.json", copy.to_string())
    };
    let (fixed, new) = (place_of("fixed"), place_of("new"));

    let overlap = tampered(&|solution| {
        solution["placement"][new]["gpu"] = "g-0".into();
        solution["placement"][new]["start"] = 1.into();
    });
    let done = run(&["verify", &path, &overlap], INFEASIBLE);
    assert!(done.stdout.contains("overlap: `fixed` and `new` overlap on g-0"), "{done:?}");

    let moved = tampered(&|solution| solution["placement"][fixed]["gpu"] = "g-1".into());
    let done = run(&["verify", &path, &moved], INFEASIBLE);
    assert!(done.stdout.contains("pinned-moved: `fixed` is pinned but not where it was"), "{done:?}");

    let cases: &[Tampering] = &[
        (&|solution| solution["placement"][new]["workload"] = "other".into(), "workload `other`"),
        (&|solution| solution["placement"][new]["workload"] = "nwe".into(), "(did you mean \"new\"?)"),
        (&|solution| solution["placement"][new]["workload"] = "loose".into(), "`loose` has two places"),
        (&|solution| solution["placement"][new]["gpu"] = "g-7".into(), "GPU `g-7`"),
        (&|solution| solution["placement"][new]["gpu"] = "g-7".into(), "(did you mean \"g-0\"?)"),
        (&|solution| solution["placement"][new]["start"] = 300.into(), "`start`"),
        (
            &|solution| solution["pending"] = serde_json::json!([{"workload": "new"}]),
            "both placed and pending",
        ),
        (&|solution| solution["repartitioned"] = serde_json::json!(["g-9"]), "GPU `g-9`"),
    ];
    for (change, part) in cases {
        let file = tampered(change);
        let done = run(&["verify", &path, &file], BAD_INPUT);
        let mut lines = done.stderr.lines();
        let told = lines.next().unwrap_or_default();
        assert!(told.contains(&file) && told.contains(part), "{part}: {done:?}");
        assert!(lines.all(|line| line.starts_with("  ")), "{done:?}");
    }
}

#[test]
fn unknown_names_have_their_line() {
    let folder = Folder::new();
    let path = folder.write("small.yaml", INSTANCE);
    let stay = "gpu: g-0, start: 0";
    let cases = [
        (by_hand(stay, "gpu: g-2, start: 4", stay), "solution.yaml:4:28: the solution names the GPU `g-2`"),
        (by_hand(stay, stay, stay).replace("loose", "lose"), ":4:16: the solution names the workload `lose`"),
        (by_hand(stay, stay, stay) + "model: wpn\n", "solution.yaml:6:8: `model`: \"wpn\" is not a model"),
    ];
    for (text, part) in cases {
        let solution = folder.write("solution.yaml", text);
        let done = run(&["verify", &path, &solution], BAD_INPUT);
        assert!(done.stderr.contains(part) && done.stderr.contains("did you mean"), "{part}: {done:?}");
    }
}

/// A solution names its model, or the command line does, or it is the default.
#[test]
fn the_model_comes_from_the_document_or_the_flag() {
    let folder = Folder::new();
    let path = folder.write("small.yaml", INSTANCE);
    let text = by_hand("gpu: g-0, start: 0", "gpu: g-0, start: 4", "gpu: g-0, start: 6");
    let silent = folder.write("silent.yaml", &text);
    let named = folder.write("named.yaml", text + "model: wpm\n");
    for solution in [silent, named] {
        run(&["verify", &path, &solution], PROVED);
        run(&["verify", &path, &solution, "--model", "wpm"], PROVED);
    }
    run(&["solve", &path, "--quiet", "--output", &folder.text("result.json")], PROVED);
    assert_eq!(folder.json("result.json")["solution"]["model"], "wpm");
}

#[test]
fn a_solution_of_another_instance_names_both() {
    let folder = Folder::new();
    let (path, output) = (instance("classes"), folder.text("result.json"));
    run(&["solve", &path, "--quiet", "--output", &output], PROVED);
    let done = run(&["verify", &instance("fig6-waste"), &output], BAD_INPUT);
    assert!(done.stderr.contains("\"classes\"") && done.stderr.contains("\"fig6-waste\""), "{done:?}");

    // The same name but another content: the digest tells.
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = folder.write("changed.yaml", text.replace("reward: 150", "reward: 151"));
    let done = run(&["verify", &changed, &output], BAD_INPUT);
    assert!(done.stderr.contains("belongs to another instance"), "{done:?}");
    // Comments and layout do not count.
    let commented = folder.write("commented.yaml", format!("# a comment\n{text}\n"));
    run(&["verify", &commented, &output], PROVED);

    let bare = folder.write("bare.yaml", "instance: {name: other}\nplacement: []\n");
    let done = run(&["verify", &path, &bare], BAD_INPUT);
    assert!(done.stderr.contains("\"other\"") && done.stderr.contains("\"classes\""), "{done:?}");
}

#[test]
fn documents_in_the_wrong_place_are_recognised() {
    let folder = Folder::new();
    let (path, output) = (instance("classes"), folder.text("result.json"));
    run(&["solve", &path, "--quiet", "--output", &output], PROVED);
    let solution = folder.write("solution.json", folder.json("result.json")["solution"].to_string());
    let cases: &[(&[&str], &str)] = &[
        (&["verify", &output, &path], "this is a result of `migopt solve`, not an instance"),
        (&["verify", &path, &path], "this is an instance, not a solution"),
        (&["solve", &output], "this is a result of `migopt solve`, not an instance"),
        (&["solve", &solution], "this is a solution, not an instance"),
        (&["verify", &path, &folder.text("none.json")], "there is no such file"),
        (&["verify", &folder.text("none.yaml"), &output], "there is no such file"),
    ];
    for (arguments, part) in cases {
        let done = run(arguments, BAD_INPUT);
        assert!(done.stderr.contains(part), "{arguments:?}: {done:?}");
    }
}

//! `migopt solve`: what it prints, what it writes, how it ends.

use serde_json::Value;
use std::collections::BTreeSet;
use support::cli::{
    BAD_INPUT, Folder, INFEASIBLE, INTERNAL, LIMIT, PROVED, instance, lines_without_seconds, run,
    without_seconds,
};

/// Solves and reads the answer as JSON.
fn solved(arguments: &[&str]) -> Value {
    run(&[&["solve"], arguments, &["--format", "json"]].concat(), PROVED).json()
}

fn profit(result: &Value) -> &Value {
    let stage = &result["stages"][0];
    assert_eq!(stage["name"], "profit");
    &stage["value"]
}

#[test]
fn text_tells_status_objective_drawing_and_work() {
    let done = run(&["solve", &instance("a30-joint")], PROVED);
    let parts = [
        "a30-joint: optimal (proved: bound and verified value meet)",
        "model wpm, formulation compact, solver highs",
        "= bound, proved",
        "workloads placed",
        "edge-0/0",
        "columns",
    ];
    for part in parts {
        assert!(done.stdout.contains(part), "`{part}` is missing in {}", done.stdout);
    }
    assert_eq!(done.stderr, "");
}

#[test]
fn goals_come_before_their_weighted_sum() {
    for (use_case, has_pending) in [("joint", false), ("initial", true)] {
        let path = instance("eight-gpus");
        let arguments = [path.as_str(), "--use-case", use_case];
        let result = solved(&arguments);
        // Counted in the solution itself.
        let placed = result["solution"]["placement"].as_array().unwrap();
        let gpus: BTreeSet<&str> = placed.iter().map(|place| place["gpu"].as_str().unwrap()).collect();
        let pending = result["solution"]["pending"].as_array().map_or(0, Vec::len);
        assert_eq!(pending > 0, has_pending);
        let text = run(&[&["solve"], &arguments[..]].concat(), PROVED).stdout;
        let (before, _) = text.split_once("\n  profit ").unwrap();
        let words = before.lines().find(|line| line.contains(" workloads placed, ")).unwrap();
        assert!(words.contains(&format!(", {} GPUs in use, ", gpus.len())), "{words}");
        assert_eq!(words.contains(&format!(", {pending} pending, ")), has_pending, "{words}");
    }
    let one_by_one = ["solve", &instance("eight-gpus"), "--objective", "lexicographic"];
    let text = run(&one_by_one, PROVED).stdout;
    let (before, _) = text.split_once("\n  reward ").unwrap();
    assert!(!before.contains("workloads placed"), "no sum, so nothing to explain: {before}");
}

#[test]
fn workloads_that_no_board_can_serve_are_named() {
    let folder = Folder::new();
    let workloads = "  - {name: w, profile: 1g.6gb, replicas: 5}\n  - {name: v, profile: 1g.10gb}\n";
    let path = folder.write(
        "foreign.yaml",
        format!("name: foreign\ngpus: [{{name: g, board: A100-80GB}}]\nworkloads:\n{workloads}").as_bytes(),
    );
    let text = run(&["solve", &path], PROVED).stdout;
    let note = "note: 5 workloads are pending and ask for a profile that no board of this cluster has: w#0, w#1, w#2, ...";
    assert!(text.contains(note), "{text}");
}

#[test]
fn json_and_yaml_say_the_same() {
    let path = instance("mixed-boards");
    let json = solved(&[&path]);
    let yaml = run(&["solve", &path, "--format", "yaml"], PROVED).stdout;
    let yaml: Value = support::from_yaml(&yaml);
    assert_eq!(without_seconds(yaml), without_seconds(json.clone()));
    assert_eq!(json["status"], "optimal");
    assert_eq!(json["proved"], true);
    assert_eq!(json["gap"], 0.0);
}

#[test]
fn output_follows_the_ending_and_equals_what_is_printed() {
    let folder = Folder::new();
    let path = instance("own-geometry");
    for name in ["result.json", "result.yaml", "result.yml", "result"] {
        let done = run(&["solve", &path, "--format", "json", "--output", &folder.text(name)], PROVED);
        let saved: Value = match name {
            "result.yaml" | "result.yml" => support::from_yaml(&folder.read(name)),
            _ => folder.json(name),
        };
        // The times as well: it is one answer.
        assert_eq!(saved, done.json(), "{name}");
    }
    assert_eq!(folder.files(), ["result", "result.json", "result.yaml", "result.yml"]);
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let folder = Folder::new();
    let runs = ["one", "two"].map(|name| {
        let files = ["json", "svg", "lp"].map(|ending| folder.text(&format!("{name}.{ending}")));
        let [output, picture, export] = files.each_ref().map(String::as_str);
        let path = instance("rtx-pro-6000-joint");
        let arguments = ["solve", &path, "--output", output, "--picture", picture, "--export", export];
        let text = run(&arguments, PROVED).stdout;
        let seconds = text.lines().last().unwrap().to_owned();
        let result = folder.read(&format!("{name}.json"));
        let lines = lines_without_seconds(&result);
        let rest = ["svg", "lp"].map(|ending| folder.read(&format!("{name}.{ending}")));
        (text.replace(&seconds, ""), lines, rest)
    });
    assert!(runs[0].1.len() > 40);
    assert!(runs[0] == runs[1]);
}

#[test]
fn picture_and_programs_are_written() {
    let folder = Folder::new();
    let path = instance("fig6-waste");
    for formulation in ["printed", "compact"] {
        for (name, begin, end) in
            [("program.lp", "\\ profit of ", "end"), ("program.mps", "* profit of ", "ENDATA")]
        {
            run(&["solve", &path, "--formulation", formulation, "--export", &folder.text(name)], PROVED);
            let text = folder.read(name);
            assert!(text.starts_with(begin) && text.trim_end().ends_with(end), "{formulation} {name}");
        }
    }
    run(&["solve", &path, "--picture", &folder.text("gpus.svg")], PROVED);
    let picture = folder.read("gpus.svg");
    assert!(picture.contains("<svg") && picture.contains("gpu-0") && picture.trim_end().ends_with("</svg>"));
}

#[test]
fn quiet_prints_nothing() {
    let folder = Folder::new();
    let done =
        run(&["solve", &instance("classes"), "--quiet", "--output", &folder.text("result.json")], PROVED);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    assert_eq!(folder.json("result.json")["status"], "optimal");
}

#[test]
fn formulations_solvers_and_starts_agree() {
    for name in ["a30-joint", "fig6-waste", "classes"] {
        let path = instance(name);
        let reference = solved(&[&path]);
        let others: &[&[&str]] = &[
            &["--formulation", "printed"],
            &["--formulation", "compact"],
            &["--warm-start", "first-fit"],
            &["--formulation", "printed", "--warm-start", "first-fit"],
            &["--threads", "2"],
            #[cfg(feature = "cbc")]
            &["--solver", "cbc"],
            #[cfg(feature = "cbc")]
            &["--solver", "cbc", "--formulation", "printed"],
        ];
        for other in others {
            let result = solved(&[&[path.as_str()], *other].concat());
            assert_eq!(profit(&result), profit(&reference), "{name} {other:?}");
        }
    }
}

#[test]
fn pinned_workloads_choose_exact_index_and_keep_the_printed_reading_in_sight() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(instance("fig7-fixed-instances")).unwrap();
    let path = folder.write("joint.yaml", text.replace("use_case: initial", "use_case: joint"));
    let result = solved(&[&path]);
    assert_eq!(result["formulation"], "exact-index");
    assert_eq!(result["solution"]["reading"], "exact-index");
    assert!(result["printed_reading"]["gpus"].is_u64());
    let printed = solved(&[&path, "--formulation", "printed"]);
    assert_eq!(printed["solution"]["reading"], "printed");
    assert_eq!(printed["stages"][0]["value"], result["printed_reading"]["profit"]);
    assert!(printed.get("printed_reading").is_none());
}

#[test]
fn objective_and_use_case_replace_those_of_the_instance() {
    let path = instance("mixed-boards");
    let lexicographic = solved(&[&path, "--objective", "lexicographic"]);
    let names: Vec<&str> = lexicographic["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["reward", "gpus", "migrations", "waste"]);
    assert_eq!(lexicographic["objective"], "lexicographic:reward,gpus,migrations,waste");

    let some = solved(&[&path, "--objective", "lexicographic:gpus,waste"]);
    let names = [&some["stages"][0]["name"], &some["stages"][1]["name"]];
    assert_eq!(names, ["gpus", "waste"]);

    for use_case in ["initial", "compaction", "reconfiguration", "joint"] {
        let result = solved(&[&path, "--use-case", use_case]);
        assert_eq!(result["use_case"], use_case);
        assert_eq!(result["proved"], true);
    }
}

#[test]
fn an_impossible_demand_is_infeasible_with_the_reason() {
    let folder = Folder::new();
    let output = folder.text("result.json");
    let done = run(&["solve", &instance("too-much-demand"), "--output", &output], INFEASIBLE);
    assert!(
        done.stdout.contains("infeasible (proved)") && done.stdout.contains("must stay pending"),
        "{done:?}"
    );
    let result = folder.json("result.json");
    assert_eq!(result["status"], "infeasible");
    assert!(result["reason"].as_str().unwrap().contains("Add GPUs"));
    assert!(result["solution"].is_null());
    for subcommand in [vec!["verify", &instance("too-much-demand")], vec!["show"]] {
        let done = run(&[subcommand, vec![&output]].concat(), BAD_INPUT);
        assert!(done.stderr.contains("holds no solution"), "{done:?}");
    }
}

#[test]
fn no_time_at_all_still_gives_a_verified_solution_and_a_bound() {
    let folder = Folder::new();
    for formulation in ["compact", "printed", "exact-index"] {
        for name in ["mixed-boards", "a30-joint"] {
            let (path, output) = (instance(name), folder.text("result.json"));
            let flags = ["--time-limit", "0", "--formulation", formulation, "--output", &output];
            let done = run(&[&["solve", path.as_str()], &flags[..]].concat(), LIMIT);
            assert!(done.stdout.contains("stopped by the time limit"), "{done:?}");
            let result = folder.json("result.json");
            assert_eq!((&result["status"], &result["proved"]), (&"time-limit".into(), &false.into()));
            let stage = &result["stages"][0];
            let [value, bound] = [&stage["value"], &stage["bound"]].map(|number| number.as_f64().unwrap());
            assert!(bound.is_finite() && bound >= value, "{stage}");
            run(&["verify", &path, &output], PROVED);
        }
    }
}

#[test]
fn a_wide_gap_is_within_the_gap() {
    let folder = Folder::new();
    run(&["generate", "wpm", "--gpus", "12", "--seed", "5", "--output", &folder.text("")], PROVED);
    let path = folder.text("wpm-joint-12-seed5.yaml");
    let result = solved(&[&path, "--gap", "0.5"]);
    let status = result["status"].as_str().unwrap();
    assert!(status == "within-gap" || status == "optimal", "{status}");
    assert!(result["gap"].as_f64().unwrap() <= 0.5);
    assert_eq!(result["proved"], status == "optimal");
    assert_eq!(solved(&[&path])["status"], "optimal");
}

#[test]
fn what_cannot_be_written_is_told_before_solving() {
    let folder = Folder::new();
    let path = instance("classes");
    let a_folder = folder.text("");
    let nowhere = folder.text("no/such/folder/file.svg");
    let no_format = folder.text("program.txt");
    let cases = [
        ("--output", &nowhere, "cannot be written"),
        ("--output", &a_folder, "it is a folder"),
        ("--output", &"-".to_owned(), "not a file name"),
        ("--picture", &nowhere, "cannot be written"),
        ("--picture", &a_folder, "it is a folder"),
        ("--export", &nowhere, "cannot be written"),
        ("--export", &no_format, "ends in .lp, .mps or .mod"),
    ];
    for (flag, target, part) in cases {
        let done = run(&["solve", &path, flag, target], BAD_INPUT);
        assert_eq!(done.stdout, "", "{flag} {target}");
        assert!(done.stderr.contains(target.as_str()) && done.stderr.contains(part), "{flag}: {done:?}");
        assert_eq!(done.stderr.matches('\n').count(), 1, "{done:?}");
    }
    assert!(folder.files().is_empty(), "nothing is left behind: {:?}", folder.files());
}

#[test]
fn an_older_result_survives_a_failure() {
    let folder = Folder::new();
    let output = folder.write("result.json", "old");
    run(&["solve", &instance("classes"), "--output", &output, "--export", &folder.text("x.txt")], BAD_INPUT);
    assert_eq!(folder.read("result.json"), "old");
    assert_eq!(folder.files(), ["result.json"]);
}

#[test]
fn what_is_read_is_never_overwritten() {
    let folder = Folder::new();
    let text = std::fs::read(instance("classes")).unwrap();
    let path = folder.write("instance.yaml", &text);
    let before = folder.read("instance.yaml");
    let linked = folder.text("link.yaml");
    std::os::unix::fs::symlink(&path, &linked).unwrap();
    let hard = folder.text("hard.yaml");
    std::fs::hard_link(&path, &hard).unwrap();
    let around = folder.text("./instance.yaml");
    for target in [&path, &linked, &hard, &around] {
        for command in [
            vec!["solve", &path, "--output", target],
            vec!["solve", &path, "--quiet", "--output", target],
            vec!["heuristic", &path, "--policy", "first-fit", "--output", target],
        ] {
            let done = run(&command, BAD_INPUT);
            assert!(done.stderr.contains("read by the same command"), "{command:?}: {done:?}");
            assert!(done.stderr.contains(target.as_str()), "{command:?}: {done:?}");
            assert_eq!(folder.read("instance.yaml"), before, "{command:?}");
        }
    }
    let solution = folder.text("solution.json");
    run(&["solve", &path, "--quiet", "--output", &solution], PROVED);
    let before = folder.read("solution.json");
    let picture = folder.text("solution.svg");
    std::fs::hard_link(&solution, &picture).unwrap();
    let done = run(&["show", &solution, "--picture", &picture], BAD_INPUT);
    assert!(done.stderr.contains("read by the same command"), "{done:?}");
    assert_eq!(folder.read("solution.json"), before);
}

#[test]
fn an_instance_on_standard_input_is_never_overwritten() {
    let folder = Folder::new();
    let path = folder.write("instance.yaml", std::fs::read(instance("classes")).unwrap());
    let before = folder.read("instance.yaml");
    let done = std::process::Command::new(support::cli::executable())
        .args(["solve", "-", "--output", &path])
        .stdin(std::fs::File::open(&path).unwrap())
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(BAD_INPUT));
    assert!(String::from_utf8_lossy(&done.stderr).contains("standard input"), "{done:?}");
    assert_eq!(folder.read("instance.yaml"), before);
}

#[test]
fn one_file_takes_one_answer_and_keeps_its_ending() {
    let folder = Folder::new();
    let path = instance("classes");
    let one = folder.text("one");
    let done = run(&["solve", &path, "--output", &one, "--picture", &folder.text("./one")], BAD_INPUT);
    assert!(done.stderr.contains("--output writes this file too"), "{done:?}");
    let cases = [
        ("solve", "--picture", "gpus.png", "written as SVG, not as .png. Use a name that ends in .svg."),
        (
            "solve",
            "--output",
            "result.svg",
            "JSON or YAML, not as .svg. Use a name that ends in .json, .yaml or .yml.",
        ),
        ("solve", "--export", "program.json", "Use a name that ends in .lp, .mps or .mod."),
        ("show", "--picture", "gpus.pdf", "not as .pdf"),
    ];
    for (command, flag, name, part) in cases {
        let done = run(&[command, &path, flag, &folder.text(name)], BAD_INPUT);
        assert!(done.stderr.contains(part), "{done:?}");
    }
    assert!(folder.files().is_empty(), "{:?}", folder.files());
    run(&["solve", &path, "--output", "/dev/null", "--picture", "/dev/null"], PROVED);
}

#[test]
fn an_answer_is_shown_though_its_file_cannot_be_written() {
    let folder = Folder::new();
    let (path, picture) = (instance("classes"), folder.text("gpus.svg"));
    let commands = [
        vec!["solve", &path],
        vec!["heuristic", &path, "--policy", "first-fit"],
        vec!["solve", &path, "--format", "json"],
        vec!["solve", &path, "--quiet"],
    ];
    for command in commands {
        let wanted =
            run(&command.iter().copied().filter(|word| *word != "--quiet").collect::<Vec<_>>(), PROVED);
        let done = run(&[&command[..], &["--output", "/dev/full", "--picture", &picture]].concat(), INTERNAL);
        // JSON that goes without a picture has no time for drawing.
        let shown = |text: &str| text.lines().filter(|line| !line.contains("\"draw\"")).count();
        assert_eq!(shown(&done.stdout), shown(&wanted.stdout), "{done:?}");
        assert!(done.stderr.contains("/dev/full: cannot be written"), "{done:?}");
        // The other file is there.
        assert!(folder.read("gpus.svg").contains("</svg>"));
        std::fs::remove_file(&picture).unwrap();
    }
}

#[test]
fn quiet_documents_are_printed_and_quiet_text_is_not() {
    let path = instance("classes");
    assert_eq!(run(&["solve", &path, "--quiet"], PROVED).stdout, "");
    assert_eq!(solved(&[&path, "--quiet"])["status"], "optimal");
    let proposal = ["heuristic", &path, "--policy", "first-fit", "--quiet", "--format", "json"];
    assert_eq!(run(&proposal, PROVED).json()["valid"], true);
}

#[test]
fn gaps_and_times_are_read_with_their_units() {
    let path = instance("classes");
    for (gap, limit) in [("5%", "10s"), ("0.05", "1.5m"), ("100%", "500ms"), ("0", "1h"), ("1", "20")] {
        run(&["solve", &path, "--gap", gap, "--time-limit", limit], PROVED);
    }
    for gap in ["5", "-0.1", "101%", "NaN", "inf", "%", "1e-3x"] {
        let done = run(&["solve", &path, &format!("--gap={gap}")], BAD_INPUT);
        assert!(done.stderr.contains("a ratio from 0 to 1"), "{done:?}");
    }
    for limit in ["-1", "10x", "s", "1h30m", "1e12"] {
        let done = run(&["solve", &path, &format!("--time-limit={limit}")], BAD_INPUT);
        assert!(done.stderr.contains("time-limit"), "{done:?}");
    }
}

#[test]
fn the_model_is_never_guessed_silently() {
    let folder = Folder::new();
    let cluster = "gpus: [{name: g, board: A100-40GB, count: 2}]\nworkloads: [{name: w, profile: 3g.20gb}]\n";
    let file = |name: &str, sections: &str| folder.write(name, format!("name: open\n{cluster}{sections}"));
    let open = file("open.yaml", "");
    let both = file("both.yaml", "wpm: {}\nsiavashi: {}\n");
    let named = file("named.yaml", "siavashi: {}\n");
    let solution = folder.text("solution.json");
    for command in [vec!["solve"], vec!["heuristic", "--policy", "first-fit"]] {
        for (path, why) in [(&open, "no section of a model"), (&both, "sections of wpm and siavashi")] {
            let words = [&command[..], &[path.as_str(), "--format", "json"]].concat();
            let done = run(&words, PROVED);
            assert_eq!(done.json()["model"], "wpm");
            assert!(done.stderr.starts_with("migopt: model wpm: ") && done.stderr.contains(why), "{done:?}");
            assert!(done.stderr.contains("siavashi") && done.stderr.contains("--model"), "{done:?}");
            assert_eq!(done.stderr.lines().count(), 1);
            for silent in [&["--model", "wpm"][..], &["--quiet"]] {
                assert_eq!(run(&[&words[..], silent].concat(), PROVED).stderr, "", "{words:?} {silent:?}");
            }
        }
    }
    let done = run(&["solve", &named, "--output", &solution], PROVED);
    assert_eq!(
        (folder.json("solution.json")["model"].as_str(), done.stderr.as_str()),
        (Some("siavashi"), "")
    );
    // The answer names its model; a bare solution may not.
    assert_eq!(run(&["verify", &named, &solution], PROVED).stderr, "");
    let bare = folder.write(
        "bare.json",
        r#"{"instance": {"name": "open"}, "placement": [{"workload": "w", "gpu": "g-0", "start": 0}]}"#,
    );
    assert!(run(&["verify", &open, &bare], PROVED).stderr.contains("model wpm: the file has no section"));
    assert_eq!(run(&["verify", &named, &bare], PROVED).stderr, "");
}

#[test]
fn programs_too_large_to_build_are_refused_by_their_size() {
    let folder = Folder::new();
    let drawn = |words: &[&str]| {
        let output = folder.text("");
        let asked = [&["generate"], words, &["--output", &output]].concat();
        run(&asked, PROVED).stdout.trim_end().to_owned()
    };
    let large = [
        (drawn(&["wpm", "--gpus", "2000"]), "printed"),
        (drawn(&["siavashi", "--workloads", "400"]), "printed"),
        (drawn(&["siavashi", "--workloads", "1500"]), "slots"),
        (drawn(&["migrator", "--window", "20000"]), "printed"),
    ];
    for (path, formulation) in &large {
        let done = run(&["solve", path, "--formulation", formulation, "--time-limit", "2"], BAD_INPUT);
        let name = format!("the program `{formulation}` would have up to ");
        assert!(done.stderr.contains(&name) && done.stderr.contains("`compact`"), "{done:?}");
        let export = folder.text("program.lp");
        run(&["solve", path, "--formulation", formulation, "--export", &export], BAD_INPUT);
    }
}

/// A board of one's own with five slots for four compute slices holds four instances of one slice each, wherever they begin.
#[test]
fn compute_slices_of_a_board_of_ones_own_are_a_limit() {
    let folder = Folder::new();
    let write = |name: &str, current: &str| {
        let board =
            "{slots: 5, compute: 4, profiles: [{name: one, compute: 1, size: 1, starts: [0, 1, 2, 3, 4]}]}";
        let text = format!(
            "name: {name}\nboards: {{five: {board}}}\ngpus: [{{name: g, board: five}}]\n\
             workloads: [{{name: w, profile: one, replicas: 5{current}}}]\n"
        );
        folder.write(&format!("{name}.yaml"), text)
    };
    let path = write("waiting", "");
    let result = solved(&[&path]);
    assert_eq!((&result["score"]["placed"], &result["score"]["pending"]), (&4.into(), &1.into()));
    assert_eq!(result["score"]["wasted_slices"], 0);
    let places: Vec<String> =
        (0..5).map(|slot| format!("{{workload: w#{slot}, gpu: g, start: {slot}}}")).collect();
    let solution = format!("instance: {{name: waiting}}\nplacement: [{}]\n", places.join(", "));
    let judged = run(&["verify", &path, &folder.write("five.yaml", solution)], INFEASIBLE).stdout;
    assert!(judged.contains("limit-exceeded: g takes 5 compute slices but allows 4"), "{judged}");
    let spots: Vec<String> = (0..5).map(|slot| format!("{{gpu: g, start: {slot}}}")).collect();
    let running = write("running", &format!(", current: [{}]", spots.join(", ")));
    let refused = run(&["solve", &running], BAD_INPUT).stderr;
    assert!(refused.contains("g takes 5 compute slices but allows 4"), "{refused}");
}

/// Kubernetes, `nvidia-smi` and the driver each call profiles otherwise.
#[test]
fn profiles_have_the_names_that_clusters_give_them() {
    let folder = Folder::new();
    let asked = [
        ("3g.40gb", ["mig-3g.40gb", "nvidia.com/mig-3g.40gb", "MIG 3g.40gb", "3C.3g.40gb", "9"]),
        (
            "1g.10gb+me",
            ["1g.10gb.me", "mig-1g.10gb+me", "nvidia.com/mig-1g.10gb.me", "[20]", "1c.1g.10gb.me"],
        ),
    ];
    for (profile, names) in asked {
        for name in names {
            let gpus = "name: n\ngpus: [{name: g, board: A100-80GB}]\n";
            let path =
                folder.write("named.yaml", format!("{gpus}workloads: [{{name: w, profile: {name}}}]\n"));
            let result = solved(&[&path]);
            assert_eq!(result["solution"]["placement"][0]["profile"], profile, "{name}");
        }
    }
    let json = r#"{"name": "n", "gpus": [{"name": "g", "board": "A100-80GB"}], "workloads": [{"name": "w", "profile": 19}]}"#;
    let path = folder.write("named.json", json);
    assert_eq!(solved(&[&path])["solution"]["placement"][0]["profile"], "1g.10gb");
}

#[test]
fn replicas_without_a_place_are_pointed_out() {
    let folder = Folder::new();
    let notes = |workloads: &str| {
        let gpus = "name: n\ngpus: [{name: g, board: A100-80GB, count: 2}]\n";
        let path = folder.write("replicas.yaml", format!("{gpus}workloads: [{workloads}]\n"));
        solved(&[&path])["notes"].clone()
    };
    let spot = |slot: u8| format!("{{gpu: g-0, start: {slot}}}");
    let workload = |name: &str, replicas: u8, current: String| {
        format!("{{name: {name}, profile: 1g.10gb, replicas: {replicas}, current: {current}}}")
    };
    let one = workload("w", 3, spot(0));
    let told = "workload `w` has 3 replicas but a single place under `current`: one runs, 2 are waiting to be placed. List a place \
                for each that runs.";
    assert_eq!(notes(&one), Value::from(vec![told]));
    let told = notes(&format!("{one}, {}", workload("v", 2, spot(1))));
    assert_eq!(
        told[0],
        "2 workloads have several replicas but a single place under `current`, so that 3 replicas are waiting to \
                         be placed: `w`, `v`"
    );
    // What is listed is meant, and one replica needs one place.
    let meant = format!("{}, {}", workload("w", 3, format!("[{}]", spot(0))), workload("v", 1, spot(1)));
    assert_eq!(notes(&meant), Value::Null);
}

#[test]
fn costs_of_single_units_are_told_as_the_instance_has_them() {
    let folder = Folder::new();
    let solve = |workload: &str, costs: &str| {
        let text = format!(
            "name: u\ngpus: [{{name: g, board: A100-80GB}}, {{name: h, board: A30}}]\nworkloads:\n  \
             - {{name: w, profile: 7g.80gb}}\n  - {{name: v, profile: 4g.24gb{workload}}}\nwpm: {{costs: {{{costs}}}}}\n"
        );
        let path = folder.write("units.yaml", text);
        (run(&["solve", &path], PROVED).stdout, solved(&[&path])["costs"]["units"].clone())
    };
    let (text, units) = solve("", "gpu: 17");
    assert!(text.contains(" in use, 17 each"), "{text}");
    assert_eq!(units, Value::Null);
    let (text, units) = solve("", "gpu: 17, boards: {A100-80GB: {gpu: 5}}");
    assert!(text.contains(" in use, 5 to 17 each"), "{text}");
    assert_eq!(units, serde_json::json!({"gpu": {"least": 5, "most": 17}}));
    let (text, _) = solve("", "gpu: 17, boards: {A100-80GB: {gpu: 5, waste: 2}, A30: {gpu: 5, waste: 3}}");
    assert!(text.contains(" in use, 5 each") && text.contains("2 to 3 each"), "{text}");
    let (text, units) =
        solve(", reward: 1000, migration_cost: 1, current: {gpu: h, start: 0}", "reward_per_slice: 300");
    assert!(text.contains("placed, 1,000 to 2,400 each") && text.contains("migrated at 1,"), "{text}");
    assert_eq!(units["migration"], serde_json::json!({"least": 1, "most": 1}));
}

/// 40 GPUs, for which two kinds of replicas and a single workload contend.
const REPLICAS: &str = r#"name: replicas
gpus:
  - {name: gpu-08, board: A100-80GB}
  - {name: gpu-09, board: A100-80GB}
  - {name: gpu-10, board: A100-80GB}
  - {name: node, board: A100-80GB, count: 40}
workloads:
  - {name: runs, profile: 3g.40gb, current: {gpu: node-3, start: 4}}
  - {name: large, profile: 4g.40gb, replicas: 30}
  - {name: small, profile: 1g.10gb, replicas: 170}
wpm: {use_case: joint, objective: "lexicographic:reward,gpus"}
"#;

#[test]
fn entries_that_continue_one_another_are_counted_and_read_back() {
    let folder = Folder::new();
    let path = folder.write("replicas.yaml", REPLICAS);
    let answer = |more: &[&str], file: &str| {
        let output = folder.text(file);
        run(&[&["solve", &path, "--quiet", "--output", &output], more].concat(), PROVED);
        (output, folder.read(file))
    };
    let ((written_out, plain), (counted, short)) =
        (answer(&[], "plain.json"), answer(&["--counts"], "counted.json"));
    assert!(short.len() * 3 < plain.len(), "{} bytes with counts, {} without", short.len(), plain.len());
    assert!(short.contains("\"count\"") && short.contains("\"every\"") && !plain.contains("\"count\""));
    let drawn = |file: &str| run(&["show", file], PROVED).stdout;
    assert_eq!(drawn(&counted), drawn(&written_out));
    let entries = |file: &str| {
        let mut solution = run(&["show", file, "--format", "json"], PROVED).json();
        // A run has the place of its first entry.
        solution["placement"].as_array_mut().unwrap().sort_by_key(Value::to_string);
        solution
    };
    assert_eq!(entries(&counted), entries(&written_out));
    let verified = |file: &str| run(&["verify", &path, file, "--format", "json"], PROVED).json();
    assert_eq!(verified(&counted), verified(&written_out));
}

#[test]
fn counts_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let path = folder.write("replicas.yaml", REPLICAS);
    for (entry, why) in [
        ("{workload: 'small#0', gpu: node-0, start: 0, count: 0}", "`count` is 0"),
        ("{workload: 'small#0', gpu: node-0, start: 0, count: 4000000000}", "more than 20,000,000 entries"),
        ("{workload: runs, gpu: node-0, start: 0, count: 2}", "`runs` has no number at its end"),
        (
            "{workload: 'small#0', gpu: node-0, start: 0, count: 2, every: 18446744073709551615}",
            "which the instance does not have",
        ),
        (
            "{workload: 'small#169', gpu: node-0, start: 0, count: 2}",
            "`small#170`, which the instance does not have",
        ),
        (
            "{workload: 'small#0', gpu: node-39, start: 0, count: 2}",
            "`node-40`, which the instance does not have",
        ),
    ] {
        let text = format!("instance: {{name: replicas}}\nplacement:\n- {entry}\n");
        let solution = folder.write("solution.yaml", &text);
        let refused = run(&["verify", &path, &solution, "--model", "wpm"], BAD_INPUT);
        assert!(refused.stderr.contains(why), "{entry}: {}", refused.stderr);
    }
}

//! `migopt bench`: every row once, whatever happens in between.
#![cfg(target_os = "linux")]

use models::MODELS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::cli::schemas::{check, schema};
use support::cli::{BAD_INPUT, Folder, LIMIT, PROVED, instance, interrupt, migopt, read, run, spawn};

const METHODS: &str = "optimum,rule-based,first-fit,load-balanced";

fn rows(folder: &Folder) -> Vec<Value> {
    let text = folder.read("sweep/rows.jsonl");
    assert!(text.is_empty() || text.ends_with('\n'), "the last line is torn");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(rows: &[Value]) -> BTreeSet<String> {
    let keys: BTreeSet<String> =
        rows.iter().map(|row| format!("{} {} {}", row["fingerprint"], row["method"], row["seed"])).collect();
    assert_eq!(keys.len(), rows.len(), "a row is there twice");
    keys
}

fn failure<'r>(rows: &'r [Value], method: &str) -> &'r str {
    let row = rows.iter().find(|row| row["method"] == method).unwrap_or_else(|| panic!("no row of {method}"));
    assert_eq!(row["outcome"], "failed", "{row}");
    row["reason"].as_str().unwrap()
}

/// Whether the shell of an external heuristic with these words in its command is still there.
fn is_running(words: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().filter_map(Result::ok).any(|process| {
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&command).into_owned();
        arguments.starts_with("sh\0-c\0") && arguments.contains(words)
    })
}

#[test]
fn every_row_is_made_once_and_obeys_its_schema() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let generate = "wpm:gpus=4,count=3,seed=5,use_case=compaction";
    let mut arguments = vec!["bench", "--generate", generate, "--output", &output, "--seeds", "1,2"];
    let methods = ["--methods", "optimum,rule-based"];
    let path = instance("a30-joint");
    arguments.extend([path.as_str()]);
    let first = run(&[arguments.as_slice(), &methods].concat(), PROVED).stdout;
    // Four instances; a solver takes no seed, a heuristic both.
    assert!(first.contains("12 of 12 rows, 12 made now, 0 already there"), "{first}");
    let before = folder.read("sweep/rows.jsonl");

    let again = run(&[arguments.as_slice(), &methods].concat(), PROVED).stdout;
    assert!(again.contains("12 of 12 rows, 0 made now, 12 already there"), "{again}");
    assert_eq!(folder.read("sweep/rows.jsonl"), before);

    // More methods and more workers add rows and touch none.
    let methods = ["--methods", METHODS, "--jobs", "3"];
    let more = run(&[arguments.as_slice(), &methods].concat(), PROVED).stdout;
    assert!(more.contains("28 of 28 rows, 16 made now, 12 already there"), "{more}");
    assert!(folder.read("sweep/rows.jsonl").starts_with(&before));

    let rows = rows(&folder);
    assert_eq!(keys(&rows).len(), 28);
    let schema = schema(&["row"]);
    for row in &rows {
        check(&schema, row);
        let proved = row["method"] == "optimum";
        assert_eq!(row["outcome"], if proved { "optimal" } else { "valid" });
        assert_eq!(row["seed"].is_null(), proved);
        assert_eq!(row["stages"][0]["bound"].is_null(), !proved);
    }
    let generated = rows.iter().filter(|row| row["question"] == "compaction");
    for row in generated {
        assert!(folder.path("sweep").join(row["path"].as_str().unwrap()).is_file(), "{row}");
    }
}

/// The rows are those of the single commands.
#[test]
fn rows_say_what_the_commands_say() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("pinned"));
    run(&["bench", &path, "--methods", METHODS, "--output", &output], PROVED);
    for row in rows(&folder) {
        let method = row["method"].as_str().unwrap();
        let alone = match method {
            "optimum" => run(&["solve", &path, "--format", "json"], PROVED).json(),
            policy => run(&["heuristic", &path, "--policy", policy, "--format", "json"], PROVED).json(),
        };
        assert_eq!(row["stages"], alone["stages"], "{method}");
        for (name, value) in row["metrics"].as_object().unwrap() {
            assert_eq!(value.as_f64(), alone["metrics"][name].as_f64(), "{method} {name}");
        }
    }
}

/// What a formulation proves under another reading than the instance's is no bound for the other rows.
#[test]
fn all_rows_of_an_instance_are_judged_under_one_reading() {
    let folder = Folder::new();
    let (output, pinned, free) = (folder.text("sweep"), instance("pinned"), instance("eight-gpus"));
    let methods = "optimum,compact,exact-index,rule-based";
    run(&["bench", &pinned, &free, "--methods", methods, "--output", &output], PROVED);
    let rows = rows(&folder);
    let of = |instance: &str, method: &str| {
        let found = rows.iter().find(|row| row["instance"] == instance && row["method"] == method).unwrap();
        let stage = &found["stages"][0];
        (found["outcome"].as_str().unwrap(), stage["value"].as_i64().unwrap(), !stage["bound"].is_null())
    };
    for (instance, own, other) in
        [("pinned", "exact-index", "compact"), ("eight-gpus", "compact", "exact-index")]
    {
        let (_, optimum, _) = of(instance, "optimum");
        assert_eq!(of(instance, own), ("optimal", optimum, true));
        let (outcome, value, bounded) = of(instance, other);
        assert_eq!((outcome, bounded), ("valid", false), "{instance}");
        assert!(value <= optimum, "{instance}");
    }
    assert!(!run(&["report", &output], PROVED).stdout.contains("Rows contradict each other"));
}

#[test]
fn twenty_kills_lose_no_finished_row_and_repeat_none() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let generate = "wpm:gpus=2,count=12,seed=1";
    let arguments = [
        "bench",
        "--generate",
        generate,
        "--methods",
        METHODS,
        "--method",
        "exec:sleep 0.02; exit 1",
        "--jobs",
        "2",
        "--output",
        &output,
    ];
    let mut finished = String::new();
    let mut kills_amid = 0;
    for kill in 0..20u64 {
        let mut child = spawn(&arguments);
        // Some in the beginning, some amid the rows.
        std::thread::sleep(Duration::from_millis(10 + kill * 37 % 90));
        kills_amid += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let text = std::fs::read_to_string(folder.path("sweep/rows.jsonl")).unwrap_or_default();
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        assert!(whole.starts_with(&finished), "a finished row is lost");
        finished = whole.to_owned();
    }
    assert!(kills_amid >= 10, "the sweep was too fast to be killed: {kills_amid}");
    run(&arguments, PROVED);
    let text = folder.read("sweep/rows.jsonl");
    assert!(text.starts_with(&finished));
    assert_eq!(keys(&rows(&folder)).len(), 12 * 5);
}

#[test]
fn a_torn_line_is_cut_and_its_row_made_again() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let arguments = ["bench", &path, "--methods", METHODS, "--output", &output];
    run(&arguments, PROVED);
    let text = folder.read("sweep/rows.jsonl");
    folder.write("sweep/rows.jsonl", &text[..text.len() - 20]);
    let done = run(&arguments, PROVED).stdout;
    assert!(done.contains("4 of 4 rows, 1 made now, 3 already there"), "{done}");
    assert_eq!(keys(&rows(&folder)).len(), 4);
}

#[test]
fn a_row_that_fails_says_why_and_takes_no_other_with_it() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let hungry = "exec:python3 -c 'x = bytearray(3 << 30)'";
    let arguments = [
        "bench",
        &path,
        "--methods",
        "optimum",
        "--method",
        "exec:kill -9 $PPID",
        "--method",
        "exec:echo nonsense",
        "--method",
        "exec:echo to err >&2; exit 7",
        "--method",
        "exec:sleep 30",
        "--method",
        hungry,
        "--time-limit",
        "1",
        "--memory-limit",
        "0.5",
        "--output",
        &output,
    ];
    let done = run(&arguments, PROVED).stdout;
    assert!(done.contains("6 of 6 rows") && done.contains("failed: exec:sleep 30 on"), "{done}");
    let rows = rows(&folder);
    assert_eq!(rows.iter().filter(|row| row["outcome"] == "optimal").count(), 1);
    for (method, words) in [
        ("exec:kill -9 $PPID", "ended with signal 9 (killed)"),
        ("exec:echo nonsense", "output of `echo nonsense`"),
        ("exec:echo to err >&2; exit 7", "exit code 7: to err"),
        ("exec:sleep 30", "did not end within 1.0 s"),
        (hungry, "MemoryError"),
    ] {
        let reason = failure(&rows, method);
        assert!(reason.contains(words), "{method}: {reason}");
    }
    // Failed rows stay, unless they are to be made again.
    assert!(run(&arguments, PROVED).stdout.contains("0 made now, 6 already there"));
    let retried = run(&[arguments.as_slice(), &["--retry-failed"]].concat(), PROVED).stdout;
    assert!(retried.contains("5 made now, 1 already there"), "{retried}");
}

#[test]
fn a_row_that_needs_more_memory_than_allowed_fails_alone() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let large = "wpm:gpus=60000,seed=1";
    let small = instance("fig6-waste");
    let arguments = [
        "bench",
        &small,
        "--generate",
        large,
        "--methods",
        "first-fit",
        "--memory-limit",
        "0.1",
        "--output",
        &output,
    ];
    run(&arguments, PROVED);
    let rows = rows(&folder);
    let reason = rows.iter().find(|row| row["cluster_gpus"] == 60000).unwrap()["reason"].as_str().unwrap();
    assert!(reason.contains("memory limit of 0.1 GiB"), "{reason}");
    assert_eq!(rows.iter().filter(|row| row["outcome"] == "valid").count(), 1);
}

#[test]
fn control_c_keeps_what_is_finished_and_leaves_no_process() {
    let folder = Folder::new();
    let (output, path, flag) = (folder.text("sweep"), instance("fig6-waste"), folder.text("flag"));
    let slow = format!("exec:test -e {flag} || sleep 61; exit 1 # {flag}");
    let arguments = [
        "bench",
        &path,
        "--methods",
        "first-fit",
        "--method",
        &slow,
        "--time-limit",
        "100",
        "--output",
        &output,
    ];
    let child = spawn(&arguments);
    let began = Instant::now();
    while !folder.path("sweep/rows.jsonl").is_file() || folder.read("sweep/rows.jsonl").is_empty() {
        assert!(began.elapsed() < Duration::from_secs(20), "no row appears");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_running(&flag));

    // Meanwhile no other process may write there.
    let other = run(&arguments, BAD_INPUT).stderr;
    assert!(other.contains("another sweep is writing to this folder"), "{other}");

    interrupt(&child);
    let done = read(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(LIMIT), "{done:?}");
    assert!(
        done.stdout.contains("1 of 2 rows")
            && done.stdout.contains("Run the same command again to continue."),
        "{done:?}"
    );
    assert_eq!(rows(&folder).len(), 1);
    // A killed process takes a moment to vanish from the system's table.
    let ended = Instant::now();
    while is_running(&flag) {
        assert!(ended.elapsed() < Duration::from_secs(5), "a process is left");
        std::thread::sleep(Duration::from_millis(20));
    }

    folder.write("flag", "");
    assert!(run(&arguments, PROVED).stdout.contains("2 of 2 rows, 1 made now"));
}

#[test]
fn what_cannot_be_swept_is_told() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    folder.write("broken.yaml", "name: x\ngpu: []\n");
    std::fs::create_dir(folder.path("nothing")).unwrap();
    folder.write("file", "");
    let broken = folder.text("broken.yaml");
    let (nothing, file) = (folder.text("nothing"), folder.text("file/below"));
    run(&["bench", &path, "--methods", "first-fit", "--output", &output], PROVED);
    let models: Vec<&str> = MODELS.iter().map(|model| model.name()).collect();
    let no_model =
        format!("\"wpn\" is not a model (did you mean \"wpm\"?). Models: {}. Write", models.join(", "));
    let sweep: [(&[&str], &str); 23] = [
        (&[], "there are no instances to run"),
        (&[&broken], "unknown field `gpu`"),
        (&[&nothing], "holds no instances"),
        (&["missing.yaml"], "there is no such file"),
        (
            &["--generate", "wpm:gpus=0"],
            "--generate \"wpm:gpus=0\": the value of gpus is \"0\". Give a whole number from 1 to 1000000",
        ),
        (&["--generate", "wpm:cpus=1"], "\"cpus\" is not a parameter of the generator of wpm"),
        (&["--generate", "wpm:gpus"], "\"gpus\" is not KEY=VALUE"),
        (&["--generate", "wpn:gpus=8"], &no_model),
        (&[&path, "--methods", "best-fit"], "\"best-fit\" is not a method (did you mean \"first-fit\"?)"),
        (&[&path, "--method", "first-fit:speed=2"], "--method: the heuristic first-fit takes no parameters"),
        (
            &[&path, "--method", "optimum:solvr=highs"],
            "\"solvr\" is not a parameter of optimum (did you mean \"solver\"?)",
        ),
        (&[&path, "--method", "optimum:solver=hihgs"], "(did you mean \"highs\"?)"),
        (&[&path, "--method", "optimum:formulation=compcat"], "(did you mean \"compact\"?)"),
        (&[&path, "--method", "compact:formulation=printed"], "names two formulations"),
        (&[&path, "--method", "optimum:cbc"], "\"cbc\" is not KEY=VALUE"),
        (
            &[&path, "--method", "optimum:presolv=off"],
            "\"presolv\" is not a parameter of optimum (did you mean \"presolve\"?)",
        ),
        (&[&path, "--method", "optimum:presolve=of"], "presolve cannot be \"of\". Values: choose, on, off"),
        (
            &[&path, "--method", "optimum:solver-option=presolv=off"],
            "\"presolv\" is not an option of highs that leaves its answers exact (did you mean \"presolve\"?)",
        ),
        (&[&path, "--method", "optimum:solver-option=presolve"], "\"presolve\" is not NAME=VALUE"),
        (
            &[&path, "--method", "optimum:presolve=off,solver-option=presolve=on"],
            "the option presolve of highs is given twice",
        ),
        (&[&path, "--method", "optimum:mip_rel_gap=0.1"], "use --gap"),
        (&[&path, "--method", "optimum:seed=4000000000"], "The seed of a solver is at most 2147483647"),
        (&[&path, "--methods", "first-fit", "--remake", "first-fti"], "(did you mean \"first-fit\"?)"),
    ];
    for (arguments, words) in sweep {
        let done = run(&[&["bench", "--output", &output], arguments].concat(), BAD_INPUT);
        assert!(done.stderr.contains(words), "{arguments:?}: {}", done.stderr);
    }
    let done = run(&["bench", &path, "--output", &file], BAD_INPUT);
    assert!(done.stderr.contains("Name a folder that you may write to"), "{}", done.stderr);
}

/// A solution of `fig6-waste`, with all placements or none: what a heuristic might print.
fn solution(folder: &Folder, name: &str, is_empty: bool) -> String {
    let arguments = ["heuristic", &instance("fig6-waste"), "--policy", "rule-based", "--format", "json"];
    let mut solution = run(&arguments, PROVED).json()["solution"].clone();
    if is_empty {
        solution = serde_json::json!({ "instance": solution["instance"], "placement": [] });
    }
    folder.write(name, solution.to_string())
}

/// The profit of every row of a method.
fn profits(folder: &Folder, method: &str) -> Vec<i64> {
    let rows = rows(folder);
    let of_method = rows.iter().filter(|row| row["method"] == method);
    of_method.map(|row| row["stages"][0]["value"].as_i64().unwrap()).collect()
}

#[test]
fn an_edited_heuristic_runs_again_and_the_report_has_its_new_figure() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let (none, all) = (solution(&folder, "none.json", true), solution(&folder, "all.json", false));
    let heuristic = folder.write("mine.sh", format!("cat '{none}'\n"));
    let method = format!("exec:sh {heuristic}");
    let arguments = ["bench", &path, "--methods", "optimum", "--method", &method, "--output", &output];
    let again = format!("1 row made again: {heuristic} changed");
    let report = || run(&["report", &output], PROVED).stdout;

    run(&arguments, PROVED);
    assert_eq!(profits(&folder, &method), [0]);
    assert!(run(&arguments, PROVED).stdout.contains("2 of 2 rows, 0 made now, 2 already there"));
    let first = report();

    folder.write("mine.sh", format!("cat '{all}'\n"));
    let edited = run(&arguments, PROVED).stdout;
    assert!(
        edited.contains("2 of 2 rows, 1 made now, 1 already there") && edited.contains(&again),
        "{edited}"
    );
    assert_eq!(profits(&folder, &method), [629]);
    assert!(first.contains("0 % (0 of 1)") && !report().contains("0.0 % (0 of 1)"), "{first}");
    assert!(report().contains(&format!("1 row left out: {heuristic} changed")));

    // What it said before is not forgotten.
    folder.write("mine.sh", format!("cat '{none}'\n"));
    assert!(run(&arguments, PROVED).stdout.contains("2 of 2 rows, 0 made now, 2 already there"));
    assert_eq!(profits(&folder, &method), [0]);
}

#[test]
fn a_heuristic_that_is_edited_while_it_runs_has_no_row_of_either_state() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let all = solution(&folder, "all.json", false);
    let heuristic = folder.write("mine.sh", "");
    folder.write("mine.sh", format!("echo '# and more' >> '{heuristic}'; cat '{all}'\n"));
    let method = format!("exec:sh {heuristic}");
    let arguments = ["bench", &path, "--methods", "first-fit", "--method", &method, "--output", &output];
    let done = run(&arguments, LIMIT).stdout;
    assert!(done.contains("1 of 2 rows") && done.contains("changed while the sweep ran"), "{done}");
    assert!(profits(&folder, &method).is_empty());
}

#[test]
fn what_a_program_is_on_the_search_path_counts() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let search_path = format!("{}:{}", folder.text("bin"), std::env::var("PATH").unwrap());
    std::fs::create_dir(folder.path("bin")).unwrap();
    let sweep = |solution: &str| {
        folder.write("bin/my-heuristic", format!("#!/bin/sh\ncat '{solution}'\n"));
        std::fs::set_permissions(folder.path("bin/my-heuristic"), PermissionsExt::from_mode(0o755)).unwrap();
        let arguments = ["bench", &path, "--method", "exec:my-heuristic --fast", "--output", &output];
        let done = read(migopt().args(arguments).env("PATH", &search_path).output().unwrap());
        assert_eq!(done.code, Some(PROVED), "{done:?}");
        done.stdout
    };
    sweep(&solution(&folder, "none.json", true));
    let again = sweep(&solution(&folder, "all.json", false));
    assert!(again.contains("1 row made again: my-heuristic changed"), "{again}");
    assert_eq!(profits(&folder, "exec:my-heuristic --fast"), [629]);
}

#[test]
fn rows_of_other_limits_and_those_asked_for_are_made_again() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let sweep = |flags: &[&str]| {
        let arguments = ["bench", &path, "--methods", "optimum,first-fit", "--output", &output];
        run(&[&arguments, flags].concat(), PROVED).stdout
    };
    sweep(&[]);
    let limited = sweep(&["--time-limit", "7"]);
    assert!(limited.contains("2 made now"), "{limited}");
    assert!(limited.contains("2 rows made again: the time limit was 60 s, now 7 s"), "{limited}");
    let back = sweep(&[]);
    assert!(back.contains("0 made now") && !back.contains("left out"), "{back}");
    // Threads are no matter of heuristics.
    let threads = sweep(&["--threads", "2"]);
    assert!(threads.contains("1 row made again: the number of threads was 1, now 2"), "{threads}");
    let remade = sweep(&["--threads", "2", "--remake", "first-fit"]);
    assert!(
        remade.contains("1 made now") && remade.contains("1 row made again: --remake first-fit"),
        "{remade}"
    );
    assert_eq!(keys(&rows(&folder)).len(), 2);
}

#[test]
fn the_report_speaks_of_the_last_command_and_names_what_it_leaves_out() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let text = std::fs::read_to_string(instance("fig6-waste")).unwrap();
    let path = folder.write("cluster.yaml", &text);
    let sweep = |paths: &[&str], methods: &str| {
        run(&[&["bench", "--output", &output, "--methods", methods], paths].concat(), PROVED).stdout
    };
    let other = instance("a30-joint");
    sweep(&[&path, &other], "optimum,first-fit");
    folder.write("cluster.yaml", text.replace("fig6-waste", "another-name"));
    let edited = sweep(&[&path], "optimum");
    assert!(edited.contains(&format!("1 row made again: {path} changed")), "{edited}");
    let report = run(&["report", &output], PROVED).stdout;
    assert!(report.contains("1 run on 1 instance in 1 group"), "{report}");
    for line in [
        format!("1 row left out: {path} changed"),
        "1 row left out: the last command did not name their instances".to_owned(),
        "2 rows left out: the last command did not run first-fit".to_owned(),
    ] {
        assert!(report.contains(&line.replace('_', "\\_")), "{line}: {report}");
    }
    // The instance as it was is there still.
    folder.write("cluster.yaml", &text);
    let back = sweep(&[&path, &other], "optimum,first-fit");
    assert!(back.contains("4 of 4 rows, 0 made now"), "{back}");
}

#[test]
fn a_sweep_that_is_not_complete_says_so() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    run(&["bench", &path, "--methods", "optimum,first-fit", "--output", &output], PROVED);
    let text = folder.read("sweep/rows.jsonl");
    folder.write("sweep/rows.jsonl", text.lines().next().unwrap().to_owned() + "\n");
    let report = run(&["report", &output], PROVED).stdout;
    assert!(report.contains("The sweep is not complete: 1 of 2 rows are there."), "{report}");
}

/// What is no row is set aside and told.
#[test]
fn a_foreign_line_does_not_end_a_sweep() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let arguments = ["bench", &path, "--methods", "optimum,first-fit", "--output", &output];
    run(&arguments, PROVED);
    let text = folder.read("sweep/rows.jsonl");
    let mut lines = text.lines();
    folder.write(
        "sweep/rows.jsonl",
        format!("{}\n{{}}\nnot even JSON\n{}\n", lines.next().unwrap(), lines.next().unwrap()),
    );
    let done = run(&arguments, PROVED).stdout;
    assert!(
        done.contains("2 of 2 rows, 0 made now")
            && done.contains("rows.jsonl:2")
            && done.contains("rows.jsonl:3"),
        "{done}"
    );
    assert_eq!(folder.read("sweep/rows.jsonl"), text);
    assert_eq!(folder.read("sweep/earlier-rows.jsonl"), "{}\nnot even JSON\n");
    assert!(!run(&arguments, PROVED).stdout.contains("rows.jsonl:"));
}

/// A folder of version 0.1.0: rows without conditions, which the folder has for all of them.
#[test]
fn folders_of_earlier_versions_resume() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let all = solution(&folder, "all.json", false);
    let method = format!("exec:cat {all}");
    let arguments =
        ["bench", &path, "--methods", "optimum,first-fit", "--method", &method, "--output", &output];
    run(&arguments, PROVED);
    let optimum = rows(&folder)[0].clone();
    let older: String = rows(&folder)
        .into_iter()
        .map(|mut row| {
            let fields = row.as_object_mut().unwrap();
            fields.shift_remove("conditions");
            fields.shift_remove("program");
            row["version"] = 2.into();
            format!("{row}\n")
        })
        .collect();
    folder.write("sweep/rows.jsonl", older);
    let conditions = &optimum["conditions"];
    let plan = serde_json::json!({ "version": conditions["version"], "solver": conditions["solver"], "threads": 1,
        "time_limit": 60.0, "memory_limit": null });
    folder.write("sweep/sweep.json", plan.to_string());
    assert!(run(&["report", &output], PROVED).stdout.contains("3 runs on 1 instance"));
    let done = run(&arguments, PROVED).stdout;
    assert!(done.contains("3 of 3 rows, 1 made now, 2 already there"), "{done}");
    assert!(done.contains("an earlier version of migopt did not record what made them"), "{done}");
    assert!(rows(&folder).contains(&optimum));
}

#[test]
fn folders_are_searched_and_broken_files_hinder_no_others() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let text = |name: &str| {
        format!("{{\"name\": \"{name}\", \"gpus\": [{{\"name\": \"g\", \"board\": \"A30-24GB\"}}]}}")
    };
    for below in ["all/deep/er", "all/.hidden"] {
        std::fs::create_dir_all(folder.path(below)).unwrap();
    }
    folder.write("all/one.json", text("one"));
    folder.write("all/deep/er/two.yaml", text("two"));
    folder.write("all/.hidden/three.yaml", text("three"));
    folder.write("all/notes.txt", "no instance");
    let result = run(&["solve", &folder.text("all/one.json"), "--format", "json"], PROVED).stdout;
    folder.write("all/result.json", result);
    let all = folder.text("all");
    let arguments = ["bench", &all, "--methods", "optimum", "--output", &output];
    let done = run(&arguments, PROVED).stdout;
    assert!(done.contains("2 of 2 rows") && done.contains("1 file left out: answers"), "{done}");

    folder.write("all/deep/bad.yaml", "name: x\ngpu: []\n");
    folder.write("all/worse.json", "[");
    let strict = run(&[&arguments[..], &["--strict"]].concat(), BAD_INPUT);
    assert!(strict.stdout.is_empty(), "{strict:?}");
    let lenient = run(&arguments, BAD_INPUT);
    assert!(
        lenient.stdout.contains("2 of 2 rows") && lenient.stdout.contains("2 files left out"),
        "{lenient:?}"
    );
    for done in [&strict.stderr, &lenient.stderr] {
        assert!(done.contains("bad.yaml:2:1: unknown field `gpu`") && done.contains("worse.json:"), "{done}");
    }
}

#[test]
fn every_instance_has_its_own_model_unless_one_is_asked_for() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let arguments = ["bench", "--generate", "sharing:vms=4,seed=1", "--generate", "wpm:gpus=1,seed=1"];
    let methods = ["--methods", "optimum,first-fit,nf", "--output", &output];
    let done = run(&[&arguments[..], &methods].concat(), PROVED).stdout;
    assert!(done.contains("instances: 1 of model sharing, 1 of model wpm"), "{done}");
    let made: BTreeSet<String> =
        rows(&folder).iter().map(|row| format!("{} {}", row["model"], row["method"])).collect();
    let expected =
        ["\"sharing\" \"nf\"", "\"sharing\" \"optimum\"", "\"wpm\" \"first-fit\"", "\"wpm\" \"optimum\""];
    assert_eq!(made, expected.map(str::to_owned).into());
    let done = run(
        &["bench", &instance("fig6-waste"), "--model", "siavashi", "--methods", "ff", "--output", &output],
        PROVED,
    );
    assert!(!done.stdout.contains("instances:"), "{done:?}");
    assert_eq!(rows(&folder)[0]["model"], "siavashi");
}

#[test]
fn the_corpus_of_a_model_is_swept_as_it_is_printed() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let text = run(&["corpus", "sharing"], PROVED).stdout;
    let few: String = text.lines().step_by(100).flat_map(|line| [line, "\n"]).collect();
    let corpus = folder.write("c.jsonl", &few);
    run(&["bench", &corpus, "--methods", "optimum", "--output", &output], PROVED);
    let rows = rows(&folder);
    assert_eq!(rows.len(), few.lines().count());
    for (row, line) in rows.iter().zip(few.lines()) {
        let truth: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&row["instance"], &row["model"]), (&truth["name"], &truth["model"]));
        let value = |stages: &Value| {
            stages
                .as_array()
                .map(|stages| stages.iter().map(|stage| stage["value"].clone()).collect::<Vec<_>>())
        };
        assert_eq!(
            value(&row["stages"]).unwrap_or_default(),
            value(&truth["stages"]).unwrap_or_default(),
            "{row}"
        );
    }
}

#[test]
fn edited_instances_are_neither_overwritten_nor_ignored() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let sweep = |specification: &str| {
        let arguments = ["bench", "--generate", specification, "--methods", "first-fit", "--output", &output];
        run(&arguments, PROVED).stdout
    };
    sweep("wpm:gpus=2,seed=1");
    let file = folder.path("sweep").join(rows(&folder)[0]["path"].as_str().unwrap());
    let drawn = std::fs::read_to_string(&file).unwrap();
    let edited = drawn.replace("section 5.1", "section 5.1, edited");
    assert_ne!(edited, drawn);
    std::fs::write(&file, &edited).unwrap();
    for _ in 0..2 {
        let done = sweep("wpm:gpus=2,seed=1");
        assert!(done.contains("was edited since the sweep wrote it, and is used as it is"), "{done}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), edited);
    }
    std::fs::remove_file(&file).unwrap();
    assert!(!sweep("wpm:gpus=2,seed=1").contains("was edited"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), drawn);

    // Other options give another instance of the same name, which takes the place of one that nobody edited.
    let other = sweep("wpm:gpus=2,seed=1,newcomers=0.1");
    assert!(!other.contains("was edited") && other.contains("1 row made again"), "{other}");
    assert_ne!(std::fs::read_to_string(&file).unwrap(), drawn);

    let (name, directory) = (file.file_name().unwrap().to_str().unwrap(), folder.text("generated"));
    let generate = ["generate", "wpm", "--gpus", "2", "--seed", "1", "--output", &directory];
    run(&generate, PROVED);
    run(&generate, PROVED);
    folder.write(&format!("generated/{name}"), &edited);
    let refused = run(&generate, BAD_INPUT).stderr;
    assert!(refused.contains("is not overwritten"), "{refused}");
    assert_eq!(folder.read(&format!("generated/{name}")), edited);
}

#[test]
fn ways_to_solve_stand_beside_the_optimum() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let methods = "optimum,optimum:formulation=printed,threads=2,optimum:warm-start=first-fit,exact-index:threads=1,first-fit";
    let done = run(&["bench", &path, "--methods", methods, "--output", &output], PROVED).stdout;
    assert!(done.contains("5 of 5 rows"), "{done}");
    let rows = rows(&folder);
    let of =
        |method: &str| rows.iter().find(|row| row["method"] == method).unwrap_or_else(|| panic!("{method}"));
    let optimum = of("optimum");
    assert_eq!(optimum["conditions"]["threads"], 1);
    let printed = of("optimum:formulation=printed,threads=2");
    assert_eq!(printed["conditions"]["threads"], 2);
    assert_ne!(printed["work"]["columns"], optimum["work"]["columns"]);
    assert_eq!((&printed["stages"], &printed["outcome"]), (&optimum["stages"], &optimum["outcome"]));
    assert_eq!(of("optimum:warm-start=first-fit")["stages"], optimum["stages"]);
    assert_eq!(of("first-fit")["conditions"]["threads"], Value::Null);
    // The same program with one thread is another method, but the same question.
    run(&["bench", &path, "--methods", "optimum", "--output", &output], PROVED);
}

/// What differs in a seed or an option of the solver alone is a method of its own, and reaches the solver.
#[test]
fn settings_of_a_solver_share_a_sweep() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("fig6-waste"));
    let methods = [
        "printed",
        "printed:presolve=off,seed=3",
        "printed:solver=highs,solver-option=presolve=off,solver-option=mip_root_presolve_only=true",
        "printed:seed=7",
    ];
    let asked = methods.join(",");
    let arguments = ["bench", &path, "--solver", "highs", "--methods", &asked, "--output", &output];
    assert!(run(&arguments, PROVED).stdout.contains("4 of 4 rows, 4 made now"));
    let rows = rows(&folder);
    let of = |method: &str| {
        rows.iter().find(|row| row["method"] == method).unwrap_or_else(|| panic!("{method}: {rows:?}"))
    };
    for method in methods {
        assert_eq!(
            (&of(method)["outcome"], &of(method)["stages"]),
            (&"optimal".into(), &of("printed")["stages"])
        );
    }
    // As `solve` answers with the same settings.
    let flags = ["--formulation", "printed", "--solver", "highs", "--format", "json"];
    let solved = |more: &[&str]| run(&[&["solve", &path], &flags[..], more].concat(), PROVED).json();
    let without = solved(&["--solver-option", "presolve=off", "--seed", "3"]);
    assert_eq!(of(methods[1])["work"], without["work"]);
    assert_ne!(of(methods[1])["work"], of("printed")["work"], "presolve leaves another search to do");
    assert!(run(&arguments, PROVED).stdout.contains("0 made now, 4 already there"));
}

/// Where the build has a second solver.
#[test]
fn solvers_share_a_sweep() {
    let listed = run(&["list", "solvers"], PROVED).stdout;
    if !listed.contains("cbc") || !listed.contains("highs") {
        return;
    }
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("compaction"));
    let methods = "optimum:solver=highs,optimum:solver=cbc,first-fit";
    run(&["bench", &path, "--methods", methods, "--output", &output], PROVED);
    let rows = rows(&folder);
    assert_eq!(rows[0]["stages"], rows[1]["stages"]);
    let solver = |row: &Value| row["conditions"]["solver"].as_str().unwrap_or_default().to_owned();
    assert!(solver(&rows[0]).starts_with("highs ") && solver(&rows[1]).starts_with("cbc "), "{rows:?}");
    assert_eq!(solver(&rows[2]), "");
    let report = run(&["report", &output], PROVED).stdout;
    assert!(report.contains("The optimum is proved."), "{report}");
}

#[test]
fn a_sweep_ends_with_a_table_of_its_methods() {
    let folder = Folder::new();
    let (output, path) = (folder.text("sweep"), instance("pinned"));
    let done = run(&["bench", &path, "--methods", METHODS, "--output", &output], PROVED).stdout;
    let lines: Vec<Vec<&str>> = done.lines().map(|line| line.split_whitespace().collect()).collect();
    let place = |first: &str| lines.iter().position(|words| words.first() == Some(&first)).unwrap();
    assert!(done.contains("gap to the optimum") && done.contains("at the optimum"), "{done}");
    assert_eq!(&lines[place("optimum")][..9], ["optimum", "1", "0", "%", "0", "%", "100.0", "%", "(1"]);
    for heuristic in ["rule-based", "first-fit", "load-balanced"] {
        assert!(place("optimum") < place(heuristic), "{done}");
    }
    assert!(done.contains("Of the 3 heuristics, "), "{done}");
    assert_eq!(
        run(&["bench", &path, "--methods", METHODS, "--output", &output, "--quiet"], PROVED).stdout,
        ""
    );
}

/// A corpus is swept as it is: every line becomes a file of the sweep.
#[test]
fn every_line_of_a_jsonl_file_is_an_instance() {
    let folder = Folder::new();
    let line = |name: &str| {
        format!("{{\"name\": \"{name}\", \"gpus\": [{{\"name\": \"g\", \"board\": \"A30-24GB\"}}]}}\n")
    };
    let corpus = folder.write("few.jsonl", line("one") + "\n" + &line("two"));
    let output = folder.text("sweep");
    let arguments = ["bench", &corpus, "--methods", "optimum,first-fit", "--output", &output];
    run(&arguments, PROVED);
    let rows = folder.read("sweep/rows.jsonl");
    assert_eq!(rows.lines().count(), 4);
    assert!(rows.contains("instances/few-0001.json") && rows.contains("instances/few-0003.json"), "{rows}");
    assert!(run(&arguments, PROVED).stdout.contains("0 made now, 4 already there"));

    let wrong = folder.write("wrong.jsonl", line("one") + "{\"name\": \"two\", \"gpu\": []}\n");
    let refused = run(&["bench", &wrong, "--output", &folder.text("other")], BAD_INPUT).stderr;
    assert!(
        refused.contains("wrong-0002.json:1:") && refused.contains("did you mean \"gpus\"?"),
        "{refused}"
    );
}

/// Instances on the lines of a file that a sweep would write are not touched.
#[test]
fn instances_in_the_files_of_a_sweep_are_never_overwritten() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("sweep")).unwrap();
    let line = "{\"name\": \"one\", \"gpus\": [{\"name\": \"g\", \"board\": \"A30-24GB\"}]}\n";
    for name in ["rows.jsonl", "earlier-rows.jsonl", "sweep.json"] {
        let file = folder.write(&format!("sweep/{name}"), line);
        let done = run(&["bench", &file, "--output", &folder.text("sweep")], BAD_INPUT);
        assert!(done.stderr.contains("is read by the same command"), "{done:?}");
        assert_eq!(folder.read(&format!("sweep/{name}")), line);
        std::fs::remove_file(&file).unwrap();
    }
}

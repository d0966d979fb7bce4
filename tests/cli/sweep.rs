//! `migopt bench`: every row once, whatever happens in between.
#![cfg(target_os = "linux")]

use models::MODELS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::cli::schemas::{check, schema};
use support::cli::{BAD_INPUT, Folder, LIMIT, PROVED, instance, interrupt, read, run, spawn};

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
        done.stdout.contains("1 of 2 rows") && done.stdout.contains("the same command resumes"),
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
    let sweep: [(&[&str], &str); 11] = [
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
        (&[&path, "--time-limit", "7"], "the rows in this folder were made with"),
    ];
    for (arguments, words) in sweep {
        let done = run(&[&["bench", "--output", &output], arguments].concat(), BAD_INPUT);
        assert!(done.stderr.contains(words), "{arguments:?}: {}", done.stderr);
    }
    let done = run(&["bench", &path, "--output", &file], BAD_INPUT);
    assert!(done.stderr.contains("Name a folder that you may write to"), "{}", done.stderr);
    folder.write("sweep/rows.jsonl", "{}\n");
    let done = run(&["bench", &path, "--output", &output], BAD_INPUT);
    assert!(done.stderr.contains("rows.jsonl:1:"), "{}", done.stderr);
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

//! Sweeps in shards: any number of them, in any order, give the rows of one sweep.
#![cfg(target_os = "linux")]

use ground::SourceText;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Child;
use support::cli::{
    BAD_INPUT, Folder, PROVED, executable, instance, migopt, read, run, spawn, without_seconds,
};

const SWEEP: [&str; 5] =
    ["bench", "--generate", "wpm:gpus=2,count=8,seed=1", "--methods", "optimum,rule-based,first-fit"];

/// Rows of the sweep: eight instances, three methods.
const ROWS: usize = 24;

fn words<'w>(output: &'w str, more: &[&'w str]) -> Vec<&'w str> {
    [&SWEEP, ["--output", output].as_slice(), more].concat()
}

fn rows(folder: &Folder, file: &str) -> Vec<Value> {
    folder.read(file).lines().map(|line| without_seconds(serde_json::from_str(line).unwrap())).collect()
}

fn made(mut child: Child) {
    assert!(child.wait().unwrap().success());
}

/// One process makes the rows of the first folder, several at once those of the others.
#[test]
fn any_number_of_shards_makes_the_same_rows_and_the_same_report() {
    let folder = Folder::new();
    let whole = folder.text("1/sweep");
    run(&words(&whole, &[]), PROVED);
    let rows_of_one = rows(&folder, "1/sweep/rows.jsonl");
    assert_eq!(rows_of_one.len(), ROWS);
    for of in [2, 8] {
        let output = folder.text(&format!("{of}/sweep"));
        let shards: Vec<String> = (1..=of).rev().map(|number| format!("--shard={number}/{of}")).collect();
        let children: Vec<Child> = shards.iter().map(|shard| spawn(&words(&output, &[shard]))).collect();
        children.into_iter().for_each(made);
        let refused = run(&["report", &output], BAD_INPUT).stderr;
        assert!(refused.contains(&format!("migopt bench --gather --output {output}")), "{refused}");

        let said = run(&["bench", "--gather", "--output", &output], PROVED).stdout;
        assert!(said.contains("24 rows, none is missing"), "{said}");
        assert_eq!(rows(&folder, &format!("{of}/sweep/rows.jsonl")), rows_of_one);
        let files = std::fs::read_dir(&output)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.collect();
        assert_eq!(files, ["instances", "rows.jsonl", "sweep.json"].map(str::to_owned).into());
        // What the sweep is from then on is a sweep as any other.
        let again = run(&words(&output, &[]), PROVED).stdout;
        assert!(again.contains("24 of 24 rows, 0 made now, 24 already there"), "{again}");

        // With the same times the reports are equal byte for byte.
        folder.write(&format!("{of}/sweep/rows.jsonl"), folder.read("1/sweep/rows.jsonl"));
        let report = |folder: &str| run(&["report", folder], PROVED).stdout;
        assert_eq!(report(&output), report(&whole));
    }
}

#[test]
fn killed_shards_lose_no_row_and_make_none_twice() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let slow = ["--method", "exec:sleep 0.03; exit 1"];
    let shards = ["--shard=1/3", "--shard=2/3", "--shard=3/3"];
    let path = folder.path("sweep/rows-of-shard-2-of-3.jsonl");
    // Six times early and late, and then later and later until a slow machine has written a row.
    for round in (0..40u64).take_while(|&round| round < 6 || !path.exists()) {
        let wait = if round < 6 { 30 + round * 37 % 90 } else { 30 * round };
        for shard in shards {
            let mut child = spawn(&words(&output, &[&slow[..], &[shard]].concat()));
            std::thread::sleep(std::time::Duration::from_millis(wait));
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    let torn = "{\"instance\": \"torn";
    let mut before = std::fs::read_to_string(&path).unwrap();
    before.truncate(before.rfind('\n').map_or(0, |end| end + 1));
    std::fs::write(&path, before.clone() + torn).unwrap();
    for shard in shards {
        run(&words(&output, &[&slow[..], &[shard]].concat()), PROVED);
    }
    assert!(folder.read("sweep/rows-of-shard-2-of-3.jsonl").starts_with(&before));
    run(&["bench", "--gather", "--output", &output], PROVED);
    let made = rows(&folder, "sweep/rows.jsonl");
    let keys = made.iter().map(|row| format!("{} {} {}", row["fingerprint"], row["method"], row["seed"]));
    assert_eq!(keys.collect::<BTreeSet<_>>().len(), made.len());
    assert_eq!(made.len(), ROWS + 8);
}

/// What one number of shards has begun, another one ends, and so does a whole sweep.
#[test]
fn rows_count_whoever_made_them() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    run(&words(&output, &["--shard=1/2"]), PROVED);
    let said = run(&words(&output, &["--shard=3/4"]), PROVED).stdout;
    assert!(said.contains("shard 3 of 4: 6 of 6 rows, 0 made now, 6 already there"), "{said}");
    let said = run(&words(&output, &[]), PROVED).stdout;
    assert!(said.contains("24 of 24 rows, 12 made now, 12 already there"), "{said}");
    assert!(!folder.path("sweep/rows-of-shard-1-of-2.jsonl").exists());
}

#[test]
fn what_cannot_be_right_is_refused() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let refuse = |arguments: &[&str], expected: &[&str]| {
        let said = run(arguments, BAD_INPUT).stderr;
        for part in expected {
            assert!(said.contains(part), "{arguments:?}: expected {part}, found {said}");
        }
    };
    refuse(&words(&output, &["--shard=9/8"]), &["there is no shard \"9\" of 8"]);
    refuse(&words(&output, &["--shard=third/8"]), &["there is no shard \"third\" of 8"]);
    refuse(&words(&output, &["--shard=3"]), &["Write 3/8"]);
    refuse(&words(&output, &["--shard=1/2", "--retry-failed"]), &["--retry-failed"]);
    refuse(&words(&output, &["--submit=slrum:shards=2"]), &["\"slrum\" is not an engine", "slurm"]);
    refuse(&words(&output, &["--submit=slurm"]), &["`shards` is missing"]);
    refuse(&words(&output, &["--submit=slurm:shards=0"]), &["shards"]);
    refuse(&words(&output, &["--submit=slurm:shards=2,claim=disk"]), &["\"claim\" is not a key of slurm"]);
    refuse(&words(&output, &["--submit=kubernetes:shards=2"]), &["`claim` is missing"]);
    refuse(
        &words(&output, &["--submit=kubernetes:shards=2,claim=disk"]),
        &["Name a folder below the current one"],
    );
    refuse(&["bench", "--gather", "--output", &folder.text("none")], &["there is no sweep in this folder"]);
    let path = instance("pinned");
    refuse(&["bench", &path, "--gather", "--output", &output], &["--gather"]);

    // Two plans in one folder, and rows of a shard that are elsewhere.
    run(&words(&output, &["--shard=1/3"]), PROVED);
    let other = ["bench", &path, "--methods", "first-fit", "--output", &output, "--shard=2/3"];
    refuse(&other, &["the folder belongs to a sweep with other instances", "the same command"]);
    refuse(&words(&output, &["--shard=2/3", "--time-limit=7"]), &["other limits"]);
    refuse(
        &["bench", "--gather", "--output", &output],
        &["16 of 24 rows are missing, 8 of shard 2 of 3, 8 of shard 3 of 3", "Submit the sweep again"],
    );
    assert!(folder.path("sweep/rows-of-shard-1-of-3.jsonl").exists());

    // Outside an engine there is no number.
    let alone = migopt().args(words(&output, &["--shard=auto/3"])).env_remove("SLURM_ARRAY_TASK_ID").output();
    let said = read(alone.unwrap());
    assert_eq!(said.code, Some(BAD_INPUT));
    assert!(said.stderr.contains("neither is set"), "{}", said.stderr);
}

#[test]
fn a_whole_sweep_waits_for_shards_that_run() {
    let folder = Folder::new();
    let output = folder.text("sweep");
    let slow = ["--method", "exec:sleep 20", "--shard=1/1"];
    let mut child = spawn(&words(&output, &slow));
    while !folder.path("sweep/sweep.json").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for arguments in [words(&output, &[]), vec!["bench", "--gather", "--output", &output]] {
        let said = run(&arguments, BAD_INPUT).stderr;
        assert!(said.contains("another sweep is writing to this folder"), "{said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The tasks of the array are run as Slurm runs them.
#[test]
fn the_job_for_slurm_makes_exactly_the_plan() {
    let folder = Folder::new();
    let output = folder.text("a sweep");
    let said =
        run(&words(&output, &["--memory-limit", "2", "--jobs", "2", "--submit", "slurm:shards=3"]), PROVED)
            .stdout;
    assert!(said.contains(&format!("next: sbatch {output}/sweep.sbatch")), "{said}");
    let script = folder.read("a sweep/sweep.sbatch");
    let here = std::env::current_dir().unwrap();
    for line in [
        "#SBATCH --array=1-3".to_owned(),
        "#SBATCH --cpus-per-task=2".to_owned(),
        "#SBATCH --mem=4096M".to_owned(),
        "#SBATCH --requeue".to_owned(),
        "#SBATCH --job-name=migopt-a-sweep".to_owned(),
        format!("#SBATCH --chdir=\"{}\"", here.display()),
    ] {
        assert!(script.lines().any(|there| there == line), "expected {line}, found\n{script}");
    }
    assert!(folder.path("a sweep/sweep.json").exists());
    assert!(!folder.path("a sweep/rows-of-shard-1-of-3.jsonl").exists());
    for task in ["2", "3", "1"] {
        let mut shell = std::process::Command::new("sh");
        let status = shell.arg(folder.path("a sweep/sweep.sbatch")).env("SLURM_ARRAY_TASK_ID", task).output();
        assert!(status.unwrap().status.success());
    }
    run(&["bench", "--gather", "--output", &output], PROVED);
    assert_eq!(rows(&folder, "a sweep/rows.jsonl").len(), ROWS);
}

/// The containers' command is run as it stands, with migopt on PATH and in the folder where the volume is mounted.
#[test]
fn the_job_for_kubernetes_makes_exactly_the_plan() {
    let folder = Folder::new();
    let submit = ["--submit", "kubernetes:shards=2,claim=disk,image=registry/migopt:1,namespace=lab"];
    let ran = migopt().current_dir(folder.path("")).args(words("sweep", &submit)).output().unwrap();
    assert_eq!(read(ran).code, Some(PROVED));
    let job: Value = SourceText::read(&folder.path("sweep/sweep.job.yaml")).unwrap().parse().unwrap();
    let spec = &job["spec"];
    assert_eq!((&spec["completions"], &spec["completionMode"]), (&Value::from(2), &Value::from("Indexed")));
    assert_eq!(job["metadata"]["namespace"], "lab");
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "registry/migopt:1");
    assert_eq!(container["workingDir"], container["volumeMounts"][0]["mountPath"]);
    let command: Vec<&str> =
        container["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let programs: PathBuf = executable().parent().unwrap().to_owned();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    for index in ["0", "1"] {
        let ran = std::process::Command::new(command[0])
            .args(&command[1..])
            .current_dir(container["workingDir"].as_str().unwrap())
            .env("PATH", &path)
            .env("JOB_COMPLETION_INDEX", index)
            .output()
            .unwrap();
        assert_eq!(read(ran).code, Some(PROVED));
    }
    let output = folder.text("sweep");
    run(&["bench", "--gather", "--output", &output], PROVED);
    assert_eq!(rows(&folder, "sweep/rows.jsonl").len(), ROWS);
}

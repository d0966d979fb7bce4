//! `migopt replay`.
#![cfg(unix)]

use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;
use support::cli::{BAD_INPUT, Folder, INTERNAL, LIMIT, PROVED, Run, interrupt, read, run, spawn};

const NODES: &str = "sn,cpu_milli,memory_mib,gpu\na,16000,65536,2\nb,8000,32768,1\n";

/// Virtual machines of an hour and a half, one every ten minutes.
fn arrivals(count: u64) -> String {
    let mut text = "name,profile,arrival,departure,cpu,memory_gib\n".to_owned();
    for number in 0..count {
        let profile = ["1g.5gb", "7g.40gb", "3g.20gb", "2g.10gb"][number as usize % 4];
        let from = 7200 + 600 * number;
        writeln!(text, "vm{number},{profile},{from},{},1,4", from + 5400).unwrap();
    }
    text
}

/// A folder with a trace, and the arguments that replay it.
fn trace(count: u64) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let nodes = folder.write("nodes.csv", NODES);
    let arrivals = folder.write("arrivals.csv", arrivals(count));
    let words = ["replay", "--nodes", &nodes, "--arrivals", &arrivals].map(str::to_owned);
    (folder, words.to_vec())
}

fn with(arguments: &[String], more: &[&str], code: i32) -> Run {
    let all: Vec<&str> = arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
    run(&all, code)
}

/// The folder's files of a policy, without the seconds that it took.
fn files(folder: &Folder, policy: &str) -> Vec<String> {
    let totals = folder.read(&format!("out/{policy}/totals.json"));
    let totals: Vec<&str> = totals.lines().filter(|line| !line.contains("\"seconds\"")).collect();
    let names = ["policy.json", "hours.csv", "placements.csv"];
    let others = names.map(|name| folder.read(&format!("out/{policy}/{name}")));
    others.into_iter().chain([totals.join("\n")]).collect()
}

#[test]
fn policies_are_kept_and_not_run_again() {
    let (folder, arguments) = trace(60);
    let output = folder.text("out");
    let first = with(&arguments, &["--policy", "ff,mcc", "--output", &output], PROVED);
    assert!(first.stdout.contains(&format!("next: migopt report {output}\n")), "{first:?}");
    assert!(!first.stdout.contains("already there"), "{first:?}");
    assert_eq!(first.stderr, "");
    let totals = folder.json("out/ff/totals.json");
    assert_eq!((&totals["arrived"], &totals["policy"]), (&60.into(), &"ff".into()));
    let kept = files(&folder, "ff");
    assert_eq!(kept[1].lines().count() as u64, 1 + totals["intervals"].as_u64().unwrap());
    let mut placements = kept[2].lines();
    assert_eq!(placements.next(), Some("name,profile,arrival,departure,gpu,host,start"));
    assert_eq!(placements.next(), Some("vm0,1g.5gb,7200,12600,a/0,a,6"));
    let accepted = placements.filter(|line| !line.ends_with(",,,")).count() as u64 + 1;
    assert_eq!(accepted, totals["accepted"].as_u64().unwrap());

    let stamp = || std::fs::metadata(folder.path("out/ff/totals.json")).unwrap().modified().unwrap();
    let before = stamp();
    let again = with(
        &arguments,
        &["--policy", "grmu:heavy-capacity=0.5", "--policy", "ff", "--output", &output],
        PROVED,
    );
    assert!(again.stdout.contains("ff: already there\n"), "{again:?}");
    assert_eq!(stamp(), before);
    assert_eq!(folder.json("out/grmu_heavy-capacity=0.5/totals.json")["policy"], "grmu:heavy-capacity=0.5");

    // A policy without totals is not finished.
    std::fs::remove_file(folder.path("out/ff/totals.json")).unwrap();
    std::fs::write(folder.path("out/ff/hours.csv"), "torn").unwrap();
    with(&arguments, &["--policy", "ff", "--output", &output], PROVED);
    assert_eq!(files(&folder, "ff"), kept);
    let left = |name: &std::path::Path| name.extension().is_some_and(|ending| ending == "part");
    let entries = std::fs::read_dir(folder.path("out/ff")).unwrap();
    assert!(entries.into_iter().all(|entry| !left(&entry.unwrap().path())));
}

#[test]
fn answers_for_programs() {
    let (_folder, arguments) = trace(60);
    let answer = with(&arguments, &["--format", "json"], PROVED).json();
    let names: Vec<&str> = answer["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|policy| policy["policy"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ff", "bf", "mcc", "mecc", "grmu"]);
    assert_eq!((&answer["complete"], &answer["trace"]["gpus"]), (&true.into(), &3.into()));
    assert_eq!(with(&arguments, &["--quiet", "--policy", "bf"], PROVED).stdout, "");
}

#[test]
fn other_conditions_are_refused() {
    let (folder, arguments) = trace(60);
    let output = folder.text("out");
    let consolidating = "grmu:consolidate=yes";
    with(&arguments, &["--policy", "ff", "--policy", consolidating, "--output", &output], PROVED);
    let told = |more: &[&str]| {
        let run = with(&arguments, &[&["--output", output.as_str()], more].concat(), BAD_INPUT);
        assert!(run.stderr.contains("this folder holds a replay with other settings: "), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        run.stderr
    };
    assert!(told(&["--interval", "2h"]).contains("`reading.interval` was 3600, now it is 7200"));
    assert!(told(&["--departures", "no"]).contains("`reading.departures` was true, now it is false"));
    assert!(told(&["--hosts", "first:1"]).contains("`trace.hosts` was 2, now it is 1"));
    let other = told(&["--policy", consolidating, "--consolidate-every", "3h"]);
    assert!(other.contains("`settings.consolidate_every_intervals` was \"1\", now it is \"3\""), "{other}");
    with(&arguments, &["--policy", "ff", "--consolidate-every", "3h", "--output", &output], PROVED);

    std::fs::write(folder.path("out/replay.json"), "{").unwrap();
    let broken = with(&arguments, &["--output", &output], BAD_INPUT);
    assert!(broken.stderr.contains("replay.json"), "{broken:?}");
}

#[test]
fn what_is_wrong_with_the_policy_optimal_begins_no_folder() {
    let (folder, arguments) = trace(4);
    let out = folder.text("out");
    let wrong = ["--policy", "optimal", "--objective", "beauty", "--output", &out];
    with(&arguments, &wrong, BAD_INPUT);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_number_of_hosts_alone_is_explained() {
    let (_folder, arguments) = trace(4);
    let run = with(&arguments, &["--hosts", "6"], BAD_INPUT);
    assert!(run.stderr.contains("write first:6"), "{run:?}");
}

/// The repack is told apart from none in the folder, and counted.
#[test]
fn a_repack_saves_gpus_and_is_a_setting_of_the_run() {
    let (folder, arguments) = trace(60);
    let output = folder.text("out");
    folder.write("nodes.csv", NODES.replace(",2\n", ",8\n"));
    let common = ["--policy", "spread-then-pack", "--enforce-cpu-ram", "no", "--interval", "30m"];
    let told = |more: &[&str], code| with(&arguments, &[&common, more].concat(), code);
    let never = told(&["--format", "json"], PROVED).json();
    let hourly = told(&["--repack-every", "1h", "--format", "json"], PROVED).json();
    let gpus = |answer: &Value| answer["policies"][0]["active_sums"]["gpus"].as_u64().unwrap();
    assert!(gpus(&hourly) < gpus(&never), "{hourly} {never}");
    assert!(hourly["policies"][0]["migrations"].as_u64().unwrap() > 0);
    told(&["--repack-every", "1h", "--output", &output], PROVED);
    let refused = told(&["--output", &output], BAD_INPUT).stderr;
    assert!(refused.contains("settings.repack_every_intervals"), "{refused}");
}

#[test]
fn wrong_flags_are_explained() {
    let (folder, arguments) = trace(4);
    let wrong: &[(&[&str], &str)] = &[
        (
            &["--policy", "fff"],
            "--policy: \"fff\" is not a policy (did you mean \"ff\"?). Policies: ff, bf, mcc, mecc, grmu, dra, instaslice, hami, nos, kai, fgd, least-growth, spread-then-pack, first-fit-safe, best-fit-safe, optimal.",
        ),
        (
            &["--policy", "ff,"],
            "--policy: \"\" is not a policy. Policies: ff, bf, mcc, mecc, grmu, dra, instaslice, hami, nos, kai, fgd, least-growth, spread-then-pack, first-fit-safe, best-fit-safe, optimal.",
        ),
        (&["--policy", "ff:a=1"], "--policy: the heuristic ff takes no parameters. Write `ff`."),
        (
            &["--policy", "mecc:look-back=day"],
            "--policy: the value of look-back is \"day\". Give a time, such as 24h or 90s, a whole number of requests, such as 100, or `all`.",
        ),
        (
            &["--consolidate-every", "90m"],
            "--consolidate-every: 5400 seconds is not a multiple of the interval of 3600 seconds. Give a multiple, such as 7200s.",
        ),
        (
            &["--policy", "ff", "--repack-every", "90m"],
            "--repack-every: 5400 seconds is not a multiple of the interval of 3600 seconds. Give a multiple, such as 7200s.",
        ),
        (
            &["--policy", "optimal", "--repack-every", "1h"],
            "--repack-every: the policy optimal lays out anew what runs at every arrival. Leave out the flag, or the policy.",
        ),
        (
            &["--policy", "ff", "--repack-every", "1h"],
            "policy ff: what runs is laid out anew by the slots of GPUs alone, but hosts limit CPU or main memory. Add --enforce-cpu-ram no.",
        ),
        (&["--policy", "optimal:x=1"], "--policy: the policy optimal takes no parameters. Write `optimal`."),
        (
            &["--time-limit", "3"],
            "--time-limit: only the policy optimal uses it. Leave it out, or add --policy optimal.",
        ),
    ];
    for (more, complaint) in wrong {
        assert_eq!(with(&arguments, more, BAD_INPUT).stderr, format!("migopt: {complaint}\n"));
    }
    let run = with(&arguments, &["--consolidate-every", "1w"], BAD_INPUT);
    assert!(run.stderr.contains("give a duration such as"), "{run:?}");
    let file = folder.write("file", "");
    let run = with(&arguments, &["--output", &format!("{file}/out")], BAD_INPUT);
    assert!(run.stderr.contains("Name a folder that you may write to."), "{run:?}");
}

/// Many virtual machines on few GPUs, so that each policy takes a while.
#[test]
fn control_c_keeps_finished_policies() {
    let (folder, mut arguments) = trace(20_000);
    let output = folder.text("out");
    arguments.extend(["--interval", "5m", "--output", &output].map(str::to_owned));
    let child = spawn(&arguments);
    // The folder of a policy shows that the trace is read.
    while !folder.path("out/ff/policy.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let busy = with(&arguments, &[], BAD_INPUT);
    assert!(busy.stderr.contains("another replay is writing to this folder"), "{busy:?}");
    interrupt(&child);
    let done = read(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(LIMIT), "{done:?}");
    assert!(done.stderr.contains("stopping; what is finished is kept"), "{done:?}");
    assert!(done.stdout.ends_with("Stopped. Run the same command again to continue.\n"), "{done:?}");
    assert!(!folder.path("out/grmu/totals.json").exists());
}

#[test]
fn the_policy_optimal_is_kept_with_its_settings() {
    let (folder, arguments) = trace(12);
    let output = folder.text("out");
    let optimal = ["--policy", "optimal,ff", "--output", &output];
    let first = with(&arguments, &optimal, PROVED);
    let totals = folder.json("out/optimal/totals.json");
    assert!(totals["planning"]["decisions"].as_u64() > Some(0), "{totals} {first:?}");
    assert!(!folder.path("out/optimal/decisions.jsonl").exists());
    assert!(with(&arguments, &optimal, PROVED).stdout.contains("optimal: already there\n"));
    let other = with(&arguments, &[&optimal[..], &["--time-limit", "7"]].concat(), BAD_INPUT);
    assert!(other.stderr.contains("`settings.time_limit` was \"60\", now it is \"7\""), "{other:?}");
    let wrong = with(&arguments, &["--policy", "optimal", "--objective", "beauty"], BAD_INPUT);
    assert!(wrong.stderr.contains("policy optimal: ") && wrong.stderr.contains("beauty"), "{wrong:?}");
}

/// The folder of a replay holds tables that traces are made from, which the replay must not write over.
#[test]
fn a_trace_in_the_folder_of_the_replay_is_never_overwritten() {
    let (folder, words) = trace(8);
    let out = folder.text("out");
    std::fs::create_dir_all(folder.path("out/ff")).unwrap();
    let table = folder.write("out/ff/placements.csv", arrivals(8));
    let nodes = words[2].as_str();
    for command in ["replay", "replay-bound"] {
        let done = run(&[command, "--nodes", nodes, "--arrivals", &table, "--output", &out], BAD_INPUT);
        assert!(done.stderr.contains("placements.csv is read by the same command"), "{done:?}");
        assert_eq!(folder.read("out/ff/placements.csv"), arrivals(8));
    }
}

#[test]
fn a_report_overwrites_nothing_that_it_is_made_from_and_is_not_lost() {
    let (folder, words) = trace(8);
    let out = folder.text("out");
    with(&words, &["--policy", "ff", "--output", &out, "--quiet"], PROVED);
    let before = folder.read("out/ff/hours.csv");
    let target = folder.text("out/ff/hours.csv");
    let done = run(&["report", &out, "--output", &target], BAD_INPUT);
    assert!(done.stderr.contains("read by the same command"), "{done:?}");
    assert_eq!(folder.read("out/ff/hours.csv"), before);
    // A report may be written beside them, and again.
    let own = folder.text("out/report.csv");
    run(&["report", &out, "--output", &own], PROVED);
    run(&["report", &out, "--output", &own], PROVED);
    // What cannot be written is on the screen.
    let full = folder.text("full.html");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let done = run(&["report", &out, "--output", &full, "--quiet"], INTERNAL);
    assert_eq!(done.stdout, run(&["report", &out], PROVED).stdout);
    assert!(done.stderr.contains("full.html: cannot be written"), "{done:?}");
}

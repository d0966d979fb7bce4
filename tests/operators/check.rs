//! `migopt check`.

use serde_json::Value;
use support::cli::schemas::check_schema;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, PROVED, run};
use support::root;

fn shipped(name: &str) -> String {
    root().join("instances/operators/two-nodes").join(name).to_str().unwrap().to_owned()
}

/// The check of the shipped file with these flags beside the board.
fn checked(flags: &[&str], code: i32) -> support::cli::Run {
    let file = shipped("mig-parted/check.yaml");
    run(&[&["check", &file, "--board", "A100-40GB"], flags].concat(), code)
}

#[test]
fn the_exit_code_tells_the_worst_verdict() {
    checked(&[], INFEASIBLE);
    for (name, plain, strict) in [
        ("safe", PROVED, PROVED),
        ("safe-in-order", PROVED, PROVED),
        ("depends-on-the-driver", PROVED, INFEASIBLE),
        ("impossible-slots", INFEASIBLE, INFEASIBLE),
        ("wrong-board", INFEASIBLE, INFEASIBLE),
        ("partial-cover", PROVED, INFEASIBLE),
        ("filter-matches-nothing", PROVED, INFEASIBLE),
    ] {
        checked(&["--select", name], plain);
        checked(&["--select", name, "--strict"], strict);
    }
    // With one GPU nothing is left uncovered.
    checked(&["--select", "partial-cover", "--gpus", "1", "--strict"], PROVED);
}

#[test]
fn each_verdict_is_explained() {
    let text = |name: &str, code| checked(&["--select", name], code).stdout;
    assert!(text("safe", PROVED).starts_with("safe: safe\n  GPUs 0 and 1: 7 x 1g.5gb\n"));
    assert!(text("safe-in-order", PROVED).contains("\n    safe in this order: 4g.20gb, then 3g.20gb\n"));
    let depends = text("depends-on-the-driver", PROVED);
    assert!(depends.contains("\n    nvidia-smi mig -i 0,1 -cgi 19:0,19:1,14:2,9:4 -C\n"), "{depends}");
    let slots = text("impossible-slots", INFEASIBLE);
    assert!(slots.contains("\n    1g.5gb + 4 x 1g.10gb need 9 memory slots, the board has 8\n"), "{slots}");
    let uncovered = text("partial-cover", PROVED);
    assert!(uncovered.contains("check.yaml:19:3: warning: GPU 1 is matched by no entry"), "{uncovered}");
}

#[test]
fn the_document_obeys_its_schema() {
    let folder = Folder::new();
    let output = folder.text("check.json");
    let printed = checked(&["--format", "json", "--output", &output], INFEASIBLE).json();
    check_schema(&["check"], &printed);
    assert_eq!(folder.json("check.json"), printed);
    assert_eq!(printed["verdict"], "impossible");
    assert_eq!(printed["configurations"].as_array().unwrap().len(), 13);
    let state = shipped("expected/instance.yaml");
    let config = shipped("mig-parted/config.yaml");
    let with_state = run(&["check", &config, "--state", &state, "--format", "json"], PROVED).json();
    check_schema(&["check"], &with_state);
    // The configuration file itself is never written.
    let own = folder.write("own.json", printed.to_string());
    run(&["check", &own, "--board", "A30", "--output", &own], BAD_INPUT);
}

#[test]
fn an_apply_is_tried_on_paper() {
    let state = shipped("expected/instance.yaml");
    let config = shipped("mig-parted/config.yaml");
    let flags = ["--state", &state, "--node", "gpu-b", "--select", "gpu-b-after"];
    let done = run(&[&["check", config.as_str()], &flags[..]].concat(), PROVED).stdout;
    assert!(done.contains("\n    gpu-b/0: untouched\n"), "{done}");
    let cleared =
        "\n    gpu-b/1: cleared; in the way: serving/embed-1 (2g.10gb@2), serving/video-0 (1g.5gb+me@6)\n";
    assert!(done.contains(cleared), "{done}");
    let document =
        run(&[&["check", config.as_str(), "--format", "json"], &flags[..]].concat(), PROVED).json();
    let actions: Vec<&Value> = document["configurations"][0]["apply"]
        .as_array()
        .unwrap()
        .iter()
        .map(|effect| &effect["action"])
        .collect();
    assert_eq!(actions, ["untouched", "cleared"]);
}

#[test]
fn colours_are_drawn_when_asked_for() {
    assert!(!checked(&["--select", "safe"], PROVED).stdout.contains('\u{1b}'));
    assert!(
        checked(&["--select", "safe", "--color", "always"], PROVED)
            .stdout
            .contains("\u{1b}[32msafe\u{1b}[0m")
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = Folder::new();
    let wrong = folder
        .write("wrong.yaml", "version: v1\nmig-configs:\n  a:\n    - {devices: all, mig-enable: true}\n");
    let told = run(&["check", &wrong, "--board", "A30"], BAD_INPUT).stderr;
    assert!(
        told.contains("wrong.yaml:4:22: unknown field `mig-enable` (did you mean \"mig-enabled\"?)"),
        "{told}"
    );
    let file = shipped("mig-parted/check.yaml");
    let state = shipped("expected/instance.yaml");
    for (flags, parts) in [
        (vec![], "--board"),
        (vec!["--board", "A100"], "comes in several versions"),
        (vec!["--board", "A100-40GB", "--select", "saf"], "(did you mean \"safe\"?)"),
        (vec!["--board", "A100-40GB", "--gpus", "0"], "--gpus"),
        (vec!["--board", "A30", "--state", &state], "GPU gpu-a/0 of --state is on board A100-40GB"),
        (vec!["--state", &state, "--node", "gpu-c"], "has no node \"gpu-c\""),
    ] {
        let told = run(&[&["check", file.as_str()], &flags[..]].concat(), BAD_INPUT).stderr;
        assert!(told.contains(parts), "{flags:?}: {told}");
    }
}

//! `migopt import`, from files of tools to an instance that is solved.

use std::process::Command;
use support::cli::{BAD_INPUT, Folder, PROVED, run};
use support::root;

fn fixture(name: &str) -> String {
    root().join("instances/operators/two-nodes").join(name).display().to_string()
}

/// Copies the files of a small cluster into a folder, and gives its path.
fn facts(folder: &Folder, names: &[&str]) -> String {
    std::fs::create_dir_all(folder.text("facts")).unwrap();
    for name in names {
        let file = name.rsplit('/').next().unwrap();
        std::fs::copy(fixture(name), folder.text(&format!("facts/{file}"))).unwrap();
    }
    folder.text("facts")
}

/// What the tools of the small cluster print where the device plugin serves it.
pub const DEVICE_PLUGIN: [&str; 11] = [
    "nvidia-smi/gpu-a.lgi.txt",
    "nvidia-smi/gpu-b.lgi.txt",
    "nvidia-smi/gpu-a.L.txt",
    "nvidia-smi/gpu-b.L.txt",
    "nvidia-smi/gpu-a.q.xml",
    "nvidia-smi/gpu-b.q.xml",
    "kubernetes/gpu-a.kubelet_internal_checkpoint",
    "kubernetes/gpu-b.kubelet_internal_checkpoint",
    "kubernetes/pods.json",
    "kubernetes/pdbs.json",
    "kubernetes/nodes.json",
];

#[test]
fn an_imported_cluster_is_solved() {
    let folder = Folder::new();
    let facts = facts(&folder, &DEVICE_PLUGIN);
    let output = folder.text("two-nodes.yaml");
    let done = run(&["import", &facts, "--output", &output], PROVED);
    assert!(done.stdout.contains("two-nodes: 4 GPUs on 2 nodes, 9 workloads running, 1 waiting"), "{done:?}");
    assert!(
        done.stdout.contains("gpu-b/1  A100-40GB  2g.10gb@2 serving/embed-1, 1g.5gb@4 (no compute instance)"),
        "{done:?}"
    );
    let lock = folder.json("two-nodes.lock.json");
    assert_eq!(lock["gpus"]["gpu-b/0"]["minor"], 1);
    assert_eq!(lock["workloads"]["serving/chat-0"]["movability"], "surge");
    let solved = run(&["solve", &output, "--model", "wpm", "--format", "json"], PROVED).json();
    let expected =
        run(&["solve", &fixture("expected/instance.yaml"), "--model", "wpm", "--format", "json"], PROVED)
            .json();
    assert_eq!(solved["score"], expected["score"]);
}

#[test]
fn one_file_of_claims_is_enough() {
    let folder = Folder::new();
    let output = folder.text("c.yaml");
    let slices = fixture("dra/resourceslices.k8s-1.35.json");
    run(&["import", &slices, &fixture("dra/resourceclaims.json"), "--output", &output, "--quiet"], PROVED);
    assert!(folder.read("c.yaml").contains("{name: research/train-1, profile: 4g.20gb}"));
}

#[test]
fn inputs_are_never_overwritten_and_what_is_missing_is_said() {
    let folder = Folder::new();
    let facts = facts(&folder, &DEVICE_PLUGIN);
    let pods = folder.text("facts/pods.json");
    let done = run(&["import", &facts, "--output", &pods], BAD_INPUT);
    assert!(done.stderr.contains("would be overwritten"), "{done:?}");
    let list = folder.text("facts/gpu-a.L.txt");
    let done = run(&["import", &list, "--output", &folder.text("x.yaml")], BAD_INPUT);
    assert!(done.stderr.contains("nvidia-smi mig -lgi (on gpu-a)"), "{done:?}");
    let foreign = folder.write("other.json", "{\"a\": 1}");
    let done = run(&["import", &foreign, "--output", &folder.text("x.yaml")], BAD_INPUT);
    assert!(done.stderr.contains("other.json:1: this is not the output of a tool"), "{done:?}");
    let table = folder.write("table.txt", std::fs::read(fixture("nvidia-smi/gpu-a.lgi.txt")).unwrap());
    let done = run(
        &["import", &table, "--node", "n", "--board", "A100-80GB", "--output", &folder.text("x.yaml")],
        BAD_INPUT,
    );
    assert!(done.stderr.contains("table.txt:6: GPU n/0: a A100-80GB has no profile 1g.5gb"), "{done:?}");
    let done = run(
        &["import", &table, "--node", "n", "--board", "A1000", "--output", &folder.text("x.yaml")],
        BAD_INPUT,
    );
    assert!(done.stderr.contains("--board: board \"A1000\" is not known"), "{done:?}");
    run(
        &["import", &table, "--node", "n", "--board", "A100-40GB", "--output", &folder.text("x.yaml")],
        PROVED,
    );
    assert!(folder.read("x.yaml").contains("unknown@n/0:0"));
}

#[test]
fn the_collecting_script_does_without_what_is_not_there() {
    let folder = Folder::new();
    let tools = folder.text("tools");
    std::fs::create_dir_all(&tools).unwrap();
    let answer = |name: &str| fixture(&format!("nvidia-smi/gpu-a.{name}"));
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n'mig -lgi') cat {} ;;\n-L) cat {} ;;\n'-q -x') cat {} ;;\n*) exit 3 ;;\nesac\n",
        answer("lgi.txt"),
        answer("L.txt"),
        answer("q.xml")
    );
    let path = folder.write("tools/nvidia-smi", script);
    assert!(Command::new("chmod").args(["+x", &path]).status().unwrap().success());
    let collected = folder.text("collected");
    let script = root().join("scripts/collect");
    let path = format!("{tools}:/usr/bin:/bin");
    let done =
        Command::new("sh").arg(&script).args([&collected, "gpu-a"]).env("PATH", path).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert!(String::from_utf8_lossy(&done.stderr).contains("left out: nvidia-smi mig -lci"), "{done:?}");
    let done = run(&["import", &collected, "--output", &folder.text("c.yaml")], PROVED);
    assert!(done.stdout.contains("2 GPUs on 1 node"), "{done:?}");
}

#[test]
fn gpus_of_a_host_keep_their_numbers() {
    let folder = Folder::new();
    let text = "\
name: numbered
hosts:
  - {name: h, cordoned: true, gpus: [{board: A100-40GB, numbers: [0, 2]}, {board: A30}]}
  - {name: k, drain: true, gpus: {board: A100-40GB}}
workloads: [{name: w, profile: 3g.20gb, nodes: h, current: {gpu: h/2, start: 4}}]
";
    let told = run(&["show", &folder.write("numbered.yaml", text)], PROVED).stdout;
    for part in ["h/0", "h/2", "h/3"] {
        let line = told.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}: {told}"));
        assert!(line.contains("cordoned"), "{told}");
    }
    assert!(!told.contains("h/1"), "{told}");
    assert!(told.lines().any(|line| line.contains("k/0") && line.contains("to be drained")), "{told}");
    let picture = folder.text("picture.svg");
    run(&["show", &folder.text("numbered.yaml"), "--picture", &picture], PROVED);
    let drawn = folder.read("picture.svg");
    assert!(drawn.contains("⊘") && drawn.contains("⇣") && drawn.contains("to be drained"), "{drawn}");
}

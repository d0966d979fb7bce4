//! `migopt export`: plans as files, run on the driver of the tests.

use std::process::Command;
use support::cli::{BAD_INPUT, Folder, PROVED, run};

const TWO_NODES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instances/operators/two-nodes");

/// Imports the small cluster and plans for it; tells the files.
struct Planned {
    folder: Folder,
    plan: String,
    lock: String,
}

fn planned() -> Planned {
    let folder = Folder::new();
    let cluster = folder.text("cluster.yaml");
    let nvidia_smi = ["lgi.txt", "L.txt", "q.xml"]
        .map(|ending| ["gpu-a", "gpu-b"].map(|node| format!("{TWO_NODES}/nvidia-smi/{node}.{ending}")));
    let mut import: Vec<String> = vec!["import".to_owned(), format!("{TWO_NODES}/kubernetes")];
    import.extend(nvidia_smi.into_iter().flatten());
    import.extend(["--quiet", "--output", &cluster].map(str::to_owned));
    run(&import, PROVED);
    let plan = folder.text("plan.json");
    run(&["plan", &cluster, "--quiet", "--output", &plan], PROVED);
    let lock = folder.text("cluster.lock.json");
    Planned { folder, plan, lock }
}

impl Planned {
    fn export(&self, format: &str, output: &str, code: i32) -> support::cli::Run {
        let output = self.folder.text(output);
        run(&["export", &self.plan, "--lock", &self.lock, "--format", format, "--output", &output], code)
    }

    /// Runs half of a script on the driver of the tests.
    fn script(&self, name: &str, half: &str) {
        let mock = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/operators/mock");
        let path = format!("{mock}:{}", std::env::var("PATH").unwrap());
        let mut script = Command::new(self.folder.path(&format!("scripts/{name}")));
        let done =
            script.arg(half).env("PATH", path).env("MOCK_STATE", self.folder.path("state")).output().unwrap();
        assert!(done.status.success(), "{name} {half}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

/// GPU 1 of node gpu-b as the fixture has it: profile, start, compute instance, busy.
const BEFORE: &str = "\
gpu 1 GPU-c4864a9a-4073-4af3-88cb-e55e46012295
instance 1 4 14 2 1 1
instance 1 11 19 4 0 0
instance 1 13 20 6 1 1
changes 0
";

#[test]
#[cfg(unix)]
fn scripts_run_as_they_were_written() {
    let planned = planned();
    let told = planned.export("nvidia-smi", "scripts", PROVED).stdout;
    assert_eq!(told.lines().count(), 5, "{told}");
    planned.folder.write("state", BEFORE);
    planned.script("round-1.gpu-b.sh", "begin");
    // The second copy runs, the first one stopped.
    let moved = planned.folder.read("state").replace("14 2 1 1", "14 2 1 0");
    planned.folder.write("state", moved);
    planned.script("round-1.gpu-b.sh", "finish");
    planned.script("round-2.gpu-b.sh", "begin");
    planned.script("round-2.gpu-b.sh", "finish");
    let state = planned.folder.read("state");
    let mut held: Vec<(&str, &str)> = state
        .lines()
        .filter_map(|line| line.strip_prefix("instance 1 "))
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[1], words[2])
        })
        .collect();
    held.sort_unstable();
    // 2g at 4, 1g+me at 6, 4g at 0.
    assert_eq!(held, [("14", "4"), ("20", "6"), ("5", "0")], "{state}");
}

#[test]
fn files_that_are_there_are_kept() {
    let planned = planned();
    planned.export("checkpoint", "out", PROVED);
    let files = ["out/gpu-a.checkpoint.json", "out/gpu-b.checkpoint.json"];
    let written = files.map(|name| planned.folder.read(name));
    // The same again is nothing new.
    planned.export("checkpoint", "out", PROVED);
    planned.folder.write(files[1], "mine");
    std::fs::remove_file(planned.folder.path(files[0])).unwrap();
    let told = planned.export("checkpoint", "out", BAD_INPUT).stderr;
    assert!(
        told.contains("gpu-b.checkpoint.json is there already") && told.contains("another folder"),
        "{told}"
    );
    assert_eq!(planned.folder.read(files[1]), "mine");
    assert!(!planned.folder.path(files[0]).exists());
    planned.export("checkpoint", "elsewhere", PROVED);
    assert_eq!(planned.folder.read("elsewhere/gpu-b.checkpoint.json"), written[1]);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let planned = planned();
    let refused = |plan: &str, lock: &str| {
        let output = planned.folder.text("out");
        let arguments = ["export", plan, "--lock", lock, "--format", "nvidia-smi", "--output", &output];
        let told = run(&arguments, BAD_INPUT).stderr;
        assert!(!planned.folder.path("out").exists(), "{told}");
        told
    };
    let lock = planned.folder.read("cluster.lock.json");
    let other = planned
        .folder
        .write("other.lock.json", lock.replacen("\"cluster\": \"cluster\"", "\"cluster\": \"west\"", 1));
    let told = refused(&planned.plan, &other);
    assert!(told.contains("plan.json") && told.contains("\"cluster\", the lock of \"west\""), "{told}");
    let plan = planned.folder.read("plan.json");
    let elsewhere = planned.folder.write("elsewhere.json", plan.replace("gpu-b/1", "gpu-c/1"));
    let told = refused(&elsewhere, &planned.lock);
    assert!(told.contains("`gpu-c/1`, which the lock does not have"), "{told}");
    let told = refused(&planned.plan, &planned.plan);
    assert!(told.contains("`version` is missing"), "{told}");
    // Somebody came to the GPU since.
    let changed = lock.replacen("\"state\": \"no_compute_instance\"", "\"state\": \"in_use\"", 1);
    let told = refused(&planned.plan, &planned.folder.write("changed.lock.json", changed));
    assert!(
        told.contains("of which the plan does not know") && told.contains("Import the cluster again"),
        "{told}"
    );
}

#[test]
fn what_a_tool_cannot_promise_is_refused() {
    let planned = planned();
    for (format, what) in [
        ("mig-parted", "mig-parted would clear gpu-b/1 as a whole"),
        ("kubernetes", "mig-parted would clear gpu-b/1 as a whole"),
        ("hami", "research/train-1 may find no place on gpu-b/1"),
        ("slurm", "Slurm partitions only drained nodes"),
    ] {
        let told = planned.export(format, "out", BAD_INPUT).stderr;
        assert!(told.contains(what), "{format}: {told}");
    }
    let told = planned.export("dra", "dra", PROVED).stdout;
    assert!(told.contains("round-1.keep.yaml") && told.contains("round-1.evict.yaml"), "{told}");
}

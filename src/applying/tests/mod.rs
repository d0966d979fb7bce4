//! Files are run against a driver of the tests, and read back.

mod cases;
mod driver;
mod kubernetes;
mod managers;
mod random;
mod two_nodes;

use inventory::{ClusterLock, InputFile, Options, import};
use plan::PlanFile;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command that finds the programs of the tests before those of the machine.
///
/// # Errors
/// What it says when it fails.
fn run(mut command: Command) -> Result<String, String> {
    let mock = repository().join("tests/operators/mock");
    let path = std::env::var("PATH").unwrap();
    let output = command.env("PATH", format!("{}:{path}", mock.display())).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

/// The small cluster.
fn two_nodes() -> ClusterLock {
    let folder = repository().join("instances/operators/two-nodes");
    let nvidia_smi = ["lgi.txt", "lci.txt", "L.txt", "q.xml"]
        .map(|ending| ["gpu-a", "gpu-b"].map(|node| format!("nvidia-smi/{node}.{ending}")));
    let kubernetes = [
        "pods.json",
        "pdbs.json",
        "nodes.json",
        "gpu-a.kubelet_internal_checkpoint",
        "gpu-b.kubelet_internal_checkpoint",
    ];
    let kubernetes = kubernetes.map(|name| format!("kubernetes/{name}"));
    let names = nvidia_smi.into_iter().flatten().chain(kubernetes);
    let files = names.map(|name| InputFile::read(&folder.join(name), true).unwrap()).collect();
    import(files, &Options::named("two-nodes")).unwrap().lock()
}

/// An operation: round, what, GPU, profile, start, workload.
type OperationRow<'a> = (u32, &'a str, &'a str, &'a str, u8, Option<&'a str>);

/// A plan of operations, written by hand.
fn plan_of(moves: Value, operations: &[OperationRow<'_>]) -> PlanFile {
    let operation = |&(round, operation, gpu, profile, start, workload): &(
        u32,
        &str,
        &str,
        &str,
        u8,
        Option<&str>,
    )| {
        json!({"round": round, "operation": operation, "gpu": gpu, "profile": profile, "start": start, "workload": workload})
    };
    let operations: Vec<Value> = operations.iter().map(operation).collect();
    let plan = json!({"instance": {"name": "two-nodes"}, "rounds": moves, "operations": operations});
    serde_json::from_value(plan).unwrap()
}

/// One workload moves inside its GPU, and another one comes into the room that it leaves.
fn make_room() -> PlanFile {
    let moves = json!([
        {"moves": [{"workload": "serving/embed-1", "from": {"gpu": "gpu-b/1", "start": 2}, "to": {"gpu": "gpu-b/1", "start": 4}, "kind": "surge"}]},
        {"moves": [{"workload": "research/train-1", "to": {"gpu": "gpu-b/1", "start": 0}, "kind": "start"}]},
    ]);
    let embed = Some("serving/embed-1");
    plan_of(
        moves,
        &[
            (1, "create", "gpu-b/1", "2g.10gb", 4, None),
            (1, "start", "gpu-b/1", "2g.10gb", 4, embed),
            (1, "switch", "gpu-b/1", "2g.10gb", 4, embed),
            (1, "stop", "gpu-b/1", "2g.10gb", 2, embed),
            (1, "destroy", "gpu-b/1", "2g.10gb", 2, None),
            (2, "create", "gpu-b/1", "4g.20gb", 0, None),
            (2, "start", "gpu-b/1", "4g.20gb", 0, Some("research/train-1")),
        ],
    )
}

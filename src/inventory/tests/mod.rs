//! The joins of the small cluster, random clusters in every format with starts, broken inputs, and a large cluster.

mod broken;
mod joins;
mod large;
mod output;
mod round_trips;
mod rules;
mod written;

use crate::{InputFile, Inventory, Options, import};
use ground::InputError;
use std::path::{Path, PathBuf};

/// What tells all of the small cluster under the device plugin; the disruption budgets come last.
const KUBERNETES: [&str; 7] = [
    "nvidia-smi/?.lgi.txt",
    "nvidia-smi/?.L.txt",
    "nvidia-smi/?.q.xml",
    "kubernetes/?.kubelet_internal_checkpoint",
    "kubernetes/pods.json",
    "kubernetes/nodes.json",
    "kubernetes/pdbs.json",
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances/operators/two-nodes")
}

/// Files of the small cluster, each of a node `gpu-a`, `gpu-b`, or both.
fn files(names: &[&str]) -> Vec<InputFile> {
    let both = |name: &&str| match name.contains('?') {
        true => vec![name.replace('?', "gpu-a"), name.replace('?', "gpu-b")],
        false => vec![(*name).to_owned()],
    };
    let read = |name: String| InputFile::read(&fixtures().join(name), true).unwrap();
    names.iter().flat_map(both).map(read).collect()
}

fn join(names: &[&str]) -> Inventory {
    joined(files(names)).unwrap_or_else(|error| panic!("{error}"))
}

fn joined(files: Vec<InputFile>) -> Result<Inventory, InputError> {
    import(files, &Options::named("two-nodes"))
}

//! Every way of joining the files of the small cluster gives the same table, as far as it tells.

use super::{KUBERNETES, fixtures, join};
use crate::gather::{State, User};
use crate::{Inventory, Movability};
use std::collections::BTreeMap;

/// A row of the table of who sits where: column by name.
type Row = BTreeMap<String, String>;

fn expected() -> Vec<Row> {
    let mut reader = csv::Reader::from_path(fixtures().join("expected/who-sits-where.csv")).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The table of an inventory.
fn table(inventory: &Inventory) -> Vec<Row> {
    let mut rows = Vec::new();
    for gpu in &inventory.gpus {
        let board = gpu.board.as_ref().unwrap();
        for instance in &gpu.instances {
            let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
            let (ci, uuid) = instance.computes.first().cloned().unwrap_or_default();
            let (workload, namespace) = match instance.users.first() {
                Some(User::Pod { namespace, name }) => (name.clone(), namespace.clone()),
                Some(User::Job { name, .. }) => (name.clone(), String::new()),
                Some(other) => (other.to_string(), String::new()),
                None => Default::default(),
            };
            let profile = board.profile(instance.instance.profile);
            let cells = [
                ("node", gpu.node.clone()),
                ("gpu_index", number(gpu.index)),
                ("gpu_minor", number(gpu.minor)),
                ("gpu_uuid", gpu.uuid.clone().unwrap_or_default()),
                ("profile", profile.name.clone()),
                ("start", instance.instance.start.0.to_string()),
                ("size", profile.size.to_string()),
                ("gi", number(instance.id)),
                ("ci", number(ci)),
                ("mig_uuid", uuid.unwrap_or_default()),
                ("workload", workload),
                ("namespace", namespace),
                ("state", instance.state().words().to_owned()),
            ];
            rows.push(cells.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect());
        }
    }
    rows
}

/// Both tables without some columns.
fn assert_same(inventory: &Inventory, wanted: impl Iterator<Item = Row>, without: &[&str]) {
    let stripped = |mut row: Row| {
        row.retain(|column, _| !without.contains(&column.as_str()));
        row
    };
    let found: Vec<Row> = table(inventory).into_iter().map(stripped).collect();
    let wanted: Vec<Row> = wanted.map(stripped).collect();
    assert_eq!(found, wanted);
}

fn in_use(row: &Row) -> bool {
    row["state"] == "in use"
}

#[test]
fn the_device_plugin_with_the_kubelets_checkpoint() {
    let inventory = join(&KUBERNETES);
    assert_same(&inventory, expected().into_iter(), &[]);
    assert_eq!(inventory.unknown, []);
    assert_eq!(inventory.remarks, ["1 entry of pods that are gone in checkpoints of kubelets passed over"]);
}

#[test]
fn the_device_plugin_with_podresources() {
    let inventory = join(&[
        "nvidia-smi/?.lgi.txt",
        "nvidia-smi/?.L.txt",
        "nvidia-smi/?.q.xml",
        "kubernetes/?.podresources.json",
    ]);
    assert_same(&inventory, expected().into_iter(), &[]);
    let owners = inventory.workloads.iter().all(|workload| workload.movability == Movability::Never);
    assert!(owners, "without pods their controllers are not known");
}

#[test]
fn one_query_of_metrics_with_listings() {
    let inventory =
        join(&["nvidia-smi/?.lgi.txt", "nvidia-smi/?.lci.txt", "dcgm/metrics.prom", "kubernetes/pods.json"]);
    assert_same(&inventory, expected().into_iter(), &["mig_uuid"]);
    // Without a list of compute instances no one tells that the instance 11 has none.
    let inventory = join(&["nvidia-smi/?.lgi.txt", "dcgm/metrics.prom"]);
    let states: Vec<State> = inventory.gpus[3].instances.iter().map(|instance| instance.state()).collect();
    assert_eq!(states, [State::InUse, State::Unknown, State::InUse]);
    let unknown: Vec<_> =
        inventory.unknown.iter().map(|unknown| (unknown.of.as_str(), unknown.what.as_str())).collect();
    assert_eq!(unknown, [("gpu-b/1", "who uses 1g.5gb@4")]);
    let pinned = inventory.workloads.iter().find(|workload| workload.name == "unknown@gpu-b/1:4").unwrap();
    assert_eq!(pinned.movability, Movability::Never);
}

#[test]
fn checkpoints_of_mig_parted() {
    let with_listing = join(&[
        "mig-parted/?.checkpoint.json",
        "nvidia-smi/?.lgi.txt",
        "nvidia-smi/?.L.txt",
        "nvidia-smi/?.q.xml",
        "kubernetes/?.kubelet_internal_checkpoint",
        "kubernetes/pods.json",
    ]);
    assert_same(&with_listing, expected().into_iter(), &[]);
    // Alone it has starts but no ids, so that three instances of one profile are not told apart; everything else is.
    let alone = join(&[
        "mig-parted/?.checkpoint.json",
        "nvidia-smi/?.L.txt",
        "nvidia-smi/?.q.xml",
        "kubernetes/?.kubelet_internal_checkpoint",
        "kubernetes/pods.json",
    ]);
    let wanted = expected().into_iter().map(|mut row| {
        if row["gpu_uuid"].starts_with("GPU-619f8b3f") {
            for column in ["gi", "ci", "mig_uuid", "workload", "namespace"] {
                row.insert(column.to_owned(), String::new());
            }
            row.insert("state".to_owned(), "unknown".to_owned());
        }
        if row["state"] == "no compute instance" {
            row.insert("gi".to_owned(), String::new());
        }
        row
    });
    assert_same(&alone, wanted, &[]);
    assert!(alone.unknown.iter().any(|unknown| unknown.command.contains("nvidia-smi mig -lgi")));
}

#[test]
fn claims_alone() {
    let inventory =
        join(&["dra/resourceslices.k8s-1.35.json", "dra/resourceclaims.json", "kubernetes/pods.json"]);
    assert_same(&inventory, expected().into_iter().filter(in_use), &["gi", "ci", "mig_uuid"]);
    let waiting: Vec<_> = inventory.workloads.iter().filter(|workload| workload.current.is_none()).collect();
    assert_eq!(
        (waiting.len(), waiting[0].name.as_str(), waiting[0].profiles.as_slice()),
        (1, "research/train-1", &["4g.20gb".to_owned()][..])
    );
    // Without pods the claim alone waits.
    let inventory = join(&["dra/resourceslices.k8s-1.35.json", "dra/resourceclaims.json"]);
    assert_eq!(inventory.workloads.last().unwrap().name, "research/train-1");
    let combined = join(&["dra/resourceslices.k8s-1.34.json", "dra/resourceclaims.json"]);
    let of_a = expected().into_iter().filter(|row| in_use(row) && row["node"] == "gpu-a");
    assert_same(&combined, of_a, &["gi", "ci", "mig_uuid"]);
    assert_eq!(combined.left_out.len(), 2, "of the other node there are no slices: {:?}", combined.left_out);
}

#[test]
fn annotations_of_hami() {
    let inventory = join(&["hami/nodes.json", "hami/pods.json"]);
    assert_same(&inventory, expected().into_iter().filter(in_use), &["gpu_minor"]);
}

#[test]
fn slurm() {
    let names = [
        "slurm/?.slurmd-G.txt",
        "slurm/?.scontrol-job.txt",
        "nvidia-smi/?.mig-minors.txt",
        "nvidia-smi/?.lgi.txt",
    ];
    // The minor numbers are matched to indices by what is on the GPUs.
    let bare = join(&names);
    let wanted = || expected().into_iter();
    let without_compute = |mut row: Row| {
        if row["state"] == "no compute instance" {
            row.insert("state".to_owned(), "unknown".to_owned());
        }
        row
    };
    assert_same(&bare, wanted().map(without_compute), &["gpu_uuid", "ci", "mig_uuid", "namespace"]);
    let mut more = names.to_vec();
    more.extend(["nvidia-smi/?.L.txt", "nvidia-smi/?.q.xml", "slurm/?.scontrol-node.txt"]);
    let whole = join(&more);
    assert_same(&whole, wanted(), &["namespace"]);
    let chat = &whole.workloads[0];
    assert_eq!((chat.name.as_str(), chat.movability), ("job-4703/chat-0", Movability::Restart));
}

#[test]
fn processes_alone() {
    let inventory = join(&["nvidia-smi/?.lgi.txt", "nvidia-smi/?.L.txt", "nvidia-smi/?.q.xml"]);
    assert_same(&inventory, expected().into_iter(), &["workload", "namespace"]);
    let video = inventory
        .workloads
        .iter()
        .find(|workload| workload.current.as_ref().unwrap().gpu == "gpu-b/1")
        .unwrap();
    assert_eq!((video.name.as_str(), video.movability), ("pid-23449@gpu-b", Movability::Never));
}

#[test]
fn all_at_once() {
    let inventory = join(&[
        "nvidia-smi/?.lgi.txt",
        "nvidia-smi/?.lci.txt",
        "nvidia-smi/?.L.txt",
        "nvidia-smi/?.q.xml",
        "mig-parted/?.checkpoint.json",
        "kubernetes/?.kubelet_internal_checkpoint",
        "kubernetes/?.podresources.json",
        "kubernetes/pods.json",
        "kubernetes/nodes.json",
        "kubernetes/pdbs.json",
        "dra/resourceclaims.json",
        "dra/resourceslices.k8s-1.35.json",
        "dcgm/metrics.prom",
    ]);
    assert_same(&inventory, expected().into_iter(), &[]);
    assert_eq!(inventory.unknown, []);
}

//! `migopt repack` and the plugin of kubectl: from a cluster to files at once.

use super::import::DEVICE_PLUGIN;
use std::collections::BTreeSet;
use std::process::Command;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, PROVED, executable, run};

const TWO_NODES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instances/operators/two-nodes");

/// Answers as the small cluster would: what Kubernetes knows, and what a pod on each node sees.
const KUBECTL: &str = r#"#!/bin/sh
case "$*" in
    "get pods -A -l "*) printf 'gpu-a nvidia reader-a\ngpu-b nvidia reader-b\n' ;;
    "get pods -A "*) cat "$TWO_NODES/kubernetes/pods.json" ;;
    "get nodes -A "*) cat "$TWO_NODES/kubernetes/nodes.json" ;;
    "get poddisruptionbudgets -A "*) cat "$TWO_NODES/kubernetes/pdbs.json" ;;
    "exec -n nvidia reader-"*)
        node=gpu-${4#reader-}
        shift 5
        case "$*" in
            "nvidia-smi mig -lgi") cat "$TWO_NODES/nvidia-smi/$node.lgi.txt" ;;
            "nvidia-smi mig -lci") cat "$TWO_NODES/nvidia-smi/$node.lci.txt" ;;
            "nvidia-smi -L") cat "$TWO_NODES/nvidia-smi/$node.L.txt" ;;
            "nvidia-smi -q -x") cat "$TWO_NODES/nvidia-smi/$node.q.xml" ;;
            "cat /var/lib/kubelet/"*) cat "$TWO_NODES/kubernetes/$node.kubelet_internal_checkpoint" ;;
            *) echo "no such file: $*" >&2; exit 1 ;;
        esac ;;
    *) echo "error: the server doesn't have a resource type \"$2\"" >&2; exit 1 ;;
esac
"#;

#[test]
fn a_cluster_becomes_files_at_once() {
    let folder = Folder::new();
    let output = folder.text("repacked");
    let mut repack: Vec<String> = vec!["repack".to_owned()];
    repack.extend(DEVICE_PLUGIN.map(|file| format!("{TWO_NODES}/{file}")));
    repack.extend(["--output".to_owned(), output.clone()]);
    let told = run(&repack, PROVED).stdout;
    for part in ["4 GPUs on 2 nodes", "2 rounds, 1 move, 1 start, nothing stops (proved)", "files/steps.txt"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    run(&["verify", &folder.text("repacked/cluster.yaml"), &folder.text("repacked/plan.json")], PROVED);
    assert!(folder.read("repacked/plan.html").contains("research/train-1"));
    let told = run(&repack, BAD_INPUT).stderr;
    assert!(told.contains("the folder is not empty"), "{told}");
}

#[test]
fn without_a_plan_the_folder_holds_the_cluster_alone() {
    let folder = Folder::new();
    let output = folder.text("repacked");
    let mut repack: Vec<String> = vec!["repack".to_owned()];
    repack.extend(DEVICE_PLUGIN.map(|file| format!("{TWO_NODES}/{file}")));
    repack.extend(["--max-rounds", "1", "--output", &output].map(str::to_owned));
    let told = run(&repack, INFEASIBLE).stdout;
    assert!(told.contains("no plan"), "{told}");
    let names = std::fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<_> = names.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(names, ["cluster.lock.json", "cluster.yaml"].map(str::to_owned).into());
}

#[cfg(unix)]
#[test]
fn the_plugin_of_kubectl_reads_what_the_files_say() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let kubectl = folder.write("kubectl", KUBECTL);
    std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
    let output = folder.text("repacked");
    let mut plugin = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/kubectl-migopt"));
    plugin.args(["--output", &output, "--quiet"]);
    plugin.env("PATH", path).env("TWO_NODES", TWO_NODES).env("MIGOPT", executable());
    let done = plugin.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));

    let direct = folder.text("direct/cluster.yaml");
    std::fs::create_dir(folder.path("direct")).unwrap();
    let mut import: Vec<String> = vec!["import".to_owned()];
    import.extend(DEVICE_PLUGIN.map(|file| format!("{TWO_NODES}/{file}")));
    import.extend(["--quiet", "--output", &direct].map(str::to_owned));
    run(&import, PROVED);
    assert_eq!(folder.read("repacked/cluster.yaml"), folder.read("direct/cluster.yaml"));
    assert!(folder.path("repacked/files/steps.txt").exists());

    let bare = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/kubectl-migopt")).output().unwrap();
    assert_eq!(bare.status.code(), Some(BAD_INPUT));
    assert!(String::from_utf8_lossy(&bare.stderr).contains("usage: kubectl migopt"));
}

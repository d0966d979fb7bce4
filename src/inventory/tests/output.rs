//! Movability, classes, newcomers, and the two files that are written.

use super::{KUBERNETES, files, fixtures, join, joined};
use crate::{Classes, ClusterLock, InputFile, LockedState, Movability, Options, Rules, import};
use cluster::WorkloadSection;
use ground::SourceText;
use serde_json::Value;

fn yaml(text: &str) -> Value {
    SourceText::new("cluster.yaml", text).parse().unwrap()
}

#[test]
fn the_instance_file_is_the_expected_one() {
    let written = join(&KUBERNETES).to_yaml().unwrap();
    let expected = std::fs::read_to_string(fixtures().join("expected/instance.yaml")).unwrap();
    assert_eq!(yaml(&written), yaml(&expected));
    // A line for each workload, as people write them.
    assert!(written.lines().count() <= expected.lines().count() + 1, "{written}");
    let workloads: Vec<WorkloadSection> =
        serde_json::from_value(yaml(&written)["workloads"].clone()).unwrap();
    assert_eq!(workloads.len(), 10);
}

#[test]
fn movability_comes_with_its_reason() {
    let inventory = join(&KUBERNETES);
    let of = |name: &str| {
        let workload = inventory.workloads.iter().find(|workload| workload.name == name).unwrap();
        (workload.movability, workload.reason.as_str())
    };
    assert_eq!(of("serving/chat-0").0, Movability::Surge);
    assert_eq!(of("research/batch-0"), (Movability::Restart, "a Job stops a pod before it starts another"));
    assert_eq!(
        of("research/train-0"),
        (Movability::Never, "annotation cluster-autoscaler.kubernetes.io/safe-to-evict: false")
    );
    assert!(of("serving/video-0").1.contains("disruption budget serving/video allows none"));
    assert_eq!(of("serving/video-0").0, Movability::Never);

    let rules = "rules:\n- {workload: research/*, controller: Job/train, movability: restart, reason: it checkpoints}\n- {profile: 2g.10gb, movability: never}\n";
    let rules = Rules::read(&SourceText::new("rules.yaml", rules)).unwrap();
    let ruled = import(files(&KUBERNETES), &Options { rules, ..Options::named("x") }).unwrap();
    let of = |name: &str| ruled.workloads.iter().find(|workload| workload.name == name).unwrap().movability;
    assert_eq!(of("research/train-0"), Movability::Restart);
    assert_eq!(of("serving/embed-1"), Movability::Never);
    assert_eq!(of("serving/chat-0"), Movability::Surge);
    let empty = Rules::read(&SourceText::new("rules.yaml", "rules:\n- {workload: x}\n")).unwrap_err();
    assert!(empty.to_string().starts_with("rules.yaml:2:"), "{empty}");
}

#[test]
fn classes_are_those_of_controllers_or_of_profiles_or_none() {
    let of = |classes| {
        let inventory = import(files(&KUBERNETES), &Options { classes, ..Options::named("x") }).unwrap();
        let find = |name: &str| {
            inventory.workloads.iter().find(|workload| workload.name == name).unwrap().class.clone()
        };
        ["serving/chat-0", "serving/chat-1", "research/train-0", "research/train-1"].map(find)
    };
    let [one, other, train, waits] = of(Classes::Controller);
    assert_eq!(one.as_deref(), Some("serving/replicaset/chat-7c9d8"));
    assert_eq!((one == other, train == waits), (true, true));
    assert_eq!(of(Classes::Profile)[0].as_deref(), Some("profile/3g.20gb"));
    assert_eq!(of(Classes::None), [None, None, None, None]);
    // Another image makes another class.
    let mut changed = files(&KUBERNETES);
    for file in &mut changed {
        let text = file.source.text().replacen("registry.example/chat:1", "registry.example/chat:2", 1);
        file.source = SourceText::new(file.source.name(), text);
    }
    let inventory = joined(changed).unwrap();
    let classes: Vec<_> = inventory
        .workloads
        .iter()
        .filter(|workload| workload.name.contains("chat"))
        .map(|workload| workload.class.clone().unwrap())
        .collect();
    assert_eq!(classes, ["serving/replicaset/chat-7c9d8", "serving/replicaset/chat-7c9d8.2"]);
}

#[test]
fn the_lock_holds_ids_and_reads_again() {
    let inventory = join(&KUBERNETES);
    let lock = inventory.lock();
    let text = serde_json::to_string_pretty(&lock).unwrap();
    let read: ClusterLock = SourceText::new("cluster.lock.json", text).parse().unwrap();
    assert_eq!(read, lock);
    let gpu = &lock.gpus["gpu-b/1"];
    assert_eq!(
        (gpu.minor, gpu.pci.as_deref(), gpu.board.as_str()),
        (Some(0), Some("00000000:4E:00.0"), "A100-40GB")
    );
    let blocked = &gpu.instances[1];
    assert_eq!(
        (blocked.gpu_instance, blocked.state, blocked.profile_id),
        (Some(11), LockedState::NoComputeInstance, Some(19))
    );
    assert_eq!(lock.workloads["serving/chat-0"].budgets, ["serving/chat"]);
    assert_eq!(lock.disruption_budgets[1].allowed, Some(0));
    assert_eq!(lock.workloads["research/train-1"].gpu, None);
    // The fingerprint is of the layout alone.
    let bare = join(&["nvidia-smi/?.lgi.txt", "nvidia-smi/?.L.txt", "nvidia-smi/?.q.xml"]).lock();
    assert_eq!(bare.fingerprint, lock.fingerprint);
    let other = join(&["dra/resourceslices.k8s-1.35.json", "dra/resourceclaims.json"]).lock();
    assert_ne!(other.fingerprint, lock.fingerprint);
}

#[test]
fn idle_instances_may_be_kept() {
    let kept = import(files(&KUBERNETES), &Options { keep_idle: true, ..Options::named("x") }).unwrap();
    let idle: Vec<_> = kept
        .workloads
        .iter()
        .filter(|workload| workload.name.starts_with("idle@"))
        .map(|workload| workload.name.as_str())
        .collect();
    assert_eq!(idle, ["idle@gpu-a/0:6", "idle@gpu-b/1:4"]);
}

#[test]
fn gpus_that_cannot_be_planned_for_are_left_out_by_name() {
    let mut mixed = files(&["nvidia-smi/?.lgi.txt", "nvidia-smi/?.L.txt", "nvidia-smi/?.q.xml"]);
    for file in &mut mixed {
        if file.source.name().ends_with("gpu-b.q.xml") {
            let text = file.source.text().replacen("<pending_mig>Enabled", "<pending_mig>Disabled", 1);
            file.source = SourceText::new(file.source.name(), text);
        }
    }
    let inventory = joined(mixed).unwrap();
    assert_eq!(
        inventory.left_out,
        [("gpu-b/0".to_owned(), "MIG changes with a reset that is due".to_owned())]
    );
    // The other GPU keeps its name, though it is the only one of its node.
    let written = yaml(&inventory.to_yaml().unwrap());
    let host = &written["hosts"][1];
    assert_eq!((&host["name"], &host["gpus"]["numbers"]), (&"gpu-b".into(), &serde_json::json!([1])));
    assert_eq!(host["gpus"].get("count"), None);
    let off = joined(vec![InputFile {
        source: SourceText::new("n.lgi.txt", "No MIG-enabled devices found.\n"),
        node: Some("n".to_owned()),
        is_named: true,
    }]);
    assert!(off.unwrap_err().message.contains("no GPU is told of"));
}

#[test]
fn pods_with_several_instances_are_one_and_instances_with_several_pods_stay() {
    let mut changed = files(&[
        "nvidia-smi/?.lgi.txt",
        "nvidia-smi/?.L.txt",
        "nvidia-smi/?.q.xml",
        "kubernetes/?.podresources.json",
        "kubernetes/pods.json",
    ]);
    for file in &mut changed {
        let text = file.source.text();
        if file.source.name().ends_with("gpu-a.podresources.json") {
            let text = text.replace("\"name\": \"batch-1\"", "\"name\": \"batch-0\"").replace(
                "MIG-6372c253-0110-4028-8fc4-5b43da96de4a",
                "MIG-a6509dc2-c42e-4b28-8de5-905850d38598::1",
            );
            file.source = SourceText::new(file.source.name(), text);
        }
    }
    let inventory = joined(changed).unwrap();
    let names: Vec<_> = inventory.workloads.iter().map(|workload| workload.name.as_str()).take(5).collect();
    assert_eq!(
        names,
        [
            "serving/chat-0+serving/embed-0",
            // Its process still runs where no pod is said to be.
            "pid-22089@gpu-a",
            "research/batch-0/1",
            "research/batch-0/2",
            "research/batch-2"
        ]
    );
    // Both instances of the pod move, but as one.
    let [one, other] = [&inventory.workloads[2], &inventory.workloads[3]];
    assert_eq!((one.movability, other.movability), (Movability::Restart, Movability::Restart));
    assert_eq!((&one.groups, &one.class), (&vec!["research/batch-0".to_owned()], &None));
    assert_eq!(one.groups, other.groups);
    let written = yaml(&inventory.to_yaml().unwrap());
    let expected = serde_json::json!([{"name": "research/batch-0", "together": "node", "as_one": true}]);
    assert_eq!(written["groups"], expected);
    assert_eq!(inventory.workloads[0].class, None);
}

#[test]
fn cordoned_nodes_and_gpus_stay_so() {
    let change = |names: &[&str], what: &str, from: &str, to: &str| {
        let mut changed = files(names);
        for file in &mut changed {
            if file.source.name().ends_with(what) {
                let text = file.source.text().replacen(from, to, 1);
                assert_ne!(text, file.source.text(), "there is something to change");
                file.source = SourceText::new(file.source.name(), text);
            }
        }
        yaml(&joined(changed).unwrap().to_yaml().unwrap())["hosts"].clone()
    };
    let of_node = change(&KUBERNETES, "nodes.json", "\"spec\": {}", "\"spec\": {\"unschedulable\": true}");
    assert_eq!((&of_node[0]["name"], &of_node[0]["cordoned"]), (&"gpu-a".into(), &true.into()));
    assert_eq!(of_node[1].get("cordoned"), None);
    let mark = "\"annotations\": {";
    let marked = format!("{mark}\"hami.io/device-cordon\": \"GPU-619f8b3f-f9d5-4119-803a-20b87f59d69b\",");
    let of_gpu = change(&["hami/nodes.json", "hami/pods.json"], "nodes.json", mark, &marked);
    assert_eq!(of_gpu[0].get("cordoned"), None);
    let expected = serde_json::json!([
        {"board": "A100-40GB", "count": 1},
        {"board": "A100-40GB", "count": 1, "cordoned": true},
    ]);
    assert_eq!(of_gpu[0]["gpus"], expected);
}

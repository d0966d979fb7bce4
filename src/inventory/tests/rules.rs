//! Rules on nodes, on pods beside each other, and on CPU and memory, as pods and jobs state them.

use super::{KUBERNETES, files, join, joined};
use crate::{InputFile, Inventory, Movability};
use ground::SourceText;
use serde_json::{Value, json};

/// The small cluster, its pods and nodes changed.
fn changed(change: impl Fn(&str, &mut Value)) -> Vec<InputFile> {
    let mut changed = files(&KUBERNETES[..6]);
    for file in &mut changed {
        if file.source.name().ends_with("pods.json") || file.source.name().ends_with("nodes.json") {
            let mut objects: Value = serde_json::from_str(file.source.text()).unwrap();
            for object in objects["items"].as_array_mut().unwrap() {
                let name = object["metadata"]["name"].as_str().unwrap().to_owned();
                change(&name, object);
            }
            file.source = SourceText::new(file.source.name(), objects.to_string());
        }
    }
    changed
}

fn written(inventory: &Inventory) -> Value {
    SourceText::new("cluster.yaml", inventory.to_yaml().unwrap()).parse().unwrap()
}

fn workload<'v>(file: &'v Value, name: &str) -> &'v Value {
    file["workloads"].as_array().unwrap().iter().find(|workload| workload["name"] == name).unwrap()
}

/// Nodes have pools a and b; the pod that waits asks for something.
fn with_pools(wants: Value) -> Inventory {
    let files = changed(|name, object| match name {
        "gpu-a" => object["metadata"]["labels"]["pool"] = "a".into(),
        "gpu-b" => {
            object["metadata"]["labels"]["pool"] = "b".into();
            object["metadata"]["labels"]["rack"] = "7".into();
            object["spec"]["taints"] = json!([{"key": "team", "value": "x", "effect": "NoSchedule"}]);
        }
        "train-1" => {
            for (field, value) in wants.as_object().unwrap() {
                object["spec"][field] = value.clone();
            }
        }
        // All others bear the taint, so that they stay as they are.
        _ => object["spec"]["tolerations"] = json!([{"operator": "Exists"}]),
    });
    joined(files).unwrap()
}

fn affinity(terms: Value) -> Value {
    json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}})
}

#[test]
fn what_is_asked_of_nodes_becomes_a_selector_of_the_labels_that_they_have() {
    let bears = json!([{"key": "team", "operator": "Equal", "value": "x"}]);
    let term = |key: &str, operator: &str, values: Value| {
        affinity(json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]))
    };
    let cases = [
        (json!({"nodeSelector": {"pool": "b"}, "tolerations": bears}), json!({"pool": "b"})),
        (
            json!({"affinity": term("pool", "In", json!(["b", "c"])), "tolerations": bears}),
            json!({"pool": "b"}),
        ),
        (
            json!({"affinity": term("pool", "NotIn", json!(["a"])), "tolerations": bears}),
            json!({"pool": "b"}),
        ),
        (json!({"affinity": term("rack", "Exists", json!([])), "tolerations": bears}), json!({"rack": "7"})),
        (json!({"affinity": term("rack", "Gt", json!(["6"])), "tolerations": bears}), json!({"rack": "7"})),
        // A taint that is not borne is a label with what is.
        (json!({}), json!({"migopt/taints": "none"})),
        (json!({"tolerations": [{"key": "team", "value": "y"}]}), json!({"migopt/taints": "none"})),
    ];
    for (wants, selector) in cases {
        let inventory = with_pools(wants.clone());
        let file = written(&inventory);
        assert_eq!(workload(&file, "research/train-1")["node_selector"], selector, "{wants}");
        let labels = file["hosts"].as_array().unwrap().iter().flat_map(|host| host["labels"].as_object());
        let named: Vec<&String> = labels.flat_map(|labels| labels.keys()).collect();
        let wanted = selector.as_object().unwrap().keys().next().unwrap();
        assert!(
            !named.is_empty() && named.iter().all(|label| *label == wanted),
            "only what is asked: {named:?}"
        );
    }
    // What all nodes have says nothing.
    let all = json!({"nodeSelector": {"nvidia.com/gpu.present": "true"}, "tolerations": bears});
    let file = written(&with_pools(all));
    assert_eq!(workload(&file, "research/train-1").get("node_selector"), None);
    assert_eq!(file["hosts"][0].get("labels"), None);
}

#[test]
fn what_labels_do_not_say_becomes_names_of_nodes() {
    let bears = json!([{"operator": "Exists"}]);
    let terms = [
        // A node without the label is meant as well.
        json!([{"matchExpressions": [{"key": "rack", "operator": "DoesNotExist"}]}]),
        json!([{"matchExpressions": [{"key": "rack", "operator": "NotIn", "values": ["7"]}]}]),
        json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-a"]}]}]),
        json!([
            {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["8"]}]},
            {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]},
        ]),
    ];
    for term in terms {
        let inventory = with_pools(json!({"affinity": affinity(term.clone()), "tolerations": bears}));
        assert_eq!(workload(&written(&inventory), "research/train-1")["nodes"], "gpu-a", "{term}");
        let remark = "1 workload is bound to the names of nodes";
        assert!(inventory.remarks.iter().any(|known| known.starts_with(remark)), "{:?}", inventory.remarks);
    }
    // A pod that no node here suits waits for another one.
    let inventory = with_pools(json!({"nodeSelector": {"pool": "c"}}));
    assert!(inventory.workloads.iter().all(|workload| workload.name != "research/train-1"));
    assert!(
        inventory.remarks.iter().any(|remark| remark.starts_with("research/train-1 waits, and is left out"))
    );
}

#[test]
fn what_runs_where_it_could_not_come_back_stays_unless_it_is_being_evicted() {
    let tainted = |effect: &str| {
        let files = changed(|name, object| {
            if name == "gpu-b" {
                object["spec"]["taints"] = json!([{"key": "team", "value": "x", "effect": effect}]);
            }
        });
        let inventory = joined(files).unwrap();
        let workload =
            inventory.workloads.iter().find(|workload| workload.name == "serving/embed-1").unwrap();
        (workload.movability, workload.reason.clone(), workload.nodes.is_some())
    };
    let (movability, reason, is_bound) = tainted("NoSchedule");
    assert_eq!((movability, is_bound), (Movability::Never, false));
    assert!(reason.contains("could not come back to gpu-b"), "{reason}");
    let (movability, _, is_bound) = tainted("NoExecute");
    assert_eq!((movability, is_bound), (Movability::Surge, true));
    let (movability, _, is_bound) = tainted("PreferNoSchedule");
    assert_eq!((movability, is_bound), (Movability::Surge, false));
}

#[test]
fn replicas_that_keep_apart_are_a_group_and_other_rules_are_told() {
    let apart = |topology: &str| {
        let files = changed(|name, object| {
            if name.starts_with("embed-") {
                let term =
                    json!({"topologyKey": topology, "labelSelector": {"matchLabels": {"app": "embed"}}});
                object["spec"]["affinity"] =
                    json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
            }
            if name == "batch-0" {
                object["spec"]["topologySpreadConstraints"] = json!([
                    {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
                    {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway"},
                ]);
            }
        });
        joined(files).unwrap()
    };
    let inventory = apart("kubernetes.io/hostname");
    let file = written(&inventory);
    assert_eq!(file["groups"], json!([{"name": "serving/replicaset/embed-5f6b4", "apart": "node"}]));
    for name in ["serving/embed-0", "serving/embed-1"] {
        assert_eq!(workload(&file, name)["group"], "serving/replicaset/embed-5f6b4");
    }
    let told = |inventory: &Inventory, count: &str| {
        let wanted = format!("the rules of {count} about other pods or topology");
        assert!(
            inventory.remarks.iter().any(|remark| remark.starts_with(&wanted)),
            "{:?}",
            inventory.remarks
        );
    };
    told(&inventory, "1 workload");
    let inventory = apart("topology.kubernetes.io/zone");
    assert_eq!(written(&inventory).get("groups"), None);
    told(&inventory, "3 workloads");
}

#[test]
fn cpu_and_memory_are_told_where_they_may_not_suffice() {
    let with = |cpu: &str, memory: &str| {
        let files = changed(|name, object| {
            if name == "gpu-a" {
                object["status"]["allocatable"]["cpu"] = cpu.into();
                object["status"]["allocatable"]["memory"] = memory.into();
            }
            // A pod without instances takes its share; so does none that is over.
            if name == "train-1" {
                object["spec"]["containers"][0]["resources"]["requests"]["memory"] = "100Mi".into();
            }
        });
        let node = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "agent", "namespace": "x"},
            "spec": {"nodeName": "gpu-a", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]},
            "status": {"phase": "Running"}});
        let agent =
            InputFile { source: SourceText::new("agent.json", node.to_string()), node: None, is_named: true };
        joined(files.into_iter().chain([agent]).collect()).unwrap()
    };
    let file = written(&with("127", "1031Gi"));
    assert_eq!(file["wpm"].get("host_resources"), None, "nothing can lack here");
    assert_eq!(workload(&file, "serving/chat-0").get("cpu"), None);
    let file = written(&with("30", "1031Gi"));
    assert_eq!(file["wpm"]["host_resources"], true);
    assert_eq!(file["hosts"][0]["cpu"], 28.5);
    assert_eq!(file["hosts"][1]["cpu"], 127);
    assert_eq!(file["hosts"][0].get("memory_gib"), None);
    assert_eq!(workload(&file, "serving/chat-0")["cpu"], 4);
    // Amounts that no decimal says are rounded to the safe side.
    let file = written(&with("127", "50Mi"));
    assert_eq!(file["hosts"][0]["memory_gib"], 0.048828);
    assert_eq!(workload(&file, "research/train-1")["memory_gib"], 0.097657);
    // What is there already fits, whatever is told.
    let inventory = with("3", "1031Gi");
    let file = written(&inventory);
    assert_eq!(file["hosts"][0]["cpu"], 20);
    assert!(inventory.remarks.iter().any(|remark| remark.starts_with("the pods on gpu-a ask for more CPU")));
}

#[test]
fn jobs_have_their_features_partitions_and_nodes() {
    let names = [
        "slurm/?.slurmd-G.txt",
        "slurm/?.scontrol-job.txt",
        "slurm/?.scontrol-node.txt",
        "nvidia-smi/?.mig-minors.txt",
        "nvidia-smi/?.lgi.txt",
        "nvidia-smi/?.L.txt",
        "nvidia-smi/?.q.xml",
    ];
    assert!(join(&names).workloads.iter().all(|workload| workload.nodes.is_none()));
    let with = |asked: &str| {
        let mut changed = files(&names);
        for file in &mut changed {
            let name = file.source.name().to_owned();
            let text = file.source.text();
            let text = if name.ends_with("scontrol-node.txt") {
                let features = if name.contains("gpu-a") { "nvlink,big" } else { "big" };
                let partition = if name.contains("gpu-a") { "long,short" } else { "short" };
                let more = format!("\n   ActiveFeatures={features}\n   Partitions={partition} \n   State=");
                text.replacen("\n   State=", &more, 1)
            } else if name.ends_with("gpu-a.scontrol-job.txt") {
                text.replacen("\n   NodeList=gpu-a", &format!("\n   {asked}\n   NodeList=gpu-a"), 1)
            } else {
                text.to_owned()
            };
            file.source = SourceText::new(name, text);
        }
        let inventory = joined(changed).unwrap();
        let file = written(&inventory);
        workload(&file, "job-4703/chat-0").clone()
    };
    assert_eq!(
        with("Features=nvlink&big DelayBoot=00:00:00")["node_selector"],
        json!({"feature/nvlink": "yes"})
    );
    assert_eq!(with("Partition=long AllocNode:Sid=n:1")["node_selector"], json!({"partition/long": "yes"}));
    assert_eq!(with("Partition=short AllocNode:Sid=n:1").get("node_selector"), None);
    assert_eq!(with("ReqNodeList=gpu-[a,c] ExcNodeList=(null)")["nodes"], "gpu-a");
    assert_eq!(with("ReqNodeList=(null) ExcNodeList=gpu-b")["nodes"], "gpu-a");
    assert_eq!(with("Features=[nvlink|fast]")["nodes"], "gpu-a");
    // Who asks for what is not told of any node stays.
    assert_eq!(with("Features=nvlink*2&fast")["movable"], false);
}

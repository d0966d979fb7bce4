//! How long the import of a large cluster takes. It is measured, not judged: `cargo test --release -p migopt-inventory large -- --ignored
//! --nocapture`.

use super::joined;
use super::written::{Laid, Mock, board};
use crate::InputFile;
use ground::SourceText;
use mig::{GpuInstance, SliceStart};
use serde_json::{Value, json};
use std::time::Instant;

/// Ten pools of nodes, each of which only bears its own pods; of every third pod no label says all that it asks; CPU is short.
fn with_rules(file: &InputFile) -> InputFile {
    let mut objects: Value = serde_json::from_str(file.source.text()).unwrap();
    for (number, object) in objects["items"].as_array_mut().unwrap().iter_mut().enumerate() {
        let pool_of = |node: &str| node[1..].parse::<usize>().unwrap() % 10;
        if object["kind"] == "Node" {
            let pool = pool_of(object["metadata"]["name"].as_str().unwrap());
            object["metadata"]["labels"]["pool"] = format!("p{pool}").into();
            object["spec"]["taints"] =
                json!([{"key": "pool", "value": format!("p{pool}"), "effect": "NoSchedule"}]);
            object["status"]["allocatable"]["cpu"] = "100".into();
            continue;
        }
        let pool = pool_of(object["metadata"]["annotations"]["hami.io/vgpu-node"].as_str().unwrap());
        object["spec"]["nodeSelector"] = json!({"pool": format!("p{pool}")});
        object["spec"]["tolerations"] = json!([{"key": "pool", "operator": "Exists"}]);
        object["spec"]["containers"] =
            json!([{"name": "c", "resources": {"requests": {"cpu": format!("{}", number % 5)}}}]);
        let term = json!({"matchExpressions": [{"key": "broken", "operator": "DoesNotExist"}]});
        if number % 3 == 0 {
            object["spec"]["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                {"nodeSelectorTerms": [term, {"matchFields": []}]}}});
        }
    }
    InputFile { source: SourceText::new(file.source.name(), objects.to_string()), ..file.clone() }
}

#[test]
#[ignore = "a measurement"]
fn a_thousand_nodes_of_eight_gpus() {
    let board = board();
    let place = |name: &str, start| GpuInstance {
        profile: board.find_profile(name).unwrap(),
        start: SliceStart(start),
    };
    let laid = |number: usize| -> Laid {
        match number % 3 {
            0 => vec![(place("3g.20gb", 0), true), (place("2g.10gb", 4), true), (place("1g.5gb", 6), false)],
            1 => (0..7).map(|start| (place("1g.5gb", start), start != 3)).collect(),
            _ => vec![(place("4g.20gb", 0), true), (place("3g.20gb", 4), true)],
        }
    };
    let mock = Mock { nodes: (0..1000).map(|node| (0..8).map(|gpu| laid(node + gpu)).collect()).collect() };
    let plugin = || mock.listings().into_iter().chain(mock.kubelets()).collect();
    let metrics = || {
        mock.listings()
            .into_iter()
            .filter(|file| file.source.name().ends_with("lgi.txt"))
            .chain([mock.metrics()])
            .collect()
    };
    let ways: [(&str, Vec<InputFile>); 5] = [
        ("nvidia-smi and kubelets", plugin()),
        ("nvidia-smi mig -lgi and metrics", metrics()),
        ("claims", vec![mock.claims()]),
        ("annotations of HAMi", vec![mock.annotations()]),
        ("annotations of HAMi with rules", vec![with_rules(&mock.annotations())]),
    ];
    for (name, files) in ways {
        let (count, bytes) = (files.len(), files.iter().map(|file| file.source.text().len()).sum::<usize>());
        let start = Instant::now();
        let inventory = joined(files).unwrap();
        let read = start.elapsed();
        let yaml = inventory.to_yaml().unwrap();
        let lock = serde_json::to_string_pretty(&inventory.lock()).unwrap();
        println!(
            "{name}: {count} files, {} MB: joined in {:.2} s, written in {:.2} s ({} GPUs, {} workloads, {} MB)",
            bytes / 1_000_000,
            read.as_secs_f64(),
            (start.elapsed() - read).as_secs_f64(),
            inventory.gpus.len(),
            inventory.workloads.len(),
            (yaml.len() + lock.len()) / 1_000_000
        );
    }
}

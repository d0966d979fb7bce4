//! The plan of the small cluster, run.

use super::driver::{Instances, Node};
use super::{make_room, repository, two_nodes};
use crate::Tool;
use ground::SourceText;
use plan::PlanFile;
use serde_json::json;
use std::fs;

const GPU: &str = "GPU-c4864a9a-4073-4af3-88cb-e55e46012295";

fn places(places: &[(u32, u8)]) -> Instances {
    places.iter().map(|&(profile, start)| (profile, start, true)).collect()
}

fn refusal(plan: &PlanFile) -> String {
    Tool::NvidiaSmi.files(plan, &two_nodes()).unwrap_err()
}

#[test]
fn scripts_carry_the_plan_out_and_back() {
    let (lock, plan) = (two_nodes(), make_room());
    let files = Tool::NvidiaSmi.files(&plan, &lock).unwrap();
    let node = Node::of(&lock, "gpu-b");
    let begun = node.instances(GPU);
    node.run(&files, "round-1.gpu-b.sh", "begin").unwrap();
    assert_eq!(node.instances(GPU), places(&[(14, 2), (14, 4), (20, 6)]));
    // The first copy still runs.
    let told = node.run(&files, "round-1.gpu-b.sh", "finish").unwrap_err();
    assert!(told.contains("gpu-b/1") && told.contains("still in use"), "{told}");
    assert_eq!(node.instances(GPU), places(&[(14, 2), (14, 4), (20, 6)]));
    node.occupy(GPU, 2, false);
    node.run(&files, "round-1.gpu-b.sh", "finish").unwrap();
    assert_eq!(node.instances(GPU), places(&[(14, 4), (20, 6)]));
    node.run(&files, "round-2.gpu-b.sh", "begin").unwrap();
    node.run(&files, "round-2.gpu-b.sh", "finish").unwrap();
    let after = places(&[(5, 0), (14, 4), (20, 6)]);
    assert_eq!(node.instances(GPU), after);
    let changes = node.changes();
    for half in ["begin", "finish"] {
        node.run(&files, "round-2.gpu-b.sh", half).unwrap();
    }
    assert_eq!((node.instances(GPU), node.changes()), (after, changes));
    for round in ["round-2.gpu-b.rollback.sh", "round-1.gpu-b.rollback.sh"] {
        for half in ["begin", "finish"] {
            node.run(&files, round, half).unwrap();
        }
    }
    assert_eq!(node.instances(GPU), begun);
}

#[test]
fn each_half_may_be_run_again() {
    let (lock, plan) = (two_nodes(), make_room());
    let files = Tool::NvidiaSmi.files(&plan, &lock).unwrap();
    let node = Node::of(&lock, "gpu-b");
    node.occupy(GPU, 2, false);
    for done in [&["begin"] as &[_], &["begin", "finish"]] {
        for half in done {
            node.run(&files, "round-1.gpu-b.sh", half).unwrap();
        }
        let (instances, changes) = (node.instances(GPU), node.changes());
        for half in done {
            node.run(&files, "round-1.gpu-b.sh", half).unwrap();
        }
        assert_eq!((node.instances(GPU), node.changes()), (instances, changes));
    }
}

#[test]
fn a_foreign_layout_stops_the_script() {
    let (lock, plan) = (two_nodes(), make_room());
    let files = Tool::NvidiaSmi.files(&plan, &lock).unwrap();
    for is_more in [true, false] {
        let node = Node::of(&lock, "gpu-b");
        match is_more {
            true => node.add(GPU, 19, 0),
            false => node.retain(GPU, |instance| instance.profile != 20),
        }
        for half in ["begin", "finish"] {
            let told = node.run(&files, "round-1.gpu-b.sh", half).unwrap_err();
            let what = if is_more { "there is 19:0" } else { "20:6 is missing" };
            assert!(told.contains(what) && told.contains("Nothing was changed"), "{told}");
        }
        assert_eq!(node.changes(), 0);
    }
}

#[test]
fn rounds_run_in_their_order_only() {
    let (lock, plan) = (two_nodes(), make_room());
    let files = Tool::NvidiaSmi.files(&plan, &lock).unwrap();
    let node = Node::of(&lock, "gpu-b");
    let told = node.run(&files, "round-1.gpu-b.sh", "finish").unwrap_err();
    assert!(told.contains("begin"), "{told}");
    node.run(&files, "round-2.gpu-b.sh", "begin").unwrap_err();
    assert_eq!(node.changes(), 0);
}

#[test]
fn the_checkpoint_after_the_plan_is_the_expected_one() {
    let files = Tool::Checkpoint.files(&make_room(), &two_nodes()).unwrap();
    let written = files.iter().find(|file| file.name == "gpu-b.checkpoint.json").unwrap();
    let path = repository().join("instances/operators/two-nodes/expected/gpu-b.after.checkpoint.json");
    let read = |text: &str| {
        let devices = formats::mig_parted::read(&SourceText::new("checkpoint.json", text)).unwrap();
        let device = |device: formats::Record<formats::mig_parted::Device>| {
            let mut instances = formats::values(device.value.instances);
            instances.sort_by_key(|instance| (instance.profile, instance.start));
            (device.value.uuid, device.value.mig, instances)
        };
        devices.into_iter().map(device).collect::<Vec<_>>()
    };
    assert_eq!(read(&written.text), read(&fs::read_to_string(path).unwrap()));
}

#[test]
fn plans_of_other_clusters_are_refused() {
    let mut plan = make_room();
    plan.operations[0].gpu = "gpu-c/1".to_owned();
    assert!(refusal(&plan).contains("`gpu-c/1`, which the lock does not have"));
    let mut plan = make_room();
    plan.operations[0].start = Some(5);
    assert!(refusal(&plan).contains("no 2g.10gb can start at slot 5"));
    let mut plan = make_room();
    plan.operations.clear();
    assert!(refusal(&plan).contains("operations"));
    let mut plan = make_room();
    plan.expects = serde_json::from_value(json!([
        {"gpu": "gpu-b/1", "layout": [{"profile": "2g.10gb", "start": 0}], "hash": ""}
    ]))
    .unwrap();
    assert!(refusal(&plan).contains("the plan expects 2g.10gb at slot 0 of gpu-b/1"));
    plan.expects = serde_json::from_value(json!([
        {"gpu": "gpu-b/1", "layout": [{"profile": "2g.10gb", "start": 2}], "hash": ""}
    ]))
    .unwrap();
    assert!(refusal(&plan).contains("1g.5gb+me at slot 6 of gpu-b/1"), "{}", refusal(&plan));
}

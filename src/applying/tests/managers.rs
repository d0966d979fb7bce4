//! Files for those who make instances themselves: mig-parted, the MIG manager, DRA, HAMi, Slurm.

use super::{make_room, plan_of, repository, two_nodes};
use crate::{AppliedFile, Tool};
use check::ConfigurationFile;
use cluster::Spot;
use formats::slurm::gres;
use ground::SourceText;
use inventory::LockedState;
use plan::PlanFile;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;

fn text<'a>(files: &'a [AppliedFile], name: &str) -> &'a str {
    &files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name} is missing")).text
}

/// The batch jobs of one GPU stop, and it is laid out anew for `layout`.
pub fn lay_out_anew(layout: &[(&str, u8)]) -> PlanFile {
    let batch = [(0, "research/batch-0"), (1, "research/batch-1"), (5, "research/batch-2")];
    let stops = batch.map(|(start, workload)| {
        json!({"workload": workload, "from": {"gpu": "gpu-a/1", "start": start}, "kind": "stop"})
    });
    let rounds = json!([{"moves": stops}, {"moves": []}]);
    let mut plan =
        plan_of(rounds, &batch.map(|(start, name)| (1, "stop", "gpu-a/1", "1g.5gb", start, Some(name))));
    let layout: Vec<_> =
        layout.iter().map(|(profile, start)| json!({"profile": profile, "start": start})).collect();
    let anew = json!({"round": 2, "operation": "repartition", "gpu": "gpu-a/1", "layout": layout});
    plan.operations.push(serde_json::from_value(anew).unwrap());
    plan
}

#[test]
fn configurations_are_those_that_mig_parted_can_promise() {
    let lock = two_nodes();
    let files = Tool::MigParted.files(&lay_out_anew(&[("4g.20gb", 0), ("3g.20gb", 4)]), &lock).unwrap();
    let source = SourceText::new("round-2.gpu-a.yaml", text(&files, "round-2.gpu-a.yaml"));
    let read = ConfigurationFile::parse(source).unwrap();
    let entries = &read.configurations[0].entries;
    let devices = |entry: &check::Entry| {
        let listed = entry.mig_devices.iter().map(|devices| (devices.profile.to_string(), devices.count));
        listed.collect::<Vec<_>>()
    };
    let known = |wanted: &[(&str, u32)]| {
        wanted.iter().map(|(name, count)| ((*name).to_owned(), *count as _)).collect::<Vec<_>>()
    };
    let mut found: Vec<Vec<_>> = entries.iter().map(devices).collect();
    found.iter_mut().for_each(|devices| devices.sort());
    assert_eq!(
        found,
        [known(&[("1g.5gb", 1), ("2g.10gb", 1), ("3g.20gb", 1)]), known(&[("3g.20gb", 1), ("4g.20gb", 1)])]
    );
    // Two small ones may end where the large one has to be.
    let anew = lay_out_anew(&[("1g.5gb", 0), ("1g.5gb", 1), ("2g.10gb", 2), ("3g.20gb", 4)]);
    for tool in [Tool::MigParted, Tool::Kubernetes] {
        let refused = tool.files(&anew, &lock).unwrap_err();
        assert!(refused.contains("gpu-a/1") && refused.contains("--format checkpoint"), "{refused}");
        let refused = tool.files(&make_room(), &lock).unwrap_err();
        assert!(refused.contains("clear gpu-b/1") && refused.contains("--backend mig-parted"), "{refused}");
    }
}

#[test]
fn the_label_names_a_configuration_of_the_map() {
    let plan = lay_out_anew(&[("4g.20gb", 0), ("3g.20gb", 4)]);
    let files = Tool::Kubernetes.files(&plan, &two_nodes()).unwrap();
    let map = text(&files, "configmap.yaml");
    let (_, inner) = map.split_once("config.yaml: |\n").unwrap();
    let inner: String =
        inner.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap())).collect();
    let configurations =
        ConfigurationFile::parse(SourceText::new("config.yaml", inner)).unwrap().configurations;
    assert_eq!(configurations.len(), 1);
    let label = format!("nvidia.com/mig.config='{}'", configurations[0].name);
    assert!(text(&files, "round-2.gpu-a.sh").contains(&label));
}

#[test]
fn taints_keep_claims_off_what_the_plan_needs() {
    let files = Tool::Dra.files(&make_room(), &two_nodes()).unwrap();
    let expected = repository().join("instances/operators/two-nodes/dra/devicetaintrule.expected.yaml");
    let expected = fs::read_to_string(expected).unwrap();
    let selector = expected.lines().find(|line| line.contains("deviceSelector")).unwrap();
    let keep = text(&files, "round-1.keep.yaml");
    assert!(keep.contains(selector.trim()), "{keep}");
    // The way into the place that the round enters is open, that into the room of the next round is not.
    assert!(!keep.contains("device: gpu-0-mig-2g10gb-14-4}"), "{keep}");
    assert!(keep.contains("device: gpu-0-mig-4g20gb-5-0}"), "{keep}");
    assert!(!text(&files, "round-2.keep.yaml").contains("device: gpu-0-mig-4g20gb-5-0}"));
    let evict = text(&files, "round-1.evict.yaml");
    assert!(evict.contains("device: gpu-0-mig-2g10gb-14-2}") && evict.contains("NoExecute"), "{evict}");
    assert_eq!(evict.matches("kind: DeviceTaintRule").count(), 1);
}

/// Two single-start moves: `embed-1` leaves for another GPU, and a newcomer comes into its room.
fn make_room_elsewhere() -> PlanFile {
    let mut plan = make_room();
    plan.rounds[0].moves[0].to = Some(Spot { gpu: "gpu-a/1".to_owned(), start: 2 });
    for operation in &mut plan.operations {
        if operation.start == Some(4) {
            (operation.gpu, operation.start) = ("gpu-a/1".to_owned(), Some(2));
        }
    }
    plan
}

#[test]
fn gpus_are_named_to_hami_where_any_start_will_do() {
    let files = Tool::Hami.files(&make_room_elsewhere(), &two_nodes()).unwrap();
    let steps = text(&files, "steps.txt");
    let names = ["GPU-619f8b3f-f9d5-4119-803a-20b87f59d69b", "GPU-c4864a9a-4073-4af3-88cb-e55e46012295"];
    let lines: Vec<&str> = steps.lines().filter(|line| line.contains("use-gpuuuid")).collect();
    assert_eq!(lines.len(), 2);
    for (line, name) in lines.iter().zip(names) {
        assert!(line.contains(name), "{line}");
    }
    // On its own GPU, embed-1 could come to slot 0, where the newcomer has to be.
    let refused = Tool::Hami.files(&make_room(), &two_nodes()).unwrap_err();
    assert!(refused.contains("research/train-1 may find no place on gpu-b/1"), "{refused}");
}

/// What Slurm is told of a node after the change, by type.
fn counts_of(text: &str, node: &str) -> BTreeMap<String, u32> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(&format!("NodeName={node} Name=gpu Type=")));
    let read = |line: &str| {
        let (kind, count) = line.split_once(" Count=").unwrap();
        (kind.to_owned(), count.parse().unwrap())
    };
    lines.map(read).collect()
}

#[test]
fn lines_of_slurm_name_the_types_that_it_knows() {
    let lock = two_nodes();
    let mut empty = lock.clone();
    for gpu in empty.gpus.values_mut().filter(|gpu| gpu.node == "gpu-b") {
        gpu.instances.retain(|instance| instance.state != LockedState::NoComputeInstance);
        gpu.instances.iter_mut().for_each(|instance| instance.state = LockedState::Idle);
    }
    let mut plan = make_room();
    plan.rounds.remove(0);
    plan.operations.retain(|operation| operation.round == 2);
    plan.operations.iter_mut().for_each(|operation| operation.round = 1);
    let files = Tool::Slurm.files(&plan, &empty).unwrap();
    let before = repository().join("instances/operators/two-nodes/slurm/gpu-b.slurmd-G.txt");
    let before = SourceText::read(&before).unwrap();
    let mut wanted: BTreeMap<String, u32> = BTreeMap::new();
    for device in formats::values(gres::read(&before).unwrap()) {
        *wanted.entry(device.kind.clone()).or_default() += 1;
    }
    // 4g comes a second time, in place of 2g.
    *wanted.get_mut("nvidia_a100-sxm4-40gb_4g.20gb").unwrap() += 1;
    wanted.remove("nvidia_a100-sxm4-40gb_2g.10gb").unwrap();
    assert_eq!(counts_of(text(&files, "round-1.gres.conf"), "gpu-b"), wanted);
    let steps = text(&files, "steps.txt");
    let order =
        ["state=drain", "round-1.gpu-b.sh begin", "install round-1.gres.conf", "state=resume", "train-1"];
    let places: Vec<usize> = order.iter().map(|what| steps.find(what).unwrap()).collect();
    assert!(places.is_sorted(), "{steps}");
    // Nobody may run on a node that is partitioned.
    let refused = Tool::Slurm.files(&make_room(), &lock).unwrap_err();
    assert!(
        refused.contains("instances of gpu-b change while") && refused.contains("--backend slurm"),
        "{refused}"
    );
}

//! Dry runs.

use super::{board, checked_on, rules, shipped};
use crate::{Action, Gpu, Instance, Node, State, check};
use crate::{ConfigurationFile, Fleet};
use cluster::{Described, HostSection, WorkloadSection, build};
use ground::{Located, SourceText};
use mig::{GpuInstance, SliceStart};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A GPU of the small cluster: profile, start, workload, and whether there is a compute instance.
type Standing<'a> = (&'a str, u8, Option<&'a str>, bool);

fn gpu(index: u32, standing: &[Standing<'_>]) -> Gpu {
    let board = board("A100-40GB");
    let instance = |&(profile, start, workload, has_compute_instance): &Standing<'_>| Instance {
        instance: GpuInstance { profile: board.find_profile(profile).unwrap(), start: SliceStart(start) },
        workload: workload.map(str::to_owned),
        has_compute_instance,
    };
    Gpu { index, mig_enabled: true, instances: standing.iter().map(instance).collect(), board: board.clone() }
}

/// What the two nodes have now.
fn small_cluster() -> State {
    let node = |name: &str, gpus| Node { name: name.to_owned(), gpus };
    let of_a = vec![
        gpu(
            0,
            &[
                ("3g.20gb", 0, Some("chat-0"), true),
                ("2g.10gb", 4, Some("embed-0"), true),
                ("1g.5gb", 6, None, true),
            ],
        ),
        gpu(
            1,
            &[
                ("1g.5gb", 0, Some("batch-0"), true),
                ("1g.5gb", 1, Some("batch-1"), true),
                ("1g.5gb", 5, Some("batch-2"), true),
            ],
        ),
    ];
    let of_b = vec![
        gpu(0, &[("4g.20gb", 0, Some("train-0"), true), ("3g.20gb", 4, Some("chat-1"), true)]),
        gpu(
            1,
            &[
                ("2g.10gb", 2, Some("embed-1"), true),
                ("1g.5gb", 4, None, false),
                ("1g.5gb+me", 6, Some("video-0"), true),
            ],
        ),
    ];
    State { nodes: vec![node("gpu-a", of_a), node("gpu-b", of_b)] }
}

fn node_b() -> State {
    State { nodes: small_cluster().nodes.split_off(1) }
}

/// What an apply does: action and workloads in the way of each GPU.
fn effects(entries: &str, state: State) -> Vec<(Action, Vec<String>, bool)> {
    let text = format!("version: v1\nmig-configs:\n  one:\n{entries}");
    let one = checked_on(&text, state, None);
    one.apply
        .into_iter()
        .map(|effect| (effect.action, effect.in_the_way, effect.first_attempt_fails))
        .collect()
}

fn actions(entries: &str, state: State) -> Vec<Action> {
    effects(entries, state).into_iter().map(|(action, ..)| action).collect()
}

#[test]
fn what_is_there_stays_and_what_differs_is_cleared() {
    let file = ConfigurationFile::parse(shipped("mig-parted/config.yaml")).unwrap();
    let document = check(&file, &Fleet::Known(small_cluster()), None, None).unwrap();
    let told = |name: &str| -> Vec<(String, Action, Vec<String>)> {
        let one = document.configurations.iter().find(|one| one.name == name).unwrap();
        one.apply
            .iter()
            .map(|effect| (effect.gpu.clone(), effect.action, effect.in_the_way.clone()))
            .collect()
    };
    let now = told("gpu-a-now");
    assert_eq!(now[0], ("gpu-a/0".to_owned(), Action::Untouched, vec![]));
    assert_eq!(now[1], ("gpu-a/1".to_owned(), Action::Untouched, vec![]));
    let after = told("gpu-b-after");
    assert_eq!(after[2], ("gpu-b/0".to_owned(), Action::Untouched, vec![]));
    let users = vec!["embed-1 (2g.10gb@2)".to_owned(), "video-0 (1g.5gb+me@6)".to_owned()];
    assert_eq!(after[3], ("gpu-b/1".to_owned(), Action::Cleared, users));
}

#[test]
fn a_mode_change_resets_the_node_and_no_other() {
    let entries = "    - {devices: [0], mig-enabled: true, mig-devices: {4g.20gb: 1, 3g.20gb: 1}}\n    - {devices: [1], mig-enabled: false}\n";
    let told = effects(entries, node_b());
    assert_eq!(
        told[0],
        (Action::Reset, vec!["train-0 (4g.20gb@0)".to_owned(), "chat-1 (3g.20gb@4)".to_owned()], false)
    );
    assert_eq!(told[1].0, Action::Reset);
    let text = format!("version: v1\nmig-configs:\n  one:\n{entries}");
    let a = State { nodes: vec![small_cluster().nodes.remove(0)] };
    let one = checked_on(&text, a, None);
    assert_eq!(rules(&one), ["mode-change"]);
    assert!(one.lints[0].message.starts_with("GPU gpu-a/1 changes its MIG mode"), "{one:?}");
    let mut both = small_cluster();
    both.nodes[1].gpus[1].mig_enabled = false;
    both.nodes[1].gpus[1].instances.clear();
    // Now node b is as it is wanted, and node a changes.
    assert_eq!(actions(entries, both), [Action::Reset, Action::Reset, Action::Untouched, Action::Untouched]);
    // A GPU that no entry matches is reset with the others.
    assert_eq!(actions("    - {devices: [1], mig-enabled: false}\n", node_b()), [Action::Reset; 2]);
}

#[test]
fn lists_that_never_equal_what_is_there_clear_it() {
    let same = "    - {devices: [0], mig-enabled: true, mig-devices: {4g.20gb: 1, 3g.20gb: 1}}\n";
    assert_eq!(actions(same, node_b()), [Action::Untouched; 2]);
    let zero = "    - {devices: [0], mig-enabled: true, mig-devices: {4g.20gb: 1, 3g.20gb: 1, 1g.5gb: 0}}\n";
    assert_eq!(actions(zero, node_b()), [Action::Cleared, Action::Untouched]);
    // The parts of an instance are not the whole.
    let parts = "    - {devices: [0], mig-enabled: true, mig-devices: {4g.20gb: 1, 1c.3g.20gb: 3}}\n";
    assert_eq!(actions(parts, node_b()), [Action::Cleared, Action::Untouched]);
}

#[test]
fn of_two_entries_for_a_gpu_the_last_one_counts() {
    let twice = "    - {devices: all, mig-enabled: true, mig-devices: {3g.20gb: 2}}\n    - {devices: [0], mig-enabled: true, mig-devices: \
                 {4g.20gb: 1, 3g.20gb: 1}}\n";
    // GPU 1 differs, so that both entries are walked through, and GPU 0 is laid out twice.
    assert_eq!(actions(twice, node_b()), [Action::Cleared; 2]);
    // Once all GPUs are as the last entries say, nothing is done.
    let mut state = node_b();
    state.nodes[0].gpus[1] = gpu(1, &[("3g.20gb", 0, None, true), ("3g.20gb", 4, None, true)]);
    assert_eq!(actions(twice, state), [Action::Untouched; 2]);
}

#[test]
fn what_has_no_compute_instance_is_not_seen() {
    let all = "    - {devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}\n";
    let hidden = State {
        nodes: vec![Node { name: "n".to_owned(), gpus: vec![gpu(0, &[("1g.5gb", 4, None, false)])] }],
    };
    assert_eq!(effects(all, hidden), [(Action::Cleared, vec![], true)]);
    let empty = State { nodes: vec![Node { name: "n".to_owned(), gpus: vec![gpu(0, &[])] }] };
    assert_eq!(effects(all, empty), [(Action::Filled, vec![], false)]);
    let text = format!("version: v1\nmig-configs:\n  one:\n{all}");
    assert_eq!(rules(&checked_on(&text, node_b(), None)), ["no-compute-instance"]);
}

#[derive(Deserialize)]
struct Sections {
    hosts: Vec<Located<HostSection>>,
    workloads: Vec<Located<WorkloadSection>>,
}

#[test]
fn a_cluster_is_a_state() {
    let source = SourceText::new(
        "cluster.yaml",
        "hosts: [{name: b, gpus: {board: A100-40GB, count: 2}}, {name: a, gpus: {board: A30}}]\n\
         workloads: [{name: w, profile: 3g.20gb, current: {gpu: b/1, start: 4}}, {name: v, profile: 1g.5gb, current: {gpu: b/1, start: 0}}, \
         {name: new, profile: 1g.5gb}]\n",
    );
    let Sections { hosts, workloads } = source.parse().unwrap();
    let cluster = build(
        &source,
        "c".to_owned(),
        Described { boards: &BTreeMap::new(), budgets: &[], groups: &[], hosts, gpus: Vec::new(), workloads },
    )
    .unwrap();
    let state = State::of_cluster(&cluster);
    let names: Vec<(&str, usize)> =
        state.nodes.iter().map(|node| (node.name.as_str(), node.gpus.len())).collect();
    assert_eq!(names, [("b", 2), ("a", 1)]);
    assert!(state.nodes[0].gpus[0].instances.is_empty());
    assert_eq!(state.nodes[0].gpus[1].users(), ["v (1g.5gb@0)", "w (3g.20gb@4)"]);
}

//! Random plans on the driver of the tests: each script runs, step by step, and what is there in the end is what the plan says.

use super::cases::{Case, board};
use super::driver::{Instances, Node};
use crate::{AppliedFile, Tool};
use cluster::Spot;
use inventory::LockedState;
use plan::MoveEntry;
use std::collections::BTreeMap;

/// The nodes of a case, each with a driver.
struct Machines<'a> {
    case: &'a Case,
    nodes: BTreeMap<&'a str, Node>,
    files: &'a [AppliedFile],
}

impl<'a> Machines<'a> {
    fn of(case: &'a Case, files: &'a [AppliedFile]) -> Self {
        let nodes = ["gpu-a", "gpu-b"].map(|node| (node, Node::of(&case.lock, node)));
        Machines { case, nodes: nodes.into(), files }
    }

    fn uuid(&self, gpu: &str) -> &'a str {
        self.case.lock.gpus[gpu].uuid.as_deref().unwrap()
    }

    fn instances(&self, gpu: &str) -> Instances {
        self.nodes[&*self.case.lock.gpus[gpu].node].instances(self.uuid(gpu))
    }

    /// Runs a half of a round on each node that has a script for it.
    fn half(&self, round: usize, ending: &str, half: &str) {
        for (node, machine) in &self.nodes {
            let name = format!("round-{round}.{node}.{ending}");
            if self.files.iter().any(|file| file.name == name) {
                machine.run(self.files, &name, half).unwrap();
            }
        }
    }

    fn occupy(&self, spot: &Spot, is_busy: bool) {
        self.nodes[&*self.case.lock.gpus[&spot.gpu].node].occupy(self.uuid(&spot.gpu), spot.start, is_busy);
    }

    fn moves(&self, moves: &[MoveEntry], is_back: bool) {
        for step in moves {
            let (from, to) = if is_back { (&step.to, &step.from) } else { (&step.from, &step.to) };
            to.iter().for_each(|spot| self.occupy(spot, true));
            from.iter().for_each(|spot| self.occupy(spot, false));
        }
    }

    fn changes(&self) -> Vec<u64> {
        self.nodes.values().map(Node::changes).collect()
    }
}

#[test]
fn scripts_reach_the_end_of_the_plan_and_go_back() {
    for (case, _) in Case::some(6) {
        let files = Tool::NvidiaSmi.files(&case.plan, &case.lock).unwrap();
        let machines = Machines::of(&case, &files);
        let board = board();
        let begun: BTreeMap<&String, Instances> =
            case.lock.gpus.keys().map(|gpu| (gpu, machines.instances(gpu))).collect();
        for (round, entry) in (1..).zip(&case.plan.rounds) {
            machines.half(round, "sh", "begin");
            machines.moves(&entry.moves, false);
            machines.half(round, "sh", "finish");
            // What is done is skipped.
            let changes = machines.changes();
            machines.half(round, "sh", "begin");
            machines.half(round, "sh", "finish");
            assert_eq!(machines.changes(), changes);
        }
        for (gpu, locked) in &case.lock.gpus {
            let reached = machines.instances(gpu);
            let id = |instance: &mig::GpuInstance| board.profile(instance.profile).driver_id.unwrap();
            let wanted: Instances =
                case.on(gpu, &case.end).iter().map(|held| (id(held), held.start.0, true)).collect();
            assert!(wanted.is_subset(&reached), "{gpu}: {wanted:?} {reached:?}");
            // What is there beside was there before, idle.
            for &(profile, start, _) in reached.difference(&wanted) {
                let was = locked.instances.iter().find(|known| known.start == start).unwrap();
                assert_eq!(was.profile_id, Some(profile));
                assert!(
                    matches!(was.state, LockedState::Idle | LockedState::NoComputeInstance),
                    "{gpu} {was:?}"
                );
            }
        }
        for (round, entry) in (1..).zip(&case.plan.rounds).collect::<Vec<_>>().into_iter().rev() {
            machines.half(round, "rollback.sh", "begin");
            machines.moves(&entry.moves, true);
            machines.half(round, "rollback.sh", "finish");
        }
        for (gpu, begun) in begun {
            // An instance that was given its compute instance keeps it.
            let places = |instances: &Instances| {
                instances.iter().map(|&(profile, start, _)| (profile, start)).collect::<Vec<_>>()
            };
            assert_eq!(places(&machines.instances(gpu)), places(&begun), "{gpu}");
            let busy = case.on(gpu, &case.begin).len();
            assert!(begun.len() >= busy);
        }
    }
}

#[test]
fn a_layout_that_lacks_somebody_stops_the_script() {
    let mut refused = 0;
    for (case, _) in Case::some(12) {
        let files = Tool::NvidiaSmi.files(&case.plan, &case.lock).unwrap();
        for (gpu, locked) in &case.lock.gpus {
            let name = format!("round-1.{}.sh", locked.node);
            let stays = |start: u8| {
                let leaves = |step: &MoveEntry| {
                    step.from.as_ref().is_some_and(|spot| spot.gpu == *gpu && spot.start == start)
                };
                !case.plan.rounds[0].moves.iter().any(leaves)
            };
            let changes = |spot: &Option<Spot>| spot.as_ref().is_some_and(|spot| spot.gpu == *gpu);
            let is_changed =
                case.plan.rounds[0].moves.iter().any(|step| changes(&step.from) || changes(&step.to));
            let used = locked.instances.iter().filter(|known| known.state == LockedState::InUse);
            let Some(missing) = used.map(|known| known.start).find(|&start| is_changed && stays(start))
            else {
                continue;
            };
            let Some(file) =
                files.iter().find(|file| file.name == name && file.text.contains(&format!("gpu='{gpu}'")))
            else {
                continue;
            };
            let node = Node::of(&case.lock, &locked.node);
            node.retain(locked.uuid.as_deref().unwrap(), |instance| instance.start != missing);
            let told = node.run(std::slice::from_ref(file), &name, "begin").unwrap_err();
            assert!(told.contains("Nothing was changed"), "{told}");
            assert_eq!(node.changes(), 0);
            refused += 1;
        }
    }
    assert!(refused > 3, "{refused}");
}

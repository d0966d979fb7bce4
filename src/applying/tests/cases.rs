//! Random clusters of two nodes, with plans of several rounds.

use super::two_nodes;
use cluster::{
    BoardIndex, Cluster, Gpu, GpuIndex, Handover, Location, Placement, Request, RequestIndex, Workload,
    WorkloadIndex,
};
use ground::{Amount, SourceText};
use inventory::{ClusterLock, LockedInstance, LockedState};
use mig::{Board, GpuInstance, Lookup, ProfileIndex, catalogue};
use plan::{Backend, Kind, Limits, Move, Place, Plan, PlanFile, Transition, illegal, judge};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A cluster, a plan, and who is where when it is done.
pub struct Case {
    pub lock: ClusterLock,
    pub plan: PlanFile,
    pub begin: BTreeSet<Place>,
    pub end: BTreeSet<Place>,
    pub cluster: Arc<Cluster>,
}

pub fn board() -> Arc<Board> {
    let Lookup::Found(board) = catalogue().find("A100-40GB") else { panic!() };
    board
}

/// The profiles that the driver of the tests has.
fn profiles(board: &Board) -> Vec<ProfileIndex> {
    let known = |profile: &ProfileIndex| {
        matches!(board.profile(*profile).driver_id, Some(0 | 5 | 9 | 14 | 15 | 19 | 20))
    };
    board.profile_indices().filter(known).collect()
}

/// A place for a profile beside others, on any GPU.
fn place_for(
    cluster: &Cluster,
    profile: ProfileIndex,
    taken: &BTreeSet<Place>,
    random: &mut ChaCha8Rng,
) -> Option<Place> {
    let starts = &cluster.boards[0].profile(profile).starts;
    let places = cluster.gpu_indices().flat_map(|gpu| {
        starts.iter().map(move |&start| Place { gpu, instance: GpuInstance { profile, start } })
    });
    let fits = |place: &Place| {
        let here = taken.iter().filter(|other| other.gpu == place.gpu).map(|other| other.instance);
        let together: Vec<GpuInstance> = here.chain([place.instance]).collect();
        illegal(cluster, place.gpu, &together).is_none()
    };
    places.filter(fits).choose(random)
}

/// Rounds in which some of the workloads move, stop and start; all places of a round are apart.
fn rounds(cluster: &Cluster, present: &mut [Option<Place>], count: usize, random: &mut ChaCha8Rng) -> Plan {
    let mut plan = Plan::default();
    for _ in 0..count {
        let mut taken: BTreeSet<Place> = present.iter().flatten().copied().collect();
        let mut round = Vec::new();
        for (workload, held) in present.iter_mut().enumerate() {
            if !random.random_bool(0.4) {
                continue;
            }
            let about = &cluster.workloads[workload];
            let to = place_for(cluster, ProfileIndex(about.request.0 as _), &taken, random);
            let to = to.filter(|_| held.is_none() || random.random_bool(0.8));
            let kind = match (*held, to) {
                (None, None) => continue,
                (None, Some(_)) => Kind::Start,
                (Some(_), None) => Kind::Stop,
                (Some(_), Some(_)) if about.handover == Handover::Surge => Kind::Surge,
                (Some(_), Some(_)) => Kind::Restart,
            };
            let workload = WorkloadIndex::at(workload);
            round.push(Move { workload, from: *held, to, kind, via: false });
            taken.extend(to);
            *held = to;
        }
        plan.rounds.push(round);
    }
    for round in 0..plan.rounds.len() {
        let (done, later) = plan.rounds.split_at_mut(round + 1);
        for step in &mut done[round] {
            let mut moves = later.iter().flatten().filter(|other| other.workload == step.workload);
            step.via = step.to.is_some() && moves.any(|other| other.to.is_some());
        }
    }
    plan
}

fn locked(board: &Board, instance: GpuInstance, state: LockedState) -> LockedInstance {
    let profile = board.profile(instance.profile);
    LockedInstance {
        profile: profile.name.clone(),
        profile_id: profile.driver_id,
        start: instance.start.0,
        size: profile.size,
        gpu_instance: None,
        compute_instances: Vec::new(),
        state,
        users: Vec::new(),
    }
}

/// Draws a case: four GPUs, some of whose instances are idle or have no compute instance.
pub fn draw(random: &mut ChaCha8Rng) -> Case {
    let board = board();
    let mut lock = two_nodes();
    lock.cluster = "case".to_owned();
    let request = |profile: ProfileIndex| Request {
        names: vec![board.profile(profile).name.clone()],
        on_board: vec![Some(profile)],
    };
    let gpu = |name: &String| Gpu {
        name: name.clone(),
        host: None,
        board: BoardIndex(0),
        maintenance: cluster::Maintenance::InService,
    };
    let mut cluster = Cluster {
        name: "case".to_owned(),
        boards: vec![Arc::clone(&board)],
        gpus: lock.gpus.keys().map(gpu).collect(),
        requests: board.profile_indices().map(request).collect(),
        ..Cluster::default()
    };
    let known = profiles(&board);
    let mut taken = BTreeSet::new();
    let mut present: Vec<Option<Place>> = Vec::new();
    lock.gpus.values_mut().for_each(|gpu| gpu.instances.clear());
    for number in 0..12 {
        let profile = *known.choose(random).unwrap();
        let place = place_for(&cluster, profile, &taken, random);
        let state = match random.random_range(0..10) {
            0 | 1 => LockedState::Idle,
            2 => LockedState::NoComputeInstance,
            _ => LockedState::InUse,
        };
        let place = place.filter(|_| number < 10);
        if let Some(place) = place {
            let name = &cluster.gpus[place.gpu.index()].name;
            lock.gpus.get_mut(name).unwrap().instances.push(locked(&board, place.instance, state));
            taken.insert(place);
        }
        if place.is_some() && state != LockedState::InUse {
            continue;
        }
        present.push(place);
        let name = format!("w{}", cluster.workloads.len());
        let mut workload = Workload::newcomer(name, RequestIndex(u32::from(profile.0)));
        (workload.cpu, workload.memory) = (Amount::ZERO, Amount::ZERO);
        if random.random_bool(0.4) {
            workload.handover = Handover::Restart;
        }
        workload.current = place.map(|place| Location { gpu: place.gpu, start: place.instance.start });
        cluster.workloads.push(workload);
    }
    let begin = present.iter().flatten().copied().collect();
    let count = random.random_range(2..=3);
    let plan = rounds(&cluster, &mut present, count, random);
    let location = |place: &Place| Location { gpu: place.gpu, start: place.instance.start };
    let target = Placement::new(present.iter().map(|place| place.as_ref().map(location)).collect());
    let cluster = Arc::new(cluster);
    let transition =
        Transition::new(Arc::clone(&cluster), target, Limits::default(), Backend::NvidiaSmi).unwrap();
    let mut file = PlanFile::default();
    file.instance.name = "case".to_owned();
    file.describe(&transition, &plan);
    let resolved = file.resolve(&cluster, "", &SourceText::new("plan.json", "{}")).unwrap();
    let findings = judge(&file, &resolved).findings;
    assert!(findings.is_empty(), "{findings:?}");
    Case { lock, plan: file, begin, end: present.into_iter().flatten().collect(), cluster }
}

impl Case {
    /// Seeded cases.
    pub fn some(count: u64) -> impl Iterator<Item = (Case, ChaCha8Rng)> {
        (0..count).map(|seed| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            (draw(&mut random), random)
        })
    }

    pub fn gpu(&self, name: &str) -> GpuIndex {
        GpuIndex::at(self.cluster.gpus.iter().position(|gpu| gpu.name == name).unwrap())
    }

    /// Those of places that are on a GPU.
    pub fn on(&self, gpu: &str, places: &BTreeSet<Place>) -> BTreeSet<GpuInstance> {
        let gpu = self.gpu(gpu);
        places.iter().filter(|place| place.gpu == gpu).map(|place| place.instance).collect()
    }
}

//! Random small clusters, each with a target.

use cluster::{
    BoardIndex, ClassIndex, Cluster, DisruptionBudget, Gpu, GpuIndex, Group, GroupIndex, GroupSection,
    Handover, Location, Maintenance, NodeSet, NodeSetIndex, Particulars, Placement, Request, RequestIndex,
    Workload, WorkloadIndex,
};
use ground::Amount;
use mig::{Board, GpuInstance, Lookup, ProfileIndex, catalogue, layouts};
use plan::{Backend, Limits, Transition};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

pub fn board(name: &str) -> Arc<Board> {
    match catalogue().find(name) {
        Lookup::Found(board) => board,
        _ => panic!("{name} is in the catalogue"),
    }
}

/// A cluster of some GPUs of one board, each a node by itself.
pub fn cluster(board: &Arc<Board>, gpus: usize) -> Cluster {
    let request = |profile: ProfileIndex| Request {
        names: vec![board.profile(profile).name.clone()],
        on_board: vec![Some(profile)],
    };
    Cluster {
        name: "case".to_owned(),
        boards: vec![Arc::clone(board)],
        gpus: (0..gpus)
            .map(|number| Gpu {
                name: format!("g{number}"),
                host: None,
                board: BoardIndex(0),
                maintenance: Maintenance::InService,
            })
            .collect(),
        requests: board.profile_indices().map(request).collect(),
        ..Cluster::default()
    }
}

pub fn workload(name: String, profile: ProfileIndex, current: Option<Location>) -> Workload {
    Workload {
        name,
        request: RequestIndex(u32::from(profile.0)),
        cpu: Amount::ZERO,
        memory: Amount::ZERO,
        movable: true,
        handover: Handover::Surge,
        class: None,
        current,
        particulars: None,
    }
}

/// What a draw may hold.
#[derive(Clone, Copy)]
pub struct Recipe {
    pub board: &'static str,
    pub gpus: usize,
    pub most_workloads: usize,
    pub classes: bool,
    pub restarts: bool,
    pub newcomers: bool,
    /// Whether most of what is left of the second layout is filled with newcomers.
    pub crowded: bool,
    pub pins: bool,
    pub limits: bool,
    pub budgets: bool,
    /// Whether GPUs are cordoned, if the target allows that.
    pub cordoned: bool,
    /// Whether workloads are bound to nodes, among them that of the target.
    pub nodes: bool,
    /// Whether two workloads count as one.
    pub as_one: bool,
}

pub const PLAIN: Recipe = Recipe {
    board: "A30",
    gpus: 2,
    most_workloads: 4,
    classes: false,
    restarts: false,
    newcomers: false,
    crowded: false,
    pins: false,
    limits: false,
    budgets: false,
    cordoned: false,
    nodes: false,
    as_one: false,
};

/// A random transition: two random layouts of the GPUs, of which the second one hosts the workloads of the first.
pub fn draw(recipe: Recipe, random: &mut ChaCha8Rng) -> Transition {
    let board = board(recipe.board);
    // Media extensions would only be one more limit: they are part of the larger boards' cases.
    let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
    let all = layouts(&board, &profiles);
    let full = |random: &mut ChaCha8Rng| -> Vec<(usize, GpuInstance)> {
        (0..recipe.gpus)
            .flat_map(|gpu| {
                let layout = all.choose(random).expect("there are layouts").clone();
                layout.into_iter().map(move |instance| (gpu, instance)).collect::<Vec<_>>()
            })
            .collect()
    };
    loop {
        let (mut now, mut then) = (full(random), full(random));
        now.shuffle(random);
        then.shuffle(random);
        let mut cluster = cluster(&board, recipe.gpus);
        cluster.classes = vec!["alike".to_owned()];
        if recipe.budgets {
            cluster.budgets =
                vec![DisruptionBudget { name: "careful".to_owned(), allowed: random.random_range(1..=2) }];
        }
        let mut target = Vec::new();
        let place = |(gpu, instance): (usize, GpuInstance)| Location {
            gpu: GpuIndex::at(gpu),
            start: instance.start,
        };
        for (gpu, instance) in now {
            let found = then.iter().position(|(_, other)| other.profile == instance.profile);
            let Some(found) = found.filter(|_| cluster.workloads.len() < recipe.most_workloads) else {
                continue;
            };
            let current = place((gpu, instance));
            let name = format!("w{}", cluster.workloads.len());
            let mut workload = workload(name, instance.profile, Some(current));
            if recipe.classes && random.random_bool(0.7) {
                workload.class = Some(ClassIndex(0));
            }
            if recipe.restarts && random.random_bool(0.4) {
                workload.handover = Handover::Restart;
            }
            if recipe.budgets && random.random_bool(0.6) {
                let under = vec![cluster::BudgetIndex(0)];
                workload.particulars =
                    Some(Arc::new(Particulars { budgets: under, ..Particulars::default() }));
            }
            let goal = place(then.remove(found));
            workload.movable = !(recipe.pins && goal == current && random.random_bool(0.5));
            target.push(Some(goal));
            cluster.workloads.push(workload);
        }
        if recipe.newcomers
            && let Some(new) = then.pop()
        {
            let name = format!("w{}", cluster.workloads.len());
            let mut workload = workload(name, new.1.profile, None);
            workload.class = (recipe.classes && random.random_bool(0.7)).then_some(ClassIndex(0));
            target.push(Some(place(new)));
            cluster.workloads.push(workload);
        }
        if recipe.crowded {
            for new in then.drain(..).filter(|_| random.random_bool(0.8)) {
                let name = format!("w{}", cluster.workloads.len());
                target.push(Some(place(new)));
                cluster.workloads.push(workload(name, new.1.profile, None));
            }
        }
        if recipe.nodes {
            for (workload, goal) in cluster.workloads.iter_mut().zip(&target) {
                let goal = goal.expect("every workload has a place").gpu;
                if random.random_bool(0.7) {
                    let has_gpu = (0..recipe.gpus).map(|gpu| gpu == goal.index() || random.random_bool(0.3));
                    cluster.node_sets.push(NodeSet { has_gpu: has_gpu.collect() });
                    let own = Arc::make_mut(workload.particulars.get_or_insert_default());
                    own.nodes = Some(NodeSetIndex::at(cluster.node_sets.len() - 1));
                }
            }
        }
        if recipe.as_one && cluster.workloads.len() > 1 {
            let members = [WorkloadIndex(0), WorkloadIndex(1)];
            for member in members {
                let workload = &mut cluster.workloads[member.index()];
                (workload.movable, workload.class) = (true, None);
                Arc::make_mut(workload.particulars.get_or_insert_default()).groups = vec![GroupIndex(0)];
            }
            let rules = GroupSection { name: "pod".to_owned(), apart: None, together: None, as_one: true };
            cluster.groups = vec![Group { rules, members: members.to_vec() }];
        }
        let limits = Limits {
            max_parallel: (recipe.limits && random.random_bool(0.6)).then(|| random.random_range(1..=2)),
            max_parallel_per_node: (recipe.limits && random.random_bool(0.6)).then_some(1),
            max_rounds: None,
        };
        if cluster.workloads.len() < 2 {
            continue;
        }
        if recipe.cordoned {
            cluster.gpus.choose_mut(random).expect("there are GPUs").maintenance = Maintenance::Cordoned;
        }
        let placement = Placement::new(target);
        match Transition::new(Arc::new(cluster), placement, limits, Backend::NvidiaSmi) {
            Ok(transition) => return transition,
            Err(message) => assert!(recipe.cordoned && message.contains("cordoned"), "{message}"),
        }
    }
}

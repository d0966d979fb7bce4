//! The cases: instances with as many GPUs of some boards as are enough.

use crate::addition::Addition;
use crate::document::{LoadCount, Sizing};
use cluster::{
    BoardIndex, Cluster, Gpu, GpuIndex, Location, Maintenance, PlacementRule, Request, RequestIndex,
    SiteKind, Workload,
};
use ground::{Amount, InputError, did_you_mean};
use itertools::Itertools;
use kit::{Overrides, ResultDocument};
use mig::Board;
use models::{Instance, model_named};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a question names that the cluster does not have, in words; or a rule that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A profile that is added.
    Profile(String),
    /// The board of a cost.
    Board(String),
    /// A rule on places of which GPUs that are not there yet know nothing.
    Rule(InputError),
}

/// A question: which GPUs of some boards carry the load?
#[derive(Clone, Debug)]
pub struct Case {
    /// Names of the boards of which there are as many GPUs as are enough.
    pub boards: Vec<String>,
    /// The load on them, as an instance of model wpm.
    pub instance: Instance,
    /// What a GPU in use costs, per board of the cluster.
    costs: Vec<Amount>,
}

impl Case {
    /// What the answer says about GPUs.
    pub fn sizing(&self, answer: &ResultDocument) -> Sizing {
        Sizing::of(&self.boards, &self.instance.cluster, &self.costs, answer)
    }
}

/// The load of an instance with additions on each of its boards alone, and, where it has several, on all of them at what their GPUs
/// cost: as `costs` says, else as the instance does, else 1. Also how large the load is.
///
/// # Errors
/// For a profile that is added which no board has, for the cost of a board that the cluster does not have, and for workloads that are
/// bound to nodes, keep apart, or belong on one GPU.
pub fn cases(
    instance: &Instance,
    additions: &[Addition],
    costs: &[(String, Amount)],
) -> Result<(LoadCount, Vec<Case>), Unknown> {
    check_rules(instance).map_err(Unknown::Rule)?;
    let mut cluster = with_additions(&instance.cluster, additions)?;
    // All workloads get places, on GPUs of which a node may have any number.
    cluster.groups.clear();
    for workload in &mut cluster.workloads {
        if let Some(own) = &mut workload.particulars {
            Arc::make_mut(own).groups.clear();
        }
    }
    let costs = board_costs(instance, costs)?;
    let load = LoadCount::of(&instance.cluster, cluster.workloads.len());
    let boards: Vec<BoardIndex> = (0..cluster.boards.len()).map(BoardIndex::at).collect();
    let alone = vec![Amount::ONE; boards.len()];
    let mut cases: Vec<Case> =
        boards.iter().map(|&board| case(instance, &cluster, &[board], &alone)).collect();
    if boards.len() > 1 {
        cases.push(case(instance, &cluster, &boards, &costs));
    }
    Ok((load, cases))
}

/// What a GPU of each board costs in a mixture.
fn board_costs(instance: &Instance, asked: &[(String, Amount)]) -> Result<Vec<Amount>, Unknown> {
    let boards = &instance.cluster.boards;
    let given = &instance.given.wpm.costs;
    let of_file = |board: &Arc<Board>| {
        let own = given.boards.iter().find(|(name, _)| board.answers_to(name));
        own.and_then(|(_, costs)| costs.gpu).or(given.gpu).unwrap_or(Amount::ONE)
    };
    let mut costs: Vec<Amount> = boards.iter().map(of_file).collect();
    for (board, cost) in asked {
        let at = boards.iter().position(|known| known.answers_to(board)).ok_or_else(|| {
            let names: Vec<&str> = boards.iter().map(|board| board.name()).collect();
            let guess = did_you_mean(board, names.iter().copied());
            let message =
                format!("no GPU of the cluster is a \"{board}\"{guess}. Boards: {}.", names.join(", "));
            Unknown::Board(message)
        })?;
        costs[at] = *cost;
    }
    Ok(costs)
}

/// The cluster with more workloads that wait.
fn with_additions(cluster: &Cluster, additions: &[Addition]) -> Result<Cluster, Unknown> {
    let mut cluster = cluster.clone();
    let mut taken: BTreeSet<String> =
        cluster.workloads.iter().map(|workload| workload.name.clone()).collect();
    for Addition { profile, count } in additions {
        let boards = cluster.boards.iter();
        let on_board: Vec<_> = boards.map(|board| board.find_profile(profile)).collect();
        let called = cluster
            .boards
            .iter()
            .zip(&on_board)
            .find_map(|(board, found)| found.map(|found| board.profile(found).name.clone()));
        let Some(name) = called else {
            let profiles = cluster.boards.iter().flat_map(|board| board.profiles());
            let known: Vec<&str> = profiles.map(|profile| profile.name.as_str()).unique().collect();
            let guess = did_you_mean(profile, known.iter().copied());
            return Err(Unknown::Profile(format!(
                "no board of the cluster has a profile \"{profile}\"{guess}. Profiles: {}.",
                known.join(", ")
            )));
        };
        let request = Request { names: vec![name], on_board };
        let known = cluster.requests.iter().position(|known| *known == request);
        let request = RequestIndex::at(known.unwrap_or_else(|| {
            cluster.requests.push(request);
            cluster.requests.len() - 1
        }));
        let names = (1..).map(|number| format!("{profile} more {number}"));
        let fresh: Vec<String> = names.filter(|name| !taken.contains(name)).take(*count as usize).collect();
        taken.extend(fresh.iter().cloned());
        cluster.workloads.extend(fresh.into_iter().map(|name| Workload::newcomer(name, request)));
    }
    Ok(cluster)
}

/// Refuses what new GPUs would have to keep and cannot be told: their nodes and labels, and who shares them. What is out of service and how
/// many may be disrupted does not matter where all of the load may be laid out anew.
fn check_rules(instance: &Instance) -> Result<(), InputError> {
    let mut cluster = (*instance.cluster).clone();
    for group in &mut cluster.groups {
        group.rules.as_one = false;
        group.rules.together = group.rules.together.filter(|kind| *kind != SiteKind::Node);
    }
    let known = [PlacementRule::Maintenance, PlacementRule::NodeBudgets];
    cluster.refuse_rules(
        &instance.source,
        "`migopt whatif`",
        &known,
        "Leave the rule out of a copy of the instance.",
    )
}

/// The load on GPUs of some boards, with what they cost.
fn case(instance: &Instance, load: &Cluster, boards: &[BoardIndex], costs: &[Amount]) -> Case {
    let mut instance = instance.clone().under(model_named("wpm").expect("wpm is a model"));
    instance.cluster = Arc::new(supplied(load, boards));
    let names = load.boards.iter().map(|board| board.name().to_owned());
    let board_costs =
        |cost: &Amount| models::wings::wpm::BoardCosts { gpu: Some(*cost), ..Default::default() };
    // Boards without GPUs in this case have no costs.
    let used: BTreeSet<BoardIndex> = instance.cluster.gpus.iter().map(|gpu| gpu.board).collect();
    let settings = &mut instance.given.wpm;
    *settings = Default::default();
    settings.place_all = true;
    let priced = names.zip(costs).enumerate().filter(|(at, _)| used.contains(&BoardIndex::at(*at)));
    settings.costs.boards = priced.map(|(_, (name, cost))| (name, board_costs(cost))).collect();
    let objective = Overrides::default().with("objective", "lexicographic:gpus".to_owned());
    let instance = instance.with_settings(&objective).expect("gpus are a goal of model wpm");
    let names = boards.iter().map(|board| load.boards[board.index()].name().to_owned());
    Case { boards: names.collect(), instance, costs: costs.to_vec() }
}

/// The load, all waiting but for what may not be moved, on the GPUs of that and on enough empty ones.
fn supplied(load: &Cluster, boards: &[BoardIndex]) -> Cluster {
    let mut cluster = load.clone();
    let is_pinned = |workload: &Workload| workload.current.is_some() && !workload.movable;
    let held = load.workloads.iter().filter(|workload| is_pinned(workload));
    let kept: BTreeSet<GpuIndex> = held.filter_map(|workload| Some(workload.current?.gpu)).collect();
    let new_index: BTreeMap<GpuIndex, GpuIndex> =
        kept.iter().enumerate().map(|(new, &old)| (old, GpuIndex::at(new))).collect();
    cluster.gpus = kept.iter().map(|gpu| load.gpus[gpu.index()].clone()).collect();
    for workload in &mut cluster.workloads {
        let place = workload.current.filter(|_| !workload.movable);
        workload.current = place.map(|place| Location { gpu: new_index[&place.gpu], ..place });
    }
    let mut waiting: BTreeMap<RequestIndex, u32> = BTreeMap::new();
    for workload in cluster.workloads.iter().filter(|workload| workload.current.is_none()) {
        *waiting.entry(workload.request).or_default() += 1;
    }
    let mut taken: BTreeSet<String> = cluster.gpus.iter().map(|gpu| gpu.name.clone()).collect();
    for &board in boards {
        let about = &load.boards[board.index()];
        let needed = waiting.iter().filter_map(|(request, &count)| {
            let profile = load.requests[request.index()].on_board[board.index()]?;
            Some(count.div_ceil(about.profile(profile).maximum.max(1)))
        });
        // A program has at least one GPU.
        let enough = needed.sum::<u32>().max(1) as usize;
        let names = (1..).map(|number| format!("{} {number}", about.name()));
        let names: Vec<String> = names.filter(|name| !taken.contains(name)).take(enough).collect();
        taken.extend(names.iter().cloned());
        cluster.gpus.extend(names.into_iter().map(|name| Gpu {
            name,
            host: None,
            board,
            maintenance: Maintenance::InService,
        }));
    }
    cluster
}

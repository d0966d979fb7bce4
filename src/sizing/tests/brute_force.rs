//! The fewest GPUs against a search through all ways to fill them.

use crate::{Addition, Case, cases};
use cluster::{BoardIndex, Cluster, GpuIndex};
use ground::Amount;
use kit::{SolveOptions, Status};
use mig::{GpuInstance, layouts};
use models::Instance;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::{Control, Effort};
use solvers::solvers;
use std::collections::{BTreeMap, BTreeSet};

/// What a choice of GPUs costs, and how many workloads of each request it carries.
type Filling = (i128, Vec<u32>);

/// How many instances of a layout each request of the cluster can have.
fn carried(cluster: &Cluster, board: BoardIndex, layout: &[GpuInstance]) -> Vec<u32> {
    let of = |request: &cluster::Request| {
        let wanted = request.on_board[board.index()];
        layout.iter().filter(|instance| Some(instance.profile) == wanted).count() as u32
    };
    cluster.requests.iter().map(of).collect()
}

/// All fillings of a GPU of a board on which some instances are already.
fn fillings(cluster: &Cluster, board: BoardIndex, cost: i128, held: &[GpuInstance]) -> BTreeSet<Filling> {
    let about = &cluster.boards[board.index()];
    let profiles: Vec<_> = about.profile_indices().collect();
    let all = layouts(about, &profiles);
    let possible = all.iter().filter(|layout| held.iter().all(|instance| layout.contains(instance)));
    possible.map(|layout| (cost, carried(cluster, board, layout))).collect()
}

/// The least cost of GPUs that carry what is left, by trying every filling of every board; None if nothing does.
fn least(
    fillings: &BTreeSet<Filling>,
    left: &[u32],
    known: &mut BTreeMap<Vec<u32>, Option<i128>>,
) -> Option<i128> {
    if left.iter().all(|&count| count == 0) {
        return Some(0);
    }
    if let Some(known) = known.get(left) {
        return *known;
    }
    let mut best: Option<i128> = None;
    for (cost, filling) in fillings {
        let rest = after(left, filling);
        if rest != left
            && let Some(more) = least(fillings, &rest, known)
        {
            best = Some(best.map_or(cost + more, |best| best.min(cost + more)));
        }
    }
    known.insert(left.to_vec(), best);
    best
}

fn after(left: &[u32], taken: &[u32]) -> Vec<u32> {
    left.iter().zip(taken).map(|(left, taken)| left.saturating_sub(*taken)).collect()
}

/// The least cost for a case, where GPUs with pinned workloads are in use whatever happens.
fn truth(case: &Case, boards: &[BoardIndex], costs: &[i128]) -> Option<i128> {
    let cluster = &case.instance.cluster;
    let mut left = vec![0; cluster.requests.len()];
    for workload in &cluster.workloads {
        left[workload.request.index()] += 1;
    }
    let mut held: BTreeMap<GpuIndex, Vec<GpuInstance>> = BTreeMap::new();
    for workload in cluster.workload_indices() {
        if let Some(location) = cluster.workloads[workload.index()].current {
            held.entry(location.gpu).or_default().push(cluster.instance_at(workload, location).unwrap());
        }
    }
    // What is left after every way to fill the GPUs that are in use.
    let mut cost = 0;
    let mut states = BTreeSet::from([left]);
    for (gpu, instances) in held {
        let board = cluster.gpus[gpu.index()].board;
        cost += costs[board.index()];
        let ways = fillings(cluster, board, 0, &instances);
        states =
            states.iter().flat_map(|left| ways.iter().map(|(_, filling)| after(left, filling))).collect();
    }
    let empty: BTreeSet<Filling> =
        boards.iter().flat_map(|&board| fillings(cluster, board, costs[board.index()], &[])).collect();
    let mut known = BTreeMap::new();
    let best = states.iter().filter_map(|left| least(&empty, left, &mut known)).min();
    best.map(|more| cost + more)
}

/// A load on two boards: some that run, of which some are pinned, and some that wait.
fn load(random: &mut ChaCha8Rng) -> Instance {
    let mut workloads = String::new();
    for (board, gpu, profiles) in [
        ("A100-40GB", "a", &["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb"][..]),
        ("A30", "b", &["1g.6gb", "2g.12gb"]),
    ] {
        for profile in profiles {
            let count = random.random_range(0..=3);
            if count > 0 {
                workloads += &format!("  - {{name: w{profile}, profile: {profile}, replicas: {count}}}\n");
            }
        }
        if random.random_bool(0.5) {
            let (profile, start) = if board == "A30" { ("1g.6gb", 1) } else { ("2g.10gb", 2) };
            let movable = random.random_bool(0.3);
            workloads += &format!(
                "  - {{name: r{gpu}, profile: {profile}, movable: {movable}, current: {{gpu: {gpu}, start: {start}}}}}\n"
            );
        }
    }
    workloads += "  - {name: one, profile: 1g.5gb}\n";
    let gpus = "gpus:\n  - {name: a, board: A100-40GB}\n  - {name: b, board: A30}\n";
    Instance::from_yaml(&format!("name: load\n{gpus}workloads:\n{workloads}")).unwrap()
}

#[test]
fn the_cheapest_gpus_are_those_of_a_search_through_all_fillings() {
    let mut random = ChaCha8Rng::seed_from_u64(19);
    let (mut met, mut possible) = (0, 0);
    for draw in 0..24 {
        let instance = load(&mut random);
        let (of_a, of_b) = (random.random_range(1..=5), random.random_range(1..=3));
        let costs =
            [("a100-40gb", of_a), ("A30", of_b)].map(|(board, cost)| (board.to_owned(), Amount::whole(cost)));
        let more = random.random_range(1..=3);
        let added = Addition { profile: "2g.10gb".to_owned(), count: more };
        let (load, cases) = cases(&instance, &[added], &costs).unwrap();
        assert_eq!(load.added, more as usize);
        assert_eq!(cases.len(), 3);
        let [a, b] = [0, 1].map(BoardIndex::at);
        let questions = [(vec![a], vec![1, 1]), (vec![b], vec![1, 1]), (vec![a, b], vec![of_a, of_b])];
        for (case, (boards, costs)) in cases.iter().zip(questions) {
            let truth = truth(case, &boards, &costs).map(Amount::whole);
            for &solver in solvers() {
                let options = SolveOptions::new(Effort::exact(solver));
                let question = case.instance.question().unwrap();
                let answer = case.sizing(&question.solve(&options, &Control::silent()).unwrap());
                let place = format!("draw {draw}, boards {:?}, {}", case.boards, solver.name());
                assert_eq!(answer.cost, truth, "{place}");
                assert_eq!(answer.status == Status::Infeasible, truth.is_none(), "{place}");
                let Some(truth) = truth else { continue };
                assert_eq!(answer.bound, Some(truth), "{place}");
                assert!(answer.counted() <= truth, "{place}: {:?}", answer.counting);
                possible += 1;
                met += u32::from(answer.counted() == truth);
                let of_board = |at: BoardIndex| {
                    let name = instance.cluster.boards[at.index()].name();
                    let counts = answer.gpus.iter().filter(|count| count.board == name);
                    counts.map(|count| count.count as i128).sum::<i128>() * costs[at.index()]
                };
                assert_eq!(Amount::whole(of_board(a) + of_board(b)), truth, "{place}");
            }
        }
    }
    assert!(met * 10 >= possible * 8, "counting says all in {met} of {possible}");
}

#[test]
fn no_layout_of_any_board_weighs_more_than_it_can_carry() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for _ in 0..20 {
        let instance = load(&mut random);
        let costs = [("A100-40GB".to_owned(), Amount::whole(5)), ("A30".to_owned(), Amount::whole(2))];
        let (_, cases) = cases(&instance, &[], &costs).unwrap();
        let cluster = &cases[2].instance.cluster;
        for counting in crate::Counting::of(cluster, &costs.map(|(_, cost)| cost)) {
            check_counting(cluster, &counting);
        }
    }
}

fn check_counting(cluster: &Cluster, counting: &crate::Counting) {
    let weight = |request: &cluster::Request| -> u64 {
        let of = counting.weights.iter().find(|of| of.profile == request.names.join("|"));
        of.map_or(0, |of| of.weight)
    };
    let load: u64 = cluster.workloads.iter().map(|one| weight(&cluster.requests[one.request.index()])).sum();
    assert_eq!(load, counting.load);
    for board in &counting.capacities {
        let index = cluster.boards.iter().position(|known| known.name() == board.board).unwrap();
        for (_, filling) in fillings(cluster, BoardIndex::at(index), 1, &[]) {
            let weights = cluster.requests.iter().zip(filling);
            let weighs: u64 = weights.map(|(request, count)| weight(request) * u64::from(count)).sum();
            assert!(weighs <= board.capacity, "{weighs} on {board:?}");
        }
    }
}

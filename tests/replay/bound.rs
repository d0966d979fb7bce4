//! The offline bounds against brute force on random small traces.

use cluster::{
    BoardIndex, Cluster, Gpu, GpuIndex, Host, HostIndex, HostResources, Location, Maintenance, MemoryUnit,
    Placement, RequestIndex, Workload, WorkloadIndex, check,
};
use ground::Amount;
use itertools::Itertools;
use mig::Board;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use replay::bound::{Timeline, bound, bound_by_blocks, needed};
use replay::{Moment, Trace, Visit};
use solver::{Control, Effort, Settings};
use solvers::solvers;
use std::sync::Arc;
use std::time::Duration;
use support::board;

/// How a random trace is made.
#[derive(Clone, Copy)]
struct Recipe {
    boards: &'static [&'static str],
    gpus: usize,
    hosts: usize,
    limits: bool,
    departures: bool,
    virtual_machines: usize,
}

fn trace(recipe: Recipe, seed: u64) -> Trace {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let boards: Vec<Arc<Board>> = recipe.boards.iter().map(|name| board(name)).collect();
    let profiles = ["1g", "2g", "3g", "4g", "7g"];
    let requests = profiles.iter().map(|profile| {
        let on_board = boards.iter().map(|board| {
            let of_board = |name: &str| name.split('.').next() == Some(profile) && !name.contains('+');
            board.profile_indices().find(|&index| of_board(&board.profile(index).name))
        });
        cluster::Request { names: vec![(*profile).to_owned()], on_board: on_board.collect() }
    });
    let requests = requests.collect();
    let host = |number: usize, random: &mut ChaCha8Rng| Host {
        name: format!("host-{number}"),
        cpu: recipe.limits.then(|| Amount::whole(random.random_range(4..9))),
        memory: recipe.limits.then(|| Amount::whole(random.random_range(40..90))),
        weight: None,
        max_disrupted: None,
    };
    let hosts = (0..recipe.hosts).map(|number| host(number, &mut random)).collect();
    let gpus = (0..recipe.gpus).map(|number| Gpu {
        name: format!("gpu-{number}"),
        host: Some(HostIndex::at(number % recipe.hosts)),
        board: BoardIndex::at(number % boards.len()),
        maintenance: Maintenance::InService,
    });
    let mut arrivals: Vec<u64> = (0..recipe.virtual_machines).map(|_| random.random_range(0..12)).collect();
    arrivals.sort_unstable();
    let workload = |number: usize, random: &mut ChaCha8Rng| Workload {
        cpu: Amount::whole(random.random_range(0..5)),
        memory: Amount::whole(random.random_range(0..40)),
        ..Workload::newcomer(format!("vm-{number}"), RequestIndex(random.random_range(0..5)))
    };
    let workloads = (0..arrivals.len()).map(|number| workload(number, &mut random)).collect();
    let visit = |arrival: u64| Visit {
        arrival: Moment(arrival),
        departure: (recipe.departures && random.random_range(0..8) > 0)
            .then(|| Moment(arrival + random.random_range(0..7))),
    };
    let visits = arrivals.into_iter().map(visit).collect();
    let cluster = Cluster {
        name: format!("random {seed}"),
        memory_unit: MemoryUnit::Mebibyte,
        hosts,
        gpus: gpus.sorted_by_key(|gpu| gpu.host).collect(),
        boards,
        requests,
        workloads,
        ..Cluster::default()
    };
    Trace { cluster, visits }
}

/// Who is there when somebody arrives, by the words of the definition: those that have arrived, save for those whose departure is
/// not after it; the newcomer itself is there.
fn there_at(trace: &Trace, time: usize) -> Vec<usize> {
    let now = trace.visits[time].arrival;
    let stays = |&other: &usize| {
        other == time || trace.visits[other].departure.is_none_or(|departure| departure > now)
    };
    (0..=time).filter(stays).collect()
}

fn places(cluster: &Cluster, position: usize) -> Vec<Location> {
    let request = cluster.workloads[position].request;
    let on_gpu = |gpu: GpuIndex| {
        let profile = cluster.requests[request.index()].on_board[cluster.gpus[gpu.index()].board.index()];
        let starts = profile.map(|profile| cluster.board_of(gpu).profile(profile).starts.clone());
        starts.into_iter().flatten().map(move |start| Location { gpu, start })
    };
    cluster.gpu_indices().flat_map(on_gpu).collect()
}

fn is_legal(trace: &Trace, there: &[usize], placement: &Placement) -> bool {
    let mut snapshot = Placement::new(vec![None; trace.visits.len()]);
    for &position in there {
        let workload = WorkloadIndex::at(position);
        snapshot.set(workload, placement.of(workload));
    }
    check(&trace.cluster, &snapshot, HostResources::Checked).is_empty()
}

/// The most that can be accepted without migrations, by trying everything.
fn most_without_migrations(
    trace: &Trace,
    position: usize,
    accepted: usize,
    placement: &mut Placement,
    best: &mut usize,
) {
    let left = trace.visits.len() - position;
    if accepted + left <= *best {
        return;
    }
    if left == 0 {
        *best = accepted;
        return;
    }
    let workload = WorkloadIndex::at(position);
    for place in places(&trace.cluster, position) {
        placement.set(workload, Some(place));
        if is_legal(trace, &there_at(trace, position), placement) {
            most_without_migrations(trace, position + 1, accepted + 1, placement, best);
        }
    }
    placement.set(workload, None);
    most_without_migrations(trace, position + 1, accepted, placement, best);
}

fn fit_together(trace: &Trace, members: &[usize], placement: &mut Placement, placed: usize) -> bool {
    let Some(&next) = members.get(placed) else { return true };
    let found = places(&trace.cluster, next).into_iter().any(|place| {
        placement.set(WorkloadIndex::at(next), Some(place));
        is_legal(trace, &members[..=placed], placement) && fit_together(trace, members, placement, placed + 1)
    });
    if !found {
        placement.set(WorkloadIndex::at(next), None);
    }
    found
}

/// Who fits on the fleet alone.
fn usable(trace: &Trace) -> Vec<bool> {
    let mut placement = Placement::new(vec![None; trace.visits.len()]);
    (0..trace.visits.len()).map(|position| fit_together(trace, &[position], &mut placement, 0)).collect()
}

/// The most that can be accepted with migrations at any time.
fn most_with_migrations(trace: &Trace) -> usize {
    let all = trace.visits.len();
    let accepted = |set: usize| (0..all).filter(move |position| set >> position & 1 == 1);
    let is_possible = |set: &usize| {
        (0..all).all(|time| {
            let there: Vec<usize> =
                there_at(trace, time).into_iter().filter(|position| set >> position & 1 == 1).collect();
            fit_together(trace, &there, &mut Placement::new(vec![None; all]), 0)
        })
    };
    let sizes = (0..1_usize << all).sorted_by_key(|&set| std::cmp::Reverse(accepted(set).count()));
    let best = sizes.into_iter().find(is_possible).expect("the empty set is possible");
    accepted(best).count()
}

fn options(solver: usize) -> Effort {
    Effort::exact(solvers()[solver % solvers().len()])
}

const ONE_BOARD: Recipe = Recipe {
    boards: &["A100-40GB"],
    gpus: 2,
    hosts: 1,
    limits: false,
    departures: true,
    virtual_machines: 8,
};

#[test]
fn the_bound_of_one_board_is_the_optimum_with_migrations() {
    for seed in 0..40 {
        let boards: &[&str] = [&["A100-40GB"], &["A30"], &["H100-80GB"]][seed as usize % 3];
        let trace = trace(Recipe { boards, gpus: 1 + seed as usize % 2, ..ONE_BOARD }, seed);
        let found = bound(&trace, &options(seed as usize), &Control::silent()).unwrap();
        assert_eq!(found.free_migration.accepted, most_with_migrations(&trace), "seed {seed}");
    }
}

#[test]
fn bounds_hold_and_schedules_are_what_they_say() {
    let mut met = 0;
    for seed in 0..60 {
        let kinds: [&[&str]; 2] = [&["A100-40GB"], &["A100-40GB", "A30"]];
        let recipe = Recipe {
            boards: kinds[seed as usize % 2],
            gpus: 2,
            hosts: 1 + seed as usize % 2,
            limits: seed % 3 > 0,
            departures: true,
            virtual_machines: 7,
        };
        let trace = trace(recipe, 1000 + seed);
        let found = bound(&trace, &options(seed as usize), &Control::silent()).unwrap();
        let (mut most, nobody) = (0, vec![None; trace.visits.len()]);
        most_without_migrations(&trace, 0, 0, &mut Placement::new(nobody), &mut most);
        assert!(found.free_migration.accepted >= most_with_migrations(&trace), "seed {seed}");
        assert!(found.no_migration.accepted >= most, "seed {seed}");
        // On so few GPUs and virtual machines a part is the whole, so that the schedule is the optimum.
        assert_eq!(found.schedule.accepted(), most, "seed {seed}");
        met += usize::from(most == found.no_migration.accepted);
        for time in 0..trace.visits.len() {
            assert!(is_legal(&trace, &there_at(&trace, time), &found.schedule.placement), "seed {seed}");
        }
    }
    assert!(met >= 50, "the bound is the optimum in {met} of 60 cases only");
}

#[test]
fn blocks_of_time_bound_what_is_accepted_with_migrations() {
    let (mut bounds, mut met) = (0, 0);
    for seed in 0..90 {
        let recipe = Recipe {
            boards: [&["A100-40GB"][..], &["A30"], &["A100-40GB", "A30"]][seed as usize % 3],
            gpus: 1 + seed as usize / 3 % 2,
            hosts: 1,
            limits: seed % 4 > 0,
            departures: true,
            virtual_machines: 10,
        };
        let trace = trace(recipe, 4000 + seed);
        let optimum = most_with_migrations(&trace);
        let members = usable(&trace);
        let on_threads = |threads: u32, size: usize, joins: usize| {
            let settings = Settings { threads, ..Settings::default() };
            let effort = Effort { settings, ..Effort::exact(solvers()[0]) };
            bound_by_blocks(&trace, &members, size, joins, &effort, &Control::silent()).unwrap()
        };
        let by_blocks = |size, joins| on_threads(1, size, joins);
        for (size, joins) in [(2, 0), (2, 1), (3, 0), (5, 0)] {
            let Some(found) = by_blocks(size, joins) else {
                assert!(members.iter().filter(|member| **member).count() <= size, "seed {seed}, size {size}");
                continue;
            };
            assert!(found >= optimum, "seed {seed}, size {size}: {found} < {optimum}");
            bounds += 1;
            met += usize::from(found == optimum);
        }
        assert!(by_blocks(trace.visits.len(), 0).is_none());
        assert!(by_blocks(2, 1) <= by_blocks(2, 0), "seed {seed}");
        assert_eq!(on_threads(2, 2, 1), by_blocks(2, 1), "seed {seed}");
    }
    assert!(20 * met >= 19 * bounds, "{met} of {bounds} bounds are the optimum");
}

#[test]
fn schedules_by_the_plan_of_the_linear_program_are_legal_and_may_be_the_best() {
    let mut by_plan = 0;
    for seed in 0..5 {
        let recipe = Recipe {
            boards: &["A100-40GB", "A30"],
            gpus: 4,
            hosts: 2 + seed as usize / 2 % 3,
            limits: seed % 3 > 0,
            departures: true,
            virtual_machines: 44,
        };
        let mut trace = trace(recipe, 5000 + seed);
        for (position, visit) in trace.visits.iter_mut().enumerate() {
            let arrival = visit.arrival.0 * 5 + position as u64 % 5;
            let stay = visit.departure.map(|at| 3 * (at.0 - visit.arrival.0));
            *visit = Visit { arrival: Moment(arrival), departure: stay.map(|stay| Moment(arrival + stay)) };
        }
        trace.visits.sort_by_key(|visit| visit.arrival);
        let found = bound(&trace, &Effort::exact(solvers()[0]), &Control::silent()).unwrap();
        assert!(found.schedule.accepted() <= found.no_migration.accepted, "seed {seed}");
        for time in 0..trace.visits.len() {
            assert!(is_legal(&trace, &there_at(&trace, time), &found.schedule.placement), "seed {seed}");
        }
        by_plan += usize::from(found.schedule.found_by.contains("by the plan"));
    }
    assert!(by_plan > 0);
}

/// A trace without some of its virtual machines.
fn only(trace: &Trace, kept: &[bool]) -> Trace {
    let mut fewer = trace.clone();
    let mut keep = kept.iter();
    fewer.visits.retain(|_| *keep.next().unwrap());
    let mut keep = kept.iter();
    fewer.cluster.workloads.retain(|_| *keep.next().unwrap());
    fewer
}

#[test]
fn the_best_schedules_find_all_they_accept_among_those_needed() {
    let (mut left_out, mut all) = (0, 0);
    for seed in 0..60 {
        let recipe = Recipe {
            boards: [&["A100-40GB"][..], &["A30"], &["A100-40GB", "A30"]][seed as usize % 3],
            gpus: 1 + seed as usize % 2,
            hosts: 1,
            limits: seed % 4 > 0,
            departures: true,
            virtual_machines: 8,
        };
        let mut trace = trace(recipe, 3000 + seed);
        // Half of the traces have long stays only.
        if seed % 2 == 0 {
            let longer = |visit: &mut Visit| visit.departure = visit.departure.map(|at| Moment(at.0 + 10));
            trace.visits.iter_mut().for_each(longer);
        }
        let usable = usable(&trace);
        let kept = needed(&trace.cluster, &Timeline::of(&trace), &usable);
        assert!(kept.iter().zip(&usable).all(|(kept, usable)| *usable || !kept), "seed {seed}");
        let fewer = only(&trace, &kept);
        let without = |trace: &Trace| {
            let mut most = 0;
            let mut placement = Placement::new(vec![None; trace.visits.len()]);
            most_without_migrations(trace, 0, 0, &mut placement, &mut most);
            most
        };
        assert_eq!(without(&fewer), without(&trace), "seed {seed}");
        assert_eq!(most_with_migrations(&fewer), most_with_migrations(&trace), "seed {seed}");
        all += usable.iter().filter(|usable| **usable).count();
        left_out += usable.iter().zip(&kept).filter(|(usable, kept)| **usable && !**kept).count();
    }
    assert!(7 * left_out > all, "{left_out} of {all} are left out");
}

#[test]
fn those_that_stay_on_a_gpu_lower_the_bound_without_migration() {
    // Until 5 a whole-GPU instance is beside two of 1g, which then share a GPU; from 6 on one 1g should be beside 4g and 2g on each.
    let visits =
        [(4, 0, 30), (4, 1, 5), (0, 2, 30), (0, 3, 30), (3, 6, 30), (1, 7, 30), (3, 8, 30), (1, 9, 30)];
    let mut trace = trace(Recipe { virtual_machines: visits.len(), ..ONE_BOARD }, 0);
    for (position, (request, arrival, departure)) in visits.into_iter().enumerate() {
        trace.cluster.workloads[position].request = RequestIndex(request);
        trace.visits[position] = Visit { arrival: Moment(arrival), departure: Some(Moment(departure)) };
    }
    let (mut most, nobody) = (0, vec![None; trace.visits.len()]);
    most_without_migrations(&trace, 0, 0, &mut Placement::new(nobody), &mut most);
    assert_eq!((most, most_with_migrations(&trace)), (6, 7));
    for solver in 0..solvers().len() {
        let found = bound(&trace, &options(solver), &Control::silent()).unwrap();
        assert_eq!((found.free_migration.accepted, found.no_migration.accepted), (7, 6));
        assert_eq!(found.schedule.accepted(), 6);
    }
}

#[test]
fn what_each_host_can_hold_lowers_the_bound() {
    // Both hosts together have memory for five of 30 GiB, each of them for two.
    let visits = std::iter::once((0, 5)).chain((6..13).map(|arrival| (arrival, 30)));
    let recipe = Recipe { gpus: 2, hosts: 2, limits: true, virtual_machines: 8, ..ONE_BOARD };
    let mut trace = trace(recipe, 0);
    for host in &mut trace.cluster.hosts {
        (host.cpu, host.memory) = (None, Some(Amount::whole(80)));
    }
    for (position, (arrival, departure)) in visits.enumerate() {
        let workload = &mut trace.cluster.workloads[position];
        let memory = if position == 0 { 10 } else { 30 };
        (workload.request, workload.memory) = (RequestIndex(0), Amount::whole(memory));
        trace.visits[position] = Visit { arrival: Moment(arrival), departure: Some(Moment(departure)) };
    }
    assert_eq!(most_with_migrations(&trace), 5);
    for solver in 0..solvers().len() {
        let found = bound(&trace, &options(solver), &Control::silent()).unwrap();
        assert_eq!(found.free_migration.accepted, 5);
    }
}

#[test]
fn bounds_of_several_hosts_are_mostly_optima_with_migrations() {
    let mut met = 0;
    for seed in 0..60 {
        let boards: &[&str] = [&["A100-40GB"][..], &["A100-40GB", "A30"]][seed as usize % 2];
        let recipe =
            Recipe { boards, gpus: 4, hosts: 2, limits: true, departures: true, virtual_machines: 9 };
        let trace = trace(recipe, 7000 + seed);
        let optimum = most_with_migrations(&trace);
        let found = bound(&trace, &options(seed as usize), &Control::silent()).unwrap();
        assert!(found.free_migration.accepted >= optimum, "seed {seed}");
        met += usize::from(found.free_migration.accepted == optimum);
    }
    assert!(met >= 50, "{met} of 60 bounds only are the optimum");
}

#[test]
fn annealing_finds_best_schedules() {
    for (seed, optimum) in [(8000, 29), (8008, 34)] {
        let recipe = Recipe { gpus: 4, hosts: 2, limits: true, virtual_machines: 60, ..ONE_BOARD };
        let found = bound(&trace(recipe, seed), &Effort::exact(solvers()[0]), &Control::silent()).unwrap();
        assert_eq!((found.no_migration.accepted, found.schedule.accepted()), (optimum, optimum));
        assert!(found.schedule.found_by.ends_with(", then annealing"), "{}", found.schedule.found_by);
    }
}

#[test]
fn a_schedule_is_annealed_until_time_is_up() {
    let recipe = Recipe { gpus: 4, hosts: 2, limits: true, virtual_machines: 60, ..ONE_BOARD };
    let effort = Effort::exact(solvers()[0]).within(Some(Duration::from_secs(1)));
    let trace = trace(recipe, 8003);
    let found = bound(&trace, &effort, &Control::silent()).unwrap();
    assert!(found.stopped && found.schedule.accepted() < found.no_migration.accepted);
    for time in 0..trace.visits.len() {
        assert!(is_legal(&trace, &there_at(&trace, time), &found.schedule.placement));
    }
}

#[test]
fn where_nobody_leaves_bound_schedule_and_optimum_are_the_same() {
    let mut equal = 0;
    for seed in 0..60 {
        let recipe = Recipe {
            boards: [&["A100-40GB"][..], &["A100-40GB", "A30"]][seed as usize % 2],
            gpus: 2,
            hosts: 1 + seed as usize / 2 % 2,
            limits: seed % 3 > 0,
            departures: false,
            virtual_machines: 8,
        };
        let trace = trace(recipe, 2000 + seed);
        let found = bound(&trace, &options(seed as usize), &Control::silent()).unwrap();
        let (mut most, nobody) = (0, vec![None; trace.visits.len()]);
        most_without_migrations(&trace, 0, 0, &mut Placement::new(nobody), &mut most);
        assert!(found.no_migration.accepted >= most && most >= found.schedule.accepted(), "seed {seed}");
        assert_eq!(found.no_migration, {
            let accepted = found.free_migration.accepted;
            replay::BoundValue { accepted, ..found.no_migration.clone() }
        });
        equal += usize::from(found.no_migration.accepted == found.schedule.accepted());
    }
    assert!(equal >= 55, "bound and schedule meet in {equal} of 60 cases only");
}

#[test]
fn time_is_counted_in_arrivals() {
    let visits = [(0, Some(5)), (3, Some(3)), (3, None), (5, Some(9)), (9, Some(9)), (9, Some(12))];
    let mut trace = trace(Recipe { virtual_machines: visits.len(), ..ONE_BOARD }, 0);
    for (visit, (arrival, departure)) in trace.visits.iter_mut().zip(visits) {
        *visit = Visit { arrival: Moment(arrival), departure: departure.map(Moment) };
    }
    let timeline = Timeline::of(&trace);
    let ends: Vec<usize> = (0..6).map(|position| timeline.end(position)).collect();
    assert_eq!(ends, [3, 2, 6, 4, 5, 6]);
    for time in 0..6 {
        let there: Vec<usize> = (0..6).filter(|&position| timeline.is_there(position, time)).collect();
        let by_words: Vec<usize> = there_at(&trace, time);
        assert_eq!(there, by_words, "time {time}");
    }
    assert_eq!(timeline.peaks(), [1, 2, 3, 4, 5]);
    let mut seen = Vec::new();
    timeline.sweep(&[1, 4], |time, there| seen.push((time, there.to_vec())));
    assert_eq!(seen, [(1, vec![0, 1]), (4, vec![2, 4])]);
}

#[test]
fn peaks_among_some_are_those_of_a_trace_without_the_others() {
    for seed in 0..40 {
        let trace = trace(Recipe { virtual_machines: 14, ..ONE_BOARD }, seed);
        let timeline = Timeline::of(&trace);
        let members: Vec<usize> = (0..14).filter(|position| (seed >> (position % 6)) & 1 == 1).collect();
        let mut alone = trace.clone();
        alone.visits = members.iter().map(|&position| trace.visits[position]).collect();
        let peaks: Vec<usize> = Timeline::of(&alone).peaks().into_iter().map(|peak| members[peak]).collect();
        assert_eq!(timeline.peaks_among(&members), peaks, "seed {seed}");
    }
}

//! The policy `optimal` of replays against all placements of small fleets, decision by decision.

use cluster::{
    BoardIndex, Cluster, Gpu, GpuIndex, Host, HostIndex, HostResources, Location, Maintenance, MemoryUnit,
    Placement, Request, RequestIndex, Workload, WorkloadIndex, check,
};
use fleet::{Fleet, Guest, Supply, admit};
use ground::Amount;
use mig::{ArrangePriority, Counts, FillTable, GpuInstance, SlotMask, arrange, patterns};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use replay::{Moment, Operator, Optimal, OptimalOptions, Proof, ReplayError, Trace, Visit};
use siavashi::{BestFit, FirstFit, Grmu, MaxCapability, MaxExpectedCapability, Online};
use solver::{Control, Effort, Solver};
use solvers::solvers;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use support::board;

const PROFILES: [&str; 6] = ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"];

/// What the A30-24GB has in place of these profiles.
const SMALL_PROFILES: [Option<&str>; 6] =
    [Some("1g.6gb"), None, Some("2g.12gb"), None, Some("4g.24gb"), None];

/// The trace with small boards in every other host.
fn with_small_boards(mut trace: Trace) -> Trace {
    let small = board("A30-24GB");
    let cluster = &mut trace.cluster;
    for (request, name) in cluster.requests.iter_mut().zip(SMALL_PROFILES) {
        let profile = name.map(|name| small.find_profile(name).expect("the board has it"));
        request.on_board.push(profile);
    }
    for gpu in &mut cluster.gpus {
        if gpu.host.is_some_and(|host| host.0 % 2 == 1) {
            gpu.board = BoardIndex(1);
        }
    }
    cluster.boards.push(small);
    trace
}

/// A host: number of GPUs, cores and memory.
type HostOf = (usize, Option<i128>, Option<i128>);

/// A virtual machine: number of the profile, cores, memory, second of its arrival and of its departure.
type VmOf = (usize, i128, i128, u64, u64);

fn trace(hosts: &[HostOf], vms: &[VmOf]) -> Trace {
    let board = board("A100-40GB");
    let request = |name: &&str| Request {
        names: vec![(*name).to_owned()],
        on_board: vec![Some(board.find_profile(name).expect("the board has it"))],
    };
    let mut gpus = Vec::new();
    for (host, (count, ..)) in hosts.iter().enumerate() {
        for number in 0..*count {
            let (name, host) = (format!("host-{host}/{number}"), Some(HostIndex::at(host)));
            gpus.push(Gpu { name, host, board: BoardIndex(0), maintenance: Maintenance::InService });
        }
    }
    let host = |(number, &(_, cpu, memory)): (usize, &HostOf)| Host {
        name: format!("host-{number}"),
        cpu: cpu.map(Amount::whole),
        memory: memory.map(Amount::whole),
        weight: None,
        max_disrupted: None,
    };
    let workload = |(number, &(profile, cpu, memory, ..)): (usize, &VmOf)| Workload {
        cpu: Amount::whole(cpu),
        memory: Amount::whole(memory),
        ..Workload::newcomer(format!("vm-{number}"), RequestIndex::at(profile))
    };
    let seconds = |second: u64| Moment(second * Moment::SECOND);
    let visit = |&(.., arrival, departure): &VmOf| Visit {
        arrival: seconds(arrival),
        departure: Some(seconds(departure)),
    };
    let cluster = Cluster {
        name: "trace".to_owned(),
        memory_unit: MemoryUnit::Mebibyte,
        hosts: hosts.iter().enumerate().map(host).collect(),
        gpus,
        boards: vec![board.clone()],
        requests: PROFILES.iter().map(request).collect(),
        workloads: vms.iter().enumerate().map(workload).collect(),
        ..Cluster::default()
    };
    Trace { cluster, visits: vms.iter().map(visit).collect() }
}

fn empty_fleet(trace: &Trace) -> Fleet<'_> {
    let supplies = trace.cluster.hosts.iter().map(|host| Supply { cpu: host.cpu, memory: host.memory });
    Fleet::new(&trace.cluster.boards, &trace.cluster.gpus, supplies.collect())
}

fn guests(trace: &Trace) -> impl Iterator<Item = Guest> + use<> {
    (0..trace.visits.len() as u32).map(Guest)
}

fn placement(trace: &Trace, fleet: &Fleet<'_>) -> Placement {
    Placement::new(guests(trace).map(|guest| fleet.location(guest)).collect())
}

/// What happened at a moment at which virtual machines arrived.
struct Step {
    before: Placement,
    arrivals: Vec<Guest>,
    after: Placement,
    proof: Proof,
}

impl Step {
    fn residents(&self, trace: &Trace) -> Vec<WorkloadIndex> {
        trace.cluster.workload_indices().filter(|&workload| self.before.of(workload).is_some()).collect()
    }

    fn accepted(&self) -> usize {
        self.arrivals.iter().filter(|guest| self.after.of(WorkloadIndex(guest.0)).is_some()).count()
    }
}

/// Replays a trace, departures before arrivals, and checks what holds for every decision.
fn replay<'t>(trace: &'t Trace, optimal: &mut Optimal<'t>) -> Vec<Step> {
    let mut fleet = empty_fleet(trace);
    let mut by_moment: BTreeMap<Moment, Vec<Guest>> = BTreeMap::new();
    for (guest, visit) in guests(trace).zip(&trace.visits) {
        by_moment.entry(visit.arrival).or_default().push(guest);
    }
    let mut steps = Vec::new();
    for (now, arrivals) in by_moment {
        for (guest, visit) in guests(trace).zip(&trace.visits) {
            if visit.departure.is_some_and(|departure| departure <= now) && fleet.location(guest).is_some() {
                fleet.remove(guest);
            }
        }
        let before = placement(trace, &fleet);
        let decision = optimal.arrive(&mut fleet, &arrivals, now).expect("nothing interrupts it");
        let after = placement(trace, &fleet);
        assert_eq!(check(&trace.cluster, &after, HostResources::Checked), []);
        let mut moved = Vec::new();
        for (workload, guest) in trace.cluster.workload_indices().zip(guests(trace)) {
            match (before.of(workload), after.of(workload)) {
                (Some(from), Some(to)) if from != to => moved.push((guest, from, to)),
                (Some(_), None) => panic!("{guest:?} lost its place"),
                (None, Some(_)) => assert!(arrivals.contains(&guest), "{guest:?} did not arrive"),
                _ => {}
            }
        }
        let reported: Vec<(Guest, Location, Location)> =
            decision.moves.iter().map(|change| (change.guest, change.from, change.to)).collect();
        assert_eq!(reported, moved);
        // A host's supply is what its guests leave.
        let full = fleet_of(trace, &after);
        for gpu in fleet.gpu_indices() {
            for guest in guests(trace) {
                let request = trace.request(guest);
                assert_eq!(fleet.fit(gpu, request), full.fit(gpu, request));
            }
        }
        let proof = decision.proof.expect("every decision says what it proves");
        assert!(proof.gap.is_none() || !proof.proved);
        steps.push(Step { before, arrivals, after, proof });
    }
    steps
}

fn fleet_of<'t>(trace: &'t Trace, placement: &Placement) -> Fleet<'t> {
    let mut fleet = empty_fleet(trace);
    for guest in guests(trace) {
        if let Some(location) = placement.of(WorkloadIndex(guest.0)) {
            fleet.place(guest, trace.request(guest), location);
        }
    }
    fleet
}

/// How the goals are combined, with the worth of (accepted, hardware, migrations); more is better.
type Objective = (Option<&'static str>, fn([i64; 3]) -> Vec<i64>);

const OBJECTIVES: [Objective; 6] = [
    (None, |[accepted, hardware, migrations]| vec![accepted, -hardware, -migrations]),
    (Some("lexicographic:hardware,acceptance,migrations"), |[accepted, hardware, migrations]| {
        vec![-hardware, accepted, -migrations]
    }),
    (Some("lexicographic:acceptance,migrations,hardware"), |[accepted, hardware, migrations]| {
        vec![accepted, -migrations, -hardware]
    }),
    (Some("lexicographic:acceptance,hardware"), |[accepted, hardware, _]| vec![accepted, -hardware]),
    (Some("weighted"), |[accepted, hardware, migrations]| vec![accepted, -hardware, -migrations]),
    (Some("weighted:acceptance=3,hardware=1,migrations=1"), |[accepted, hardware, migrations]| {
        vec![3 * accepted - hardware - migrations]
    }),
];

/// All ways to put the virtual machines of a step on GPUs; starts follow.
struct Enumeration<'t> {
    trace: &'t Trace,
    /// What each board holds.
    fills: Vec<FillTable>,
    before: &'t Placement,
    residents: Vec<WorkloadIndex>,
    arrivals: Vec<WorkloadIndex>,
    worth: fn([i64; 3]) -> Vec<i64>,
    /// The worth of the best, with the least number of changes of starts alone, negative.
    best: Option<(Vec<i64>, i64)>,
}

impl<'t> Enumeration<'t> {
    fn of(trace: &'t Trace, step: &'t Step, worth: fn([i64; 3]) -> Vec<i64>) -> (Vec<i64>, i64) {
        let mut enumeration = Enumeration {
            trace,
            fills: trace.cluster.boards.iter().map(|board| patterns(board)).collect(),
            before: &step.before,
            residents: step.residents(trace),
            arrivals: step.arrivals.iter().map(|guest| WorkloadIndex(guest.0)).collect(),
            worth,
            best: None,
        };
        enumeration.extend(&mut Vec::new());
        enumeration.best.expect("everybody may stay")
    }

    fn extend(&mut self, chosen: &mut Vec<Option<GpuIndex>>) {
        let all = self.residents.len() + self.arrivals.len();
        if chosen.len() == all {
            return self.judge(chosen);
        }
        let mut choices: Vec<Option<GpuIndex>> = self.trace.cluster.gpu_indices().map(Some).collect();
        if chosen.len() >= self.residents.len() {
            choices.push(None);
        }
        for choice in choices {
            chosen.push(choice);
            self.extend(chosen);
            chosen.pop();
        }
    }

    fn judge(&mut self, chosen: &[Option<GpuIndex>]) {
        let cluster = &self.trace.cluster;
        let workloads: Vec<WorkloadIndex> = self.residents.iter().chain(&self.arrivals).copied().collect();
        let pairs = || workloads.iter().zip(chosen).filter_map(|(&workload, gpu)| Some((workload, (*gpu)?)));
        let profile = |workload: WorkloadIndex, board: BoardIndex| {
            let request = cluster.workloads[workload.index()].request;
            cluster.requests[request.index()].on_board[board.index()]
        };
        let mut hardware = 0;
        let mut kept = 0;
        for gpu in cluster.gpu_indices() {
            let number = cluster.gpus[gpu.index()].board;
            let board = &cluster.boards[number.index()];
            let mut counts = Counts::zero(board.profiles().len());
            let mut preferred = Vec::new();
            for (workload, _) in pairs().filter(|(_, other)| *other == gpu) {
                let Some(profile) = profile(workload, number) else { return };
                counts = counts.add_one(profile);
                if let Some(before) = self.before.of(workload).filter(|before| before.gpu == gpu) {
                    preferred.push(GpuInstance { profile, start: before.start });
                }
            }
            if !self.fills[number.index()].allows(&counts) {
                return;
            }
            hardware += i64::from(!counts.is_zero());
            let layout = arrange(board, SlotMask::EMPTY, &counts, &preferred, ArrangePriority::KeepFirst)
                .expect("it fits");
            kept += layout.iter().filter(|instance| preferred.contains(instance)).count() as i64;
        }
        for (index, host) in cluster.hosts.iter().enumerate() {
            let on_host = || {
                let here = |gpu: GpuIndex| cluster.gpus[gpu.index()].host == Some(HostIndex::at(index));
                pairs()
                    .filter(move |&(_, gpu)| here(gpu))
                    .map(|(workload, _)| &cluster.workloads[workload.index()])
            };
            let cpu: Amount = on_host().map(|workload| workload.cpu).sum();
            let memory: Amount = on_host().map(|workload| workload.memory).sum();
            if host.cpu.is_some_and(|most| cpu > most) || host.memory.is_some_and(|most| memory > most) {
                return;
            }
            hardware += i64::from(on_host().count() > 0);
        }
        let (mut migrations, mut on_their_gpu) = (0, 0);
        for (workload, gpu) in pairs() {
            let Some(before) = self.before.of(workload) else { continue };
            let host = |gpu: GpuIndex| cluster.gpus[gpu.index()].host;
            migrations += match (gpu == before.gpu, host(gpu) == host(before.gpu)) {
                (true, _) => 0,
                (false, true) => 2,
                (false, false) => 4,
            };
            on_their_gpu += i64::from(gpu == before.gpu);
        }
        let accepted = pairs().count() as i64;
        let candidate = ((self.worth)([accepted, hardware, migrations]), kept - on_their_gpu);
        if self.best.as_ref().is_none_or(|best| candidate > *best) {
            self.best = Some(candidate);
        }
    }
}

/// What a step is worth: (accepted, hardware, migrations), and the changes of starts alone, negative.
fn score(trace: &Trace, step: &Step) -> ([i64; 3], i64) {
    let cluster = &trace.cluster;
    let on_gpu = step.after.by_gpu(cluster);
    let gpus = on_gpu.iter().filter(|workloads| !workloads.is_empty()).count();
    let hosts = (0..cluster.hosts.len()).filter(|&host| {
        let here = |gpu: &GpuIndex| cluster.gpus[gpu.index()].host == Some(HostIndex::at(host));
        cluster.gpu_indices().filter(here).any(|gpu| !on_gpu[gpu.index()].is_empty())
    });
    let host_of = |location: Location| cluster.gpus[location.gpu.index()].host;
    let (mut migrations, mut shifts) = (0, 0);
    for workload in step.residents(trace) {
        let (before, after) = (step.before.of(workload).unwrap(), step.after.of(workload).unwrap());
        match before.gpu == after.gpu {
            true => shifts -= i64::from(before.start != after.start),
            false => migrations += if host_of(before) == host_of(after) { 2 } else { 4 },
        }
    }
    let accepted = cluster.workload_indices().filter(|&workload| step.after.of(workload).is_some()).count();
    ([accepted as i64, (gpus + hosts.count()) as i64, migrations], shifts)
}

const FLEETS: [&[HostOf]; 6] = [
    &[(1, None, None), (1, None, None)],
    &[(2, Some(8), Some(8))],
    &[(1, Some(6), None), (1, Some(6), None), (1, Some(6), None)],
    &[(2, Some(8), Some(12)), (1, Some(5), Some(12))],
    &[(1, Some(4), Some(9)), (2, None, Some(9))],
    &[(3, Some(9), None)],
];

/// Fleets of which some hosts can take whatever others can.
const UNEQUAL: [&[HostOf]; 3] = [
    &[(1, Some(4), Some(6)), (2, Some(8), Some(12)), (1, Some(8), Some(6))],
    &[(1, None, Some(6)), (1, Some(9), None), (1, Some(9), Some(6)), (1, None, None)],
    &[(1, Some(3), Some(4)), (1, Some(3), Some(4)), (2, Some(6), Some(8))],
];

/// A trace with at most five virtual machines at a time, on the fleet that the seed chooses.
fn random_trace(seed: u64) -> Trace {
    random_trace_on(FLEETS[seed as usize % FLEETS.len()], seed)
}

/// A trace with at most five virtual machines at a time.
fn random_trace_on(hosts: &[HostOf], seed: u64) -> Trace {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut vms: Vec<VmOf> = Vec::new();
    let mut now = 0;
    while vms.len() < 24 {
        now += random.random_range(1..4);
        for _ in 0..random.random_range(1..=2) {
            let there = vms.iter().filter(|vm| vm.4 > now).count();
            if there < 5 {
                // Large ones are rare, so that much has to be packed.
                let profile = [0, 0, 1, 2, 2, 3, 3, 3, 4, 5][random.random_range(0..10)];
                let (cpu, memory) = (random.random_range(0..4), random.random_range(0..5));
                vms.push((profile, cpu, memory, now, now + random.random_range(0..12)));
            }
        }
    }
    trace(hosts, &vms)
}

fn options(solver: &'static dyn Solver) -> OptimalOptions {
    OptimalOptions::new(Effort::exact(solver))
}

#[test]
fn it_moves_what_runs_where_every_heuristic_rejects() {
    // Two by two they fill two GPUs; when one of each pair has left, a whole GPU is only free after a move.
    let whole = trace(
        &[(1, None, None), (1, None, None)],
        &[(3, 1, 1, 0, 5), (3, 1, 1, 0, 90), (3, 1, 1, 0, 5), (3, 1, 1, 0, 90), (5, 1, 1, 10, 90)],
    );
    // As many cores are free as are asked for, but on two hosts.
    let cores = trace(
        &[(1, Some(4), None), (1, Some(4), None)],
        &[(0, 2, 0, 0, 90), (0, 2, 0, 0, 5), (0, 2, 0, 0, 90), (0, 2, 0, 0, 5), (0, 4, 0, 10, 90)],
    );
    // Enough slots are free on the only GPU, wherever they are.
    let starts = trace(
        &[(1, None, None)],
        &[
            (0, 0, 0, 0, 90),
            (0, 0, 0, 0, 5),
            (0, 0, 0, 0, 5),
            (0, 0, 0, 0, 90),
            (0, 0, 0, 0, 90),
            (4, 0, 0, 10, 90),
        ],
    );
    let policies: [&dyn Online; 5] =
        [&FirstFit, &BestFit, &MaxCapability, &MaxExpectedCapability::ALL_REQUESTS, &Grmu::PRINTED];
    for (trace, moves) in [(&whole, 1), (&cores, 1), (&starts, 0)] {
        let mut optimal = Optimal::new(trace, options(solvers()[0]), &Control::silent()).unwrap();
        let steps = replay(trace, &mut optimal);
        let last = steps.last().unwrap();
        assert_eq!(last.accepted(), 1);
        assert!(last.proof.proved);
        let ([_, _, migrations], _) = score(trace, last);
        assert_eq!(migrations, 4 * moves);
        assert!(!last.proof.program, "few moves are found by trying");
        if moves == 0 {
            continue;
        }
        for policy in policies {
            let mut fleet = fleet_of(trace, &last.before);
            let guest = last.arrivals[0];
            let mut policy = policy.begin(&fleet);
            assert_eq!(admit(policy.as_mut(), &mut fleet, guest, trace.request(guest), 0), None);
        }
    }
}

#[test]
fn every_decision_is_the_best_of_all_with_and_without_a_program() {
    for &solver in solvers() {
        let (mut by_bounds, mut decisions, mut moves) = (0, 0, 0);
        for seed in 0..12 {
            for (number, (objective, worth)) in OBJECTIVES.into_iter().enumerate() {
                // All objectives for some traces, the default one for all.
                if number > 0 && seed % 6 != number as u64 {
                    continue;
                }
                let trace = random_trace(seed);
                for shortcuts in [true, false] {
                    let options = OptimalOptions {
                        objective: objective.map(str::to_owned),
                        shortcuts,
                        ..options(solver)
                    };
                    let mut optimal = Optimal::new(&trace, options, &Control::silent()).unwrap();
                    for step in replay(&trace, &mut optimal) {
                        let (goals, shifts) = score(&trace, &step);
                        let (best, fewest) = Enumeration::of(&trace, &step, worth);
                        assert_eq!(worth(goals), best, "seed {seed}, {objective:?}, shortcuts {shortcuts}");
                        assert!(step.proof.proved);
                        if number == 0 {
                            assert_eq!(shifts, fewest, "seed {seed}, shortcuts {shortcuts}");
                        }
                        decisions += 1;
                        moves += usize::from(goals[2] > 0);
                        assert!(shortcuts || step.proof.program);
                        by_bounds += usize::from(!step.proof.program);
                    }
                }
            }
        }
        assert!(5 * by_bounds > decisions, "{by_bounds} of {decisions}");
        assert!(moves > 0, "{moves}");
    }
}

#[test]
fn every_decision_is_the_best_of_all_on_unequal_hosts_and_on_several_boards() {
    let (mut by_bounds, mut on_small) = (0, 0);
    for seed in 0..12 {
        let trace = random_trace_on(UNEQUAL[seed as usize % UNEQUAL.len()], 100 + seed);
        let trace = if seed < 6 { trace } else { with_small_boards(trace) };
        let (objective, worth) = OBJECTIVES[[0, 0, 0, 1, 2, 3][seed as usize % 6]];
        for shortcuts in [true, false] {
            let objective = objective.map(str::to_owned);
            let options = OptimalOptions { objective, shortcuts, ..options(solvers()[0]) };
            let mut optimal = Optimal::new(&trace, options, &Control::silent()).unwrap();
            for step in replay(&trace, &mut optimal) {
                let (goals, _) = score(&trace, &step);
                let (best, _) = Enumeration::of(&trace, &step, worth);
                assert_eq!(worth(goals), best, "seed {seed}, shortcuts {shortcuts}");
                assert!(step.proof.proved);
                let small = |place: Location| trace.cluster.gpus[place.gpu.index()].board == BoardIndex(1);
                let places = trace.cluster.workload_indices().filter_map(|one| step.after.of(one));
                on_small += places.filter(|place| small(*place)).count();
                by_bounds += usize::from(seed >= 6 && !step.proof.program);
            }
        }
    }
    assert!(by_bounds > 0 && on_small > 0, "{by_bounds}, {on_small}");
}

#[test]
fn what_machines_hold_decides_a_rejection_without_a_program() {
    // Eight cores are free, and seven are asked for, but on no host more than four, wherever the two that run are.
    let trace = trace(&[(3, Some(10), None); 2], &[(3, 6, 0, 0, 90), (3, 6, 0, 0, 90), (3, 7, 0, 1, 90)]);
    let mut optimal = Optimal::new(&trace, options(solvers()[0]), &Control::silent()).unwrap();
    let steps = replay(&trace, &mut optimal);
    let accepted: Vec<usize> = steps.iter().map(Step::accepted).collect();
    assert_eq!(accepted, [2, 0]);
    assert!(steps.iter().all(|step| !step.proof.program));
}

#[test]
fn without_time_it_is_as_good_as_the_heuristic() {
    let mut unproved = 0;
    for seed in 0..12 {
        let trace = random_trace(seed);
        for shortcuts in [true, false] {
            let options = OptimalOptions {
                effort: Effort::exact(solvers()[0]).within(Some(Duration::ZERO)),
                warm_start: (seed % 2 == 0).then(|| "ff".to_owned()),
                shortcuts,
                ..options(solvers()[0])
            };
            let mut optimal = Optimal::new(&trace, options, &Control::silent()).unwrap();
            for step in replay(&trace, &mut optimal) {
                let mut fleet = fleet_of(&trace, &step.before);
                let mut policy = FirstFit.begin(&fleet);
                let fits = |guest: &&Guest| {
                    admit(policy.as_mut(), &mut fleet, **guest, trace.request(**guest), 0).is_some()
                };
                let accepted = step.arrivals.iter().filter(fits).count();
                assert!(step.accepted() >= accepted);
                assert!(shortcuts || !step.proof.proved);
                unproved += usize::from(!step.proof.proved);
            }
        }
    }
    assert!(unproved > 0);
}

#[test]
fn those_that_may_not_be_moved_stay() {
    let vms = [(3, 1, 1, 0, 5), (3, 1, 1, 0, 90), (3, 1, 1, 0, 5), (3, 1, 1, 0, 90), (5, 1, 1, 10, 90)];
    let mut trace = trace(&[(1, None, None), (1, None, None)], &vms);
    for workload in &mut trace.cluster.workloads {
        workload.movable = false;
    }
    let mut optimal = Optimal::new(&trace, options(solvers()[0]), &Control::silent()).unwrap();
    let steps = replay(&trace, &mut optimal);
    assert_eq!(steps.last().unwrap().accepted(), 0);
    assert!(steps.iter().all(|step| step.proof.proved));
}

#[test]
fn of_many_hosts_that_are_alike_only_the_first_are_asked() {
    // Twenty hosts of two classes; the second class alone has the memory for the second machine.
    let hosts: Vec<HostOf> =
        (0..20).map(|number| (1, Some(8), Some(if number < 10 { 4 } else { 8 }))).collect();
    let trace = trace(&hosts, &[(5, 1, 4, 0, 90), (5, 1, 8, 1, 90), (5, 1, 4, 1, 90)]);
    for shortcuts in [true, false] {
        let options = OptimalOptions { shortcuts, ..options(solvers()[0]) };
        let mut optimal = Optimal::new(&trace, options, &Control::silent()).unwrap();
        let last = replay(&trace, &mut optimal).pop().unwrap();
        let gpu = |guest: u32| last.after.of(WorkloadIndex(guest)).map(|location| location.gpu.0);
        assert!(gpu(0) < Some(10) && gpu(2) < Some(10) && gpu(1) >= Some(10), "{:?}", last.after);
    }
}

#[test]
fn it_ends_when_it_is_interrupted_and_refuses_what_it_does_not_know() {
    let trace = trace(&[(1, None, None)], &[(0, 0, 0, 0, 1)]);
    let control = Control::new(Arc::new(AtomicBool::new(true)), None);
    let mut optimal = Optimal::new(&trace, options(solvers()[0]), &control).unwrap();
    let mut fleet = empty_fleet(&trace);
    let ended = optimal.arrive(&mut fleet, &[Guest(0)], Moment(0));
    assert!(matches!(ended, Err(ReplayError::Interrupted)), "{ended:?}");
    let refused = |objective: Option<&str>, warm_start: Option<&str>| {
        let options = OptimalOptions {
            objective: objective.map(str::to_owned),
            warm_start: warm_start.map(str::to_owned),
            ..options(solvers()[0])
        };
        Optimal::new(&trace, options, &Control::silent()).err().unwrap_or_default()
    };
    assert!(refused(Some("lexicographic:acceptence"), None).contains("acceptance"));
    assert!(refused(None, Some("fff")).contains("did you mean \"ff\"?"));
    let weights = "weighted:acceptance=1000000,hardware=0.000001,migrations=1000000";
    let refusal = refused(Some(weights), None);
    assert!(refusal.contains("objective"), "{refusal}");
}

//! The replay engine against a naive replay that looks at everything anew, and against operators that break rules.

use crate::fleet::{add_host, add_machine, empty, run};
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Guest, Move, admit};
use ground::Amount;
use itertools::Itertools;
use mig::{
    GpuInstance, ProfileIndex, SliceStart, SlotMask, capability, default_start, distinct_profiles,
    free_starts,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use replay::{
    Decision, Journalled, Moment, OnlineOperator, Operator, Proof, Reading, ReplayError, Trace, Until, replay,
};
use siavashi::policy_named;
use std::cmp::Reverse;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::Path;

const SECOND: u64 = Moment::SECOND;

/// A small fleet, of several boards where the seed says so, and virtual machines that often come and go at the same moments.
fn random_trace(seed: u64) -> Trace {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let boards: &[&str] = match seed % 3 {
        0 => &["A100-40GB"],
        1 => &["A100-80GB", "A30-24GB"],
        _ => &["A30-24GB", "A100-40GB", "RTX PRO 6000 Blackwell 96GB"],
    };
    let profiles: &[&[&str]] = &[
        &["1g.5gb", "1g.10gb", "1g.6gb", "1g.24gb"],
        &["2g.10gb", "2g.20gb", "2g.12gb"],
        &["3g.20gb", "3g.40gb"],
        &["7g.40gb", "7g.80gb", "4g.24gb", "4g.96gb"],
        &["1g.5gb+me", "1g.10gb+me", "1g.6gb+me"],
    ];
    let mut trace = empty(boards, profiles);
    for _ in 0..random.random_range(1..5) {
        let gpus = random.random_range(1..4);
        let limits = random.random_bool(0.7).then(|| (6000 * gpus as i128, 40_000 * gpus as i128));
        add_host(&mut trace, limits, gpus, random.random_range(0..boards.len()));
    }
    let mut from = random.random_range(0..20_000) * SECOND;
    for _ in 0..150 {
        from += [0, 0, 300, 900, 1800][random.random_range(0..5)] * SECOND;
        let lifetime = [0, 1, 900, 3600, 7200, 30_000][random.random_range(0..6)] * SECOND;
        let (cpu, memory) = (random.random_range(0..4) * 1000, random.random_range(0..4) * 7000);
        let to = random.random_bool(0.95).then_some(from + lifetime);
        add_machine(&mut trace, random.random_range(0..profiles.len()), cpu, memory, from, to);
    }
    trace
}

/// What the naive replay keeps: where everybody is.
struct Naive<'t> {
    trace: &'t Trace,
    places: Vec<Option<Location>>,
}

impl Naive<'_> {
    fn profile(&self, machine: usize, gpu: GpuIndex) -> Option<ProfileIndex> {
        let cluster = &self.trace.cluster;
        cluster.requests[cluster.workloads[machine].request.index()].on_board
            [cluster.gpus[gpu.index()].board.index()]
    }

    fn on(&self, chosen: impl Fn(GpuIndex) -> bool) -> Vec<(usize, Location)> {
        let placed = self.places.iter().enumerate().filter_map(|(machine, place)| Some((machine, (*place)?)));
        placed.filter(|(_, place)| chosen(place.gpu)).collect()
    }

    fn occupied(&self, gpu: GpuIndex) -> SlotMask {
        let instances = self.on(|other| other == gpu).into_iter();
        let instances = instances.map(|(machine, place)| GpuInstance {
            profile: self.profile(machine, gpu).unwrap(),
            start: place.start,
        });
        self.trace.cluster.board_of(gpu).used_slots(&instances.collect_vec())
    }

    /// The start on a GPU, and the slots that are then occupied.
    fn fit(&self, machine: usize, gpu: GpuIndex) -> Option<(SliceStart, SlotMask)> {
        let cluster = &self.trace.cluster;
        let board = cluster.board_of(gpu);
        let profile = self.profile(machine, gpu)?;
        let occupied = self.occupied(gpu);
        let start = default_start(board, occupied, profile, &distinct_profiles(board))?;
        let guests = self.on(|other| other == gpu);
        let mut profiles = guests.iter().map(|&(guest, _)| self.profile(guest, gpu).unwrap()).collect_vec();
        profiles.push(profile);
        let exceeds = |limit: &mig::Limit| {
            profiles.iter().map(|profile| limit.usage[profile.index()]).sum::<u32>() > limit.capacity
        };
        if board.limits().iter().any(exceeds) {
            return None;
        }
        let host = cluster.gpus[gpu.index()].host;
        let mut together = self
            .on(|other| cluster.gpus[other.index()].host == host)
            .into_iter()
            .map(|(guest, _)| guest)
            .collect_vec();
        together.push(machine);
        let host = &cluster.hosts[host.unwrap().index()];
        let cpu: Amount = together.iter().map(|&guest| cluster.workloads[guest].cpu).sum();
        let memory: Amount = together.iter().map(|&guest| cluster.workloads[guest].memory).sum();
        if host.cpu.is_some_and(|most| cpu > most) || host.memory.is_some_and(|most| memory > most) {
            return None;
        }
        Some((start, occupied.union(board.footprint(GpuInstance { profile, start }))))
    }

    /// The first place of least score, as the policy has it.
    fn choose(&self, policy: &str, machine: usize) -> Option<Location> {
        let cluster = &self.trace.cluster;
        let arrival = self.trace.visits[machine].arrival.0;
        let seen: Vec<usize> = match policy {
            "mecc:look-back=all" => (0..=machine).collect(),
            "mecc:look-back=5" => (machine.saturating_sub(5)..=machine).collect(),
            _ => (0..=machine)
                .filter(|&other| self.trace.visits[other].arrival.0 + 7200 * SECOND >= arrival)
                .collect(),
        };
        let mut best: Option<(Reverse<i64>, Location)> = None;
        for gpu in cluster.gpu_indices() {
            let Some((start, occupied)) = self.fit(machine, gpu) else { continue };
            let board = cluster.board_of(gpu);
            let free = board.free_slots(occupied);
            let value = match policy {
                "ff" => 0,
                "bf" => -i64::from(free.count()),
                "mcc" => i64::from(capability(board, free, &distinct_profiles(board))),
                _ => {
                    let asked = seen.iter().filter_map(|&other| self.profile(other, gpu));
                    asked.map(|profile| i64::from(free_starts(board, free, profile))).sum()
                }
            };
            if best.is_none_or(|(most, _)| Reverse(value) < most) {
                best = Some((Reverse(value), Location { gpu, start }));
            }
        }
        best.map(|(_, place)| place)
    }
}

/// First places, and for every interval resident, GPUs in use, hosts in use and free starts.
type Course = (Vec<Option<Location>>, Vec<(usize, usize, usize, u64)>);

/// Replays without an event queue: second by second of interest, everybody who must leave leaves, then the next arrives.
fn naive(trace: &Trace, policy: &str, interval: u64, until: Until) -> Course {
    let mut state = Naive { trace, places: vec![None; trace.visits.len()] };
    let mut first = state.places.clone();
    let mut series = Vec::new();
    let mut next = 0;
    let mut ends = trace.visits[0].arrival.0 / interval * interval;
    loop {
        ends += interval;
        while next < trace.visits.len() && trace.visits[next].arrival.0 < ends {
            let arrival = trace.visits[next].arrival;
            for (other, visit) in trace.visits.iter().enumerate() {
                if visit.departure.is_some_and(|departure| departure <= arrival) {
                    state.places[other] = None;
                }
            }
            first[next] = state.choose(policy, next);
            state.places[next] = first[next];
            next += 1;
        }
        for (other, visit) in trace.visits.iter().enumerate() {
            if visit.departure.is_some_and(|departure| departure.0 < ends) {
                state.places[other] = None;
            }
        }
        let cluster = &trace.cluster;
        let placed = state.on(|_| true);
        let free = |gpu: GpuIndex| {
            let board = cluster.board_of(gpu);
            u64::from(capability(board, board.free_slots(state.occupied(gpu)), &distinct_profiles(board)))
        };
        series.push((
            placed.len(),
            placed.iter().map(|(_, place)| place.gpu).unique().count(),
            placed.iter().map(|(_, place)| cluster.gpus[place.gpu.index()].host).unique().count(),
            cluster.gpu_indices().map(free).sum(),
        ));
        let waits = |(machine, _): &(usize, Location)| trace.visits[*machine].departure.is_some();
        let tail = until == Until::LastDeparture && placed.iter().any(waits);
        if next == trace.visits.len() && !tail {
            return (first, series);
        }
    }
}

#[test]
fn replays_are_those_of_a_naive_scan() {
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..24 {
        let trace = random_trace(seed);
        let (interval, until) =
            [(3600, Until::LastArrival), (900, Until::LastDeparture)][(seed / 3 % 2) as usize];
        let reading = Reading { interval, until, ..Reading::default() };
        for policy in ["ff", "bf", "mcc", "mecc:look-back=2h", "mecc:look-back=5", "mecc:look-back=all"] {
            let found = run(&trace, &reading, policy, 1);
            let (places, series) = naive(&trace, policy, interval * SECOND, until);
            assert_eq!(found.first_places(&trace), places, "{policy} on {seed}");
            let line = |hour: &replay::Hour| {
                (hour.resident, hour.active_gpus, hour.active_hosts, hour.free_capability)
            };
            assert_eq!(found.hours.iter().map(line).collect_vec(), series, "{policy} on {seed}");
            let document = &found.document;
            accepted += document.accepted;
            rejected += document.arrived - document.accepted;
            assert_eq!(document.arrived, trace.visits.len());
            assert_eq!(found.hours.iter().map(|hour| hour.departed).sum::<usize>(), document.departed);
        }
    }
    assert!(accepted > 5000 && rejected > 2000, "{accepted} accepted, {rejected} rejected");
}

fn one_gpu() -> Trace {
    let mut trace = empty(&["A100-40GB"], &[&["7g.40gb"], &["1g.5gb"]]);
    add_host(&mut trace, None, 1, 0);
    trace
}

/// Departures come before arrivals of the same moment, and one that leaves at once makes room for the next.
#[test]
fn order_of_events_at_one_moment() {
    let mut trace = one_gpu();
    for (from, to) in [(10, 20), (20, 20), (20, 20), (20, 3600), (3600, 7200)] {
        add_machine(&mut trace, 0, 0, 0, from * SECOND, Some(to * SECOND));
    }
    let found = run(&trace, &Reading::default(), "ff", 1);
    assert_eq!((found.document.accepted, found.document.departed), (5, 4));
    let lines = found.hours.iter().map(|hour| (hour.begins, hour.arrived, hour.departed, hour.resident));
    assert_eq!(lines.collect_vec(), [(0, 4, 3, 1), (3600, 1, 1, 1)]);
    let whole = run(&trace, &Reading { until: Until::LastDeparture, ..Reading::default() }, "ff", 1);
    let last = whole.hours.last().unwrap();
    assert_eq!((last.begins, last.departed, last.resident, whole.hours.len()), (7200, 1, 0, 3));
}

/// Writes down what arrives together, and may break rules.
struct Recorder<'t> {
    trace: &'t Trace,
    batches: Vec<Vec<u32>>,
    misdeed: &'static str,
}

impl<'t> Operator<'t> for Recorder<'t> {
    fn arrive(
        &mut self,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<Decision, ReplayError> {
        self.batches.push(arrivals.iter().map(|guest| guest.0).collect());
        let policy = policy_named("ff").unwrap();
        let mut policy = policy.begin(fleet);
        for &guest in arrivals {
            admit(policy.as_mut(), fleet, guest, self.trace.request(guest), moment.0);
        }
        let first = Guest(0);
        let mut moves = Vec::new();
        if arrivals[0].0 == 2 {
            let from = fleet.location(first).expect("it is there");
            let to = Location { start: SliceStart(0), ..from };
            let mut starts = fleet
                .guests(from.gpu)
                .iter()
                .map(|&guest| fleet.location(guest).unwrap().start)
                .collect_vec();
            match self.misdeed {
                "evicts" => drop(fleet.remove(first)),
                "moves in silence" => {
                    starts[0] = SliceStart(0);
                    fleet.rearrange(from.gpu, &starts);
                }
                "tells a move that is none" => moves.push(Move { guest: first, from, to }),
                "tells a move from elsewhere" => moves.push(Move { guest: first, from: to, to: from }),
                "overlaps" => {
                    starts[0] = starts[1];
                    moves.extend(fleet.rearrange(from.gpu, &starts));
                }
                "places somebody else" => fleet.place(Guest(77), self.trace.request(first), to),
                _ => {}
            }
        }
        Ok(Decision { moves, proof: None })
    }
}

#[test]
fn arrivals_of_one_moment_are_decided_together() {
    let mut trace = one_gpu();
    for (from, to) in [(10, 20), (10, 10), (10, 20), (10, 20), (11, 20), (20, 30), (20, 40)] {
        add_machine(&mut trace, 1, 0, 0, from * SECOND, Some(to * SECOND));
    }
    let mut operator = Recorder { trace: &trace, batches: Vec::new(), misdeed: "none" };
    let mut heard = Vec::new();
    let mut observer = |arrived: usize| {
        heard.push(arrived);
        ControlFlow::Continue(())
    };
    replay(&trace, &Reading::default(), "x", &mut operator, &mut observer).unwrap();
    assert_eq!(operator.batches, [vec![0, 1], vec![2, 3], vec![4], vec![5, 6]]);
    assert_eq!((heard.is_sorted(), heard.last()), (true, Some(&7)));
}

#[test]
fn broken_rules_are_found() {
    let mut trace = one_gpu();
    for from in [10, 11, 12] {
        add_machine(&mut trace, 1, 0, 0, from * SECOND, Some(9999 * SECOND));
    }
    let misdeeds = [
        ("none", None),
        (
            "evicts",
            Some(
                "for `vm0`: the fleet has exactly the virtual machines that were accepted and have not left",
            ),
        ),
        (
            "moves in silence",
            Some("virtual machines change place only by arrival, departure or a reported move"),
        ),
        ("tells a move that is none", Some("virtual machines change place only by arrival")),
        ("tells a move from elsewhere", Some("a move begins where the virtual machine is")),
        ("overlaps", Some("the hardware does not allow (overlap): `vm0` and `vm1` overlap on h0/0")),
        ("places somebody else", Some("the fleet holds only virtual machines of the trace")),
    ];
    for (misdeed, complaint) in misdeeds {
        let mut operator = Recorder { trace: &trace, batches: Vec::new(), misdeed };
        let done =
            replay(&trace, &Reading::default(), "x", &mut operator, &mut |_| ControlFlow::Continue(()));
        match (done, complaint) {
            (Ok(_), None) => {}
            (Err(ReplayError::Internal(message)), Some(complaint)) => {
                assert!(message.contains(complaint), "{misdeed}: {message}");
            }
            (done, _) => panic!("{misdeed}: {done:?}"),
        }
    }
}

#[test]
fn consolidation_keeps_its_own_interval() {
    let mut trace = empty(&["A100-40GB"], &[&["3g.20gb"], &["1g.5gb"]]);
    (0..4).for_each(|_| add_host(&mut trace, None, 1, 0));
    for from in [0, 1, 3600, 7200, 10_800, 14_400] {
        // The second keeps the first GPU from the third until it has left.
        let (profile, to) = if from == 1 { (0, 100_000) } else { (usize::from(from > 3600), 100_000) };
        add_machine(&mut trace, profile, 0, 0, from * SECOND, Some(to * SECOND));
    }
    let moves = |every| {
        let found = run(&trace, &Reading::default(), "grmu:consolidate=yes", every);
        found.hours.iter().map(|hour| hour.migrations).collect_vec()
    };
    let total = |every| moves(every).iter().sum::<usize>();
    assert_eq!(moves(1).len(), 5);
    assert!(moves(2).iter().step_by(2).all(|&count| count == 0), "{:?}", moves(2));
    assert_eq!(total(6), 0, "{:?}", moves(6));
}

/// First fit that can only be asked so often, and says that it proved something.
struct Slow<'t> {
    inner: OnlineOperator<'t>,
    patience: usize,
}

impl<'t> Operator<'t> for Slow<'t> {
    fn arrive(
        &mut self,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<Decision, ReplayError> {
        self.patience = self.patience.checked_sub(1).ok_or(ReplayError::Interrupted)?;
        let mut decision = self.inner.arrive(fleet, arrivals, moment)?;
        // Whoever has been on the first GPU for longest begins elsewhere there, if another start is free.
        let moved = fleet.guests(GpuIndex(0)).first().copied().filter(|guest| !arrivals.contains(guest));
        if let Some((guest, from)) = moved.and_then(|guest| Some((guest, fleet.location(guest)?))) {
            let request = fleet.request(guest);
            if let Some(to) = fleet.fit(GpuIndex(0), request) {
                fleet.remove(guest);
                fleet.place(guest, request, to);
                decision.moves.push(Move { guest, from, to });
            }
        }
        decision.proof = Some(Proof {
            program: true,
            proved: (moment.0 / SECOND).is_multiple_of(7),
            gap: Some(0.25),
            seconds: 0.5,
        });
        Ok(decision)
    }
}

fn slowly(trace: &Trace, patience: usize, journal: &Path) -> (usize, Result<replay::Replay, ReplayError>) {
    let policy = policy_named("ff").unwrap();
    let inner = OnlineOperator::new(trace, policy, NonZeroU64::MIN);
    let operator = Journalled::new(trace, Box::new(Slow { inner, patience }), journal);
    match operator {
        Err(error) => (0, Err(error)),
        Ok(mut operator) => {
            let ahead = operator.ahead();
            let done =
                replay(trace, &Reading::default(), "slow", &mut operator, &mut |_| ControlFlow::Continue(()));
            (ahead, done)
        }
    }
}

#[test]
fn decisions_survive() {
    let folder = tempfile::tempdir().unwrap();
    let (pieces, whole) = (folder.path().join("pieces.jsonl"), folder.path().join("whole.jsonl"));
    let trace = random_trace(3);
    let (_, expected) = slowly(&trace, usize::MAX, &whole);
    let mut expected = expected.unwrap();
    assert!(expected.document.migrations > 0);
    let planning = expected.document.planning.clone().unwrap();
    assert_eq!((planning.worst_gap, planning.slowest_seconds), (Some(0.25), 0.5));
    assert!(planning.unproved > 0 && planning.unproved < planning.decisions);
    let mut runs = 0;
    let mut found = loop {
        let (ahead, done) = slowly(&trace, 20, &pieces);
        assert_eq!(ahead, 20 * runs);
        match done {
            Ok(done) => break done,
            Err(ReplayError::Interrupted) => runs += 1,
            Err(error) => panic!("{error}"),
        }
        // A process that was killed in the middle of a line.
        let mut text = std::fs::read(&pieces).unwrap();
        text.extend(b"{\"moment\": 1");
        std::fs::write(&pieces, text).unwrap();
    };
    assert!(runs > 3);
    (found.document.seconds, expected.document.seconds) = (0.0, 0.0);
    assert_eq!(found, expected);
    assert_eq!(std::fs::read(&pieces).unwrap(), std::fs::read(&whole).unwrap());
}

#[test]
fn wrong_decisions_in_a_journal_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    let mut trace = one_gpu();
    add_machine(&mut trace, 1, 0, 0, SECOND, None);
    add_machine(&mut trace, 0, 0, 0, 2 * SECOND, None);
    let first = "{\"moment\":1000000,\"arrived\":[0],\"placed\":[[0,[0,6]]],\"moved\":[],\"order\":[0],\"proof\":null}\n";
    let second = |arrived: &str, placed: &str, moved: &str, order: &str| {
        let lists = format!("\"placed\":[{placed}],\"moved\":[{moved}],\"order\":[{order}]");
        format!("{first}{{\"moment\":2000000,\"arrived\":[{arrived}],{lists},\"proof\":null}}\n")
    };
    let wrong = [
        ("{}\n".to_owned(), ":1: this line is not a decision of a replay"),
        (second("0", "", "", ""), ":2: the decision is not about the arrivals"),
        (
            second("1", "[1,[0,0]]", "", "1"),
            ":2: a virtual machine is placed where the hardware does not allow it",
        ),
        (
            second("1", "[1,[9,0]]", "", "1"),
            ":2: a virtual machine is placed where the hardware does not allow it",
        ),
        (second("1", "[5,[0,0]]", "", "5"), ":2: a virtual machine is placed that has not arrived"),
        (second("1", "[1,[0,0]]", "", "0"), ":2: `order` does not name all that are placed or moved"),
        (
            second("1", "", "[0,[0,2],[0,4]]", "0"),
            ":2: a virtual machine is moved from a place where it is not",
        ),
        (
            second("1", "", "[7,[0,2],[0,4]]", "7"),
            ":2: a virtual machine is moved from a place where it is not",
        ),
        (
            second("1", "", "[0,[0,6],[0,7]]", "0"),
            ":2: a virtual machine is placed where the hardware does not allow it",
        ),
    ];
    for (text, complaint) in wrong {
        std::fs::write(&path, &text).unwrap();
        match slowly(&trace, usize::MAX, &path).1 {
            Err(ReplayError::Journal(message)) => assert!(message.contains(complaint), "{message}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    std::fs::write(&path, second("1", "", "[0,[0,6],[0,4]]", "0")).unwrap();
    let found = slowly(&trace, usize::MAX, &path).1.unwrap();
    assert_eq!((found.document.accepted, found.document.migrations), (1, 1));
}

#[test]
fn a_replay_breaks_off_when_told() {
    let trace = random_trace(1);
    let policy = policy_named("ff").unwrap();
    let mut operator = OnlineOperator::new(&trace, policy, NonZeroU64::MIN);
    let mut observer =
        |arrived: usize| if arrived < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let done = replay(&trace, &Reading::default(), "ff", &mut operator, &mut observer);
    assert!(matches!(done, Err(ReplayError::Interrupted)), "{done:?}");
}

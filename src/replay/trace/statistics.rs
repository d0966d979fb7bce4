//! A trace in numbers: hosts, virtual machines, how long they stay, and how well the past predicts them.

use super::super::moment::Moment;
use super::Trace;
use cluster::{BoardIndex, WorkloadIndex};
use ground::Amount;
use num_integer::gcd;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Hours of the windows from which profiles are predicted.
const WINDOWS: [u64; 5] = [1, 12, 24, 48, 96];

/// A trace in numbers, as it is read.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TraceStatistics {
    /// Number of hosts.
    pub hosts: usize,
    /// Number of GPUs.
    pub gpus: usize,
    /// Numbers of GPUs that hosts have, ascending, and how many hosts have so many.
    pub gpus_per_host: Vec<(usize, usize)>,
    /// GPUs by board, in the order of first use.
    pub boards: Vec<(String, usize)>,
    /// Hosts that are alike, the most frequent first.
    pub host_kinds: Vec<HostKind>,
    /// In what main memory is counted.
    pub memory_unit: String,
    /// Number of virtual machines.
    pub virtual_machines: usize,
    /// Virtual machines by profile, in the order of the trace's profiles.
    pub profiles: Vec<(String, usize)>,
    /// Seconds of the first and of the last arrival.
    pub arrivals: (Amount, Amount),
    /// How long virtual machines stay.
    pub lifetimes: Lifetimes,
    /// The most virtual machines that are there at once if all are accepted. Those that leave at a moment do so before others
    /// arrive.
    pub most_at_once: usize,
    /// GPUs' worth of memory slots that all virtual machines take together, each on the first board that serves it.
    pub load_of_all: f64,
    /// The same for those that are there at once, when it is greatest.
    pub peak_load: PeakLoad,
    /// How often the profile of a virtual machine is not the most frequent one of a window before it.
    pub look_back: Vec<LookBack>,
}

/// Hosts that are alike.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HostKind {
    /// Number of such hosts.
    pub hosts: usize,
    /// Cores; `None` without limit.
    pub cpu: Option<Amount>,
    /// Main memory; `None` without limit.
    pub memory: Option<Amount>,
    /// GPUs by board.
    pub gpus: Vec<(String, usize)>,
}

/// How long virtual machines stay.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lifetimes {
    /// Virtual machines that never leave.
    pub never_leave: usize,
    /// Seconds of the middle one of the others, or the mean of the two in the middle; `None` if none leaves.
    pub median_seconds: Option<f64>,
    /// Seconds of the longest; `None` if none leaves.
    pub longest_seconds: Option<f64>,
}

/// When most is wanted at once.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PeakLoad {
    /// GPUs' worth of memory slots.
    pub gpus: f64,
    /// Seconds of the first moment at which it is so much.
    pub at_seconds: Amount,
}

/// How well a window predicts. The prediction is the most frequent profile of the virtual machines that come earlier in the trace
/// and arrived at most that long before; of several, the first of the trace's profiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LookBack {
    /// Hours of the window.
    pub hours: u64,
    /// Virtual machines with another in their window.
    pub predicted: usize,
    /// Of these, those whose profile is another one than predicted.
    pub wrong: usize,
}

impl LookBack {
    /// Wrong predictions in percent; `None` if there is none at all.
    pub fn error_percent(&self) -> Option<f64> {
        (self.predicted > 0).then(|| 100.0 * self.wrong as f64 / self.predicted as f64)
    }
}

impl TraceStatistics {
    /// Counts everything.
    pub fn of(trace: &Trace) -> Self {
        let cluster = &trace.cluster;
        let arrival = |position: usize| trace.visits.get(position).map(|visit| visit.arrival.seconds());
        let last = trace.visits.len().saturating_sub(1);
        let (gpus_per_host, host_kinds) = hosts(trace);
        let names = cluster.requests.iter().map(|request| request.names.join("|"));
        let shares = Shares::of(trace);
        let (most_at_once, peak, at) = peaks(trace, &shares);
        let all: u128 = shares.machines.iter().sum();
        TraceStatistics {
            hosts: cluster.hosts.len(),
            gpus: cluster.gpus.len(),
            gpus_per_host,
            boards: gpus_by_board(trace, cluster.gpus.iter().map(|gpu| gpu.board)),
            host_kinds,
            memory_unit: cluster.memory_unit.to_string(),
            virtual_machines: cluster.workloads.len(),
            profiles: names.zip(trace.machines_by_request()).collect(),
            arrivals: (arrival(0).unwrap_or_default(), arrival(last).unwrap_or_default()),
            lifetimes: lifetimes(trace),
            most_at_once,
            load_of_all: shares.gpus(all),
            peak_load: PeakLoad { gpus: shares.gpus(peak), at_seconds: at.seconds() },
            look_back: WINDOWS.into_iter().map(|hours| look_back(trace, hours)).collect(),
        }
    }
}

/// GPUs by board, in the order of the boards; boards without GPU are left out.
fn gpus_by_board(trace: &Trace, boards: impl Iterator<Item = BoardIndex>) -> Vec<(String, usize)> {
    let mut counts = vec![0; trace.cluster.boards.len()];
    boards.for_each(|board| counts[board.index()] += 1);
    let names = trace.cluster.boards.iter().map(|board| board.name().to_owned());
    names.zip(counts).filter(|(_, count)| *count > 0).collect()
}

/// What hosts that are alike have in common: the boards of their GPUs, cores and main memory.
type Kind = (Vec<BoardIndex>, Option<Amount>, Option<Amount>);

/// Hosts by their number of GPUs, and by everything.
fn hosts(trace: &Trace) -> (Vec<(usize, usize)>, Vec<HostKind>) {
    let cluster = &trace.cluster;
    let mut boards: Vec<Vec<BoardIndex>> = vec![Vec::new(); cluster.hosts.len()];
    for gpu in &cluster.gpus {
        if let Some(host) = gpu.host {
            boards[host.index()].push(gpu.board);
        }
    }
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    for (host, mut boards) in cluster.hosts.iter().zip(boards) {
        *sizes.entry(boards.len()).or_default() += 1;
        boards.sort_unstable();
        *kinds.entry((boards, host.cpu, host.memory)).or_default() += 1;
    }
    let kind = |((boards, cpu, memory), hosts): (Kind, usize)| {
        let gpus = gpus_by_board(trace, boards.into_iter());
        HostKind { hosts, cpu, memory, gpus }
    };
    let mut kinds: Vec<HostKind> = kinds.into_iter().map(kind).collect();
    kinds.sort_by_key(|kind| Reverse(kind.hosts));
    (sizes.into_iter().collect(), kinds)
}

fn lifetimes(trace: &Trace) -> Lifetimes {
    let length = |departure: Moment, arrival: Moment| departure.0 - arrival.0;
    let mut lengths: Vec<u64> = trace
        .visits
        .iter()
        .filter_map(|visit| visit.departure.map(|departure| length(departure, visit.arrival)))
        .collect();
    lengths.sort_unstable();
    let seconds = |position: usize| lengths.get(position).map(|length| Moment(*length).seconds().to_f64());
    let upper = seconds(lengths.len() / 2);
    let lower = seconds(lengths.len().saturating_sub(1) / 2);
    Lifetimes {
        never_leave: trace.visits.len() - lengths.len(),
        median_seconds: lower.zip(upper).map(|(lower, upper)| (lower + upper) / 2.0),
        longest_seconds: lengths.len().checked_sub(1).and_then(seconds),
    }
}

/// What virtual machines take of a GPU, as multiples of a unit that divides all GPUs.
struct Shares {
    /// Units in a GPU.
    whole: u128,
    /// Units that each virtual machine takes; 0 if no board serves it.
    machines: Vec<u128>,
}

impl Shares {
    fn of(trace: &Trace) -> Self {
        let cluster = &trace.cluster;
        let slots = |board: &BoardIndex| u128::from(cluster.boards[board.index()].slots());
        let boards = (0..cluster.boards.len()).map(BoardIndex::at);
        // Boards have at most 64 slots, and the least common multiple of all numbers up to 64 is below 10^28.
        let whole = boards.map(|board| slots(&board)).fold(1, |unit, slots| unit / gcd(unit, slots) * slots);
        let share = |machine: WorkloadIndex| {
            let board = cluster.reference_board(machine)?;
            Some(whole * u128::from(cluster.memory_slices(machine)?) / slots(&board))
        };
        let machines = cluster.workload_indices().map(|machine| share(machine).unwrap_or_default()).collect();
        Shares { whole, machines }
    }

    fn gpus(&self, units: u128) -> f64 {
        units as f64 / self.whole as f64
    }
}

/// The most virtual machines at once, the most units at once and when that is first, if all are accepted.
fn peaks(trace: &Trace, shares: &Shares) -> (usize, u128, Moment) {
    let mut leaving: BinaryHeap<Reverse<(Moment, usize)>> = BinaryHeap::new();
    let (mut there, mut units) = (0, 0);
    let (mut most, mut peak, mut at) = (0, 0, Moment::default());
    for (machine, visit) in trace.visits.iter().enumerate() {
        while let Some(&Reverse((moment, gone))) = leaving.peek()
            && moment <= visit.arrival
        {
            leaving.pop();
            there -= 1;
            units -= shares.machines[gone];
        }
        there += 1;
        units += shares.machines[machine];
        if let Some(departure) = visit.departure {
            leaving.push(Reverse((departure, machine)));
        }
        most = most.max(there);
        if units > peak {
            (peak, at) = (units, visit.arrival);
        }
    }
    (most, peak, at)
}

/// Predicts every virtual machine's profile from those that arrived within so many hours before it.
fn look_back(trace: &Trace, hours: u64) -> LookBack {
    let window = hours * 3600 * Moment::SECOND;
    let machines = &trace.cluster.workloads;
    let mut counts = vec![0usize; trace.cluster.requests.len()];
    let mut oldest = 0;
    let mut result = LookBack { hours, predicted: 0, wrong: 0 };
    for (position, visit) in trace.visits.iter().enumerate() {
        while trace.visits[oldest].arrival.0 < visit.arrival.0.saturating_sub(window) {
            counts[machines[oldest].request.index()] -= 1;
            oldest += 1;
        }
        let own = machines[position].request.index();
        if oldest < position {
            let most = counts.iter().max();
            let mode = counts.iter().position(|count| Some(count) == most);
            result.predicted += 1;
            result.wrong += usize::from(mode != Some(own));
        }
        counts[own] += 1;
    }
    result
}

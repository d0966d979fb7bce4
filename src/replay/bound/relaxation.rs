//! What any policy could accept at most, even with migrations at any time for free.
//!
//! Whatever a policy does, the virtual machines that it has accepted and that run at the same time fit on the fleet together. At each peak of the
//! [`Timeline`] their numbers by profile and type of board therefore obey the facets of what that many boards of the type hold
//! together, and their CPU and main memory what all hosts have together. The greatest number of virtual machines that can be
//! accepted under these rows alone is a bound for every policy.
//!
//! - Peaks at which all fit by these rows have none.
//! - Virtual machines that ask for the same and are there at the same peaks with rows count as one integer column.
//! - A virtual machine that no empty host can take is accepted by no policy.
//! - Where the program is too large for a search in integers, its linear relaxation is the bound, rounded down.

use super::classes::{Class, classes};
use super::easier::{Kinds, Stay};
use super::holding::{self, Holding};
use super::pairs::{Pair, parts};
use super::stays::Stays;
use super::timeline::Timeline;
use crate::asked_for::fills_asked_for;
use cluster::{BoardIndex, Cluster, Demands, RequestIndex, Resource, WorkloadIndex};
use good_lp::{Expression, Variable, constraint, variable};
use itertools::Itertools;
use mig::{Hull, ProfileIndex};
use milp::{Program, ProgramBuilder, Sense};
use std::collections::BTreeMap;
use std::ops::Range;

/// With more coefficients than this in sums written out, the program is not searched in integers: the bounds that such a search
/// passes along the chains of sums are slow to settle.
const MOST_COEFFICIENTS: usize = 1_000_000;

/// What a relaxation is about.
pub struct Scope<'s> {
    /// The fleet.
    pub cluster: &'s Cluster,
    /// What is there when.
    pub timeline: &'s Timeline,
    /// What each virtual machine counts for if it is accepted; those that count for nothing are left out.
    pub worth: &'s [u32],
    /// Only peaks within these times have rows, and the last one before them.
    pub times: Range<usize>,
    /// Whether sums are written out at every peak, which suits a search of few virtual machines, not passed on from peak to peak.
    pub written_out: bool,
    /// Whether all peaks are kept, also those at which all fit by the rules.
    pub every_peak: bool,
    /// What machines hold together, beyond what they have.
    pub holding: Option<&'s Holding>,
    /// Where given, none is accepted before all that are easier and count for no less. Some best choice obeys that: any other accepts an easier
    /// one in the place of a harder one, until none is left.
    pub easier_first: Option<&'s Kinds>,
}

impl<'s> Scope<'s> {
    /// All the time.
    pub fn of(cluster: &'s Cluster, timeline: &'s Timeline, worth: &'s [u32]) -> Self {
        Scope {
            cluster,
            timeline,
            worth,
            times: 0..timeline.arrivals(),
            written_out: false,
            every_peak: false,
            holding: None,
            easier_first: None,
        }
    }

    /// The peak and the rule of each row for what machines hold together, ascending. A rule holds at every time; at the next peak after the time
    /// of its row all are there that are there then.
    fn held_rows(&self, peaks: &[usize]) -> Vec<(usize, usize)> {
        let Some(holding) = self.holding else { return Vec::new() };
        let Some(&first) = peaks.first() else { return Vec::new() };
        let within = holding.rows.range((first, 0)..(self.times.end, 0));
        let at_peak = |&(time, rule): &(usize, usize)| {
            let next = peaks.partition_point(|&peak| peak < time).min(peaks.len() - 1);
            (peaks[next], rule)
        };
        within.map(at_peak).sorted().dedup().collect()
    }

    /// The peaks among those that count, within the times and the last one before.
    fn peaks(&self) -> Vec<usize> {
        let members: Vec<usize> =
            (0..self.worth.len()).filter(|&position| self.worth[position] > 0).collect();
        let mut peaks = self.timeline.peaks_among(&members);
        peaks.truncate(peaks.partition_point(|&peak| peak < self.times.end));
        let before = peaks.partition_point(|&peak| peak < self.times.start);
        peaks.split_off(before.saturating_sub(1))
    }
}

/// The program of the bound, and what its first columns stand for.
pub struct Relaxation {
    /// The program: one stage, what those accepted are worth together.
    pub program: Program,
    /// Whether it is small enough for a search in integers.
    pub searchable: bool,
    /// The virtual machines of each of the first columns.
    pub classes: Vec<Class>,
    /// The peaks that have rows.
    pub peaks: Vec<usize>,
    /// What is measured of virtual machines: for each measure, by class.
    pub measures: Vec<Vec<f64>>,
    /// The sums, if they are passed on from peak to peak.
    chains: Vec<Chain>,
    /// The rows for what machines hold together.
    held: Vec<HeldRow>,
}

/// A sum over those who are there, by the rows that pass it on from peak to peak.
struct Chain {
    /// The number of the first of its rows, of which there is one for each peak.
    first_row: usize,
    /// The peaks.
    at: Vec<usize>,
    /// The number of what is measured.
    measure: usize,
}

impl Chain {
    /// What a unit costs at each of the peaks. The dual value of a row that passes the sum on is the price of a unit there and at all later
    /// peaks.
    fn prices<'c>(&'c self, duals: &'c [f64]) -> impl Iterator<Item = (usize, f64)> + 'c {
        let from = |row: usize| if row < self.at.len() { duals[self.first_row + row] } else { 0.0 };
        self.at.iter().enumerate().map(move |(row, &time)| (time, from(row) - from(row + 1)))
    }
}

/// A row for what machines hold together.
struct HeldRow {
    row: usize,
    /// The number of its peak.
    peak: usize,
    /// The number of what is measured.
    measure: usize,
}

/// What those that are there together may use at most.
pub(super) enum Rule {
    /// A facet of the only type of board, with a coefficient for each request.
    Facet { coefficients: Vec<f64>, capacity: f64 },
    /// CPU or main memory of all hosts.
    Resource(Resource),
}

impl Rule {
    fn name(&self, number: usize) -> String {
        match self {
            Rule::Facet { .. } => format!("facet-{number}"),
            Rule::Resource(resource) => resource.name.to_owned(),
        }
    }

    /// How much there is.
    pub(super) fn capacity(&self) -> f64 {
        match self {
            Rule::Facet { capacity, .. } => *capacity,
            Rule::Resource(resource) => resource.capacity,
        }
    }

    /// What a virtual machine uses.
    pub(super) fn used_by(&self, cluster: &Cluster, position: usize) -> f64 {
        match self {
            Rule::Facet { coefficients, .. } => coefficients[cluster.workloads[position].request.index()],
            Rule::Resource(resource) => resource.of_workload(cluster, WorkloadIndex::at(position)),
        }
    }

    /// Those of some times, which are ascending, at which not all that are needed and there fit. What is used are whole numbers,
    /// of which sums are exact.
    fn exceeded_at(
        &self,
        cluster: &Cluster,
        timeline: &Timeline,
        needed: &[bool],
        times: &[usize],
    ) -> Vec<usize> {
        let mut changes = vec![0.0; timeline.arrivals() + 1];
        for position in (0..timeline.arrivals()).filter(|&position| needed[position]) {
            let used = self.used_by(cluster, position);
            changes[position] += used;
            changes[timeline.end(position)] -= used;
        }
        let mut used = 0.0;
        for change in &mut changes {
            used += *change;
            *change = used;
        }
        times.iter().copied().filter(|&time| changes[time] > self.capacity()).collect()
    }
}

impl Relaxation {
    /// Builds the program for those virtual machines that may be accepted, with rows for those who stay from one peak of
    /// some pairs to the other.
    pub fn new(scope: &Scope<'_>, pairs: Option<(&Stays, &[Pair])>) -> Self {
        let Scope { cluster, timeline, worth, .. } = *scope;
        let rules = rules(cluster);
        let several_boards = cluster.boards.len() > 1;
        let needed: Vec<bool> = worth.iter().map(|&worth| worth > 0).collect();
        let peaks = scope.peaks();
        let exceeded: Vec<Vec<usize>> =
            rules.iter().map(|rule| rule.exceeded_at(cluster, timeline, &needed, &peaks)).collect();
        let of_any_rule = |peak: &usize| exceeded.iter().any(|peaks| peaks.binary_search(peak).is_ok());
        let held = scope.held_rows(&peaks);
        let is_held = |peak: &usize| held.binary_search_by_key(peak, |row| row.0).is_ok();
        let keeps_all = several_boards || scope.every_peak;
        let peaks: Vec<usize> =
            peaks.into_iter().filter(|peak| keeps_all || of_any_rule(peak) || is_held(peak)).collect();
        let crowd = timeline.crowd(&needed);
        let coefficients_at = |peaks: &[usize]| peaks.iter().map(|&peak| crowd[peak]).sum::<usize>();
        let of_rules: usize = exceeded.iter().map(|peaks| coefficients_at(peaks)).sum();
        let of_boards = if several_boards { coefficients_at(&peaks) } else { 0 };
        let of_holding: usize = held.iter().map(|row| crowd[row.0]).sum();
        let mut builder = ProgramBuilder::new("replay-bound");
        let classes = classes(cluster, timeline, worth, &peaks);
        let accepted: Vec<Variable> = classes
            .iter()
            .map(|class| {
                let most = class.positions.len() as u32;
                let definition = variable().integer().min(0).max(most);
                builder.column(format!("accepted[{}]", class.positions[0]), definition)
            })
            .collect();
        let mut sums = Sums {
            classes: &classes,
            accepted: &accepted,
            peaks: &peaks,
            written_out: scope.written_out,
            measures: Vec::new(),
            chains: Vec::new(),
        };
        for (number, (rule, exceeded)) in rules.iter().zip(&exceeded).enumerate() {
            let name = rule.name(number);
            let used_by = |class: &Class| rule.used_by(cluster, class.positions[0]);
            sums.add(&mut builder, &name, exceeded, rule.capacity(), &used_by);
        }
        if several_boards {
            add_boards(&mut builder, cluster, &mut sums);
        }
        let held = sums.add_held(&mut builder, scope.holding, &held);
        for (stays, pair) in
            pairs.into_iter().flat_map(|(stays, pairs)| pairs.iter().map(move |pair| (stays, pair)))
        {
            let parts = parts(&classes, *pair, cluster, stays.profiles(), |number| accepted[number].into());
            stays.add(&mut builder, &format!("stay-{}-{}", peaks[pair.0], peaks[pair.1]), parts);
        }
        let (measures, chains) = (sums.measures, sums.chains);
        if let Some(kinds) = scope.easier_first {
            add_easier_first(&mut builder, kinds, worth, &classes, &accepted);
        }
        let worth_of = |class: &Class| f64::from(worth[class.positions[0]]);
        let total: Expression =
            classes.iter().zip(&accepted).map(|(class, &accepted)| worth_of(class) * accepted).sum();
        builder.stage("accepted", Sense::Maximize, total, Some(1.0));
        Relaxation {
            program: builder.build(),
            searchable: of_rules + of_boards + of_holding <= MOST_COEFFICIENTS,
            peaks,
            measures,
            chains,
            held,
            classes,
        }
    }

    /// The number of a peak, that of a measure and the price of a unit of it there, at some dual values of the rows. Nothing is paid for sums
    /// of facets and resources that are written out.
    pub fn prices<'r>(&'r self, duals: &'r [f64]) -> impl Iterator<Item = (usize, usize, f64)> + 'r {
        let number = |time: usize| self.peaks.partition_point(|&peak| peak < time);
        let of_chain = move |chain: &'r Chain| {
            chain.prices(duals).map(move |(time, price)| (number(time), chain.measure, price))
        };
        let held = self.held.iter().map(|held| (held.peak, held.measure, duals[held.row]));
        self.chains.iter().flat_map(of_chain).chain(held)
    }

    /// Who is accepted at a point of the program, fractions rounded; of a class those that arrive first.
    pub fn chosen(&self, columns: &[f64], virtual_machines: usize) -> Vec<bool> {
        let mut chosen = vec![false; virtual_machines];
        for (class, &count) in self.classes.iter().zip(columns) {
            class.positions.iter().take(count.round() as usize).for_each(|&position| chosen[position] = true);
        }
        chosen
    }
}

/// The rules that hold for all hosts and GPUs together. With several types of boards, facets hold for each on its own and are
/// added elsewhere.
pub(super) fn rules(cluster: &Cluster) -> Vec<Rule> {
    let mut rules = Vec::new();
    if cluster.boards.len() == 1 {
        let gpus = cluster.gpus.len() as f64;
        for (facet, capacity) in facets(cluster, BoardIndex(0)) {
            let coefficient = |profile: ProfileIndex| f64::from(facet[profile.index()]);
            let of_request = |request: &cluster::Request| request.on_board[0].map_or(0.0, coefficient);
            let coefficients = cluster.requests.iter().map(of_request).collect();
            rules.push(Rule::Facet { coefficients, capacity: f64::from(capacity) * gpus });
        }
    }
    if cluster.gpus.iter().all(|gpu| gpu.host.is_some()) {
        let hosts: Vec<_> = cluster.hosts.iter().map(|host| (host.cpu, host.memory)).collect();
        rules.extend(Demands::of(cluster).limited(&hosts).map(Rule::Resource));
    }
    rules
}

/// Inequalities that the number of instances by profile on one board obeys: coefficients and capacity. They are those of the
/// convex hull where that can be computed, else the slots and the limits of the board.
fn facets(cluster: &Cluster, board: BoardIndex) -> Vec<(Vec<u32>, u32)> {
    let hull = Hull::of(&fills_asked_for(cluster, board));
    let board = &cluster.boards[board.index()];
    let of_hull =
        |hull: Hull| hull.facets().iter().map(|facet| (facet.coefficients.clone(), facet.capacity)).collect();
    hull.map(of_hull).unwrap_or_else(|| {
        let sizes = board.profiles().iter().map(|profile| profile.size).collect();
        let slots = (sizes, board.slots());
        let limits = board.limits().iter().map(|limit| (limit.usage.clone(), limit.capacity));
        std::iter::once(slots).chain(limits).collect()
    })
}

/// Sums over those who are there, passed on from peak to peak.
struct Sums<'s> {
    classes: &'s [Class],
    accepted: &'s [Variable],
    peaks: &'s [usize],
    written_out: bool,
    measures: Vec<Vec<f64>>,
    chains: Vec<Chain>,
}

impl Sums<'_> {
    /// Adds rows for a sum at each of some of the peaks, between 0 and a capacity: what it is at the one before, with those
    /// who have come since and without those who have left.
    fn add(
        &mut self,
        builder: &mut ProgramBuilder,
        name: &str,
        at: &[usize],
        capacity: f64,
        used_by: &dyn Fn(&Class) -> f64,
    ) -> Vec<Expression> {
        let mut changes = vec![Expression::default(); at.len()];
        let used: Vec<f64> = self.classes.iter().map(used_by).collect();
        for ((class, &accepted), &used) in self.classes.iter().zip(self.accepted).zip(&used) {
            let Some((first, last)) = class.span else { continue };
            let comes = at.partition_point(|&peak| peak < self.peaks[first]);
            let leaves = at.partition_point(|&peak| peak <= self.peaks[last]);
            if used == 0.0 || comes == leaves {
                continue;
            }
            changes[comes].add_mul(used, accepted);
            if let Some(change) = changes.get_mut(leaves) {
                change.add_mul(-used, accepted);
            }
        }
        if !self.written_out {
            let measure = self.measures.len();
            self.chains.push(Chain { first_row: builder.rows(), at: at.to_vec(), measure });
            self.measures.push(used);
        }
        let mut sums: Vec<Expression> = Vec::new();
        for (peak, change) in at.iter().zip(changes) {
            let sum = sums.last().cloned().unwrap_or_default() + change;
            let row = format!("{name}-at[{peak}]");
            if !self.written_out {
                let column = builder.column(format!("{name}[{peak}]"), variable().min(0).max(capacity));
                builder.row(row, constraint!(sum - column == 0));
                sums.push(column.into());
                continue;
            }
            if capacity.is_finite() {
                builder.row(row, constraint!(sum.clone() <= capacity));
            }
            sums.push(sum);
        }
        sums
    }

    /// Adds rows for what machines hold together, at some of the peaks under some of the rules.
    fn add_held(
        &mut self,
        builder: &mut ProgramBuilder,
        holding: Option<&Holding>,
        rows: &[(usize, usize)],
    ) -> Vec<HeldRow> {
        let Some(holding) = holding else { return Vec::new() };
        let mut measure_of: BTreeMap<usize, usize> = BTreeMap::new();
        let mut held = Vec::new();
        for &(time, rule) in rows {
            let peak = self.peaks.binary_search(&time).expect("rows are at peaks that are kept");
            let measure = *measure_of.entry(rule).or_insert_with(|| {
                self.measures.push(holding.worth(rule, self.classes));
                self.measures.len() - 1
            });
            let mut worth = Expression::default();
            for (class, each) in holding::terms(self.classes, &self.measures[measure], peak) {
                worth.add_mul(each, self.accepted[class]);
            }
            held.push(HeldRow { row: builder.rows(), peak, measure });
            builder.row(format!("held-{rule}-at[{time}]"), constraint!(worth <= holding.most(rule)));
        }
        held
    }
}

/// Lets virtual machines be accepted only after all that are easier.
fn add_easier_first(
    builder: &mut ProgramBuilder,
    kinds: &Kinds,
    worth: &[u32],
    classes: &[Class],
    accepted: &[Variable],
) {
    let stay = |(number, class): (usize, &Class)| {
        let (first, last) = class.span?;
        Some((number, Stay { position: class.positions[0], first, last }))
    };
    let (numbers, stays): (Vec<usize>, Vec<Stay>) = classes.iter().enumerate().filter_map(stay).unzip();
    for (easier, harder) in kinds.easier_pairs(&stays, worth) {
        let count = |stay: usize| classes[numbers[stay]].positions.len() as f64;
        let accepted = |stay: usize| accepted[numbers[stay]];
        let name = format!("easier-first[{},{}]", stays[easier].position, stays[harder].position);
        builder.row(name, constraint!(count(easier) * accepted(harder) <= count(harder) * accepted(easier)));
    }
}

/// Lets the virtual machines of each request that are there be spread over the types of boards that serve it, at every peak anew.
fn add_boards(builder: &mut ProgramBuilder, cluster: &Cluster, sums: &mut Sums<'_>) {
    let gpus_of = |board: usize| {
        let of_board = |gpu: &&cluster::Gpu| gpu.board == BoardIndex::at(board);
        cluster.gpus.iter().filter(of_board).count() as f64
    };
    let facets: Vec<Vec<(Vec<u32>, u32)>> =
        (0..cluster.boards.len()).map(|board| facets(cluster, BoardIndex::at(board))).collect();
    let mut used: BTreeMap<(usize, usize, usize), Expression> = BTreeMap::new();
    for (number, request) in cluster.requests.iter().enumerate() {
        let of_request = |class: &Class| {
            let asked = cluster.workloads[class.positions[0]].request;
            if asked == RequestIndex::at(number) { 1.0 } else { 0.0 }
        };
        let counts = sums.add(builder, &format!("there-{number}"), sums.peaks, f64::INFINITY, &of_request);
        for (&peak, count) in sums.peaks.iter().zip(counts) {
            let mut spread = Expression::default();
            for (board, profile) in request.on_board.iter().enumerate() {
                let Some(profile) = profile else { continue };
                let name = format!("on-{}-{number}[{peak}]", cluster.boards[board].name());
                let on_board = builder.column(name, variable().min(0));
                spread += on_board;
                for (facet, (coefficients, _)) in facets[board].iter().enumerate() {
                    let entry = used.entry((board, facet, peak)).or_default();
                    entry.add_mul(f64::from(coefficients[profile.index()]), on_board);
                }
            }
            builder.row(format!("spread-{number}[{peak}]"), constraint!(spread == count));
        }
    }
    for ((board, facet, peak), used) in used {
        let capacity = f64::from(facets[board][facet].1) * gpus_of(board);
        let label = format!("facet-{}-{facet}[{peak}]", cluster.boards[board].name());
        builder.row(label, constraint!(used <= capacity));
    }
}

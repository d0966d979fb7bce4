//! Better schedules by solving small parts of them exactly.
//!
//! Those that come and go around a virtual machine that is rejected are taken off some hosts, and a program decides how many of them and of
//! the rejected ones fit there beside all others, which stay as they are. It has a binary column for each place, and at each peak a row for each
//! slot, limit, CPU and main memory.

use super::machines::beside;
use super::schedule::Schedule;
use super::task::Task;
use super::timeline::Timeline;
use cluster::{Cluster, Demands, GpuIndex, HostIndex, Location, Placement, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use itertools::Itertools;
use mig::{GpuInstance, ProfileIndex, SlotMask};
use milp::{Handle, ProgramBuilder, Sense};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::Effort;
use solver::{Control, Options, solve_stages};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A part of a schedule that is opened.
pub struct Part<'p> {
    /// The fleet.
    pub cluster: &'p Cluster,
    /// Who is there when.
    pub timeline: &'p Timeline,
    /// The schedule.
    pub schedule: &'p Placement,
    /// The GPUs, which are all GPUs of their hosts.
    pub gpus: &'p [GpuIndex],
    /// Those who have a place on these GPUs and may get another one, and those who have none and may get one; ascending.
    pub free: &'p [usize],
}

/// A place that a free virtual machine may get.
struct Place {
    position: usize,
    location: Location,
    profile: ProfileIndex,
    footprint: SlotMask,
    column: Handle,
}

/// What those use at a time who stay as they are.
struct Load {
    occupied: BTreeMap<GpuIndex, SlotMask>,
    /// For each GPU, what is used of each limit of its board.
    limits: BTreeMap<GpuIndex, Vec<u32>>,
    /// By host.
    staying: BTreeMap<HostIndex, Vec<usize>>,
}

impl Part<'_> {
    /// A schedule with more of the free virtual machines; `None` if there is none, or none was found in time.
    pub fn improve(&self, effort: &Effort, time_limit: Duration, control: &Control) -> Option<Placement> {
        let staying = self.staying();
        let times = self.times(&staying);
        let loads = self.loads(&staying, &times);
        let mut builder = ProgramBuilder::new("replay-part");
        let places = self.places(&mut builder, &times, &loads);
        let mut rows = BTreeSet::new();
        let demands = Demands::of(self.cluster);
        for (&time, load) in times.iter().zip(&loads) {
            let there: Vec<&Place> =
                places.iter().filter(|place| self.timeline.is_there(place.position, time)).collect();
            for &gpu in self.gpus {
                let on_gpu: Vec<&Place> =
                    there.iter().copied().filter(|place| place.location.gpu == gpu).collect();
                self.gpu_rows(&mut rows, gpu, &on_gpu, load);
            }
            self.host_rows(&mut rows, &demands, &there, load);
        }
        for (number, (terms, capacity)) in rows.into_iter().enumerate() {
            let used: Expression =
                terms.iter().map(|&(place, used)| used as f64 * places[place].column.variable).sum();
            builder.row(format!("together[{number}]"), constraint!(used <= capacity as f64));
        }
        let all: Expression = places.iter().map(|place| place.column.variable).sum();
        builder.stage("accepted", Sense::Maximize, all, Some(1.0));
        let program = builder.build();
        let mut start = vec![0.0; program.columns.len()];
        let mut accepted = 0;
        for place in &places {
            if self.schedule.of(WorkloadIndex::at(place.position)) == Some(place.location) {
                start[place.column.index] = 1.0;
                accepted += 1;
            }
        }
        let (start, settings) = (Some(start), effort.settings.clone());
        let search = Options { time_limit: Some(time_limit), settings, start, ..Options::default() };
        let columns = solve_stages(effort.solver, &program, &search, control).columns?;
        let chosen: Vec<&Place> = places.iter().filter(|place| place.column.whole(&columns) == 1).collect();
        (chosen.len() > accepted).then(|| {
            let mut schedule = self.schedule.clone();
            self.free.iter().for_each(|&position| schedule.set(WorkloadIndex::at(position), None));
            for place in chosen {
                schedule.set(WorkloadIndex::at(place.position), Some(place.location));
            }
            schedule
        })
    }

    /// Those who have a place on these GPUs and keep it; ascending.
    fn staying(&self) -> Vec<usize> {
        let place = |position: usize| self.schedule.of(WorkloadIndex::at(position));
        let is_here =
            |location: Option<Location>| location.is_some_and(|at| self.gpus.binary_search(&at.gpu).is_ok());
        let stays =
            |position: &usize| is_here(place(*position)) && self.free.binary_search(position).is_err();
        (0..self.timeline.arrivals()).filter(stays).collect()
    }

    /// The peaks of those whom the part is about at which a free one is there.
    fn times(&self, staying: &[usize]) -> Vec<usize> {
        let members: Vec<usize> = staying.iter().merge(self.free).copied().collect();
        let is_needed =
            |time: &usize| self.free.iter().any(|&position| self.timeline.is_there(position, *time));
        self.timeline.peaks_among(&members).into_iter().filter(is_needed).collect()
    }

    fn loads(&self, staying: &[usize], times: &[usize]) -> Vec<Load> {
        let load = |&time: &usize| {
            let mut load =
                Load { occupied: BTreeMap::new(), limits: BTreeMap::new(), staying: BTreeMap::new() };
            for &position in staying.iter().filter(|&&position| self.timeline.is_there(position, time)) {
                let workload = WorkloadIndex::at(position);
                let Some(location) = self.schedule.of(workload) else { continue };
                let board = self.cluster.board_of(location.gpu);
                let instance = self.cluster.instance_at(workload, location).expect("the schedule is legal");
                let occupied = load.occupied.entry(location.gpu).or_insert(SlotMask::EMPTY);
                *occupied = occupied.union(board.footprint(instance));
                let limits = load.limits.entry(location.gpu).or_insert_with(|| vec![0; board.limits().len()]);
                for (used, limit) in limits.iter_mut().zip(board.limits()) {
                    *used += limit.usage_of(instance.profile);
                }
                if let Some(host) = self.cluster.gpus[location.gpu.index()].host {
                    load.staying.entry(host).or_default().push(position);
                }
            }
            load
        };
        times.iter().map(load).collect()
    }

    /// A column for each place that is free all the time that its virtual machine is there.
    fn places(&self, builder: &mut ProgramBuilder, times: &[usize], loads: &[Load]) -> Vec<Place> {
        let mut places = Vec::new();
        for &position in self.free {
            let request = &self.cluster.requests[self.cluster.workloads[position].request.index()];
            let first = times.partition_point(|&time| time < position);
            let after = times.partition_point(|&time| time < self.timeline.end(position));
            let mut own = Expression::default();
            for &gpu in self.gpus {
                let Some(profile) = request.on_board[self.cluster.gpus[gpu.index()].board.index()] else {
                    continue;
                };
                let board = self.cluster.board_of(gpu);
                let occupied = loads[first..after].iter().filter_map(|load| load.occupied.get(&gpu));
                let beside = occupied.fold(SlotMask::EMPTY, |all, occupied| all.union(*occupied));
                for &start in &board.profile(profile).starts {
                    let footprint = board.footprint(GpuInstance { profile, start });
                    if !footprint.intersects(beside) {
                        let name = format!("place[{position},{},{}]", gpu.0, start.0);
                        let column = Handle::add(builder, name, variable().binary());
                        own += column.variable;
                        let location = Location { gpu, start };
                        places.push(Place { position, location, profile, footprint, column });
                    }
                }
            }
            builder.row(format!("once[{position}]"), constraint!(own <= 1));
        }
        places
    }

    /// Slots and limits of a GPU. Rows are terms, by the number of the column, and a capacity.
    fn gpu_rows(&self, rows: &mut BTreeSet<TermsAndCapacity>, gpu: GpuIndex, places: &[&Place], load: &Load) {
        let board = self.cluster.board_of(gpu);
        for slot in 0..board.slots() {
            let on_slot = places.iter().filter(|place| place.footprint.0 >> slot & 1 == 1);
            add_row(rows, on_slot.map(|place| (place.column.index, 1)).collect(), 1);
        }
        for (number, limit) in board.limits().iter().enumerate() {
            let used = load.limits.get(&gpu).map_or(0, |limits| limits[number]);
            let terms = places.iter().map(|place| (place.column.index, limit.usage_of(place.profile).into()));
            add_row(rows, terms.collect(), u64::from(limit.capacity - used));
        }
    }

    /// CPU and main memory of the hosts.
    fn host_rows(
        &self,
        rows: &mut BTreeSet<TermsAndCapacity>,
        demands: &Demands,
        places: &[&Place],
        load: &Load,
    ) {
        let host_of = |gpu: GpuIndex| self.cluster.gpus[gpu.index()].host;
        let hosts: BTreeSet<HostIndex> = self.gpus.iter().filter_map(|&gpu| host_of(gpu)).collect();
        for host in hosts {
            let about = &self.cluster.hosts[host.index()];
            let on_host = || places.iter().filter(|place| host_of(place.location.gpu) == Some(host));
            for resource in demands.limited(&[(about.cpu, about.memory)]) {
                let needed =
                    |position: usize| resource.of_workload(self.cluster, WorkloadIndex::at(position)) as u64;
                let staying = load.staying.get(&host).into_iter().flatten();
                let used: u64 = staying.map(|&position| needed(position)).sum();
                let terms = on_host().map(|place| (place.column.index, needed(place.position)));
                add_row(rows, terms.collect(), resource.capacity as u64 - used);
            }
        }
    }
}

/// The number and the coefficient of each column, and the greatest value of the row.
type TermsAndCapacity = (Vec<(usize, u64)>, u64);

/// Adds a row unless all its columns together keep it.
fn add_row(rows: &mut BTreeSet<TermsAndCapacity>, mut terms: Vec<(usize, u64)>, capacity: u64) {
    terms.retain(|&(_, used)| used > 0);
    if terms.iter().map(|&(_, used)| used).sum::<u64>() > capacity {
        rows.insert((terms, capacity));
    }
}

/// Most virtual machines that are opened at once.
const MOST_FREE: usize = 450;
/// About how many GPUs are opened at once.
const MOST_GPUS: usize = 16;
/// How many arrivals before and after a rejected virtual machine its part reaches, round by round.
const REACHES: [usize; 6] = [20, 40, 80, 160, 320, 640];
/// Seconds for one part.
const SECONDS_FOR_PART: u64 = 60;

/// A search for better schedules, part by part.
pub struct Search<'s> {
    /// What is to be scheduled.
    pub task: &'s Task<'s>,
}

/// What a search has come to.
struct Progress {
    best: Schedule,
    bound: usize,
    random: ChaCha8Rng,
}

impl Search<'_> {
    /// Improves a schedule until it attains the bound, no part gets better, or time is up.
    pub fn run(&self, schedule: Schedule, bound: usize) -> Schedule {
        let random = ChaCha8Rng::seed_from_u64(0);
        let mut progress = Progress { best: schedule, bound, random };
        let before = progress.best.accepted();
        self.around_rejected(&mut progress);
        let mut best = progress.best;
        if best.accepted() > before {
            best.found_by += ", then exact solutions of parts";
        }
        best
    }

    /// Opens those who come and go around a rejected one.
    fn around_rejected(&self, progress: &mut Progress) {
        let Task { timeline, needed, .. } = *self.task;
        for reach in REACHES {
            let mut after = 0;
            while let Some(rejected) = self.next_rejected(&progress.best, after) {
                if self.is_over(progress) {
                    return;
                }
                let span = rejected.saturating_sub(reach)..timeline.end(rejected) + reach;
                let gpus = self.some_gpus(&mut progress.random);
                let within = span.start..span.end.min(timeline.arrivals());
                let within =
                    within.filter(|&position| needed[position] && timeline.end(position) <= span.end);
                let free = self.free(&progress.best.placement, within, &gpus);
                after = rejected + 1;
                if free.len() <= MOST_FREE && !self.improve(progress, &gpus, &free) {
                    // Other rejected ones nearby would open about the same part.
                    after = rejected + reach / 2;
                }
            }
        }
    }

    fn is_over(&self, progress: &Progress) -> bool {
        progress.best.accepted() >= progress.bound || self.task.is_over()
    }

    /// Solves a part; whether the schedule is better then.
    fn improve(&self, progress: &mut Progress, gpus: &[GpuIndex], free: &[usize]) -> bool {
        let Task { trace, timeline, effort, control, .. } = *self.task;
        let schedule = &progress.best.placement;
        let part = Part { cluster: &trace.cluster, timeline, schedule, gpus, free };
        let limit = Duration::from_secs(SECONDS_FOR_PART);
        let limit = self.task.time_left().map_or(limit, |left| left.min(limit));
        let better = part.improve(effort, limit, control);
        let is_better = better.is_some();
        if let Some(placement) = better {
            progress.best.placement = placement;
        }
        is_better
    }

    /// The first who has no place although some host could take it, at or after a time.
    fn next_rejected(&self, schedule: &Schedule, after: usize) -> Option<usize> {
        let waits = |position: &usize| {
            self.task.needed[*position] && schedule.placement.of(WorkloadIndex::at(*position)).is_none()
        };
        (after..self.task.timeline.arrivals()).find(waits)
    }

    /// The GPUs of some hosts, or all of them if they are few.
    fn some_gpus(&self, random: &mut ChaCha8Rng) -> Vec<GpuIndex> {
        let cluster = &self.task.trace.cluster;
        if cluster.gpus.len() <= MOST_GPUS {
            return cluster.gpu_indices().collect();
        }
        let mut chosen = BTreeSet::new();
        while chosen.len() < MOST_GPUS {
            let gpu = GpuIndex::at(random.random_range(0..cluster.gpus.len()));
            chosen.extend(beside(cluster, gpu));
        }
        chosen.into_iter().collect()
    }

    /// Those of some who have a place on some GPUs, or none.
    fn free(
        &self,
        schedule: &Placement,
        among: impl Iterator<Item = usize>,
        gpus: &[GpuIndex],
    ) -> Vec<usize> {
        let is_free = |position: &usize| {
            let place = schedule.of(WorkloadIndex::at(*position));
            place.is_none_or(|place| gpus.binary_search(&place.gpu).is_ok())
        };
        among.filter(is_free).collect()
    }
}

//! From counts back to GPUs, workloads and start slots, in time linear in their number.

use super::columns::KindColumns;
use super::lattice::Lattice;
use super::start_slots::Indexing;
use super::states::{Contents, FillStates, KeepOption, Kind, Occupied, ResidentClassIndex, RunsHere, Way};
use crate::instance::{Problem, Role};
use crate::rules::Solution;
use cluster::{GpuIndex, Placement, WorkloadIndex};
use mig::{Counts, ProfileIndex, SlotMask};
use milp::Handle;
use std::collections::{BTreeMap, VecDeque};

/// What becomes of one GPU in use.
struct Moves {
    gpu: GpuIndex,
    /// Residents that stay on it and may change their start.
    anew: Vec<WorkloadIndex>,
    /// Slots that keep their instances.
    occupied: SlotMask,
    /// Places for workloads from the pools.
    places: Counts,
}

/// The solution that columns of an aggregated program stand for.
pub(super) fn disaggregate(lattice: &Lattice<'_>, columns: &[f64]) -> Solution {
    let problem = lattice.problem;
    let mut work = Work {
        lattice,
        columns,
        placement: Placement::new(vec![None; problem.cluster.workloads.len()]),
        repartitioned: vec![false; problem.cluster.gpus.len()],
        waiting: vec![VecDeque::new(); lattice.states.pools.list.len()],
    };
    for workload in problem.cluster.workload_indices() {
        if problem.role(workload) == Role::Pinned {
            work.placement.set(workload, problem.cluster.workloads[workload.index()].current);
        }
    }
    let plans: Vec<Vec<Moves>> = lattice
        .states
        .kinds
        .iter()
        .zip(&lattice.columns)
        .map(|(kind, kind_columns)| {
            let mut plans = work.stay_in_use(kind, kind_columns);
            plans.extend(work.lay_out_anew(kind, kind_columns));
            plans.sort_by_key(|plan| plan.gpu);
            plans
        })
        .collect();
    // Residents that left come first, so that newcomers wait rather than residents.
    for (pool, waiting) in lattice.states.pools.list.iter().zip(&mut work.waiting) {
        waiting.extend(&pool.newcomers);
    }
    for ((kind, kind_columns), plans) in lattice.states.kinds.iter().zip(&lattice.columns).zip(plans) {
        work.take_places(kind, kind_columns, plans);
    }
    Solution { reading: lattice.reading, placement: work.placement, repartitioned: work.repartitioned }
}

/// The way that one option stands for, by what runs on a GPU: among many GPUs few differ.
type KnownWays = BTreeMap<RunsHere, Way>;

struct Work<'l, 'p> {
    lattice: &'l Lattice<'p>,
    columns: &'l [f64],
    placement: Placement,
    repartitioned: Vec<bool>,
    /// Per pool: residents that left their slot, then newcomers.
    waiting: Vec<VecDeque<WorkloadIndex>>,
}

impl Work<'_, '_> {
    fn problem(&self) -> &Problem {
        self.lattice.problem
    }

    /// How many GPUs or workloads a column stands for.
    fn whole(&self, column: &Handle) -> usize {
        usize::try_from(column.whole(self.columns)).expect("GPUs and workloads fit into memory")
    }

    /// What runs on a GPU at first.
    fn occupied(&self, kind: &Kind, gpu: GpuIndex) -> Occupied {
        Occupied::on(self.problem(), &kind.resident_classes, &self.lattice.states.pools, gpu)
    }

    /// Sends a workload to its pool.
    fn wait(&mut self, workload: WorkloadIndex) {
        let pool = self.lattice.states.pools.pool_of(workload);
        self.waiting[pool.index()].push_back(workload);
    }

    /// GPUs that stay in use in one of their ways, with the additions of their fill state.
    fn stay_in_use(&mut self, kind: &Kind, kind_columns: &KindColumns) -> Vec<Moves> {
        let mut plans = Vec::new();
        let mut additions: Vec<VecDeque<Counts>> = kind
            .states
            .iter()
            .zip(&kind_columns.fill)
            .map(|(state, fills)| {
                let taken = state.iter().zip(fills);
                taken
                    .flat_map(|(added, fill)| (0..fill.whole(self.columns)).map(|_| added.counts.clone()))
                    .collect()
            })
            .collect();
        for (class, options) in kind.gpu_classes.iter().zip(&kind_columns.keep) {
            let mut gpus = class.gpus.iter();
            for (option, keep) in class.options.iter().zip(options) {
                let mut known = KnownWays::new();
                for &gpu in gpus.by_ref().take(self.whole(keep)) {
                    let places = additions[option.state.index()].pop_front();
                    let places = places.unwrap_or_else(|| Counts::zero(kind.demand.len()));
                    plans.push(self.stay(kind, gpu, option, places, &mut known));
                }
            }
        }
        assert!(additions.iter().all(VecDeque::is_empty), "A1: no more additions than GPUs in the state");
        plans
    }

    fn stay(
        &mut self,
        kind: &Kind,
        gpu: GpuIndex,
        option: &KeepOption,
        places: Counts,
        known: &mut KnownWays,
    ) -> Moves {
        let occupied = self.occupied(kind, gpu);
        let find = |runs_here: &RunsHere| self.way_of(kind, gpu, option, runs_here);
        let way = known.entry(occupied.runs_here()).or_insert_with_key(find);
        let mut anew = Vec::new();
        for (position, &workload) in occupied.workloads.iter().enumerate() {
            if !way.kept.contains(&position) {
                self.wait(workload);
            } else if way.shifted.contains(&position) {
                anew.push(workload);
            } else {
                let current = self.problem().cluster.workloads[workload.index()].current;
                self.placement.set(workload, current);
            }
        }
        self.repartitioned[gpu.index()] = way.repartition;
        Moves { gpu, anew, occupied: way.occupied, places }
    }

    /// The way that an option of the class stands for where these pinned and movable instances run.
    fn way_of(&self, kind: &Kind, gpu: GpuIndex, option: &KeepOption, runs_here: &RunsHere) -> Way {
        let board = self.problem().board(gpu);
        let mut fill_states = FillStates::new(board, &kind.demand);
        let contents = |positions: &[usize]| {
            let residents = positions.iter().map(|&position| runs_here.movable[position]);
            Contents::of(&kind.resident_classes, residents)
        };
        let is_option = |way: &Way| {
            way.repartition == option.repartition
                && contents(&way.kept) == option.keep
                && contents(&way.shifted) == option.shifted
                && fill_states.of(way, &runs_here.movable) == (kind.state(option.state).clone(), option.waste)
        };
        let ways = (self.lattice.ways)(&runs_here.on(board, &kind.resident_classes, kind.slots));
        ways.into_iter().find(is_option).expect("every GPU of a class has the options of the class")
    }

    /// Free GPUs and those that do not stay as they are follow the flows to their pattern.
    fn lay_out_anew(&mut self, kind: &Kind, kind_columns: &KindColumns) -> Vec<Moves> {
        let mut flows = Flows::new(kind_columns, self.columns);
        let mut plans = Vec::new();
        let mut departing = Vec::new();
        for (class, options) in
            kind.gpu_classes.iter().zip(&kind_columns.keep).filter(|(class, _)| class.may_depart())
        {
            let staying: usize = options.iter().map(|keep| self.whole(keep)).sum();
            departing.extend(class.gpus.iter().skip(staying).map(|&gpu| (gpu, &class.contents)));
        }
        for (gpu, contents) in departing {
            let (kept, crosses) = flows.depart(contents.clone());
            let anew = self.leave(kind, gpu, &kept);
            let entered = kind.profiles_of(&kept);
            let pattern = if crosses { flows.arrive(entered.clone()) } else { entered.clone() };
            if pattern.is_zero() {
                continue;
            }
            self.repartitioned[gpu.index()] = true;
            let places = pattern.checked_sub(&entered).expect("places are only added");
            plans.push(Moves { gpu, anew, occupied: SlotMask::EMPTY, places });
        }
        for &gpu in &kind.free {
            let places = flows.arrive(Counts::zero(kind.demand.len()));
            if !places.is_zero() {
                plans.push(Moves { gpu, anew: Vec::new(), occupied: SlotMask::EMPTY, places });
            }
        }
        flows.assert_spent();
        plans
    }

    /// Sends the residents of a GPU beyond `kept` to their pools; returns those that are kept.
    fn leave(&mut self, kind: &Kind, gpu: GpuIndex, kept: &Contents) -> Vec<WorkloadIndex> {
        let Occupied { workloads, movable, .. } = self.occupied(kind, gpu);
        let mut room = kept.clone();
        let mut staying = Vec::new();
        for (workload, resident) in workloads.into_iter().zip(movable) {
            match room.without_one(resident.class) {
                Some(left) => {
                    room = left;
                    staying.push(workload);
                }
                None => self.wait(workload),
            }
        }
        staying
    }

    /// Hands the places of the kind to the pools as the program assigned them, and lays every GPU out.
    fn take_places(&mut self, kind: &Kind, kind_columns: &KindColumns, plans: Vec<Moves>) {
        let mut arriving: Vec<VecDeque<WorkloadIndex>> = vec![VecDeque::new(); kind.demand.len()];
        for (&(pool, profile), assign) in &kind_columns.assign {
            let number = self.whole(assign);
            arriving[profile.index()].extend(self.waiting[pool.index()].drain(..number));
        }
        let mut indexing = Indexing::new(self.lattice.problem);
        for plan in plans {
            let mut workloads = plan.anew;
            for (profile, number) in plan.places.iter() {
                let number = usize::try_from(number).expect("workloads fit into memory");
                workloads.extend(arriving[profile.index()].drain(..number));
            }
            indexing.lay_out(plan.gpu, plan.occupied, &workloads, &mut self.placement);
        }
    }
}

/// The flows of a kind, taken apart path by path.
struct Flows<'a> {
    columns: &'a KindColumns,
    leave: BTreeMap<&'a (Contents, ResidentClassIndex), u32>,
    cross: BTreeMap<&'a Contents, u32>,
    take: BTreeMap<&'a (Counts, ProfileIndex), u32>,
    fresh: BTreeMap<&'a Counts, u32>,
}

impl<'a> Flows<'a> {
    fn new(columns: &'a KindColumns, values: &[f64]) -> Self {
        Flows {
            columns,
            leave: columns.leave.iter().map(|(key, handle)| (key, handle.whole(values))).collect(),
            cross: columns.cross.iter().map(|(key, handle)| (key, handle.whole(values))).collect(),
            take: columns.take.iter().map(|(key, handle)| (key, handle.whole(values))).collect(),
            fresh: columns.fresh.iter().map(|(key, fresh)| (key, fresh.gpus.whole(values))).collect(),
        }
    }

    /// Follows one GPU from its contents: what it keeps, and whether it is repartitioned (else switched off).
    fn depart(&mut self, mut contents: Contents) -> (Contents, bool) {
        loop {
            if let Some(left) = self.cross.get_mut(&contents).filter(|left| **left > 0) {
                *left -= 1;
                return (contents, true);
            }
            let leaves = |class| self.leave.get(&(contents.clone(), class)).is_some_and(|&left| left > 0);
            let class = contents.iter().map(|(class, _)| class).find(|&class| leaves(class));
            let Some(class) = class else {
                assert!(contents.is_empty(), "A3: only emptied GPUs are switched off");
                return (contents, false);
            };
            *self.leave.get_mut(&(contents.clone(), class)).expect("found") -= 1;
            contents = contents.without_one(class).expect("only residents leave");
        }
    }

    /// Follows one GPU through the patterns: what it is laid out with in the end.
    fn arrive(&mut self, mut counts: Counts) -> Counts {
        loop {
            if let Some(left) = self.fresh.get_mut(&counts).filter(|left| **left > 0) {
                *left -= 1;
                return counts;
            }
            let from = (counts.clone(), ProfileIndex(0))..=(counts.clone(), ProfileIndex(u8::MAX));
            let next = self.columns.take.range(from).map(|(key, _)| key).find(|key| self.take[key] > 0);
            let Some(key) = next else {
                assert!(counts.is_zero(), "A4: only empty GPUs stay unused");
                return counts;
            };
            *self.take.get_mut(key).expect("found") -= 1;
            counts = counts.add_one(key.1);
        }
    }

    fn assert_spent(&self) {
        assert!(self.fresh.values().all(|&left| left == 0), "A4: every pattern is reached by a GPU");
    }
}

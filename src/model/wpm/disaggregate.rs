//! From counts back to GPUs, workloads and start slots, in time linear in their number.

use super::instance::Problem;
use super::lattice::{KindColumns, Lattice, without_one};
use super::roles::Role;
use super::solution::Solution;
use super::start_slots::Indexing;
use super::states::{Contents, KeepOption, Kind, Occupants, Way, fill_state, occupants_of};
use crate::cluster::{GpuIndex, Placement, WorkloadIndex};
use crate::mig::{Counts, ProfileIndex, SlotMask};
use std::collections::{BTreeMap, VecDeque};

/// What becomes of one GPU in use.
struct Plan {
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
        waiting: vec![VecDeque::new(); lattice.states.pools.len()],
    };
    for workload in problem.cluster.workload_indices() {
        if problem.role(workload) == Role::Pinned {
            work.placement.set(workload, problem.cluster.workloads[workload.index()].current);
        }
    }
    let plans: Vec<Vec<Plan>> = lattice
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
    for (pool, waiting) in lattice.states.pools.iter().zip(&mut work.waiting) {
        waiting.extend(&pool.newcomers);
    }
    for ((kind, kind_columns), plans) in lattice.states.kinds.iter().zip(&lattice.columns).zip(plans) {
        work.take_places(kind, kind_columns, plans);
    }
    Solution { reading: lattice.reading, placement: work.placement, repartitioned: work.repartitioned }
}

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

    /// GPUs that stay in use in one of their ways, with the additions of their fill state.
    fn stay_in_use(&mut self, kind: &Kind, kind_columns: &KindColumns) -> Vec<Plan> {
        let mut plans = Vec::new();
        let mut additions: Vec<VecDeque<Counts>> = kind
            .states
            .iter()
            .zip(&kind_columns.fill)
            .map(|(state, fills)| {
                let taken = state.iter().zip(fills);
                taken
                    .flat_map(|((added, _), fill)| (0..fill.whole(self.columns)).map(|_| added.clone()))
                    .collect()
            })
            .collect();
        for (class, options) in kind.gpu_classes.iter().zip(&kind_columns.keep) {
            let mut gpus = class.gpus.iter();
            for (option, keep) in class.options.iter().zip(options) {
                for &gpu in gpus.by_ref().take(keep.whole(self.columns) as usize) {
                    let places = additions[option.state].pop_front();
                    let places = places.unwrap_or_else(|| Counts::zero(kind.demand.len()));
                    plans.push(self.stay(kind, gpu, option, places));
                }
            }
        }
        assert!(additions.iter().all(VecDeque::is_empty), "A1: no more additions than GPUs in the state");
        plans
    }

    fn stay(&mut self, kind: &Kind, gpu: GpuIndex, option: &KeepOption, places: Counts) -> Plan {
        let states = &self.lattice.states;
        let (workloads, movable, pinned) =
            occupants_of(self.problem(), &kind.resident_classes, &states.pool_of, gpu);
        let board = self.problem().board(gpu);
        let occupants = Occupants { board, pinned: &pinned, movable: &movable };
        let is_option = |way: &Way| {
            let mut keep = vec![0; kind.resident_classes.len()];
            way.kept.iter().for_each(|&position| keep[movable[position].class] += 1);
            keep == option.keep
                && way.repartition == option.repartition
                && fill_state(board, way, &kind.demand) == (kind.states[option.state].clone(), option.waste)
        };
        let ways = (self.lattice.ways)(&occupants);
        let way =
            ways.into_iter().find(is_option).expect("every GPU of a class has the options of the class");
        let mut anew = Vec::new();
        for (position, &workload) in workloads.iter().enumerate() {
            if !way.kept.contains(&position) {
                self.waiting[states.pool_of[workload.index()].expect("decided")].push_back(workload);
            } else if way.repartition {
                anew.push(workload);
            } else {
                let current = self.problem().cluster.workloads[workload.index()].current;
                self.placement.set(workload, current);
            }
        }
        self.repartitioned[gpu.index()] = way.repartition;
        Plan { gpu, anew, occupied: way.occupied, places }
    }

    /// Free GPUs and those that do not stay as they are follow the flows to their pattern.
    fn lay_out_anew(&mut self, kind: &Kind, kind_columns: &KindColumns) -> Vec<Plan> {
        let mut flows = Flows::new(kind_columns, self.columns);
        let mut plans = Vec::new();
        let mut departing = Vec::new();
        for (class, options) in
            kind.gpu_classes.iter().zip(&kind_columns.keep).filter(|(class, _)| !class.pinned)
        {
            let staying: u32 = options.iter().map(|keep| keep.whole(self.columns)).sum();
            departing.extend(class.gpus.iter().skip(staying as usize).map(|&gpu| (gpu, &class.contents)));
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
            plans.push(Plan { gpu, anew, occupied: SlotMask::EMPTY, places });
        }
        for &gpu in &kind.free {
            let places = flows.arrive(Counts::zero(kind.demand.len()));
            if !places.is_zero() {
                plans.push(Plan { gpu, anew: Vec::new(), occupied: SlotMask::EMPTY, places });
            }
        }
        flows.assert_spent();
        plans
    }

    /// Sends the residents of a GPU beyond `kept` to their pools; returns those that are kept.
    fn leave(&mut self, kind: &Kind, gpu: GpuIndex, kept: &[u8]) -> Vec<WorkloadIndex> {
        let states = &self.lattice.states;
        let (workloads, movable, _) =
            occupants_of(self.problem(), &kind.resident_classes, &states.pool_of, gpu);
        let mut room = kept.to_vec();
        let mut staying = Vec::new();
        for (workload, resident) in workloads.into_iter().zip(movable) {
            if room[resident.class] > 0 {
                room[resident.class] -= 1;
                staying.push(workload);
            } else {
                self.waiting[states.pool_of[workload.index()].expect("decided")].push_back(workload);
            }
        }
        staying
    }

    /// Hands the places of the kind to the pools as the program assigned them, and lays every GPU out.
    fn take_places(&mut self, kind: &Kind, kind_columns: &KindColumns, plans: Vec<Plan>) {
        let mut arriving: Vec<VecDeque<WorkloadIndex>> = vec![VecDeque::new(); kind.demand.len()];
        for (&(pool, profile), assign) in &kind_columns.assign {
            let number = assign.whole(self.columns) as usize;
            arriving[profile.index()].extend(self.waiting[pool].drain(..number));
        }
        let mut indexing = Indexing::new(self.lattice.problem);
        for plan in plans {
            let mut workloads = plan.anew;
            for (profile, number) in plan.places.iter() {
                workloads.extend(arriving[profile.index()].drain(..number as usize));
            }
            indexing.lay_out(plan.gpu, plan.occupied, &workloads, &mut self.placement);
        }
    }
}

/// The flows of a kind, taken apart path by path.
struct Flows<'a> {
    columns: &'a KindColumns,
    leave: BTreeMap<&'a (Contents, usize), u32>,
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
            fresh: columns.fresh.iter().map(|(key, (handle, _))| (key, handle.whole(values))).collect(),
        }
    }

    /// Follows one GPU from its contents: what it keeps, and whether it is repartitioned (else switched off).
    fn depart(&mut self, mut contents: Contents) -> (Contents, bool) {
        loop {
            if let Some(left) = self.cross.get_mut(&contents).filter(|left| **left > 0) {
                *left -= 1;
                return (contents, true);
            }
            let class = (0..contents.len())
                .find(|&class| self.leave.get(&(contents.clone(), class)).is_some_and(|&left| left > 0));
            let Some(class) = class else {
                assert!(contents.iter().all(|&number| number == 0), "A3: only emptied GPUs are switched off");
                return (contents, false);
            };
            *self.leave.get_mut(&(contents.clone(), class)).expect("found") -= 1;
            contents = without_one(&contents, class).expect("only residents leave");
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

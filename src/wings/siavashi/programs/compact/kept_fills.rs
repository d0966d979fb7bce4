//! What a GPU can hold while residents of it keep their slots, where leaving them costs something.

use super::kinds::Kind;
use super::pools::Pool;
use crate::instance::Problem;
use cluster::{BoardIndex, GpuIndex, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use mig::{Counts, GpuInstance, ProfileIndex, Remaining, SlotMask, fill_table};
use std::collections::{BTreeMap, BTreeSet};

/// With more residents on a GPU than this, too many sets of them might keep their slots.
pub const MOST_RESIDENTS: usize = 10;

/// A layout by what it holds and what keeps its slot: there is one that holds at most `counts`, by profile, in which at most so many
/// residents of each kind, as long as they are among what it holds, are where they are now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFill {
    /// Kinds with their numbers, by kind; no zeros.
    pub kept: Vec<(usize, u32)>,
    /// All instances, those that are kept included.
    pub counts: Counts,
}

impl KeptFill {
    /// How many residents of a kind keep their slots.
    pub fn of_kind(&self, kind: usize) -> u32 {
        self.kept.iter().find(|kept| kept.0 == kind).map_or(0, |kept| kept.1)
    }

    /// Whether the other one holds and keeps as much.
    pub fn is_within(&self, other: &KeptFill) -> bool {
        self.counts.fits_within(&other.counts)
            && self.kept.iter().all(|&(kind, number)| number <= other.of_kind(kind))
    }
}

/// Residents for which another start costs something, with their kinds, in the order of their starts.
pub type Shiftable = Vec<(usize, GpuInstance)>;

/// By GPU, those that run there. None of them is on a GPU out of service, where nothing starts.
pub fn shiftable(problem: &Problem, kinds: &[Kind]) -> BTreeMap<GpuIndex, Shiftable> {
    let mut on_gpu: BTreeMap<GpuIndex, Shiftable> = BTreeMap::new();
    for (number, kind) in kinds.iter().enumerate() {
        for &workload in kind.members.iter().filter(|&&workload| is_shiftable(problem, workload)) {
            let place = problem.current(workload).expect("it runs");
            let instance = problem.cluster.instance_at(workload, place).expect("the current state is legal");
            on_gpu.entry(place.gpu).or_default().push((number, instance));
        }
    }
    on_gpu.values_mut().for_each(|here| here.sort_by_key(|(_, instance)| instance.start));
    on_gpu
}

/// Whether a workload runs on a GPU in service, and another start there costs something.
pub fn is_shiftable(problem: &Problem, workload: WorkloadIndex) -> bool {
    let costs = || problem.weighted(problem.costs.move_start, workload) > Amount::ZERO;
    let starts = |gpu| problem.may_start_on(workload, gpu);
    problem.current(workload).is_some_and(|place| starts(place.gpu))
        && !problem.is_pinned(workload)
        && costs()
}

/// Whether the residents of every GPU are few enough.
pub fn are_few(problem: &Problem) -> bool {
    let shiftable = problem.cluster.workload_indices().filter(|&workload| is_shiftable(problem, workload));
    let on_gpu = shiftable.counts_by(|workload| problem.current(workload).map(|place| place.gpu));
    on_gpu.values().all(|&number| number <= MOST_RESIDENTS)
}

/// Finds out what GPUs can hold, of some kinds.
#[derive(Default)]
pub struct KeptFills {
    maximal: BTreeMap<(BoardIndex, SlotMask, Remaining), Vec<Counts>>,
}

impl KeptFills {
    /// The maximal ones of a pool of one GPU on which these run; the kinds are always the same.
    pub fn of(
        &mut self,
        problem: &Problem,
        kinds: &[Kind],
        pool: &Pool,
        residents: &Shiftable,
    ) -> Vec<KeptFill> {
        let board = &problem.cluster.boards[pool.board.index()];
        let mut remaining = board.full_limits();
        for &workload in &pool.pinned {
            let place = problem.current(workload).expect("pinned workloads run");
            let pinned = problem.cluster.instance_at(workload, place);
            let profile = pinned.expect("the current state is legal").profile;
            remaining = remaining.take(board, profile).expect("the current state is legal");
        }
        let mut all: BTreeSet<KeptFill> = BTreeSet::new();
        for kept in residents.iter().powerset() {
            let (mut occupied, mut remaining) = (pool.occupied, remaining.clone());
            let mut counts = Counts::zero(board.profiles().len());
            for (_, instance) in &kept {
                occupied = occupied.union(board.footprint(*instance));
                remaining = remaining.take(board, instance.profile).expect("the current state is legal");
                counts = counts.add_one(instance.profile);
            }
            let kept: Vec<(usize, u32)> = kept
                .iter()
                .map(|(kind, _)| *kind)
                .counts()
                .into_iter()
                .map(|(kind, n)| (kind, n as u32))
                .sorted()
                .collect();
            for added in self.beside(problem, kinds, pool.board, occupied, remaining) {
                let counts = counts.checked_add(added).expect("both have the profiles of the board");
                all.insert(KeptFill { kept: kept.clone(), counts });
            }
        }
        let is_maximal = |fill: &&KeptFill| !all.iter().any(|other| *fill != other && fill.is_within(other));
        all.iter().filter(is_maximal).cloned().collect()
    }

    /// The maximal fills beside what is occupied.
    fn beside(
        &mut self,
        problem: &Problem,
        kinds: &[Kind],
        board: BoardIndex,
        occupied: SlotMask,
        remaining: Remaining,
    ) -> &[Counts] {
        let about = &problem.cluster.boards[board.index()];
        self.maximal.entry((board, occupied, remaining)).or_insert_with_key(|(_, _, remaining)| {
            let profiles = kinds.iter().filter_map(|kind| kind.profile_on(problem, board));
            let wanted: Vec<ProfileIndex> = profiles.sorted().dedup().collect();
            let fills = fill_table(about, occupied, remaining).of_profiles(&wanted);
            fills.maximal().into_iter().cloned().collect()
        })
    }
}

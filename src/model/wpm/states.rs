//! Identical things merged: what the aggregated programs count instead of naming.
//!
//! GPUs of one board fall into classes that have the same contents and the same ways to stay in use; workloads fall
//! into pools that any free place of the right profile can draw from; occupied GPUs that can take the same additions
//! share a fill state. The programs of `compact` and `exact-index` differ only in the ways to stay in use.

use super::instance::Problem;
use super::roles::{GpuRole, Role};
use crate::cluster::{Amount, BoardIndex, GpuIndex, RequestIndex, WorkloadIndex};
use crate::mig::{Board, Counts, GpuInstance, ProfileIndex, Remaining, SlotMask, fill_table};
use std::collections::BTreeMap;

/// Workloads that any place of the right profile can draw from: same request, same reward.
pub(super) struct Pool {
    pub request: RequestIndex,
    pub reward: Amount,
    /// Newcomers of the pool; residents that leave their slot join them.
    pub newcomers: Vec<WorkloadIndex>,
}

/// Residents of one board type that are alike: same pool, same cost of migration.
pub(super) struct ResidentClass {
    pub pool: usize,
    pub migration: Amount,
    pub profile: ProfileIndex,
}

/// How many residents of every class of the kind.
pub(super) type Contents = Vec<u8>;

/// A movable resident of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Movable {
    /// Its class within the kind.
    pub class: usize,
    /// Where it runs now.
    pub instance: GpuInstance,
}

/// What runs on a GPU, up to names: instances of pinned workloads, and movable residents.
type RunsHere = (Vec<GpuInstance>, Vec<Movable>);

/// What runs on a GPU at first.
pub(super) struct Occupants<'a> {
    pub board: &'a Board,
    /// Instances of pinned workloads.
    pub pinned: &'a [GpuInstance],
    /// Movable residents, in the order of the cluster's workloads.
    pub movable: &'a [Movable],
}

/// One way in which a GPU that carries workloads may stay in use.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Positions of the movable residents that stay on it.
    pub kept: Vec<usize>,
    /// Slots that additions cannot use.
    pub occupied: SlotMask,
    /// What is left of the board's limits for additions.
    pub remaining: Remaining,
    /// Kept residents that are laid out anew together with the additions, outside `occupied`.
    pub laid_out_anew: Counts,
    /// Slices wasted by what keeps its start, as far as the reading counts them.
    pub waste: u32,
    /// Whether this way is a repartition.
    pub repartition: bool,
}

/// The ways in which a GPU may stay in use, and whether it may be laid out anew as a whole: a reading of the model.
pub(super) type WaysOf<'a> = dyn Fn(&Occupants<'_>) -> Vec<Way> + 'a;

/// A way as the program sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct KeepOption {
    pub keep: Contents,
    /// Index of the fill state that it leads to.
    pub state: usize,
    /// Slices wasted before any addition.
    pub waste: u32,
    pub repartition: bool,
}

/// Additions that a GPU can take: counts and the waste they add, without the empty addition.
pub(super) type FillState = Vec<(Counts, u32)>;

/// GPUs with the same contents and the same options.
pub(super) struct GpuClass {
    pub contents: Contents,
    pub pinned: bool,
    pub options: Vec<KeepOption>,
    pub gpus: Vec<GpuIndex>,
}

/// GPUs of one board type.
pub(super) struct Kind {
    pub board: BoardIndex,
    pub free: Vec<GpuIndex>,
    pub resident_classes: Vec<ResidentClass>,
    pub gpu_classes: Vec<GpuClass>,
    pub states: Vec<FillState>,
    /// Most instances of each profile that the decided workloads could ask for.
    pub demand: Counts,
    /// Pools served by each profile.
    pub pools_of_profile: Vec<Vec<usize>>,
}

/// A problem with identical things merged.
pub(super) struct States {
    pub pools: Vec<Pool>,
    /// Pool of every decided workload.
    pub pool_of: Vec<Option<usize>>,
    pub kinds: Vec<Kind>,
}

impl States {
    /// Merges what is identical under a reading of the model.
    pub fn new(problem: &Problem, ways_of: &WaysOf<'_>) -> Self {
        let (pools, pool_of) = pools(problem);
        let kinds = (0..problem.cluster.boards.len())
            .map(|board| kind(problem, BoardIndex::at(board), &pools, &pool_of, ways_of))
            .collect();
        States { pools, pool_of, kinds }
    }

    /// Whether every profile of every kind is asked for by one pool and one class of residents: then the flows of the
    /// aggregated program are whole by themselves.
    pub fn one_class_per_profile(&self) -> bool {
        self.kinds.iter().all(|kind| {
            let classes_of = |profile: usize| {
                kind.resident_classes.iter().filter(|class| class.profile.index() == profile).count()
            };
            kind.pools_of_profile
                .iter()
                .enumerate()
                .all(|(profile, pools)| pools.len() <= 1 && classes_of(profile) <= 1)
        })
    }
}

impl Kind {
    /// Number of instances per profile in the given contents.
    pub fn profiles_of(&self, contents: &[u8]) -> Counts {
        let mut counts = Counts::zero(self.demand.len());
        for (class, &number) in self.resident_classes.iter().zip(contents) {
            counts.set(class.profile, counts.get(class.profile) + u32::from(number));
        }
        counts
    }
}

/// Movable residents of a GPU with their workloads, and the instances of its pinned ones.
pub(super) fn occupants_of(
    problem: &Problem,
    classes: &[ResidentClass],
    pool_of: &[Option<usize>],
    gpu: GpuIndex,
) -> (Vec<WorkloadIndex>, Vec<Movable>, Vec<GpuInstance>) {
    let (mut workloads, mut movable, mut pinned) = (Vec::new(), Vec::new(), Vec::new());
    for &workload in &problem.residents[gpu.index()] {
        let instance = problem.current_instance(workload).expect("residents run");
        if problem.role(workload) == Role::Pinned {
            pinned.push(instance);
            continue;
        }
        let pool = pool_of[workload.index()].expect("residents are decided");
        let migration = problem.costs.migration_of(workload);
        let class = classes
            .iter()
            .position(|class| class.pool == pool && class.migration == migration)
            .expect("every resident has a class");
        workloads.push(workload);
        movable.push(Movable { class, instance });
    }
    (workloads, movable, pinned)
}

/// The fill state of a way, and the waste that comes with it before any addition.
pub(super) fn fill_state(board: &Board, way: &Way, demand: &Counts) -> (FillState, u32) {
    let table = fill_table(board, way.occupied, &way.remaining);
    let base = table.waste_of[&way.laid_out_anew];
    let additions = table
        .waste_of
        .iter()
        .filter_map(|(counts, &waste)| {
            counts.checked_sub(&way.laid_out_anew).map(|added| (added, waste - base))
        })
        .filter(|(added, _)| !added.is_zero() && added.fits_within(demand))
        .collect();
    (additions, way.waste + base)
}

fn pools(problem: &Problem) -> (Vec<Pool>, Vec<Option<usize>>) {
    let mut numbers: BTreeMap<(RequestIndex, Amount), usize> = BTreeMap::new();
    let mut pools: Vec<Pool> = Vec::new();
    let mut pool_of = vec![None; problem.cluster.workloads.len()];
    for workload in problem.decided() {
        let request = problem.cluster.workloads[workload.index()].request;
        let reward = problem.costs.reward_of(workload);
        let number = *numbers.entry((request, reward)).or_insert_with(|| {
            pools.push(Pool { request, reward, newcomers: Vec::new() });
            pools.len() - 1
        });
        pool_of[workload.index()] = Some(number);
        if problem.role(workload) == Role::Newcomer {
            pools[number].newcomers.push(workload);
        }
    }
    (pools, pool_of)
}

fn kind(
    problem: &Problem,
    board_index: BoardIndex,
    pools: &[Pool],
    pool_of: &[Option<usize>],
    ways_of: &WaysOf<'_>,
) -> Kind {
    let board = &problem.cluster.boards[board_index.index()];
    let profile_of =
        |pool: usize| problem.cluster.requests[pools[pool].request.index()].on_board[board_index.index()];
    let mut pools_of_profile = vec![Vec::new(); board.profiles().len()];
    for pool in 0..pools.len() {
        if let Some(profile) = profile_of(pool) {
            pools_of_profile[profile.index()].push(pool);
        }
    }
    let mut demand = Counts::zero(board.profiles().len());
    for workload in problem.decided() {
        if let Some(profile) = pool_of[workload.index()].and_then(profile_of) {
            demand.set(profile, demand.get(profile) + 1);
        }
    }
    let gpus = || problem.cluster.gpu_indices().filter(|&gpu| problem.board_index(gpu) == board_index);
    let resident_classes = resident_classes(problem, gpus(), pool_of);

    let mut states: Vec<FillState> = Vec::new();
    let mut state_numbers: BTreeMap<FillState, usize> = BTreeMap::new();
    let mut options_of: BTreeMap<RunsHere, (Contents, Vec<KeepOption>)> = BTreeMap::new();
    let mut classes: BTreeMap<(Contents, bool, Vec<KeepOption>), Vec<GpuIndex>> = BTreeMap::new();
    for gpu in gpus() {
        let pinned_role = match problem.gpu_role(gpu) {
            GpuRole::Occupied => false,
            GpuRole::Pinned => true,
            GpuRole::Free | GpuRole::NotConsidered => continue,
        };
        let (_, mut movable, mut pinned) = occupants_of(problem, &resident_classes, pool_of, gpu);
        movable.sort_unstable();
        pinned.sort_unstable();
        let (contents, options) =
            options_of.entry((pinned, movable)).or_insert_with_key(|(pinned, movable)| {
                let occupants = Occupants { board, pinned, movable };
                let mut contents = vec![0; resident_classes.len()];
                movable.iter().for_each(|resident| contents[resident.class] += 1);
                let mut options: Vec<KeepOption> = ways_of(&occupants)
                    .into_iter()
                    .map(|way| {
                        let mut keep = vec![0; resident_classes.len()];
                        way.kept.iter().for_each(|&position| keep[movable[position].class] += 1);
                        let (state, waste) = fill_state(board, &way, &demand);
                        let number = *state_numbers.entry(state).or_insert_with_key(|state| {
                            states.push(state.clone());
                            states.len() - 1
                        });
                        KeepOption { keep, state: number, waste, repartition: way.repartition }
                    })
                    .collect();
                options.sort_unstable();
                options.dedup();
                (contents, without_dominated(options, &states))
            });
        classes.entry((contents.clone(), pinned_role, options.clone())).or_default().push(gpu);
    }
    let gpu_classes = classes
        .into_iter()
        .map(|((contents, pinned, options), gpus)| GpuClass { contents, pinned, options, gpus })
        .collect();
    let free = gpus().filter(|&gpu| problem.gpu_role(gpu) == GpuRole::Free).collect();
    Kind { board: board_index, free, resident_classes, gpu_classes, states, demand, pools_of_profile }
}

fn resident_classes(
    problem: &Problem,
    gpus: impl Iterator<Item = GpuIndex>,
    pool_of: &[Option<usize>],
) -> Vec<ResidentClass> {
    let mut classes: BTreeMap<(ProfileIndex, usize, Amount), ()> = BTreeMap::new();
    for workload in gpus.flat_map(|gpu| &problem.residents[gpu.index()]) {
        if problem.role(*workload) == Role::Resident {
            let profile = problem.current_instance(*workload).expect("residents run").profile;
            let pool = pool_of[workload.index()].expect("residents are decided");
            classes.insert((profile, pool, problem.costs.migration_of(*workload)), ());
        }
    }
    classes.into_keys().map(|(profile, pool, migration)| ResidentClass { pool, migration, profile }).collect()
}

/// Drops options that another one with the same residents kept can replace in every solution without loss.
fn without_dominated(options: Vec<KeepOption>, states: &[FillState]) -> Vec<KeepOption> {
    let replaces = |better: &KeepOption, worse: &KeepOption| {
        better.keep == worse.keep
            && better.repartition <= worse.repartition
            && better.waste <= worse.waste
            && states[worse.state].iter().all(|(added, waste)| {
                let found = states[better.state].binary_search_by(|(other, _)| other.cmp(added));
                found.is_ok_and(|position| {
                    better.waste + states[better.state][position].1 <= worse.waste + waste
                })
            })
    };
    let kept = |position: usize, option: &KeepOption| {
        !options.iter().enumerate().any(|(other, better)| {
            other != position && replaces(better, option) && (other < position || !replaces(option, better))
        })
    };
    options
        .iter()
        .enumerate()
        .filter(|&(position, option)| kept(position, option))
        .map(|(_, option)| option.clone())
        .collect()
}

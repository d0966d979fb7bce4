//! Identical things merged: what the aggregated programs count instead of naming.
//!
//! GPUs of one board fall into classes that have the same contents and the same ways to stay in use; workloads fall
//! into pools that any free place of the right profile can draw from; occupied GPUs that can take the same additions
//! share a fill state. The programs of `compact` and `exact-index` differ only in the ways to stay in use.
//!
//! Merging is exact: whatever a solution does to one of two identical things it can do to the other, so that numbers
//! of them say all that a program has to know, and any of them can be taken when names are wanted again.

use crate::instance::{GpuRole, Problem, Role};
use cluster::{BoardIndex, GpuIndex, Maintenance, RequestIndex, WorkloadIndex};
use ground::{Amount, index_type};
use itertools::Itertools;
use mig::{Board, Counts, GpuInstance, ProfileIndex, Remaining, SlotMask, fill_table};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

index_type!(
    /// A pool, by its position in [`Pools::list`].
    PoolIndex
);
index_type!(
    /// A class of residents, by its position in [`Kind::resident_classes`].
    ResidentClassIndex
);
index_type!(
    /// A fill state, by its position in [`Kind::states`].
    FillStateIndex
);

/// Workloads that any place of the right profile can draw from: same request, same reward.
pub(super) struct Pool {
    pub request: RequestIndex,
    pub reward: Amount,
    /// Newcomers of the pool; residents that leave their slot join them.
    pub newcomers: Vec<WorkloadIndex>,
}

/// All pools, and which workload draws from which.
pub(super) struct Pools {
    pub list: Vec<Pool>,
    /// By workload; none for those that are not decided.
    of_workload: Vec<Option<PoolIndex>>,
}

/// Residents of one board type that are alike: same pool, same cost of migration. In the order in which they are numbered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ResidentClass {
    pub profile: ProfileIndex,
    pub pool: PoolIndex,
    pub migration: Amount,
}

/// How many residents of every class of a kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Contents(Vec<u8>);

/// A movable resident of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Movable {
    /// Its class within the kind.
    pub class: ResidentClassIndex,
    /// Where it runs now.
    pub instance: GpuInstance,
}

/// What runs on a GPU at first.
pub(super) struct Occupants<'a> {
    pub board: &'a Board,
    pub maintenance: Maintenance,
    /// Instances of pinned workloads.
    pub pinned: &'a [GpuInstance],
    /// Movable residents, in the order of the cluster's workloads.
    pub movable: &'a [Movable],
}

impl Occupants<'_> {
    /// The movable residents of these positions keep their start slots, and nothing is added.
    pub fn alone(&self, kept: Vec<usize>) -> Way {
        let board = self.board;
        let movable = kept.iter().map(|&position| self.movable[position].instance);
        let staying: Vec<GpuInstance> = self.pinned.iter().copied().chain(movable).collect();
        Way {
            kept,
            occupied: board.used_slots(&staying),
            remaining: None,
            laid_out_anew: Counts::zero(board.profiles().len()),
            waste: 0,
            repartition: false,
        }
    }
}

/// One way in which a GPU that carries workloads may stay in use. Where a GPU is out of service, also that everything leaves.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The movable residents that stay on it, by their positions in [`Occupants::movable`].
    pub kept: Vec<usize>,
    /// Slots that additions cannot use.
    pub occupied: SlotMask,
    /// What is left of the board's limits for additions; `None` where there are none.
    pub remaining: Option<Remaining>,
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
    /// The fill state that it leads to.
    pub state: FillStateIndex,
    /// Slices wasted before any addition.
    pub waste: u32,
    pub repartition: bool,
}

/// Whether GPUs may do something else than stay in one of their ways.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Alternative {
    /// They may be laid out anew, or emptied and switched off.
    LaidOutAnew,
    /// There is none: they carry pinned workloads, and so are in use.
    Pinned,
    /// There is none: they are out of service and carry nothing pinned. A way in which all leave switches them off.
    OutOfService,
}

/// What a GPU can take.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Addition {
    pub counts: Counts,
    /// Slices that it wastes.
    pub waste: u32,
}

/// Additions that a GPU can take, in ascending order of their counts, without the empty one.
pub(super) type FillState = Vec<Addition>;

/// GPUs with the same contents and the same options.
pub(super) struct GpuClass {
    pub contents: Contents,
    pub alternative: Alternative,
    pub options: Vec<KeepOption>,
    pub gpus: Vec<GpuIndex>,
}

impl GpuClass {
    /// Whether its GPUs may be laid out anew, or emptied and switched off, instead of staying in one of their ways.
    pub fn may_depart(&self) -> bool {
        self.alternative == Alternative::LaidOutAnew
    }

    /// Whether a GPU in this way carries something.
    pub fn is_in_use(&self, option: &KeepOption) -> bool {
        self.alternative != Alternative::OutOfService || !option.keep.is_empty()
    }
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
    pub pools_of_profile: Vec<Vec<PoolIndex>>,
}

/// A problem with identical things merged.
pub(super) struct States {
    pub pools: Pools,
    pub kinds: Vec<Kind>,
}

impl States {
    /// Merges what is identical under a reading of the model.
    pub fn new(problem: &Problem, ways_of: &WaysOf<'_>) -> Self {
        let pools = Pools::of(problem);
        let boards = (0..problem.cluster.boards.len()).map(BoardIndex::at);
        let kinds = boards.map(|board| Kind::new(problem, board, &pools, ways_of)).collect();
        States { pools, kinds }
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

impl Pools {
    fn of(problem: &Problem) -> Self {
        let mut numbers: BTreeMap<(RequestIndex, Amount), PoolIndex> = BTreeMap::new();
        let mut list: Vec<Pool> = Vec::new();
        let mut of_workload = vec![None; problem.cluster.workloads.len()];
        for workload in problem.decided() {
            let request = problem.cluster.workloads[workload.index()].request;
            let reward = problem.costs.reward_of(workload);
            let number = *numbers.entry((request, reward)).or_insert_with(|| {
                list.push(Pool { request, reward, newcomers: Vec::new() });
                PoolIndex::at(list.len() - 1)
            });
            of_workload[workload.index()] = Some(number);
            if problem.role(workload) == Role::Newcomer {
                list[number.index()].newcomers.push(workload);
            }
        }
        Pools { list, of_workload }
    }

    /// The pool of a decided workload.
    pub fn pool_of(&self, workload: WorkloadIndex) -> PoolIndex {
        self.of_workload[workload.index()].expect("decided workloads have a pool")
    }

    /// All pools.
    pub fn indices(&self) -> impl Iterator<Item = PoolIndex> + use<> {
        (0..self.list.len()).map(PoolIndex::at)
    }
}

impl Contents {
    /// No residents.
    pub fn empty(classes: &[ResidentClass]) -> Self {
        Contents(vec![0; classes.len()])
    }

    /// Those of residents among `classes`.
    pub fn of(classes: &[ResidentClass], residents: impl IntoIterator<Item = Movable>) -> Self {
        let mut contents = Contents::empty(classes);
        residents.into_iter().for_each(|resident| contents.0[resident.class.index()] += 1);
        contents
    }

    /// How many residents of a class.
    pub fn count(&self, class: ResidentClassIndex) -> u8 {
        self.0[class.index()]
    }

    /// The number of residents of every class.
    pub fn iter(&self) -> impl Iterator<Item = (ResidentClassIndex, u8)> {
        (0..).map(ResidentClassIndex).zip(self.0.iter().copied())
    }

    /// Whether there is no resident.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&number| number == 0)
    }

    /// The contents after one resident of `class` left; `None` when there is none.
    pub fn without_one(&self, class: ResidentClassIndex) -> Option<Contents> {
        let mut fewer = self.clone();
        fewer.0[class.index()] = self.count(class).checked_sub(1)?;
        Some(fewer)
    }

    /// By class, how many residents are missing from `kept`, a part of these contents.
    pub fn departures<'c>(
        &'c self,
        kept: &'c Contents,
    ) -> impl Iterator<Item = (ResidentClassIndex, u8)> + 'c {
        self.iter().zip(&kept.0).map(|((class, before), after)| (class, before - after))
    }
}

/// As part of a name: numbers of residents by class.
impl Display for Contents {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.iter().join("."))
    }
}

/// What runs on a GPU at first, with names.
pub(super) struct Occupied {
    maintenance: Maintenance,
    /// Workloads of the movable residents.
    pub workloads: Vec<WorkloadIndex>,
    /// Movable residents, in the order of the cluster's workloads.
    pub movable: Vec<Movable>,
    /// Instances of pinned workloads.
    pub pinned: Vec<GpuInstance>,
}

impl Occupied {
    /// What runs on a GPU, whose residents are of these classes.
    pub fn on(problem: &Problem, classes: &[ResidentClass], pools: &Pools, gpu: GpuIndex) -> Self {
        let maintenance = problem.maintenance(gpu);
        let mut occupied =
            Occupied { maintenance, workloads: Vec::new(), movable: Vec::new(), pinned: Vec::new() };
        for &workload in &problem.residents[gpu.index()] {
            let instance = problem.current_instance(workload).expect("residents run");
            if problem.role(workload) == Role::Pinned {
                occupied.pinned.push(instance);
                continue;
            }
            let own = (pools.pool_of(workload), problem.costs.migration_of(workload));
            let class = classes.iter().position(|class| (class.pool, class.migration) == own);
            let class = ResidentClassIndex::at(class.expect("every resident has a class"));
            occupied.workloads.push(workload);
            occupied.movable.push(Movable { class, instance });
        }
        occupied
    }

    fn up_to_names(self) -> RunsHere {
        let mut runs_here = self.runs_here();
        runs_here.pinned.sort_unstable();
        runs_here.movable.sort_unstable();
        runs_here
    }

    /// Without names, in the order of the cluster's workloads.
    pub fn runs_here(&self) -> RunsHere {
        let Occupied { maintenance, movable, pinned, .. } = self;
        RunsHere { maintenance: *maintenance, pinned: pinned.clone(), movable: movable.clone() }
    }
}

/// What runs on a GPU, without names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunsHere {
    maintenance: Maintenance,
    /// Instances of pinned workloads.
    pinned: Vec<GpuInstance>,
    /// Movable residents.
    pub movable: Vec<Movable>,
}

impl RunsHere {
    /// As occupants of a GPU of this board.
    pub fn on<'a>(&'a self, board: &'a Board) -> Occupants<'a> {
        let RunsHere { maintenance, pinned, movable } = self;
        Occupants { board, maintenance: *maintenance, pinned, movable }
    }
}

/// The fill state of a way, and the waste that comes with it before any addition.
pub(super) fn fill_state(board: &Board, way: &Way, demand: &Counts) -> (FillState, u32) {
    let Some(remaining) = &way.remaining else { return (Vec::new(), way.waste) };
    let table = fill_table(board, way.occupied, remaining);
    let base = table.waste_of[&way.laid_out_anew];
    let additions = table.waste_of.iter().filter_map(|(counts, &waste)| {
        let counts = counts.checked_sub(&way.laid_out_anew)?;
        Some(Addition { counts, waste: waste - base })
    });
    let taken = additions.filter(|added| !added.counts.is_zero() && added.counts.fits_within(demand));
    (taken.collect(), way.waste + base)
}

/// Where an addition with these counts is in a fill state.
pub(super) fn addition_with(state: &FillState, counts: &Counts) -> Option<usize> {
    state.binary_search_by(|addition| addition.counts.cmp(counts)).ok()
}

impl Kind {
    fn new(problem: &Problem, board_index: BoardIndex, pools: &Pools, ways_of: &WaysOf<'_>) -> Self {
        let board = &problem.cluster.boards[board_index.index()];
        let profile_of = |pool: PoolIndex| {
            let request = pools.list[pool.index()].request;
            problem.cluster.requests[request.index()].on_board[board_index.index()]
        };
        let mut pools_of_profile = vec![Vec::new(); board.profiles().len()];
        for pool in pools.indices() {
            if let Some(profile) = profile_of(pool) {
                pools_of_profile[profile.index()].push(pool);
            }
        }
        let mut demand = Counts::zero(board.profiles().len());
        for workload in problem.decided() {
            if let Some(profile) = profile_of(pools.pool_of(workload)) {
                demand.set(profile, demand.get(profile) + 1);
            }
        }
        let gpus = || problem.cluster.gpu_indices().filter(|&gpu| problem.board_index(gpu) == board_index);
        let resident_classes = resident_classes(problem, gpus(), pools);
        let mut options = Options::new(board, &resident_classes, &demand, ways_of);
        let mut known: BTreeMap<RunsHere, (Contents, Vec<KeepOption>)> = BTreeMap::new();
        let mut classes: BTreeMap<(Contents, Alternative, Vec<KeepOption>), Vec<GpuIndex>> = BTreeMap::new();
        for gpu in gpus() {
            let alternative = match problem.gpu_role(gpu) {
                GpuRole::Occupied if problem.may_be_laid_out_anew(gpu) => Alternative::LaidOutAnew,
                GpuRole::Occupied => Alternative::OutOfService,
                GpuRole::Pinned => Alternative::Pinned,
                GpuRole::Free | GpuRole::NotConsidered => continue,
            };
            let occupied = Occupied::on(problem, &resident_classes, pools, gpu);
            let found = known.entry(occupied.up_to_names());
            let (contents, options) = found.or_insert_with_key(|runs_here| options.of(runs_here));
            classes.entry((contents.clone(), alternative, options.clone())).or_default().push(gpu);
        }
        let gpu_classes = classes
            .into_iter()
            .map(|((contents, alternative, options), gpus)| GpuClass { contents, alternative, options, gpus })
            .collect();
        let free = gpus().filter(|&gpu| problem.gpu_role(gpu) == GpuRole::Free).collect();
        let states = options.states;
        Kind { board: board_index, free, resident_classes, gpu_classes, states, demand, pools_of_profile }
    }

    /// Number of instances per profile in the given contents.
    pub fn profiles_of(&self, contents: &Contents) -> Counts {
        let mut counts = Counts::zero(self.demand.len());
        for (class, number) in contents.iter() {
            let profile = self.class(class).profile;
            counts.set(profile, counts.get(profile) + u32::from(number));
        }
        counts
    }

    /// A class of residents.
    pub fn class(&self, class: ResidentClassIndex) -> &ResidentClass {
        &self.resident_classes[class.index()]
    }

    /// A fill state.
    pub fn state(&self, state: FillStateIndex) -> &FillState {
        &self.states[state.index()]
    }
}

/// The options of GPUs of one kind, and the fill states that they lead to.
struct Options<'a> {
    board: &'a Board,
    resident_classes: &'a [ResidentClass],
    demand: &'a Counts,
    ways_of: &'a WaysOf<'a>,
    /// Fill states in the order in which they were met.
    states: Vec<FillState>,
    numbers: BTreeMap<FillState, FillStateIndex>,
}

impl<'a> Options<'a> {
    fn new(
        board: &'a Board,
        resident_classes: &'a [ResidentClass],
        demand: &'a Counts,
        ways_of: &'a WaysOf<'a>,
    ) -> Self {
        let (states, numbers) = (Vec::new(), BTreeMap::new());
        Options { board, resident_classes, demand, ways_of, states, numbers }
    }

    /// Contents and options of a GPU.
    fn of(&mut self, runs_here: &RunsHere) -> (Contents, Vec<KeepOption>) {
        let ways = (self.ways_of)(&runs_here.on(self.board));
        let movable = &runs_here.movable;
        let mut options: Vec<KeepOption> = ways.iter().map(|way| self.option(way, movable)).collect();
        options.sort_unstable();
        options.dedup();
        let contents = Contents::of(self.resident_classes, movable.iter().copied());
        (contents, without_dominated(options, &self.states))
    }

    fn option(&mut self, way: &Way, movable: &[Movable]) -> KeepOption {
        let kept = way.kept.iter().map(|&position| movable[position]);
        let keep = Contents::of(self.resident_classes, kept);
        let (state, waste) = fill_state(self.board, way, self.demand);
        let states = &mut self.states;
        let state = *self.numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            FillStateIndex::at(states.len() - 1)
        });
        KeepOption { keep, state, waste, repartition: way.repartition }
    }
}

fn resident_classes(
    problem: &Problem,
    gpus: impl Iterator<Item = GpuIndex>,
    pools: &Pools,
) -> Vec<ResidentClass> {
    let mut classes: BTreeSet<ResidentClass> = BTreeSet::new();
    for &workload in gpus.flat_map(|gpu| &problem.residents[gpu.index()]) {
        if problem.role(workload) == Role::Resident {
            let profile = problem.current_instance(workload).expect("residents run").profile;
            let (pool, migration) = (pools.pool_of(workload), problem.costs.migration_of(workload));
            classes.insert(ResidentClass { profile, pool, migration });
        }
    }
    classes.into_iter().collect()
}

/// Drops options that another one with the same residents kept can replace in every solution without loss.
fn without_dominated(options: Vec<KeepOption>, states: &[FillState]) -> Vec<KeepOption> {
    let replaces = |better: &KeepOption, worse: &KeepOption| {
        let (state, others) = (&states[better.state.index()], &states[worse.state.index()]);
        better.keep == worse.keep
            && better.repartition <= worse.repartition
            && better.waste <= worse.waste
            && others.iter().all(|other| {
                addition_with(state, &other.counts)
                    .is_some_and(|same| better.waste + state[same].waste <= worse.waste + other.waste)
            })
    };
    let kept = |position: usize, option: &KeepOption| {
        !options.iter().enumerate().any(|(other, better)| {
            // Of two that replace each other the first one stays.
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

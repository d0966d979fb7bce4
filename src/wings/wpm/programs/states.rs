//! Identical things merged: what the aggregated programs count instead of naming.
//!
//! GPUs of one board, as far as no rule tells them apart, fall into classes that have the same contents and the same ways to stay in use; workloads fall
//! into pools that any free place of the right profile can draw from; occupied GPUs that can take the same additions
//! share a fill state. The programs of `compact` and `exact-index` differ only in the ways to stay in use.
//!
//! Merging is exact: whatever a solution does to one of two identical things it can do to the other, so that numbers
//! of them say all that a program has to know, and any of them can be taken when names are wanted again.

use super::concerns::{Alike, Concerns, Slots};
use crate::instance::{GpuRole, Problem, Role};
use cluster::{
    BoardIndex, GpuIndex, GroupIndex, Maintenance, NodeSetIndex, RequestIndex, Resource, WorkloadIndex,
};
use ground::{Amount, index_type};
use itertools::Itertools;
use mig::{Board, Counts, FillTable, GpuInstance, ProfileIndex, Remaining, SlotMask, fill_table};
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

/// Workloads that any place of the right profile can draw from: same request, same reward, and the same to all rules.
pub(super) struct Pool {
    pub request: RequestIndex,
    pub reward: Amount,
    /// One of them.
    pub sample: WorkloadIndex,
    /// How many there are.
    pub size: usize,
    /// Their groups, as far as rules for them can exclude something.
    pub groups: Vec<GroupIndex>,
    /// Those of the groups that move as one.
    tied: Vec<GroupIndex>,
    /// Newcomers of the pool; residents that leave their slot join them.
    pub newcomers: Vec<WorkloadIndex>,
}

/// All pools, and which workload draws from which.
pub(super) struct Pools {
    pub list: Vec<Pool>,
    /// By workload; none for those that are not decided.
    of_workload: Vec<Option<PoolIndex>>,
}

/// Residents of one kind that are alike: same pool, same cost of migration. In the order in which they are numbered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ResidentClass {
    pub profile: ProfileIndex,
    pub pool: PoolIndex,
    pub migration: Amount,
    pub leaves: Leaves,
}

/// Whether rules can make a resident leave its GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Leaves {
    /// No rule can gain by that.
    Never,
    /// A rule on groups or hosts may ask for it.
    Perhaps,
    /// Its node excludes it.
    Always,
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
    /// How much slots matter on the GPU.
    pub slots: Slots,
    classes: &'a [ResidentClass],
}

impl Occupants<'_> {
    /// Whether rules can make the movable resident of a position leave.
    pub fn leaves(&self, position: usize) -> Leaves {
        self.classes[self.movable[position].class.index()].leaves
    }

    /// Positions of the movable residents that may stay.
    pub fn may_stay(&self) -> Vec<usize> {
        (0..self.movable.len()).filter(|&position| self.leaves(position) != Leaves::Always).collect()
    }

    /// The movable residents of these positions keep their start slots, and nothing is added.
    pub fn alone(&self, kept: Vec<usize>) -> Way {
        let occupied = self.board.used_slots(&self.staying(&kept));
        Way { kept, occupied, remaining: None, shifted: Vec::new(), waste: 0, repartition: false }
    }

    /// The movable residents of these positions keep their start slots; all other slots are free, and all waste counts.
    pub fn beside(&self, kept: Vec<usize>) -> Way {
        let staying = self.staying(&kept);
        let remaining = staying.iter().fold(self.board.full_limits(), |left, instance| {
            left.take(self.board, instance.profile).expect("the current state is legal")
        });
        Way {
            kept,
            occupied: self.board.used_slots(&staying),
            remaining: Some(remaining),
            shifted: Vec::new(),
            waste: staying.iter().map(|&instance| self.board.waste(instance)).sum(),
            repartition: false,
        }
    }

    /// Repartitions in which it matters who keeps its slot: some residents keep theirs, others stay at starts that may be others.
    pub fn repartitions_by_slot(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for in_slot in self.may_stay().into_iter().powerset() {
            let others = self.may_stay().into_iter().filter(|position| !in_slot.contains(position));
            let shifts = match self.slots {
                Slots::Disrupting => others.powerset().collect(),
                Slots::Indifferent | Slots::Moving => vec![Vec::new()],
            };
            let alike = |shifted: &Vec<usize>| {
                shifted.iter().map(|&position| self.movable[position].class).sorted().collect_vec()
            };
            for shifted in shifts.into_iter().unique_by(alike) {
                if self.pinned.is_empty() && in_slot.is_empty() && shifted.is_empty() {
                    continue;
                }
                let kept = in_slot.iter().chain(&shifted).copied().sorted().collect();
                ways.push(Way { kept, shifted, repartition: true, ..self.beside(in_slot.clone()) });
            }
        }
        ways
    }

    fn staying(&self, kept: &[usize]) -> Vec<GpuInstance> {
        let movable = kept.iter().map(|&position| self.movable[position].instance);
        self.pinned.iter().copied().chain(movable).collect()
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
    /// Those of `kept` that are laid out anew together with the additions, outside `occupied`.
    pub shifted: Vec<usize>,
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
    /// Those of `keep` that are laid out anew together with the addition.
    pub shifted: Contents,
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

/// GPUs of one board type that no rule tells apart.
pub(super) struct Kind {
    pub board: BoardIndex,
    /// How columns and rows call it.
    pub name: String,
    /// One of its GPUs that take part, if any do: rules say the same of all of them.
    pub sample: GpuIndex,
    pub slots: Slots,
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
    pub concerns: Concerns,
    pub pools: Pools,
    pub kinds: Vec<Kind>,
}

impl States {
    /// Merges what is identical under a reading of the model.
    pub fn new(problem: &Problem, concerns: Concerns, pools: Pools, ways_of: &WaysOf<'_>) -> Self {
        let alike = concerns.alike(problem);
        let kinds =
            alike.into_iter().map(|alike| Kind::new(problem, &concerns, alike, &pools, ways_of)).collect();
        States { concerns, pools, kinds }
    }

    /// Whether every profile of every kind is asked for by one pool and one class of residents, and there are no rules beside: then
    /// the flows of the aggregated program are whole by themselves.
    pub fn flows_are_whole(&self) -> bool {
        self.concerns.is_empty()
            && self.kinds.iter().all(|kind| {
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

/// What the workloads of a pool have in common: request, reward and, as far as rules ask for them, set of nodes, groups, CPU and memory.
type PoolKey = (RequestIndex, Amount, Option<NodeSetIndex>, Vec<GroupIndex>, Option<[Amount; 2]>);

impl Pools {
    /// The pools of a problem, given the rules that can exclude something.
    pub fn of(problem: &Problem, concerns: &Concerns) -> Self {
        let mut numbers: BTreeMap<PoolKey, PoolIndex> = BTreeMap::new();
        let mut list: Vec<Pool> = Vec::new();
        let mut of_workload = vec![None; problem.cluster.workloads.len()];
        for workload in problem.decided() {
            let asked = &problem.cluster.workloads[workload.index()];
            let (request, reward) = (asked.request, problem.costs.reward_of(workload));
            let groups = concerns.groups_of(problem, workload);
            let demand = (!concerns.resources.is_empty()).then_some([asked.cpu, asked.memory]);
            let key = (request, reward, concerns.set_of(problem, workload), groups.clone(), demand);
            let number = *numbers.entry(key).or_insert_with(|| {
                let tied = groups.iter().copied().filter(|&group| concerns.moves_as_one(group)).collect();
                let (sample, size, newcomers) = (workload, 0, Vec::new());
                list.push(Pool { request, reward, sample, size, groups, tied, newcomers });
                PoolIndex::at(list.len() - 1)
            });
            of_workload[workload.index()] = Some(number);
            list[number.index()].size += 1;
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

    /// The groups of a pool's workloads that move as one.
    pub fn tied(&self, pool: PoolIndex) -> &[GroupIndex] {
        &self.list[pool.index()].tied
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

    /// Whether there are no more residents of any class than in others.
    pub fn fits_within(&self, others: &Contents) -> bool {
        self.0.iter().zip(&others.0).all(|(here, there)| here <= there)
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
    /// As occupants of a GPU of this board, with residents of these classes.
    pub fn on<'a>(&'a self, board: &'a Board, classes: &'a [ResidentClass], slots: Slots) -> Occupants<'a> {
        let RunsHere { maintenance, pinned, movable } = self;
        Occupants { board, maintenance: *maintenance, pinned, movable, slots, classes }
    }
}

/// The fill tables of a board, each found once.
type FillTables = BTreeMap<(SlotMask, Remaining), FillTable>;

/// What ways lead to.
pub(super) struct FillStates<'a> {
    board: &'a Board,
    demand: &'a Counts,
    tables: FillTables,
}

impl<'a> FillStates<'a> {
    /// Those of a board, with this much demand for additions.
    pub fn new(board: &'a Board, demand: &'a Counts) -> Self {
        FillStates { board, demand, tables: FillTables::new() }
    }

    /// The fill state of a way for these residents, and the waste that comes with it before any addition.
    pub fn of(&mut self, way: &Way, movable: &[Movable]) -> (FillState, u32) {
        let Some(remaining) = &way.remaining else { return (Vec::new(), way.waste) };
        let (board, question) = (self.board, (way.occupied, remaining.clone()));
        let table = (self.tables)
            .entry(question)
            .or_insert_with_key(|(occupied, remaining)| fill_table(board, *occupied, remaining));
        let shifted = way.shifted.iter().map(|&position| movable[position].instance).collect_vec();
        let laid_out_anew = Counts::from_instances(self.demand.len(), &shifted);
        let base = table.waste_of[&laid_out_anew];
        let additions = table.waste_of.iter().filter_map(|(counts, &waste)| {
            let counts = counts.checked_sub(&laid_out_anew)?;
            Some(Addition { counts, waste: waste - base })
        });
        let taken =
            additions.filter(|added| !added.counts.is_zero() && added.counts.fits_within(self.demand));
        (taken.collect(), way.waste + base)
    }
}

/// Where an addition with these counts is in a fill state.
pub(super) fn addition_with(state: &FillState, counts: &Counts) -> Option<usize> {
    state.binary_search_by(|addition| addition.counts.cmp(counts)).ok()
}

impl Kind {
    fn new(
        problem: &Problem,
        concerns: &Concerns,
        alike: Alike,
        pools: &Pools,
        ways_of: &WaysOf<'_>,
    ) -> Self {
        let Alike { board: board_index, name, gpus } = alike;
        let board = &problem.cluster.boards[board_index.index()];
        let mut taking_part = gpus.iter().filter(|gpu| problem.gpu_role(**gpu) != GpuRole::NotConsidered);
        let sample = *taking_part.next().unwrap_or(&gpus[0]);
        let admitted = |pool: &Pool| problem.cluster.admits(pool.sample, sample);
        let profile_of = |pool: &Pool| {
            problem.cluster.requests[pool.request.index()].on_board[board_index.index()]
                .filter(|_| admitted(pool))
        };
        let mut pools_of_profile = vec![Vec::new(); board.profiles().len()];
        let mut demand = Counts::zero(board.profiles().len());
        for (index, pool) in pools.indices().zip(&pools.list) {
            if let Some(profile) = profile_of(pool) {
                pools_of_profile[profile.index()].push(index);
                let size = u32::try_from(pool.size).expect("workloads are numbered");
                demand.set(profile, demand.get(profile) + size);
            }
        }
        let leaves = |pool: &Pool| {
            let needs = |resource: &Resource| resource.of_workload(&problem.cluster, pool.sample) > 0.0;
            if !admitted(pool) {
                Leaves::Always
            } else if !pool.groups.is_empty() || concerns.resources_of(problem, sample).any(needs) {
                Leaves::Perhaps
            } else {
                Leaves::Never
            }
        };
        let slots = concerns.slots(problem, sample);
        let resident_classes = resident_classes(problem, &gpus, pools, leaves);
        let mut options = Options::new(board, &resident_classes, slots, &demand, ways_of);
        let mut known: BTreeMap<RunsHere, (Contents, Vec<KeepOption>)> = BTreeMap::new();
        let mut classes: BTreeMap<(Contents, Alternative, Vec<KeepOption>), Vec<GpuIndex>> = BTreeMap::new();
        for &gpu in &gpus {
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
        let free = gpus.into_iter().filter(|&gpu| problem.gpu_role(gpu) == GpuRole::Free).collect();
        let states = options.states;
        Kind {
            board: board_index,
            name,
            sample,
            slots,
            free,
            resident_classes,
            gpu_classes,
            states,
            demand,
            pools_of_profile,
        }
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

    /// Whether GPUs may be laid out anew with these contents kept. Where slots matter, what is kept is kept in ways.
    pub fn may_cross(&self, contents: &Contents) -> bool {
        let stays = |class: ResidentClassIndex| self.class(class).leaves != Leaves::Always;
        match self.slots {
            Slots::Indifferent => {
                contents.iter().filter(|&(_, number)| number > 0).all(|(class, _)| stays(class))
            }
            Slots::Disrupting | Slots::Moving => contents.is_empty(),
        }
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
    slots: Slots,
    ways_of: &'a WaysOf<'a>,
    fill_states: FillStates<'a>,
    /// Fill states in the order in which they were met.
    states: Vec<FillState>,
    numbers: BTreeMap<FillState, FillStateIndex>,
}

impl<'a> Options<'a> {
    fn new(
        board: &'a Board,
        resident_classes: &'a [ResidentClass],
        slots: Slots,
        demand: &'a Counts,
        ways_of: &'a WaysOf<'a>,
    ) -> Self {
        let fill_states = FillStates::new(board, demand);
        let (states, numbers) = (Vec::new(), BTreeMap::new());
        Options { board, resident_classes, slots, ways_of, fill_states, states, numbers }
    }

    /// Contents and options of a GPU.
    fn of(&mut self, runs_here: &RunsHere) -> (Contents, Vec<KeepOption>) {
        let ways = (self.ways_of)(&runs_here.on(self.board, self.resident_classes, self.slots));
        let movable = &runs_here.movable;
        let mut options: Vec<KeepOption> = ways.iter().map(|way| self.option(way, movable)).collect();
        options.sort_unstable();
        options.dedup();
        let contents = Contents::of(self.resident_classes, movable.iter().copied());
        (contents, without_dominated(options, &self.states))
    }

    fn option(&mut self, way: &Way, movable: &[Movable]) -> KeepOption {
        let contents = |positions: &[usize]| {
            Contents::of(self.resident_classes, positions.iter().map(|&position| movable[position]))
        };
        let (keep, shifted) = (contents(&way.kept), contents(&way.shifted));
        let (state, waste) = self.fill_states.of(way, movable);
        let states = &mut self.states;
        let state = *self.numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            FillStateIndex::at(states.len() - 1)
        });
        KeepOption { keep, state, waste, repartition: way.repartition, shifted }
    }
}

fn resident_classes(
    problem: &Problem,
    gpus: &[GpuIndex],
    pools: &Pools,
    leaves: impl Fn(&Pool) -> Leaves,
) -> Vec<ResidentClass> {
    let mut classes: BTreeSet<ResidentClass> = BTreeSet::new();
    for &workload in gpus.iter().flat_map(|gpu| &problem.residents[gpu.index()]) {
        if problem.role(workload) == Role::Resident {
            let profile = problem.current_instance(workload).expect("residents run").profile;
            let (pool, migration) = (pools.pool_of(workload), problem.costs.migration_of(workload));
            let leaves = leaves(&pools.list[pool.index()]);
            classes.insert(ResidentClass { profile, pool, migration, leaves });
        }
    }
    classes.into_iter().collect()
}

/// Drops options that another one with the same residents kept can replace in every solution without loss.
fn without_dominated(options: Vec<KeepOption>, states: &[FillState]) -> Vec<KeepOption> {
    let replaces = |better: &KeepOption, worse: &KeepOption| {
        let (state, others) = (&states[better.state.index()], &states[worse.state.index()]);
        better.keep == worse.keep
            && better.shifted.fits_within(&worse.shifted)
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

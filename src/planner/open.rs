//! Other targets that are worth as much as the given one: those that one round reaches, with the fewest stops and moves.
//!
//! In one round every place that is entered is free beside all that runs before. What a GPU can take is therefore independent of what
//! leaves it, and GPUs of a board on which alike workloads have the same places are alike: the program counts, by kind of GPU, those that
//! are emptied, those that each place is left on, and those that take each maximal set of profiles. Its size depends on the number of
//! kinds, not of GPUs. Where workloads are bound to nodes, GPUs of a board are in a pool if the same sets of nodes have them, and only
//! those of one pool are alike.
//!
//! Why nothing is lost: workloads of one profile, handover, nodes and budgets may exchange their new places, since every new place is free for all
//! of them. And of the GPUs of a kind, any that are emptied can be taken first, as each of their places is left at least that often.

use crate::objective::Objective;
use crate::options::Options;
use crate::search::{Answer, Found, plan};
use cluster::{
    BoardIndex, BudgetIndex, Cluster, GpuIndex, Handover, HostResources, Location, Maintenance, NodeSetIndex,
    Placement, RequestIndex, WorkloadIndex,
};
use good_lp::{Expression, Variable, constraint, variable};
use mig::{ArrangePriority, Counts, GpuInstance, ProfileIndex, SlotMask, arrange, fill_table};
use milp::{Program, ProgramBuilder, Sense, StopReason};
use plan::Transition;
use solver::{Control, solve_stages};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// What came of the search for another target.
#[derive(Debug)]
pub enum OpenTarget {
    /// One that a single round reaches, and whether none of them is proved to take fewer stops and moves.
    Found(Placement, bool),
    /// There is none, which is proved.
    None,
    /// None was found before a limit.
    Stopped,
}

/// A plan to the given target, or to another one that places the same workloads on no more GPUs of any board, whichever costs less; and
/// what there is to say about the choice. For back ends that change GPUs instance by instance.
///
/// # Errors
/// As for [`plan()`].
pub fn plan_open(
    transition: &Transition,
    options: &Options,
    control: &Control,
) -> Result<(Answer, String), String> {
    let began = Instant::now();
    let (target, is_proved) = match open_target(transition, options, control)? {
        OpenTarget::Found(target, is_proved) => (target, is_proved),
        OpenTarget::None => {
            let note = "target: as given; none with the same workloads on no more GPUs is reached in one round (proved)";
            return Ok((plan(transition, &options.since(began), control)?, note.to_owned()));
        }
        OpenTarget::Stopped => {
            let note =
                "target: as given; whether one round reaches another one was not settled before the limit";
            return Ok((plan(transition, &options.since(began), control)?, note.to_owned()));
        }
    };
    let overloads =
        |target: &Placement| !cluster::check(&transition.cluster, target, HostResources::Checked).is_empty();
    if overloads(&target) && !overloads(&transition.target) {
        let note = "target: as given; the one that was found for one round overloads a host";
        return Ok((plan(transition, &options.since(began), control)?, note.to_owned()));
    }
    let other = Transition::new(transition.cluster.clone(), target, transition.limits, transition.backend)?;
    let open = plan(&other, &options.since(began), control)?;
    let fewest = if is_proved {
        "none of them takes fewer stops or moves (proved)"
    } else {
        "a limit ended the search for the one with the fewest stops and moves"
    };
    let note = format!(
        "target: one of those with the same workloads on no more GPUs that are reached in one round; {fewest}"
    );
    if let Answer::Found(found) = &open
        && found.judgement.counts.rounds <= 1
        && found.judgement.counts.stops == 0
        && !is_late(Objective::Rounds, options)
    {
        return Ok((open, note));
    }
    let given = plan(transition, &options.since(began), control)?;
    let cost = |answer: &Answer| match answer {
        Answer::Found(found) => Some(cost(found, options)),
        Answer::Impossible(_) | Answer::Stopped(_) => None,
    };
    Ok(match (cost(&open), cost(&given)) {
        (Some(open_cost), Some(given_cost)) if open_cost < given_cost => (open, note),
        (Some(_), None) => (open, note),
        _ => (given, "target: as given; no plan to another one was found that costs less".to_owned()),
    })
}

/// Whether moves are minimised before it.
fn is_late(objective: Objective, options: &Options) -> bool {
    let rank = |objective| options.order.iter().position(|other| *other == objective).unwrap_or(usize::MAX);
    rank(Objective::Moves) < rank(objective)
}

fn cost(found: &Found, options: &Options) -> Vec<u64> {
    options.order.iter().map(|objective| objective.of(&found.judgement.counts)).collect()
}

/// A target that one round reaches, with the same workloads placed and no more GPUs of any board in use, and the fewest stops and moves.
///
/// # Errors
/// When the solver fails.
pub fn open_target(
    transition: &Transition,
    options: &Options,
    control: &Control,
) -> Result<OpenTarget, String> {
    let began = Instant::now();
    let fleet = Fleet::of(transition);
    let (program, counted) = pose(transition, &fleet, options);
    let effort = &options.effort;
    let staged = solve_stages(effort.solver, &program, &effort.options(began, None), control);
    match (staged.columns, staged.stop) {
        (Some(columns), stop) => {
            let target = counted.target(transition, &fleet, &columns);
            Ok(OpenTarget::Found(target, stop == StopReason::Proved))
        }
        (None, StopReason::Infeasible) => Ok(OpenTarget::None),
        (None, StopReason::SolverError(error)) => Err(error),
        (None, _) => Ok(OpenTarget::Stopped),
    }
}

/// What is the same for workloads that may exchange their new places.
type Likeness<'t> = (RequestIndex, Handover, Option<NodeSetIndex>, &'t [BudgetIndex]);

/// What becomes of a workload that runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It may not be moved.
    Stays,
    /// It may move to where any other workload of its sort may.
    Free(usize),
    /// The target has no place for it.
    Ends,
}

/// A GPU instance in use: where, what becomes of its workload, and the workload.
type Resident = (GpuInstance, Fate, WorkloadIndex);

/// Workloads that may exchange their new places.
struct Sort {
    request: RequestIndex,
    handover: Handover,
    nodes: Option<NodeSetIndex>,
    newcomers: Vec<WorkloadIndex>,
}

/// What is the same for GPUs of a kind: pool, service, and what runs where.
type Likewise = (usize, Maintenance, Vec<(GpuInstance, Fate)>);

/// GPUs of a board that the same sets of nodes have.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pool {
    board: BoardIndex,
    /// By set of nodes: whether it has them.
    of_nodes: Vec<bool>,
}

impl Pool {
    fn of(cluster: &Cluster, gpu: GpuIndex) -> Self {
        let of_nodes = cluster.node_sets.iter().map(|nodes| nodes.has_gpu[gpu.index()]).collect();
        Pool { board: cluster.gpus[gpu.index()].board, of_nodes }
    }

    /// The profile that workloads of a sort have there; none where they may not be.
    fn profile_of(&self, cluster: &Cluster, sort: &Sort) -> Option<ProfileIndex> {
        let is_admitted = sort.nodes.is_none_or(|nodes| self.of_nodes[nodes.index()]);
        cluster.requests[sort.request.index()].on_board[self.board.index()].filter(|_| is_admitted)
    }
}

/// GPUs of a pool, in service or not, on which alike workloads have the same places.
struct Kind {
    pool: usize,
    board: BoardIndex,
    maintenance: Maintenance,
    residents: Vec<(GpuInstance, Fate)>,
    gpus: Vec<GpuIndex>,
}

/// The cluster, counted by kinds.
struct Fleet {
    pools: Vec<Pool>,
    sorts: Vec<Sort>,
    kinds: Vec<Kind>,
    /// Who runs on each GPU, by place.
    residents: Vec<Vec<Resident>>,
    /// By board: the GPUs that the given target uses.
    used: Vec<usize>,
}

impl Fleet {
    fn of(transition: &Transition) -> Self {
        let (cluster, target) = (&transition.cluster, &transition.target);
        let mut numbers: BTreeMap<Likeness<'_>, usize> = BTreeMap::new();
        let mut sorts: Vec<Sort> = Vec::new();
        let mut residents: Vec<Vec<Resident>> = vec![Vec::new(); cluster.gpus.len()];
        let mut used: BTreeSet<GpuIndex> = BTreeSet::new();
        for workload in cluster.workload_indices() {
            let about = &cluster.workloads[workload.index()];
            used.extend(target.of(workload).map(|location| location.gpu));
            let mut sort = || {
                let (budgets, nodes) = (&about.particulars().budgets[..], about.particulars().nodes);
                *numbers.entry((about.request, about.handover, nodes, budgets)).or_insert_with(|| {
                    let (request, handover) = (about.request, about.handover);
                    sorts.push(Sort { request, handover, nodes, newcomers: Vec::new() });
                    sorts.len() - 1
                })
            };
            let fate = match (transition.class_of[workload.index()], target.of(workload)) {
                (None, _) => Fate::Stays,
                (Some(_), None) => Fate::Ends,
                (Some(_), Some(_)) => Fate::Free(sort()),
            };
            match about.current.and_then(|location| transition.place(workload, location)) {
                Some(place) => residents[place.gpu.index()].push((place.instance, fate, workload)),
                None => {
                    if let Fate::Free(sort) = fate {
                        sorts[sort].newcomers.push(workload);
                    }
                }
            }
        }
        let pools: BTreeSet<Pool> = cluster.gpu_indices().map(|gpu| Pool::of(cluster, gpu)).collect();
        let pools: Vec<Pool> = pools.into_iter().collect();
        let mut kinds: BTreeMap<Likewise, Vec<GpuIndex>> = BTreeMap::new();
        for gpu in cluster.gpu_indices() {
            let here = &mut residents[gpu.index()];
            here.sort_unstable();
            let places = here.iter().map(|&(instance, fate, _)| (instance, fate)).collect();
            let about = &cluster.gpus[gpu.index()];
            let pool = pools.binary_search(&Pool::of(cluster, gpu)).expect("every GPU is in a pool");
            kinds.entry((pool, about.maintenance, places)).or_default().push(gpu);
        }
        let kinds = kinds.into_iter().map(|((pool, maintenance, residents), gpus)| Kind {
            pool,
            board: pools[pool].board,
            maintenance,
            residents,
            gpus,
        });
        let on_board =
            |board: usize| used.iter().filter(|gpu| cluster.gpus[gpu.index()].board.index() == board).count();
        Fleet {
            sorts,
            kinds: kinds.collect(),
            pools,
            residents,
            used: (0..cluster.boards.len()).map(on_board).collect(),
        }
    }
}

/// A column that counts, and where it is in points of the program.
#[derive(Clone, Copy)]
struct Count {
    variable: Variable,
    index: usize,
}

impl Count {
    fn new(builder: &mut ProgramBuilder, name: String, least: usize, most: usize) -> Self {
        let variable = builder.column(name, variable().integer().min(least as f64).max(most as f64));
        Count { variable, index: builder.index_of(variable) }
    }

    fn value(self, point: &[f64]) -> usize {
        point[self.index].round() as usize
    }
}

fn sum(counts: impl Iterator<Item = Count>) -> Expression {
    counts.map(|count| Expression::from(count.variable)).sum()
}

/// What is counted of a kind of GPU.
struct KindCounts {
    /// GPUs that are emptied; none where that cannot be, or where nothing runs.
    emptied: Option<Count>,
    /// By place: GPUs on which it is left; none where its workload may not move, or ends anyway.
    left: Vec<Option<Count>>,
    /// GPUs that take up to so many instances of each profile.
    filled: Vec<(Counts, Count)>,
}

/// What the columns of the program count.
struct Counted {
    kinds: Vec<KindCounts>,
    /// By sort and pool: workloads that enter a place there.
    entering: Vec<Vec<Option<Count>>>,
}

/// The program of the targets that one round reaches.
fn pose(transition: &Transition, fleet: &Fleet, options: &Options) -> (Program, Counted) {
    let mut builder = ProgramBuilder::new("open target");
    let counted = Counted::of(transition, fleet, &mut builder);
    counted.rows(transition, fleet, &mut builder);
    let left = |is_counted: &dyn Fn(&Sort) -> bool| -> Expression {
        let of_kind = |(kind, counts): (&Kind, &KindCounts)| -> Expression {
            let places = kind.residents.iter().zip(&counts.left);
            sum(places.filter_map(|((_, fate), left)| match fate {
                Fate::Free(sort) if is_counted(&fleet.sorts[*sort]) => *left,
                _ => None,
            }))
        };
        fleet.kinds.iter().zip(&counted.kinds).map(of_kind).sum()
    };
    let stops = left(&|sort| sort.handover == Handover::Restart);
    let moves = left(&|_| true);
    let mut stages = [("stops", stops), ("moves", moves)];
    if is_late(Objective::Stops, options) {
        stages.reverse();
    }
    for (name, objective) in stages {
        builder.stage(name, Sense::Minimize, objective, Some(1.0));
    }
    (builder.build(), counted)
}

impl Counted {
    fn of(transition: &Transition, fleet: &Fleet, builder: &mut ProgramBuilder) -> Self {
        let cluster = &transition.cluster;
        let mut comers: Vec<usize> = fleet.sorts.iter().map(|sort| sort.newcomers.len()).collect();
        for kind in &fleet.kinds {
            for (_, fate) in &kind.residents {
                if let Fate::Free(sort) = fate {
                    comers[*sort] += kind.gpus.len();
                }
            }
        }
        let mut entering = Vec::new();
        for (number, (sort, comers)) in fleet.sorts.iter().zip(comers).enumerate() {
            let in_pool = fleet.pools.iter().enumerate().map(|(at, pool)| {
                let name = format!("enter[{number},{at}]");
                pool.profile_of(cluster, sort).map(|_| Count::new(builder, name, 0, comers))
            });
            entering.push(in_pool.collect());
        }
        let kinds = fleet.kinds.iter().enumerate();
        let kinds = kinds.map(|(number, kind)| KindCounts::of(transition, fleet, number, kind, builder));
        Counted { kinds: kinds.collect(), entering }
    }

    fn rows(&self, transition: &Transition, fleet: &Fleet, builder: &mut ProgramBuilder) {
        let cluster = &transition.cluster;
        // Whoever leaves a place enters another one, and newcomers enter one.
        let mut comes: Vec<Expression> = vec![Expression::from(0.0); fleet.sorts.len()];
        // By pool and profile: places that are made.
        let mut made: BTreeMap<(usize, ProfileIndex), Expression> = BTreeMap::new();
        // By board: GPUs in use that are not now, less those that are emptied.
        let mut more: Vec<Expression> = vec![Expression::from(0.0); cluster.boards.len()];
        let mut now = vec![0; cluster.boards.len()];
        for (number, (kind, counts)) in fleet.kinds.iter().zip(&self.kinds).enumerate() {
            let board = kind.board.index();
            let filled = || counts.filled.iter().map(|(_, filled)| *filled);
            for ((_, fate), left) in kind.residents.iter().zip(&counts.left) {
                if let (Fate::Free(sort), Some(left)) = (fate, left) {
                    comes[*sort] += left.variable;
                }
            }
            for (instances, filled) in &counts.filled {
                for (profile, count) in instances.iter() {
                    *made.entry((kind.pool, profile)).or_default() += f64::from(count) * filled.variable;
                }
            }
            if kind.residents.is_empty() {
                more[board] += sum(filled());
            } else {
                now[board] += kind.gpus.len();
            }
            let count = kind.gpus.len() as f64;
            if let Some(emptied) = counts.emptied {
                more[board] -= emptied.variable;
                for left in counts.left.iter().flatten() {
                    let is_left = constraint!(emptied.variable <= left.variable);
                    builder.row(format!("emptied[{number}]"), is_left);
                }
            }
            let busy = sum(filled().chain(counts.emptied));
            if counts.emptied.is_some() || !counts.filled.is_empty() {
                builder.row(format!("gpus[{number}]"), constraint!(busy <= count));
            }
        }
        for (number, ((sort, entering), comes)) in
            fleet.sorts.iter().zip(&self.entering).zip(comes).enumerate()
        {
            let newcomers = sort.newcomers.len() as f64;
            let enters = sum(entering.iter().flatten().copied());
            builder.row(format!("places[{number}]"), constraint!(enters - comes == newcomers));
        }
        let mut asked: BTreeMap<(usize, ProfileIndex), Expression> = BTreeMap::new();
        for (sort, entering) in fleet.sorts.iter().zip(&self.entering) {
            for (number, (pool, entering)) in fleet.pools.iter().zip(entering).enumerate() {
                if let (Some(profile), Some(entering)) = (pool.profile_of(cluster, sort), entering) {
                    *asked.entry((number, profile)).or_default() += entering.variable;
                }
            }
        }
        for ((pool, profile), asked) in asked {
            let made = made.remove(&(pool, profile)).unwrap_or_default();
            builder.row(format!("room[{pool},{}]", profile.0), constraint!(asked <= made));
        }
        for (board, more) in more.into_iter().enumerate() {
            if self.may_change(fleet, board) {
                let most = fleet.used[board] as f64 - now[board] as f64;
                builder.row(format!("used[{board}]"), constraint!(more <= most));
            }
        }
    }

    /// Whether the number of GPUs of a board in use may change. Where it cannot, they are those of now, all of which the target uses.
    fn may_change(&self, fleet: &Fleet, board: usize) -> bool {
        let mut kinds = fleet.kinds.iter().zip(&self.kinds).filter(|(kind, _)| kind.board.index() == board);
        kinds.any(|(kind, counts)| {
            counts.emptied.is_some() || kind.residents.is_empty() && !counts.filled.is_empty()
        })
    }

    /// The target of a point: names in the order of the cluster.
    fn target(&self, transition: &Transition, fleet: &Fleet, point: &[f64]) -> Placement {
        let cluster = &transition.cluster;
        let mut target = Placement::new(cluster.workloads.iter().map(|workload| workload.current).collect());
        let mut comers: Vec<Vec<WorkloadIndex>> =
            fleet.sorts.iter().map(|sort| sort.newcomers.clone()).collect();
        let mut made: BTreeMap<(usize, ProfileIndex), Vec<Location>> = BTreeMap::new();
        for (kind, counts) in fleet.kinds.iter().zip(&self.kinds) {
            for (position, (_, fate)) in kind.residents.iter().enumerate() {
                let leaves = match (fate, counts.left[position]) {
                    (Fate::Ends, _) => kind.gpus.len(),
                    (_, left) => left.map_or(0, |left| left.value(point)),
                };
                // The first ones are emptied: each of their places is left.
                for gpu in &kind.gpus[..leaves] {
                    let (_, fate, workload) = fleet.residents[gpu.index()][position];
                    target.set(workload, None);
                    if let Fate::Free(sort) = fate {
                        comers[sort].push(workload);
                    }
                }
            }
            let board = &cluster.boards[kind.board.index()];
            let occupied = occupied(board, &kind.residents);
            let mut gpus = kind.gpus[counts.emptied.map_or(0, |emptied| emptied.value(point))..].iter();
            for (instances, filled) in &counts.filled {
                let places = arrange(board, occupied, instances, &[], ArrangePriority::LeastWaste)
                    .expect("fills can be arranged");
                for &gpu in gpus.by_ref().take(filled.value(point)) {
                    for place in &places {
                        let location = Location { gpu, start: place.start };
                        made.entry((kind.pool, place.profile)).or_default().push(location);
                    }
                }
            }
        }
        made.values_mut().for_each(|places| places.reverse());
        for ((sort, entering), comers) in fleet.sorts.iter().zip(&self.entering).zip(&mut comers) {
            comers.sort_unstable();
            let mut comers = comers.drain(..);
            for (number, (pool, entering)) in fleet.pools.iter().zip(entering).enumerate() {
                let (Some(profile), Some(entering)) = (pool.profile_of(cluster, sort), entering) else {
                    continue;
                };
                for _ in 0..entering.value(point) {
                    let place = made.get_mut(&(number, profile)).and_then(Vec::pop);
                    let workload = comers.next().expect("as many enter as come");
                    target.set(workload, Some(place.expect("no more enter than places are made")));
                }
            }
        }
        target
    }
}

impl KindCounts {
    fn of(
        transition: &Transition,
        fleet: &Fleet,
        number: usize,
        kind: &Kind,
        builder: &mut ProgramBuilder,
    ) -> Self {
        let (count, cluster) = (kind.gpus.len(), &transition.cluster);
        let can_be_empty =
            !kind.residents.is_empty() && kind.residents.iter().all(|(_, fate)| *fate != Fate::Stays);
        let emptied = can_be_empty.then(|| Count::new(builder, format!("emptied[{number}]"), 0, count));
        let left = kind.residents.iter().enumerate().map(|(place, (_, fate))| match fate {
            Fate::Free(sort) => {
                let may_stay = fleet.pools[kind.pool].profile_of(cluster, &fleet.sorts[*sort]).is_some();
                let least = if kind.maintenance == Maintenance::Draining || !may_stay { count } else { 0 };
                Some(Count::new(builder, format!("left[{number},{place}]"), least, count))
            }
            Fate::Stays | Fate::Ends => None,
        });
        let left = left.collect();
        let board = &transition.cluster.boards[kind.board.index()];
        let asked = fleet.sorts.iter().filter_map(|sort| fleet.pools[kind.pool].profile_of(cluster, sort));
        let asked: Vec<ProfileIndex> = asked.collect::<BTreeSet<_>>().into_iter().collect();
        let instances: Vec<GpuInstance> = kind.residents.iter().map(|(instance, _)| *instance).collect();
        let held = Counts::from_instances(board.profiles().len(), &instances);
        let remaining = board.full_limits().after(board, &held).expect("what runs keeps the limits");
        let asked = if kind.maintenance.is_in_service() { &asked[..] } else { &[] };
        let fills = fill_table(board, occupied(board, &kind.residents), &remaining).of_profiles(asked);
        let filled = fills.maximal().into_iter().filter(|counts| !counts.is_zero()).enumerate();
        let filled = filled
            .map(|(fill, counts)| {
                (counts.clone(), Count::new(builder, format!("filled[{number},{fill}]"), 0, count))
            })
            .collect();
        KindCounts { emptied, left, filled }
    }
}

fn occupied(board: &mig::Board, residents: &[(GpuInstance, Fate)]) -> SlotMask {
    let slots = residents.iter().map(|(instance, _)| board.footprint(*instance));
    slots.fold(SlotMask::EMPTY, SlotMask::union)
}

//! All three goals: how many workloads of each kind stay, move and start in each GPU that carries something now, and in the
//! empty GPUs of each machine together.

use super::frame::{Frame, Held, alike, order_rows};
use super::keeping::Keeping;
use super::kinds::{Detail, Kind};
use super::pools::{Grain, Pool};
use super::settle::settle;
use crate::instance::{MachineIndex, Problem};
use crate::programs::cluster_rules::{ClusterRules, Party, Stay};
use crate::programs::encoding::Encoding;
use crate::programs::stage_plan::{GoalExpressions, StagePlan, coefficient};
use crate::section::Goal;
use cluster::{GpuIndex, Location, Placement, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use mig::Counts;
use milp::{Handle, Program, ProgramBuilder};
use std::collections::BTreeMap;

/// Where the workloads that a column counts come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Origin {
    /// They ran on this GPU and stay.
    Stay,
    /// They come from another GPU of the machine.
    Gpu,
    /// They come from another machine.
    Machine,
    /// They are newcomers.
    New,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Stay => "stay",
            Origin::Gpu => "intra",
            Origin::Machine => "inter",
            Origin::New => "new",
        }
    }
}

/// The program of counts by bin.
pub struct Bins<'a> {
    problem: &'a Problem,
    program: Program,
    kinds: Vec<Kind>,
    pools: Vec<Pool>,
    alike: Vec<Vec<MachineIndex>>,
    frame: Frame,
    columns: BTreeMap<(usize, usize, Origin), Handle>,
    keeping: Keeping,
    rules: ClusterRules,
}

impl<'a> Bins<'a> {
    /// Builds the program.
    pub fn new(problem: &'a Problem) -> Self {
        let mut builder = ProgramBuilder::new("siavashi-compact");
        let kinds = Kind::all(problem, Detail::PlacesKnown);
        let pools = Pool::all(problem, &kinds, Grain::Residents);
        let mut frame = Frame::new(problem, &mut builder, &pools);
        let columns = count_columns(problem, &mut builder, &kinds, &pools);
        let held =
            |(&(kind, pool, _), &column): (&(usize, usize, Origin), &Handle)| Held { kind, pool, column };
        let held: Vec<Held> = columns.iter().map(held).collect();
        frame.add_rows(problem, &mut builder, &kinds, &pools, &held);
        for (position, kind) in kinds.iter().enumerate() {
            let own = || columns.iter().filter(move |((other, ..), _)| *other == position);
            let placed: Expression = own().map(|(_, column)| column.variable).sum();
            let least = kind.must_stay as f64;
            builder.range_row(
                format!("total[{}]", kind.name(problem)),
                least,
                placed,
                f64::from(kind.count()),
            );
            from_machine(problem, &mut builder, kind, &pools, own());
            stay_on_used(problem, &mut builder, kind, &pools, &frame, own());
        }
        let carries = |machine| {
            let mut own = pools.iter().filter(|pool| pool.machine == machine);
            own.any(|pool| {
                let mut gpus = pool.gpus.iter();
                !pool.pinned.is_empty()
                    || gpus.any(|&gpu| kinds.iter().any(|kind| kind.running_on_gpu(gpu) > 0))
            })
        };
        let alike = alike(problem, &pools, |machine| !carries(machine));
        order_rows(problem, &mut builder, &frame, &pools, &alike);
        let stay = |kind, pool| columns.get(&(kind, pool, Origin::Stay)).copied();
        let keeping = Keeping::add(problem, &mut builder, &kinds, &pools, &frame.pool_used, &held, stay);
        let parties = || parties(problem, &kinds, &pools, &columns, &keeping);
        let rules = ClusterRules::add(problem, &mut builder, parties);
        let goals = GoalExpressions([
            frame.acceptance(problem, &kinds, &held),
            frame.hardware(),
            migrations(problem, &kinds, &columns) + keeping.costs(problem, &kinds) + rules.joint_costs(),
        ]);
        let plan = StagePlan::new(problem);
        plan.add_stages(&mut builder, &goals, plan.all());
        Bins { problem, program: builder.build(), kinds, pools, alike, frame, columns, keeping, rules }
    }
}

/// stay, intra, inter and new [kind,pool]: workloads of the kind in the pool, by where they come from.
fn count_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    kinds: &[Kind],
    pools: &[Pool],
) -> BTreeMap<(usize, usize, Origin), Handle> {
    let mut columns = BTreeMap::new();
    for (kind, about) in kinds.iter().enumerate() {
        for (pool, place) in pools.iter().enumerate() {
            let Some(profile) = about.profile_on(problem, place.board) else { continue };
            let room = place.size() * place.most(profile);
            let here = place.only_gpu().map_or(0, |gpu| about.running_on_gpu(gpu));
            let on_machine = about.running_on_machine(problem, place.machine);
            let most = match about.is_resident() {
                true => vec![
                    (Origin::Stay, here),
                    (Origin::Gpu, on_machine - here),
                    (Origin::Machine, about.count() - on_machine),
                ],
                false => vec![(Origin::New, about.count())],
            };
            let is_allowed = |origin| match origin {
                Origin::Stay => problem.may_stay_on(about.example, place.gpus[0]),
                Origin::Gpu | Origin::Machine | Origin::New => {
                    problem.may_start_on(about.example, place.gpus[0])
                }
            };
            for (origin, most) in
                most.into_iter().filter(|&(origin, most)| most.min(room) > 0 && is_allowed(origin))
            {
                let name = format!("{}[{},{}]", origin.name(), about.name(problem), place.name(problem));
                let column = Handle::add(builder, name, variable().integer().min(0).max(most.min(room)));
                columns.insert((kind, pool, origin), column);
            }
        }
    }
    columns
}

/// The kinds with the columns that say where they are and who stays.
fn parties(
    problem: &Problem,
    kinds: &[Kind],
    pools: &[Pool],
    columns: &BTreeMap<(usize, usize, Origin), Handle>,
    keeping: &Keeping,
) -> Vec<Party> {
    let party = |(position, kind): (usize, &Kind)| {
        let own = || columns.iter().filter(|((other, ..), _)| *other == position);
        let on = own().map(|((_, pool, _), column)| (pools[*pool].gpus[0], column.variable.into())).collect();
        let stays = own().filter(|((.., origin), _)| *origin == Origin::Stay);
        let on_gpu: Expression = stays.map(|(_, column)| column.variable).sum();
        let in_slot = problem.starts_cost().then(|| on_gpu.clone() - keeping.shifted(position));
        let stay = kind.is_resident().then_some(Stay { on_gpu, in_slot });
        Party { members: kind.members.clone(), on, stay }
    };
    kinds.iter().enumerate().map(party).collect()
}

type Entry<'c> = (&'c (usize, usize, Origin), &'c Handle);

/// `from`: no more workloads stay on a machine, on the same GPU or another, than run there now.
fn from_machine<'c>(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    kind: &Kind,
    pools: &[Pool],
    own: impl Iterator<Item = Entry<'c>>,
) {
    let mut kept: BTreeMap<MachineIndex, Vec<Handle>> = BTreeMap::new();
    for ((_, pool, origin), column) in own {
        if matches!(origin, Origin::Stay | Origin::Gpu) {
            kept.entry(pools[*pool].machine).or_default().push(*column);
        }
    }
    for (machine, columns) in kept {
        let most = f64::from(kind.running_on_machine(problem, machine));
        let kept: Expression = columns.iter().map(|column| column.variable).sum();
        let label = format!("from[{},{}]", kind.name(problem), problem.machine_name(machine));
        builder.row(label, constraint!(kept <= most));
    }
}

/// `stay`: nothing stays on a GPU that is not in use. The facets imply it for whole numbers; it doubles the bound of the
/// linear relaxation.
fn stay_on_used<'c>(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    kind: &Kind,
    pools: &[Pool],
    frame: &Frame,
    own: impl Iterator<Item = Entry<'c>>,
) {
    for ((_, pool, _), column) in own.filter(|((.., origin), _)| *origin == Origin::Stay) {
        let gpu = pools[*pool].only_gpu().expect("something runs there");
        let most = f64::from(kind.running_on_gpu(gpu));
        let used = frame.pool_used[*pool].variable;
        let label = format!("stay[{},{}]", kind.name(problem), pools[*pool].name(problem));
        builder.row(label, constraint!(column.variable <= most * used));
    }
}

/// Objective (5): every resident is evicted at first, and saves something by each place that it gets.
fn migrations(
    problem: &Problem,
    kinds: &[Kind],
    columns: &BTreeMap<(usize, usize, Origin), Handle>,
) -> Expression {
    let costs = problem.costs;
    let coefficient = |cost: Amount, kind: &Kind| {
        coefficient(problem, Goal::Migrations, problem.weighted(cost, kind.example))
    };
    let residents = kinds.iter().filter(|kind| kind.is_resident());
    let evicted: f64 = residents.map(|kind| coefficient(costs.evict, kind) * f64::from(kind.count())).sum();
    let mut migrations = Expression::from(evicted);
    for (&(kind, _, origin), column) in columns {
        let cost = match origin {
            Origin::Stay => Amount::ZERO,
            Origin::Gpu => costs.move_gpu,
            Origin::Machine => costs.move_machine,
            Origin::New => continue,
        };
        migrations.add_mul(-coefficient(costs.evict - cost, &kinds[kind]), column.variable);
    }
    migrations
}

impl Encoding for Bins<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Placement {
        let mut in_pool: Vec<Vec<WorkloadIndex>> = vec![Vec::new(); self.pools.len()];
        for position in 0..self.kinds.len() {
            self.deal(position, columns, &mut in_pool);
        }
        let mut placement = Placement::new(vec![None; self.problem.cluster.workloads.len()]);
        for workload in self.problem.cluster.workload_indices() {
            if self.problem.is_pinned(workload) {
                placement.set(workload, self.problem.current(workload));
            }
        }
        for ((pool, workloads), used) in self.pools.iter().zip(&in_pool).zip(&self.frame.pool_used) {
            pool.lay_out(self.problem, workloads, used.whole(columns), &mut placement);
        }
        settle(self.problem, &self.kinds, &mut placement);
        placement
    }

    fn encode(&self, placement: &Placement) -> Vec<f64> {
        let placement = self.in_order(placement);
        let mut columns = vec![0.0; self.program.columns.len()];
        let mut on_gpu: BTreeMap<GpuIndex, Counts> = BTreeMap::new();
        let mut pool_of = BTreeMap::new();
        for (position, pool) in self.pools.iter().enumerate() {
            pool_of.extend(pool.gpus.iter().map(|&gpu| (gpu, position)));
            if !pool.pinned.is_empty() {
                columns[self.frame.machine_used[pool.machine.index()].index] = 1.0;
                columns[self.frame.pool_used[position].index] = 1.0;
            }
        }
        for (kind, about) in self.kinds.iter().enumerate() {
            for &workload in &about.members {
                let Some(place) = placement.of(workload) else { continue };
                let pool = pool_of[&place.gpu];
                let board = &self.problem.cluster.boards[self.pools[pool].board.index()];
                let profile =
                    about.profile_on(self.problem, self.pools[pool].board).expect("a valid placement");
                let origin = self.origin(workload, place.gpu);
                columns[self.columns[&(kind, pool, origin)].index] += 1.0;
                let counts = on_gpu.entry(place.gpu).or_insert_with(|| Counts::zero(board.profiles().len()));
                *counts = counts.add_one(profile);
            }
        }
        for (gpu, counts) in on_gpu {
            let pool = pool_of[&gpu];
            let used = self.frame.pool_used[pool];
            if self.pools[pool].pinned.is_empty() {
                columns[used.index] += 1.0;
            }
            columns[self.frame.machine_used[self.pools[pool].machine.index()].index] = 1.0;
            let mut fills = self.pools[pool].room.maximal.iter().zip(&self.frame.patterns[pool]);
            if let Some((_, pattern)) = fills.find(|(fill, _)| counts.fits_within(fill)) {
                columns[pattern.index] += 1.0;
            }
        }
        self.frame.complete(&mut columns);
        self.keeping.complete(self.problem, &self.kinds, &self.pools, &placement, &mut columns);
        self.rules.complete(self.problem, &placement, &mut columns);
        columns
    }
}

impl Bins<'_> {
    /// Where a workload on a GPU comes from.
    fn origin(&self, workload: WorkloadIndex, gpu: GpuIndex) -> Origin {
        let problem = self.problem;
        match problem.current(workload) {
            None => Origin::New,
            Some(before) if before.gpu == gpu => Origin::Stay,
            Some(before) if problem.machine_of(before.gpu) == problem.machine_of(gpu) => Origin::Gpu,
            Some(_) => Origin::Machine,
        }
    }

    /// Deals the members of a kind out to the pools as the columns say. Members are alike, so that each choice is as good as
    /// the columns' or better.
    fn deal(&self, position: usize, columns: &[f64], in_pool: &mut [Vec<WorkloadIndex>]) {
        let kind = &self.kinds[position];
        let mut left = kind.running.clone();
        let count = |pool, origin| {
            self.columns.get(&(position, pool, origin)).map_or(0, |column| column.whole(columns) as usize)
        };
        for (pool, about) in self.pools.iter().enumerate() {
            if let Some(here) = about.only_gpu().and_then(|gpu| left.get_mut(&gpu)) {
                in_pool[pool].extend(here.drain(..count(pool, Origin::Stay)));
            }
        }
        for (pool, about) in self.pools.iter().enumerate() {
            for _ in 0..count(pool, Origin::Gpu) {
                let mut from = self.problem.machine(about.machine).gpus.clone();
                from.sort_by_key(|&gpu| about.only_gpu() == Some(gpu));
                in_pool[pool].extend(take_first(&mut left, from));
            }
        }
        let mut newcomers = kind.members.iter().copied().filter(|_| !kind.is_resident());
        for (pool, about) in self.pools.iter().enumerate() {
            for _ in 0..count(pool, Origin::Machine) {
                let elsewhere = |gpu: &&GpuIndex| self.problem.machine_of(**gpu) != about.machine;
                let all: Vec<GpuIndex> = left.keys().copied().collect();
                let (far, near): (Vec<GpuIndex>, Vec<GpuIndex>) = all.iter().partition(|gpu| elsewhere(gpu));
                in_pool[pool].extend(take_first(&mut left, far.into_iter().chain(near).collect()));
            }
            in_pool[pool].extend(newcomers.by_ref().take(count(pool, Origin::New)));
        }
    }

    /// The placement with machines that are alike in the order that the program asks for.
    fn in_order(&self, placement: &Placement) -> Placement {
        let on_gpu = placement.by_gpu(&self.problem.cluster);
        let mut ordered = placement.clone();
        for group in &self.alike {
            let used = |machine: &MachineIndex| {
                let gpus = &self.problem.machine(*machine).gpus;
                gpus.iter().filter(|gpu| !on_gpu[gpu.index()].is_empty()).count()
            };
            let mut sources = group.clone();
            sources.sort_by_key(|machine| std::cmp::Reverse(used(machine)));
            let gpus = |machine: &MachineIndex| {
                let mut gpus = self.problem.machine(*machine).gpus.clone();
                gpus.sort_by_key(|gpu| self.problem.cluster.gpus[gpu.index()].board);
                gpus
            };
            let pairs: Vec<(GpuIndex, GpuIndex)> =
                sources.iter().flat_map(gpus).zip(group.iter().flat_map(gpus)).collect();
            for (from, to) in pairs {
                for &workload in &on_gpu[from.index()] {
                    let start = placement.of(workload).expect("listed by location").start;
                    ordered.set(workload, Some(Location { gpu: to, start }));
                }
            }
        }
        ordered
    }
}

/// Takes a workload from the first of the GPUs that has one.
fn take_first(
    left: &mut BTreeMap<GpuIndex, Vec<WorkloadIndex>>,
    gpus: Vec<GpuIndex>,
) -> Option<WorkloadIndex> {
    gpus.into_iter().find_map(|gpu| left.get_mut(&gpu)?.pop())
}

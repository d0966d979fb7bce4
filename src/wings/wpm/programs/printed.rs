//! The paper's program WPM, equations (2a)-(2k), with the completions W2d', W2l and the stay variables, and with start slots in the
//! imaginary twins where rules ask for them (W3s).
//!
//! One function per family of equations; the labels are those of `models/wpm.md`. Memory is counted in slices.

use super::encoding::Encoding;
use super::printed_rules::{Place, Places, RuleColumns, add_rules, slots_matter};
use super::stage_plan::{GoalExpressions, StagePlan};
use super::start_slots::Indexing;
use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use crate::rules::{Reading, Solution};
use crate::section::Goal;
use cluster::{GpuIndex, Location, Maintenance, Placement, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use mig::{
    BinViewCounterexample, GpuInstance, ProfileIndex, SliceStart, SlotMask, check_bin_view, free_partitions,
};
use milp::{Handle, Program, ProgramBuilder};
use std::collections::BTreeMap;

/// A bin of the program: a whole GPU to be laid out anew, or a free partition of one that stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Bin {
    /// A free GPU (the paper's F).
    Free(GpuIndex),
    /// The imaginary twin of an occupied GPU (G^i): using it means repartitioning.
    Twin(GpuIndex),
    /// A free partition (P_h), by its number on the GPU.
    Partition(GpuIndex, usize),
}

impl Bin {
    fn gpu(self) -> GpuIndex {
        match self {
            Bin::Free(gpu) | Bin::Twin(gpu) | Bin::Partition(gpu, _) => gpu,
        }
    }

    fn name(self, problem: &Problem) -> String {
        let gpu = &problem.cluster.gpus[self.gpu().index()].name;
        match self {
            Bin::Free(_) => gpu.clone(),
            Bin::Twin(_) => format!("{gpu}~twin"),
            Bin::Partition(_, number) => format!("{gpu}~p{number}"),
        }
    }
}

/// Capacities and columns of a bin.
struct BinColumns {
    bin: Bin,
    compute: u32,
    size: u32,
    slots: SlotMask,
    /// y_g of a whole GPU, z_p of a partition.
    open: Handle,
    /// What is left of its slices; none where start slots say more.
    left: Option<Left>,
    /// Workloads that may go there.
    items: Vec<Item>,
}

/// What is left of the slices of a bin.
struct Left {
    /// u_b, v_b, U_b, V_b.
    slack: [Handle; 4],
    /// delta_b.
    compute_left: Handle,
}

/// A workload that may go into a bin.
struct Item {
    workload: WorkloadIndex,
    /// Its profile on this board.
    profile: ProfileIndex,
    /// Its start slot, where that matters.
    start: Option<SliceStart>,
    /// x_wb, or x_wbs.
    x: Handle,
}

/// The printed program of a problem.
pub struct Printed<'a> {
    problem: &'a Problem,
    plan: StagePlan,
    program: Program,
    bins: Vec<BinColumns>,
    /// y_h of the GPUs that may stay as they are.
    as_is: BTreeMap<GpuIndex, Handle>,
    /// s_w of the residents on them.
    stay: BTreeMap<WorkloadIndex, Handle>,
    rules: RuleColumns,
}

/// Why the printed program cannot be used for a problem: on one of its boards a bin of compute and memory slices says
/// something else than the start slots do.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the printed program treats a {board} as a bin of slices, which is not exact: {counterexample}. Use the formulation `compact`"
)]
pub struct BinViewFails {
    /// Board name.
    pub board: String,
    /// What goes wrong there.
    pub counterexample: Box<BinViewCounterexample>,
}

impl<'a> Printed<'a> {
    /// Builds the program.
    ///
    /// # Errors
    /// When Assumption 1 or Algorithm 1 does not hold on one of the boards.
    pub fn new(problem: &'a Problem, plan: StagePlan) -> Result<Self, BinViewFails> {
        for board in &problem.cluster.boards {
            check_bin_view(board).map_err(|counterexample| BinViewFails {
                board: board.name().to_owned(),
                counterexample: Box::new(counterexample),
            })?;
        }
        let mut builder = ProgramBuilder::new("wpm-printed");
        let as_is = as_is_columns(problem, &mut builder);
        let bins: Vec<BinColumns> = list_bins(problem, &as_is)
            .into_iter()
            .map(|bin| bin_columns(problem, &mut builder, bin))
            .collect();
        let stay = stay_columns(problem, &mut builder, &as_is);

        for bin in &bins {
            w2b_w2c(problem, &mut builder, bin);
        }
        for (&gpu, &y) in &as_is {
            w2d(problem, &mut builder, &bins, gpu, y);
            w2d_stay(problem, &mut builder, &stay, gpu, y);
        }
        w2e(problem, &mut builder, &bins, &stay);
        for bin in &bins {
            w2f_w2g(problem, &mut builder, bin);
            w3s(problem, &mut builder, bin);
        }
        w2h(problem, &mut builder, &bins, &as_is);
        for bin in &bins {
            w2i_w2j_w2k(problem, &mut builder, bin);
        }
        w2l(problem, &mut builder, &bins, &as_is, &stay);

        let rules = add_rules(problem, &mut builder, &places(problem, &bins, &stay));

        let goals = w2a(problem, &plan, &bins, &as_is, &stay, &rules.moved);
        plan.add_stages(&mut builder, goals);
        Ok(Printed { problem, plan, program: builder.build(), bins, as_is, stay, rules })
    }
}

fn gpu_name(problem: &Problem, gpu: GpuIndex) -> &str {
    &problem.cluster.gpus[gpu.index()].name
}

fn workload_name(problem: &Problem, workload: WorkloadIndex) -> &str {
    &problem.cluster.workloads[workload.index()].name
}

/// Columns and rows of the program, or more: each decided workload on each bin of a board that serves it.
pub fn size(problem: &Problem) -> (u64, u64) {
    let boards = problem.cluster.boards.len();
    let mut served = vec![0_u64; boards];
    for workload in problem.decided() {
        let request = problem.cluster.workloads[workload.index()].request;
        let on_board = &problem.cluster.requests[request.index()].on_board;
        served.iter_mut().zip(on_board).for_each(|(count, profile)| *count += u64::from(profile.is_some()));
    }
    let starts = |gpu: GpuIndex| match slots_matter(problem) && problem.gpu_role(gpu) == GpuRole::Occupied {
        true => u64::from(problem.board(gpu).slots()),
        false => 1,
    };
    let bins = |gpu: GpuIndex| {
        let partitions = || free_partitions(problem.board(gpu), occupied_slots(problem, gpu)).len() as u64;
        let whole = u64::from(problem.may_be_laid_out_anew(gpu));
        if takes_additions(problem, gpu) { whole + partitions() } else { whole }
    };
    let (mut columns, mut rows) =
        (problem.cluster.workloads.len() as u64, problem.cluster.workloads.len() as u64);
    for gpu in problem.cluster.gpu_indices() {
        let bins = bins(gpu);
        columns += 1 + bins * (6 + starts(gpu) * served[problem.board_index(gpu).index()]);
        rows += 3 + (10 + starts(gpu)) * bins;
    }
    (columns, rows)
}

/// y_h of every GPU that carries workloads and may stay as it is; forced to 1 by a pinned workload.
fn as_is_columns(problem: &Problem, builder: &mut ProgramBuilder) -> BTreeMap<GpuIndex, Handle> {
    let may_stay = |gpu: &GpuIndex| problem.may_stay_as_it_is(*gpu);
    let column = |gpu: GpuIndex| {
        let forced = if problem.gpu_role(gpu) == GpuRole::Pinned { 1 } else { 0 };
        let definition = variable().integer().min(forced).max(1);
        (gpu, Handle::add(builder, format!("y[{}]", gpu_name(problem, gpu)), definition))
    };
    problem.cluster.gpu_indices().filter(may_stay).map(column).collect()
}

/// Whether a GPU may stay as it is and take workloads into its free partitions.
fn takes_additions(problem: &Problem, gpu: GpuIndex) -> bool {
    problem.may_stay_as_it_is(gpu) && problem.maintenance(gpu).is_in_service()
}

/// All slots that are occupied on a GPU at first.
fn occupied_slots(problem: &Problem, gpu: GpuIndex) -> SlotMask {
    let residents = problem.residents[gpu.index()].iter();
    residents
        .filter_map(|&resident| problem.current_instance(resident))
        .fold(SlotMask::EMPTY, |mask, instance| mask.union(problem.board(gpu).footprint(instance)))
}

/// F, then G^i, then P with its capacities from Algorithm 1, un-merged.
fn list_bins(problem: &Problem, as_is: &BTreeMap<GpuIndex, Handle>) -> Vec<(Bin, u32, u32, SlotMask)> {
    let mut bins = Vec::new();
    let whole = |bin: Bin| {
        let board = problem.board(bin.gpu());
        (bin, board.compute(), board.slots(), SlotMask::EMPTY)
    };
    for gpu in problem.cluster.gpu_indices() {
        if problem.may_be_laid_out_anew(gpu) {
            let is_free = problem.gpu_role(gpu) == GpuRole::Free;
            bins.push(whole(if is_free { Bin::Free(gpu) } else { Bin::Twin(gpu) }));
        }
    }
    for &gpu in as_is.keys().filter(|&&gpu| takes_additions(problem, gpu)) {
        let partitions = free_partitions(problem.board(gpu), occupied_slots(problem, gpu));
        bins.extend(partitions.iter().enumerate().map(|(number, partition)| {
            (
                Bin::Partition(gpu, number),
                partition.compute,
                partition.size,
                SlotMask::interval(partition.start, partition.size),
            )
        }));
    }
    bins
}

/// y or z, x, u, v, U, V and delta of one bin. x_wb exists where w fits into an empty b whose node admits it. In a twin whose start
/// slots matter there is an x_wbs for every start instead, and what is left is nobody's business.
fn bin_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    (bin, compute, size, slots): (Bin, u32, u32, SlotMask),
) -> BinColumns {
    let name = bin.name(problem);
    let family = if matches!(bin, Bin::Partition(..)) { "z" } else { "y" };
    let open = Handle::add(builder, format!("{family}[{name}]"), variable().binary());
    let board = problem.board(bin.gpu());
    let on_board = problem.board_index(bin.gpu()).index();
    let has_starts = matches!(bin, Bin::Twin(_)) && slots_matter(problem);
    let mut items = Vec::new();
    for workload in problem.decided().filter(|&workload| problem.cluster.admits(workload, bin.gpu())) {
        let request = problem.cluster.workloads[workload.index()].request;
        let Some(profile) = problem.cluster.requests[request.index()].on_board[on_board] else { continue };
        if board.profile(profile).compute > compute || board.profile(profile).size > size {
            continue;
        }
        let mut item = |start: Option<SliceStart>| {
            let at = start.map(|start| format!("@{}", start.0)).unwrap_or_default();
            let x = format!("x[{},{name}{at}]", workload_name(problem, workload));
            items.push(Item { workload, profile, start, x: Handle::add(builder, x, variable().binary()) });
        };
        match has_starts {
            true => board.profile(profile).starts.iter().for_each(|&start| item(Some(start))),
            false => item(None),
        }
    }
    let left = (!has_starts).then(|| left_columns(builder, &name, compute, size));
    BinColumns { bin, compute, size, slots, open, left, items }
}

fn left_columns(builder: &mut ProgramBuilder, name: &str, compute: u32, size: u32) -> Left {
    let upper = [Some(compute), Some(size), None, None];
    let slack = std::array::from_fn(|position| {
        let definition = match upper[position] {
            Some(upper) => variable().min(0).max(upper),
            None => variable().min(0),
        };
        Handle::add(builder, format!("{}[{name}]", ["u", "v", "U", "V"][position]), definition)
    });
    let compute_left = Handle::add(builder, format!("delta[{name}]"), variable().binary());
    Left { slack, compute_left }
}

fn must_leave_its_node(problem: &Problem, resident: WorkloadIndex, gpu: GpuIndex) -> bool {
    problem.role(resident) == Role::Resident && !problem.cluster.admits(resident, gpu)
}

/// s_w: resident w keeps its slot, on a node that admits it.
fn stay_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    as_is: &BTreeMap<GpuIndex, Handle>,
) -> BTreeMap<WorkloadIndex, Handle> {
    let movable = as_is
        .keys()
        .filter(|&&gpu| problem.maintenance(gpu) != Maintenance::Draining)
        .flat_map(|gpu| problem.residents[gpu.index()].iter().map(move |workload| (workload, *gpu)))
        .filter(|&(&workload, gpu)| {
            problem.role(workload) == Role::Resident && !must_leave_its_node(problem, workload, gpu)
        })
        .map(|(workload, _)| workload);
    movable
        .map(|&workload| {
            let name = format!("s[{}]", workload_name(problem, workload));
            (workload, Handle::add(builder, name, variable().binary()))
        })
        .collect()
}

/// The four terms of (2a), and the number of workloads without a place.
fn w2a(
    problem: &Problem,
    plan: &StagePlan,
    bins: &[BinColumns],
    as_is: &BTreeMap<GpuIndex, Handle>,
    stay: &BTreeMap<WorkloadIndex, Handle>,
    moved: &BTreeMap<WorkloadIndex, Expression>,
) -> GoalExpressions {
    let reward = |workload| plan.coefficient(Goal::Reward, problem.costs.reward_of(workload));
    let gpu = |gpu| plan.coefficient(Goal::Gpus, problem.costs.of_board(problem.board_index(gpu)).gpu);
    let repartition = |gpu| {
        plan.coefficient(Goal::Migrations, problem.costs.of_board(problem.board_index(gpu)).repartition)
    };
    let migration = |workload| plan.coefficient(Goal::Migrations, problem.costs.migration_of(workload));
    let waste = |gpu| plan.coefficient(Goal::Waste, problem.costs.of_board(problem.board_index(gpu)).waste);
    let mut goals = GoalExpressions {
        reward: Expression::default(),
        gpus: Expression::default(),
        migrations: Expression::default(),
        waste: Expression::default(),
        pending: Expression::from(problem.decided().count() as f64),
    };
    for (&workload, moved) in moved {
        goals.migrations.add_mul(migration(workload), moved);
    }
    for (&h, y) in as_is {
        goals.gpus += gpu(h) * y.variable;
    }
    for (&workload, s) in stay {
        goals.reward += reward(workload) * s.variable;
        goals.pending -= s.variable;
    }
    for bin in bins {
        let h = bin.bin.gpu();
        if !matches!(bin.bin, Bin::Partition(..)) {
            goals.gpus += gpu(h) * bin.open.variable;
        }
        if matches!(bin.bin, Bin::Twin(_)) {
            goals.migrations += repartition(h) * bin.open.variable;
        }
        if let Some(Left { slack: [_, _, compute_waste, memory_waste], .. }) = bin.left {
            goals.waste += waste(h) * (compute_waste.variable + memory_waste.variable);
        }
        for &Item { workload, profile, start, x } in &bin.items {
            goals.reward += reward(workload) * x.variable;
            goals.pending -= x.variable;
            if let Some(start) = start {
                let wasted = problem.board(h).waste(GpuInstance { profile, start });
                goals.waste += waste(h) * f64::from(wasted) * x.variable;
            }
        }
    }
    goals
}

/// All ways in which a workload may have a place.
fn places(problem: &Problem, bins: &[BinColumns], stay: &BTreeMap<WorkloadIndex, Handle>) -> Places {
    let current = |workload: WorkloadIndex| problem.cluster.workloads[workload.index()].current;
    let mut places = Places::new();
    for (&workload, s) in stay {
        let gpu = current(workload).expect("residents run").gpu;
        let stays = Place { gpu, column: *s, keeps_slot: true };
        places.entry(workload).or_default().push(stays);
    }
    for bin in bins {
        let gpu = bin.bin.gpu();
        for item in &bin.items {
            let slot = item.start.map(|start| Location { gpu, start });
            let keeps_slot = slot.is_some() && slot == current(item.workload);
            let place = Place { gpu, column: item.x, keeps_slot };
            places.entry(item.workload).or_default().push(place);
        }
    }
    places
}

fn placed_in(bin: &BinColumns) -> Expression {
    bin.items.iter().map(|item| item.x.variable).sum()
}

/// (2b) a used GPU is open; (2c) a used partition is open.
fn w2b_w2c(problem: &Problem, builder: &mut ProgramBuilder, bin: &BinColumns) {
    let label = if matches!(bin.bin, Bin::Partition(..)) { "W2c" } else { "W2b" };
    let capacity = f64::from(bin.compute);
    builder.row(
        format!("{label}[{}]", bin.bin.name(problem)),
        constraint!(placed_in(bin) <= capacity * bin.open.variable),
    );
}

/// (2d) a GPU with an open partition is in use.
fn w2d(problem: &Problem, builder: &mut ProgramBuilder, bins: &[BinColumns], gpu: GpuIndex, y: Handle) {
    let own = |bin: &&BinColumns| matches!(bin.bin, Bin::Partition(owner, _) if owner == gpu);
    let open: Expression = bins.iter().filter(own).map(|bin| bin.open.variable).sum();
    let capacity = f64::from(problem.board(gpu).compute());
    builder.row(format!("W2d[{}]", gpu_name(problem, gpu)), constraint!(open <= capacity * y.variable));
}

/// (2d') a GPU on which residents keep their slots is in use; missing in print.
fn w2d_stay(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    stay: &BTreeMap<WorkloadIndex, Handle>,
    gpu: GpuIndex,
    y: Handle,
) {
    let kept: Expression = problem.residents[gpu.index()]
        .iter()
        .filter_map(|workload| stay.get(workload))
        .map(|s| s.variable)
        .sum();
    let capacity = problem.residents[gpu.index()].len() as f64;
    builder.row(format!("W2d'[{}]", gpu_name(problem, gpu)), constraint!(kept <= capacity * y.variable));
}

/// (2e) every workload has at most one place, its own slot included.
fn w2e(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    bins: &[BinColumns],
    stay: &BTreeMap<WorkloadIndex, Handle>,
) {
    let mut places: BTreeMap<WorkloadIndex, Expression> =
        problem.decided().map(|workload| (workload, Expression::default())).collect();
    for (workload, s) in stay {
        *places.get_mut(workload).expect("residents are decided") += s.variable;
    }
    for Item { workload, x, .. } in bins.iter().flat_map(|bin| &bin.items) {
        *places.get_mut(workload).expect("only decided workloads have columns") += x.variable;
    }
    for (workload, places) in places {
        builder.row(format!("W2e[{}]", workload_name(problem, workload)), constraint!(places <= 1));
    }
}

/// (2f) compute slices and (2g) memory slices, used or left over.
fn w2f_w2g(problem: &Problem, builder: &mut ProgramBuilder, bin: &BinColumns) {
    let Some(Left { slack: [compute_left, memory_left, _, _], .. }) = bin.left else { return };
    let board = problem.board(bin.bin.gpu());
    let mut compute: Expression = compute_left.variable.into();
    let mut memory: Expression = memory_left.variable.into();
    for &Item { profile, x, .. } in &bin.items {
        compute += f64::from(board.profile(profile).compute) * x.variable;
        memory += f64::from(board.profile(profile).size) * x.variable;
    }
    let name = bin.bin.name(problem);
    builder.row(format!("W2f[{name}]"), constraint!(compute == f64::from(bin.compute)));
    builder.row(format!("W2g[{name}]"), constraint!(memory == f64::from(bin.size)));
}

/// (3s) a slot of a twin holds one instance, where start slots matter.
fn w3s(problem: &Problem, builder: &mut ProgramBuilder, bin: &BinColumns) {
    if bin.left.is_some() {
        return;
    }
    let board = problem.board(bin.bin.gpu());
    for slot in SlotMask::first(bin.size).iter() {
        let covers = |item: &&Item| {
            let instance = item.start.map(|start| GpuInstance { profile: item.profile, start });
            instance.is_some_and(|instance| board.footprint(instance).iter().any(|held| held == slot))
        };
        let held: Expression = bin.items.iter().filter(covers).map(|item| item.x.variable).sum();
        builder.row(format!("W3s[{},{slot}]", bin.bin.name(problem)), constraint!(held <= bin.open.variable));
    }
}

/// (2h) of a GPU and its twin only one is in use.
fn w2h(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    bins: &[BinColumns],
    as_is: &BTreeMap<GpuIndex, Handle>,
) {
    for bin in bins.iter().filter(|bin| matches!(bin.bin, Bin::Twin(_))) {
        if let Some(y) = as_is.get(&bin.bin.gpu()) {
            let label = format!("W2h[{}]", gpu_name(problem, bin.bin.gpu()));
            builder.row(label, constraint!(y.variable + bin.open.variable <= 1));
        }
    }
}

/// (2i) excess of compute over memory; (2j) delta is 1 while compute is left; (2k) memory left when compute is full.
fn w2i_w2j_w2k(problem: &Problem, builder: &mut ProgramBuilder, bin: &BinColumns) {
    let Some(Left { slack, compute_left }) = &bin.left else { return };
    let name = bin.bin.name(problem);
    let [u, v, compute_waste, memory_waste] = slack.map(|handle| handle.variable);
    let delta = compute_left.variable;
    builder.row(format!("W2i[{name}]"), constraint!(u - v <= compute_waste));
    builder.row(format!("W2j-lower[{name}]"), constraint!(delta <= u));
    builder.row(format!("W2j-upper[{name}]"), constraint!(u <= f64::from(bin.compute) * delta));
    builder.row(format!("W2k[{name}]"), constraint!(v - f64::from(bin.size) * delta <= memory_waste));
}

/// (2l) compute slices, engine pools and instance maxima of a board, per GPU; missing in print.
fn w2l(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    bins: &[BinColumns],
    as_is: &BTreeMap<GpuIndex, Handle>,
    stay: &BTreeMap<WorkloadIndex, Handle>,
) {
    let usage_in = |bin: &BinColumns, usage: &[u32]| -> Expression {
        bin.items.iter().map(|item| f64::from(usage[item.profile.index()]) * item.x.variable).sum()
    };
    for bin in bins.iter().filter(|bin| !matches!(bin.bin, Bin::Partition(..))) {
        for (number, limit) in problem.board(bin.bin.gpu()).limits().iter().enumerate() {
            let used = usage_in(bin, &limit.usage);
            let label = format!("W2l[{},{number}]", bin.bin.name(problem));
            builder.row(label, constraint!(used <= f64::from(limit.capacity)));
        }
    }
    for &gpu in as_is.keys() {
        for (number, limit) in problem.board(gpu).limits().iter().enumerate() {
            let mut used = Expression::default();
            let mut capacity = f64::from(limit.capacity);
            for bin in bins.iter().filter(|bin| matches!(bin.bin, Bin::Partition(owner, _) if owner == gpu)) {
                used += usage_in(bin, &limit.usage);
            }
            for &resident in &problem.residents[gpu.index()] {
                let profile = problem.current_instance(resident).expect("residents run").profile;
                let usage = f64::from(limit.usage[profile.index()]);
                match stay.get(&resident) {
                    Some(s) => used += usage * s.variable,
                    None if must_leave_its_node(problem, resident, gpu) => {}
                    None => capacity -= usage,
                }
            }
            let label = format!("W2l[{},{number}]", gpu_name(problem, gpu));
            builder.row(label, constraint!(used <= capacity));
        }
    }
}

impl Encoding for Printed<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn plan(&self) -> &StagePlan {
        &self.plan
    }

    fn reading(&self) -> Reading {
        Reading::Printed
    }

    fn decode(&self, columns: &[f64]) -> Solution {
        let problem = self.problem;
        let mut placement = Placement::new(vec![None; problem.cluster.workloads.len()]);
        for workload in problem.cluster.workload_indices() {
            let stays = self.stay.get(&workload).is_some_and(|s| s.whole(columns) == 1);
            if stays || problem.role(workload) == Role::Pinned {
                placement.set(workload, problem.cluster.workloads[workload.index()].current);
            }
        }
        let mut indexing = Indexing::new(problem);
        let mut repartitioned = vec![false; problem.cluster.gpus.len()];
        let mut into_partitions: BTreeMap<GpuIndex, Vec<WorkloadIndex>> = BTreeMap::new();
        for bin in &self.bins {
            let gpu = bin.bin.gpu();
            let items = bin.items.iter().filter(|item| item.x.whole(columns) == 1);
            let placed: Vec<WorkloadIndex> = items.clone().map(|item| item.workload).collect();
            if placed.is_empty() {
                continue;
            }
            match bin.bin {
                Bin::Partition(..) => into_partitions.entry(gpu).or_default().extend(placed),
                Bin::Twin(_) if bin.left.is_none() => {
                    repartitioned[gpu.index()] = true;
                    for item in items {
                        placement.set(item.workload, item.start.map(|start| Location { gpu, start }));
                    }
                }
                Bin::Free(_) | Bin::Twin(_) => {
                    repartitioned[gpu.index()] = matches!(bin.bin, Bin::Twin(_));
                    indexing.lay_out(gpu, SlotMask::EMPTY, &placed, &mut placement);
                }
            }
        }
        for (gpu, workloads) in into_partitions {
            indexing.lay_out(gpu, occupied_slots(problem, gpu), &workloads, &mut placement);
        }
        Solution { reading: Reading::Printed, placement, repartitioned }
    }

    fn encode(&self, solution: &Solution) -> Option<Vec<f64>> {
        if solution.reading != Reading::Printed {
            return None;
        }
        let problem = self.problem;
        let mut columns: Vec<f64> = self.program.columns.iter().map(|column| column.lower.max(0.0)).collect();
        for workload in problem.decided() {
            let Some(place) = solution.placement.of(workload) else { continue };
            let stays = problem.cluster.workloads[workload.index()].current == Some(place);
            if let Some(s) =
                self.stay.get(&workload).filter(|_| stays && !solution.repartitioned[place.gpu.index()])
            {
                columns[s.index] = 1.0;
                columns[self.as_is[&place.gpu].index] = 1.0;
                continue;
            }
            let slots = problem.board(place.gpu).footprint(problem.cluster.instance_at(workload, place)?);
            let into = |bin: &&BinColumns| match bin.bin {
                Bin::Free(gpu) => gpu == place.gpu,
                Bin::Twin(gpu) => gpu == place.gpu && solution.repartitioned[gpu.index()],
                Bin::Partition(gpu, _) => {
                    gpu == place.gpu && !solution.repartitioned[gpu.index()] && bin.slots.contains(slots)
                }
            };
            let bin = self.bins.iter().find(into)?;
            let here = |item: &&Item| {
                item.workload == workload && item.start.is_none_or(|start| start == place.start)
            };
            columns[bin.items.iter().find(here)?.x.index] = 1.0;
            columns[bin.open.index] = 1.0;
            if matches!(bin.bin, Bin::Partition(..)) {
                columns[self.as_is[&place.gpu].index] = 1.0;
            }
        }
        for bin in &self.bins {
            fill_in_slacks(problem, bin, &mut columns);
        }
        self.rules.fill_in(&mut columns);
        Some(columns)
    }
}

/// u, v, U, V and delta as the other columns determine them.
fn fill_in_slacks(problem: &Problem, bin: &BinColumns, columns: &mut [f64]) {
    let Some(Left { slack, compute_left }) = &bin.left else { return };
    let board = problem.board(bin.bin.gpu());
    let used = |of: &dyn Fn(ProfileIndex) -> u32| -> f64 {
        bin.items.iter().map(|item| f64::from(of(item.profile)) * columns[item.x.index]).sum()
    };
    let u = f64::from(bin.compute) - used(&|profile| board.profile(profile).compute);
    let v = f64::from(bin.size) - used(&|profile| board.profile(profile).size);
    let values = [u, v, (u - v).max(0.0), if u == 0.0 { v } else { 0.0 }];
    for (handle, value) in slack.iter().zip(values) {
        columns[handle.index] = value;
    }
    columns[compute_left.index] = if u > 0.0 { 1.0 } else { 0.0 };
}

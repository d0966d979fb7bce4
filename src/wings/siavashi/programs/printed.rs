//! The paper's program, equations (3)-(26), with the repairs of `models/siavashi.md`.
//!
//! One function per family of rows; the labels are those of the page. Rows (17)-(18) and the domains (26) are the choice of
//! columns: y exists only where the board has a profile for the workload.

use super::cluster_rules::{ClusterRules, Party, Stay};
use super::encoding::Encoding;
use super::in_use::{gpu_columns, hardware, machine_columns};
use super::stage_plan::{GoalExpressions, StagePlan, coefficient};
use crate::instance::{MachineIndex, Problem};
use crate::section::{Goal, MigrationCosts};
use cluster::{Demands, GpuIndex, Location, Placement, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use itertools::Itertools;
use mig::{Profile, SliceStart};
use milp::{Handle, Program, ProgramBuilder};
use std::collections::BTreeMap;

/// A workload on a GPU that can serve it: y, z, and the columns that choose a start where multiples do not describe them.
struct Assignment<'a> {
    workload: WorkloadIndex,
    gpu: GpuIndex,
    profile: &'a Profile,
    /// y_ijk.
    here: Handle,
    /// z_ijk.
    offset: Handle,
    /// A binary column for each legal start; empty where the starts are the multiples of the size up to the last one.
    starts: Vec<(SliceStart, Handle)>,
}

/// The printed program of a problem.
pub struct Printed<'a> {
    columns: Columns<'a>,
    rules: ClusterRules,
    program: Program,
}

/// The columns of the printed program.
struct Columns<'a> {
    problem: &'a Problem,
    assignments: Vec<Assignment<'a>>,
    /// x_ij of the machines with a GPU that can serve the workload.
    on_machine: BTreeMap<(WorkloadIndex, MachineIndex), Handle>,
    /// beta_i of the workloads that need it.
    multiples: BTreeMap<WorkloadIndex, Handle>,
    /// alpha_ii'jk by positions in `assignments`.
    order: Vec<(usize, usize, Handle)>,
    machine_used: Vec<Handle>,
    gpu_used: Vec<Handle>,
    /// m_ij and omega_ijk of the residents.
    changes: Changes,
    /// Whether a resident is in its slot, where that is limited: by positions in `assignments`.
    same: Vec<(usize, Handle)>,
}

#[derive(Default)]
struct Changes {
    machine: Vec<(WorkloadIndex, MachineIndex, Handle)>,
    gpu: Vec<(WorkloadIndex, GpuIndex, Handle)>,
}

/// Why the printed program cannot be used for a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPrinted {
    /// Other migration costs than those of objective (5).
    #[error(
        "the printed program counts a change of machine as 4, of GPU as 2, of start as 0 and an eviction as 2, times \
         `migration_weight`. Use the formulation `compact` or `slots` for other migration costs"
    )]
    Costs,
}

impl<'a> Printed<'a> {
    /// Builds the program.
    ///
    /// # Errors
    /// When the migration costs are not those of objective (5).
    pub fn new(problem: &'a Problem) -> Result<Self, NotPrinted> {
        if problem.costs != MigrationCosts::default() {
            return Err(NotPrinted::Costs);
        }
        let mut builder = ProgramBuilder::new("siavashi-printed");
        let on_machine = x_columns(problem, &mut builder);
        let machine_used = machine_columns(problem, &mut builder);
        let gpu_used = gpu_columns(problem, &mut builder);
        let assignments = y_z_columns(problem, &mut builder);
        let multiples = beta_columns(&mut builder, problem, &assignments);
        let order = alpha_columns(&mut builder, problem, &assignments);
        let changes = m_omega_columns(&mut builder, problem, &on_machine, &assignments);
        let same = same_columns(problem, &mut builder, &assignments);
        let columns = Columns {
            problem,
            assignments,
            on_machine,
            multiples,
            order,
            machine_used,
            gpu_used,
            changes,
            same,
        };
        columns.s6_s7(&mut builder);
        columns.s8_s9(&mut builder);
        columns.s10_s11(&mut builder);
        columns.s12_s13(&mut builder);
        columns.s14_s15_s16(&mut builder);
        columns.s19_s20_s21(&mut builder);
        columns.s22_s23_s24_s25(&mut builder);
        columns.limits(&mut builder);
        columns.slots_kept(&mut builder);
        let rules = ClusterRules::add(problem, &mut builder, || columns.parties());
        let mut goals = columns.s3_s4_s5();
        goals.0[Goal::Migrations as usize] += rules.joint_costs();
        let plan = StagePlan::new(problem);
        plan.add_stages(&mut builder, &goals, plan.all());
        let mut program = builder.build();
        halve_steps(&mut program);
        Ok(Printed { columns, rules, program })
    }
}

/// Columns and rows of the program, roughly: on each GPU an order of every two workloads that it can serve.
pub fn size(problem: &Problem) -> (u64, u64) {
    let served = |gpu: GpuIndex| {
        let workloads = problem.cluster.workload_indices();
        workloads.filter(|&workload| profile_on(problem, workload, gpu).is_some()).count() as u64
    };
    let mut by_board: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut columns, mut rows) = (0, 0);
    for gpu in problem.cluster.gpu_indices() {
        let board = problem.cluster.gpus[gpu.index()].board.index();
        let here = *by_board.entry(board).or_insert_with(|| served(gpu));
        let orders = here * here.saturating_sub(1) / 2;
        columns += orders + 4 * here;
        rows += 2 * orders + 8 * here;
    }
    (columns, rows)
}

/// Rows (22)-(25) hold m and omega from below alone: a feasible point may count a change that is none, which is half a unit.
fn halve_steps(program: &mut Program) {
    for stage in &mut program.stages {
        if stage.terms.iter().any(|(_, coefficient)| coefficient.fract() != 0.0) {
            stage.step = Some(0.5);
        }
    }
}

/// x_ij: workload i is on machine j.
fn x_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
) -> BTreeMap<(WorkloadIndex, MachineIndex), Handle> {
    let mut columns = BTreeMap::new();
    for workload in problem.cluster.workload_indices() {
        for machine in problem.machine_indices() {
            let serves = |gpu: &&GpuIndex| profile_on(problem, workload, **gpu).is_some();
            if problem.machine(machine).gpus.iter().any(|gpu| serves(&gpu)) {
                let name = format!("x[{},{}]", name_of(problem, workload), problem.machine_name(machine));
                columns.insert((workload, machine), Handle::add(builder, name, variable().binary()));
            }
        }
    }
    columns
}

/// y_ijk: the instance of workload i is on GPU k of machine j; z_ijk: its first block. Rows (17)-(18) are obeyed by leaving
/// the other pairs out.
fn y_z_columns<'a>(problem: &'a Problem, builder: &mut ProgramBuilder) -> Vec<Assignment<'a>> {
    let mut assignments = Vec::new();
    for workload in problem.cluster.workload_indices() {
        for gpu in problem.cluster.gpu_indices() {
            let Some(profile) = profile_on(problem, workload, gpu) else { continue };
            let pair = format!("{},{}", name_of(problem, workload), gpu_name(problem, gpu));
            let current = problem.current(workload);
            let pinned = problem.is_pinned(workload);
            let fixed = if current.is_some_and(|current| current.gpu == gpu) { 1 } else { 0 };
            let may_be_here =
                problem.may_start_on(workload, gpu) || (fixed == 1 && problem.may_stay_on(workload, gpu));
            let binary = match pinned {
                true => variable().integer().min(fixed).max(fixed),
                false if may_be_here => variable().binary(),
                false => variable().integer().min(0).max(0),
            };
            let here = Handle::add(builder, format!("y[{pair}]"), binary);
            let last = profile.starts.last().map_or(0, |start| i32::from(start.0));
            let range = match current.filter(|_| pinned && fixed == 1) {
                Some(current) => (i32::from(current.start.0), i32::from(current.start.0)),
                None => (0, last),
            };
            let offset =
                Handle::add(builder, format!("z[{pair}]"), variable().integer().min(range.0).max(range.1));
            let starts = if are_multiples(profile) {
                Vec::new()
            } else {
                let column = |&start: &SliceStart| {
                    (start, Handle::add(builder, format!("start[{pair},{}]", start.0), variable().binary()))
                };
                profile.starts.iter().map(column).collect()
            };
            assignments.push(Assignment { workload, gpu, profile, here, offset, starts });
        }
    }
    assignments
}

/// same_i: a resident is in its slot. Nothing asks for that unless disruptions are limited.
fn same_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    assignments: &[Assignment<'_>],
) -> Vec<(usize, Handle)> {
    let is_home = |assignment: &Assignment<'_>| {
        let current = problem.current(assignment.workload);
        problem.is_resident(assignment.workload)
            && current.is_some_and(|current| current.gpu == assignment.gpu)
    };
    let home = assignments.iter().enumerate().filter(|(_, assignment)| is_home(assignment));
    let column = |(position, assignment): (usize, &Assignment<'_>)| {
        let name = format!("same[{}]", name_of(problem, assignment.workload));
        (position, Handle::add(builder, name, variable().binary()))
    };
    if problem.bounds_disruptions() { home.map(column).collect() } else { Vec::new() }
}

/// beta_i: the offset is so many times the size.
fn beta_columns(
    builder: &mut ProgramBuilder,
    problem: &Problem,
    assignments: &[Assignment<'_>],
) -> BTreeMap<WorkloadIndex, Handle> {
    let mut most: BTreeMap<WorkloadIndex, u32> = BTreeMap::new();
    for assignment in assignments.iter().filter(|assignment| assignment.starts.is_empty()) {
        let times = most.entry(assignment.workload).or_default();
        *times = (*times).max(last_start(assignment.profile) / assignment.profile.size);
    }
    let column = |(workload, most)| {
        let name = format!("beta[{}]", name_of(problem, workload));
        (workload, Handle::add(builder, name, variable().integer().min(0).max(most)))
    };
    most.into_iter().map(column).collect()
}

/// alpha_ii'jk: of two workloads on a GPU, whether the second stands below the first. One order of each pair suffices.
fn alpha_columns(
    builder: &mut ProgramBuilder,
    problem: &Problem,
    assignments: &[Assignment<'_>],
) -> Vec<(usize, usize, Handle)> {
    let mut by_gpu: BTreeMap<GpuIndex, Vec<usize>> = BTreeMap::new();
    for (position, assignment) in assignments.iter().enumerate() {
        by_gpu.entry(assignment.gpu).or_default().push(position);
    }
    let pairs = by_gpu.values().flat_map(|here| here.iter().copied().tuple_combinations());
    let column = |(first, second): (usize, usize)| {
        let [one, other] = [first, second].map(|position| name_of(problem, assignments[position].workload));
        let name = format!("alpha[{one},{other},{}]", gpu_name(problem, assignments[first].gpu));
        (first, second, Handle::add(builder, name, variable().binary()))
    };
    pairs.map(column).collect()
}

/// m_ij and omega_ijk of the workloads whose changes count.
fn m_omega_columns(
    builder: &mut ProgramBuilder,
    problem: &Problem,
    on_machine: &BTreeMap<(WorkloadIndex, MachineIndex), Handle>,
    assignments: &[Assignment<'_>],
) -> Changes {
    let counts = |workload: &WorkloadIndex| problem.migration_weight(*workload) > Amount::ZERO;
    let mut changes = Changes::default();
    for &(workload, machine) in on_machine.keys().filter(|(workload, _)| counts(workload)) {
        let name = format!("m[{},{}]", name_of(problem, workload), problem.machine_name(machine));
        changes.machine.push((workload, machine, Handle::add(builder, name, variable().binary())));
    }
    for assignment in assignments.iter().filter(|assignment| counts(&assignment.workload)) {
        let (workload, gpu) = (assignment.workload, assignment.gpu);
        let name = format!("omega[{},{}]", name_of(problem, workload), gpu_name(problem, gpu));
        changes.gpu.push((workload, gpu, Handle::add(builder, name, variable().binary())));
    }
    changes
}

impl Columns<'_> {
    /// (6) CPU and (7) main memory of a machine.
    fn s6_s7(&self, builder: &mut ProgramBuilder) {
        let demands = Demands::of(&self.problem.cluster);
        for machine in self.problem.machine_indices() {
            for resource in demands.limited(&[self.problem.machine(machine).capacities()]) {
                let here = self.on_machine.iter().filter(|((_, other), _)| *other == machine);
                let needed: Expression = here
                    .map(|((workload, _), x)| {
                        resource.of_workload(&self.problem.cluster, *workload) * x.variable
                    })
                    .sum();
                let number = if resource.name == "cpu" { 6 } else { 7 };
                let label = format!("S{number}[{}]", self.problem.machine_name(machine));
                builder.row(label, constraint!(needed <= resource.capacity));
            }
        }
    }

    /// (8) at most one machine and (9) at most one GPU; exactly one machine for a resident that keeps a place.
    fn s8_s9(&self, builder: &mut ProgramBuilder) {
        for workload in self.problem.cluster.workload_indices() {
            let name = name_of(self.problem, workload);
            let machines = self.on_machine.iter().filter(|((other, _), _)| *other == workload);
            let machines: Expression = machines.map(|(_, x)| x.variable).sum();
            let least = if self.problem.must_stay(workload) { 1.0 } else { f64::NEG_INFINITY };
            builder.range_row(format!("S8[{name}]"), least, machines, 1.0);
            let gpus = self.assignments.iter().filter(|assignment| assignment.workload == workload);
            let gpus: Expression = gpus.map(|assignment| assignment.here.variable).sum();
            builder.row(format!("S9[{name}]"), constraint!(gpus <= 1));
        }
    }

    /// (10) a workload on a machine has an instance there, (11) and only there.
    fn s10_s11(&self, builder: &mut ProgramBuilder) {
        let mut on_gpus: BTreeMap<(WorkloadIndex, MachineIndex), Expression> = BTreeMap::new();
        for assignment in &self.assignments {
            let machine = self.problem.machine_of(assignment.gpu);
            *on_gpus.entry((assignment.workload, machine)).or_default() += assignment.here.variable;
        }
        for (&(workload, machine), x) in &self.on_machine {
            let gpus = on_gpus.remove(&(workload, machine)).unwrap_or_default();
            let pair = format!("{},{}", name_of(self.problem, workload), self.problem.machine_name(machine));
            builder.row(format!("S10[{pair}]"), constraint!(x.variable <= gpus));
        }
        for assignment in &self.assignments {
            let x = self.on_machine[&(assignment.workload, self.problem.machine_of(assignment.gpu))];
            let label = format!("S11[{}]", self.pair(assignment));
            builder.row(label, constraint!(assignment.here.variable <= x.variable));
        }
    }

    /// (12)-(13) instances on one GPU do not overlap. An absent workload takes offset 0 and alpha 0; the least constant for
    /// which that obeys both rows is the number of blocks.
    fn s12_s13(&self, builder: &mut ProgramBuilder) {
        for &(first, second, alpha) in &self.order {
            let (one, other) = (&self.assignments[first], &self.assignments[second]);
            let big = f64::from(self.problem.board(one.gpu).slots());
            let [g_one, g_other] = [one, other].map(|assignment| f64::from(assignment.profile.size));
            let pair = format!(
                "{},{},{}",
                name_of(self.problem, one.workload),
                name_of(self.problem, other.workload),
                gpu_name(self.problem, one.gpu)
            );
            builder.row(
                format!("S12[{pair}]"),
                constraint!(
                    one.offset.variable + g_one * one.here.variable
                        <= other.offset.variable + big * alpha.variable
                ),
            );
            builder.row(
                format!("S13[{pair}]"),
                constraint!(
                    other.offset.variable + g_other * other.here.variable
                        <= one.offset.variable + big * (1 - alpha.variable)
                ),
            );
        }
    }

    /// (14)-(15) the offset is a multiple of the size; (16) it is at most the last start, which is the column's bound. Other
    /// legal starts are chosen from a table: S16.
    fn s14_s15_s16(&self, builder: &mut ProgramBuilder) {
        for assignment in &self.assignments {
            let (y, z, pair) = (assignment.here.variable, assignment.offset.variable, self.pair(assignment));
            if assignment.starts.is_empty() {
                let beta = self.multiples[&assignment.workload];
                let size = f64::from(assignment.profile.size);
                let longest = size * self.program_bound_of_beta(assignment.workload);
                let big = longest.max(f64::from(last_start(assignment.profile)));
                builder.row(format!("S14[{pair}]"), constraint!(z <= size * beta.variable + big * (1 - y)));
                builder.row(format!("S15[{pair}]"), constraint!(-z <= -size * beta.variable + big * (1 - y)));
            } else {
                let chosen: Expression = assignment.starts.iter().map(|(_, column)| column.variable).sum();
                let offset: Expression = assignment
                    .starts
                    .iter()
                    .map(|(start, column)| f64::from(start.0) * column.variable)
                    .sum();
                builder.row(format!("S16-choice[{pair}]"), constraint!(chosen == y));
                builder.row(format!("S16-offset[{pair}]"), constraint!(offset == z));
            }
        }
    }

    /// The most that beta_i can be over all boards that serve workload i by multiples.
    fn program_bound_of_beta(&self, workload: WorkloadIndex) -> f64 {
        let own =
            self.assignments.iter().filter(|other| other.workload == workload && other.starts.is_empty());
        f64::from(own.map(|other| last_start(other.profile) / other.profile.size).max().unwrap_or(0))
    }

    /// (19) a machine with a workload is in use, (20) so is a GPU with an instance, (21) and no other GPU.
    fn s19_s20_s21(&self, builder: &mut ProgramBuilder) {
        for (&(workload, machine), x) in &self.on_machine {
            let pair = format!("{},{}", name_of(self.problem, workload), self.problem.machine_name(machine));
            let phi = self.machine_used[machine.index()];
            builder.row(format!("S19[{pair}]"), constraint!(x.variable <= phi.variable));
        }
        for assignment in &self.assignments {
            let gamma = self.gpu_used[assignment.gpu.index()];
            let label = format!("S20[{}]", self.pair(assignment));
            builder.row(label, constraint!(assignment.here.variable <= gamma.variable));
        }
        for gpu in self.problem.cluster.gpu_indices() {
            let here = self.assignments.iter().filter(|assignment| assignment.gpu == gpu);
            let here: Expression = here.map(|assignment| assignment.here.variable).sum();
            let label = format!("S21[{}]", gpu_name(self.problem, gpu));
            builder.row(label, constraint!(self.gpu_used[gpu.index()].variable <= here));
        }
    }

    /// (22)-(23) changes of the machine and (24)-(25) changes of the GPU.
    fn s22_s23_s24_s25(&self, builder: &mut ProgramBuilder) {
        for &(workload, machine, m) in &self.changes.machine {
            let pair = format!("{},{}", name_of(self.problem, workload), self.problem.machine_name(machine));
            let was = self.problem.current(workload).map(|before| self.problem.machine_of(before.gpu));
            let was = f64::from(u8::from(was == Some(machine)));
            let x = self.on_machine[&(workload, machine)];
            builder.row(format!("S22[{pair}]"), constraint!(x.variable - was <= m.variable));
            builder.row(format!("S23[{pair}]"), constraint!(was - x.variable <= m.variable));
        }
        let counted = self
            .assignments
            .iter()
            .filter(|assignment| self.problem.migration_weight(assignment.workload) > Amount::ZERO);
        for (assignment, &(workload, gpu, omega)) in counted.zip(&self.changes.gpu) {
            debug_assert!(assignment.workload == workload && assignment.gpu == gpu, "the same order");
            let pair = self.pair(assignment);
            let was = self.problem.current(workload).is_some_and(|before| before.gpu == gpu);
            let was = f64::from(u8::from(was));
            let y = assignment.here.variable;
            builder.row(format!("S24[{pair}]"), constraint!(y - was <= omega.variable));
            builder.row(format!("S25[{pair}]"), constraint!(was - y <= omega.variable));
        }
    }

    /// Limits of a board besides its blocks, which the paper's boards do not have.
    fn limits(&self, builder: &mut ProgramBuilder) {
        for gpu in self.problem.cluster.gpu_indices() {
            for (number, limit) in self.problem.board(gpu).limits().iter().enumerate() {
                let here = self.assignments.iter().filter(|assignment| assignment.gpu == gpu);
                let used: Expression = here
                    .filter_map(|assignment| {
                        let instance = self.problem.cluster.instance_at(assignment.workload, at(gpu))?;
                        Some(f64::from(limit.usage_of(instance.profile)) * assignment.here.variable)
                    })
                    .sum();
                let label = format!("limit[{},{number}]", gpu_name(self.problem, gpu));
                builder.row(label, constraint!(used <= f64::from(limit.capacity)));
            }
        }
    }

    /// `kept`: on a cordoned GPU a workload stays in its slot. `same`: who is said to be in its slot is there.
    fn slots_kept(&self, builder: &mut ProgramBuilder) {
        for assignment in &self.assignments {
            let (workload, gpu) = (assignment.workload, assignment.gpu);
            let current = self.problem.current(workload).filter(|current| current.gpu == gpu);
            let moves = self.problem.is_resident(workload) && !self.problem.may_start_on(workload, gpu);
            if let Some(current) = current.filter(|_| moves) {
                let slot = f64::from(current.start.0);
                let label = format!("kept[{}]", self.pair(assignment));
                let (y, z) = (assignment.here.variable, assignment.offset.variable);
                builder.row(label, constraint!(z == slot * y));
            }
        }
        for &(position, same) in &self.same {
            let assignment = &self.assignments[position];
            let current = self.problem.current(assignment.workload).expect("it runs");
            let (slot, last) = (f64::from(current.start.0), f64::from(last_start(assignment.profile)));
            let (z, pair) = (assignment.offset.variable, self.pair(assignment));
            builder.row(format!("same[{pair}]"), constraint!(same.variable <= assignment.here.variable));
            builder.row(format!("same-from[{pair}]"), constraint!(slot * same.variable <= z));
            builder.row(format!("same-to[{pair}]"), constraint!(z + (last - slot) * same.variable <= last));
        }
    }

    /// The workloads that are not pinned, each with the columns that say where it is.
    fn parties(&self) -> Vec<Party> {
        let mut of_workload = vec![Vec::new(); self.problem.cluster.workloads.len()];
        for assignment in &self.assignments {
            of_workload[assignment.workload.index()].push((assignment.gpu, assignment.here));
        }
        let same = |(position, same): &(usize, Handle)| (self.assignments[*position].workload, *same);
        let same: BTreeMap<WorkloadIndex, Handle> = self.same.iter().map(same).collect();
        let party = |workload: WorkloadIndex| {
            let own: &Vec<(GpuIndex, Handle)> = &of_workload[workload.index()];
            let stay = self.problem.current(workload).map(|current| Stay {
                on_gpu: own
                    .iter()
                    .filter(|(gpu, _)| *gpu == current.gpu)
                    .map(|(_, here)| here.variable)
                    .sum(),
                in_slot: same.get(&workload).map(|same| same.variable.into()),
            });
            let on = own.iter().map(|&(gpu, here)| (gpu, here.variable.into())).collect();
            Party { members: vec![workload], on, stay }
        };
        let workloads = self.problem.cluster.workload_indices();
        workloads.filter(|&workload| !self.problem.is_pinned(workload)).map(party).collect()
    }

    /// The objectives (3), (4) and (5).
    fn s3_s4_s5(&self) -> GoalExpressions {
        let problem = self.problem;
        let mut acceptance = Expression::default();
        for ((workload, _), x) in &self.on_machine {
            let weight = coefficient(problem, Goal::Acceptance, problem.acceptance_weight(*workload));
            acceptance.add_mul(weight, x.variable);
        }
        let machine = self.changes.machine.iter().map(|&(workload, _, column)| (workload, column));
        let gpu = self.changes.gpu.iter().map(|&(workload, _, column)| (workload, column));
        let mut migrations = Expression::default();
        for (workload, column) in machine.chain(gpu) {
            // The unit of the goal is that of the sums, in which each change is counted twice.
            let twice =
                coefficient(problem, Goal::Migrations, problem.weighted(problem.costs.evict, workload));
            migrations.add_mul(twice / 2.0, column.variable);
        }
        GoalExpressions([acceptance, hardware(problem, &self.gpu_used, &self.machine_used), migrations])
    }

    fn pair(&self, assignment: &Assignment<'_>) -> String {
        let workload = name_of(self.problem, assignment.workload);
        format!("{workload},{}", gpu_name(self.problem, assignment.gpu))
    }
}

fn name_of(problem: &Problem, workload: WorkloadIndex) -> &str {
    &problem.cluster.workloads[workload.index()].name
}

fn gpu_name(problem: &Problem, gpu: GpuIndex) -> &str {
    &problem.cluster.gpus[gpu.index()].name
}

fn at(gpu: GpuIndex) -> Location {
    Location { gpu, start: SliceStart(0) }
}

/// The profile that serves a workload on a GPU, where it may be there or is now: what leaves a place is counted there.
fn profile_on(problem: &Problem, workload: WorkloadIndex, gpu: GpuIndex) -> Option<&Profile> {
    let is_here = || problem.current(workload).is_some_and(|current| current.gpu == gpu);
    if !problem.is_pinned(workload) && !problem.may_start_on(workload, gpu) && !is_here() {
        return None;
    }
    let instance = problem.cluster.instance_at(workload, at(gpu))?;
    Some(problem.board(gpu).profile(instance.profile))
}

fn last_start(profile: &Profile) -> u32 {
    profile.starts.last().map_or(0, |start| u32::from(start.0))
}

/// Whether the legal starts are the multiples of the size up to the last one, as rows (14)-(16) have them.
fn are_multiples(profile: &Profile) -> bool {
    let multiples = (0..=last_start(profile)).step_by(profile.size as usize);
    multiples.eq(profile.starts.iter().map(|start| u32::from(start.0)))
}

impl Encoding for Printed<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Placement {
        let Columns { problem, assignments, .. } = &self.columns;
        let mut placement = Placement::new(vec![None; problem.cluster.workloads.len()]);
        for assignment in assignments.iter().filter(|assignment| assignment.here.whole(columns) == 1) {
            let start = SliceStart(assignment.offset.whole(columns) as u8);
            placement.set(assignment.workload, Some(Location { gpu: assignment.gpu, start }));
        }
        placement
    }

    fn encode(&self, placement: &Placement) -> Vec<f64> {
        let Columns {
            problem,
            assignments,
            on_machine,
            multiples,
            order,
            machine_used,
            gpu_used,
            changes,
            same,
        } = &self.columns;
        let mut columns = vec![0.0; self.program.columns.len()];
        let mut set = |column: Handle, value: f64| columns[column.index] = value;
        for assignment in assignments {
            let Some(place) = placement.of(assignment.workload).filter(|place| place.gpu == assignment.gpu)
            else {
                continue;
            };
            let machine = problem.machine_of(place.gpu);
            set(assignment.here, 1.0);
            set(assignment.offset, f64::from(place.start.0));
            set(on_machine[&(assignment.workload, machine)], 1.0);
            set(gpu_used[place.gpu.index()], 1.0);
            set(machine_used[machine.index()], 1.0);
            if assignment.starts.is_empty() {
                let times = u32::from(place.start.0) / assignment.profile.size;
                set(multiples[&assignment.workload], f64::from(times));
            }
            for &(start, column) in assignment.starts.iter().filter(|(start, _)| *start == place.start) {
                debug_assert_eq!(start, place.start);
                set(column, 1.0);
            }
        }
        for &(first, second, alpha) in order {
            let place = |position: usize| {
                let assignment = &assignments[position];
                placement.of(assignment.workload).filter(|place| place.gpu == assignment.gpu)
            };
            let above = match (place(first), place(second)) {
                (Some(one), Some(other)) => one.start > other.start,
                (Some(_), None) => true,
                (None, _) => false,
            };
            set(alpha, f64::from(u8::from(above)));
        }
        for &(workload, machine, m) in &changes.machine {
            let on =
                |place: Option<Location>| place.is_some_and(|place| problem.machine_of(place.gpu) == machine);
            let changed = on(placement.of(workload)) != on(problem.current(workload));
            set(m, f64::from(u8::from(changed)));
        }
        for &(workload, gpu, omega) in &changes.gpu {
            let on = |place: Option<Location>| place.is_some_and(|place| place.gpu == gpu);
            let changed = on(placement.of(workload)) != on(problem.current(workload));
            set(omega, f64::from(u8::from(changed)));
        }
        for &(position, column) in same {
            let workload = assignments[position].workload;
            let stays = placement.of(workload) == problem.current(workload);
            set(column, f64::from(u8::from(stays)));
        }
        self.rules.complete(problem, placement, &mut columns);
        columns
    }
}

//! The readable exact program: one binary column for each workload at each legal start of each GPU.

use super::cluster_rules::{ClusterRules, Party, Stay};
use super::encoding::Encoding;
use super::in_use::{gpu_columns, hardware, machine_columns};
use super::stage_plan::{GoalExpressions, StagePlan, coefficient};
use crate::instance::{MachineIndex, Problem};
use crate::section::Goal;
use cluster::{Demands, GpuIndex, Location, Placement, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use mig::{GpuInstance, SliceStart};
use milp::{Handle, Program, ProgramBuilder};
use std::collections::BTreeMap;

/// A place that a workload can take, with its column.
struct Place {
    workload: WorkloadIndex,
    location: Location,
    instance: GpuInstance,
    column: Handle,
}

/// The program `slots` of a problem.
pub struct Slots<'a> {
    problem: &'a Problem,
    program: Program,
    places: Vec<Place>,
    gpu_used: Vec<Handle>,
    machine_used: Vec<Handle>,
    rules: ClusterRules,
}

impl<'a> Slots<'a> {
    /// Builds the program.
    pub fn new(problem: &'a Problem) -> Self {
        let mut builder = ProgramBuilder::new("siavashi-slots");
        let machine_used = machine_columns(problem, &mut builder);
        let gpu_used = gpu_columns(problem, &mut builder);
        let places = place_columns(problem, &mut builder);
        let mut by_workload = vec![Vec::new(); problem.cluster.workloads.len()];
        let mut by_gpu = vec![Vec::new(); problem.cluster.gpus.len()];
        for (position, place) in places.iter().enumerate() {
            by_workload[place.workload.index()].push(position);
            by_gpu[place.location.gpu.index()].push(position);
        }

        for workload in problem.cluster.workload_indices() {
            let own = by_workload[workload.index()].iter().map(|&position| &places[position]);
            one_place(problem, &mut builder, workload, own);
        }
        for gpu in problem.cluster.gpu_indices() {
            let here: Vec<&Place> = by_gpu[gpu.index()].iter().map(|&position| &places[position]).collect();
            slots_of_gpu(problem, &mut builder, gpu, &here, gpu_used[gpu.index()]);
            limits_of_gpu(problem, &mut builder, gpu, &here);
        }
        let demands = Demands::of(&problem.cluster);
        for machine in problem.machine_indices() {
            let used = machine_used[machine.index()];
            gpus_of_machine(problem, &mut builder, machine, &gpu_used, used);
            let gpus = problem.machine(machine).gpus.iter();
            let here: Vec<&Place> =
                gpus.flat_map(|gpu| &by_gpu[gpu.index()]).map(|&position| &places[position]).collect();
            resources_of_machine(problem, &mut builder, &demands, machine, &here, used);
        }

        let rules = ClusterRules::add(problem, &mut builder, || parties(problem, &places, &by_workload));
        let mut goals = goals(problem, &places, &gpu_used, &machine_used);
        goals.0[Goal::Migrations as usize] += rules.joint_costs();
        let plan = StagePlan::new(problem);
        plan.add_stages(&mut builder, &goals, plan.all());
        Slots { problem, program: builder.build(), places, gpu_used, machine_used, rules }
    }
}

/// Columns and rows of the program, roughly: every workload at each legal start of each GPU.
pub fn size(problem: &Problem) -> (u64, u64) {
    let starts = |gpu: GpuIndex| {
        let of = |workload| problem.cluster.instance_at(workload, Location { gpu, start: SliceStart(0) });
        let instances = problem.cluster.workload_indices().filter_map(of);
        instances.map(|instance| problem.board(gpu).profile(instance.profile).starts.len() as u64).sum()
    };
    let mut by_board: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut columns, mut rows) = (0, problem.cluster.workloads.len() as u64);
    for gpu in problem.cluster.gpu_indices() {
        let board = problem.cluster.gpus[gpu.index()].board.index();
        columns += *by_board.entry(board).or_insert_with(|| starts(gpu));
        rows += u64::from(problem.board(gpu).slots());
    }
    (columns, rows)
}

/// w[workload,gpu,start]: the workload begins there. A pinned one has no choice.
fn place_columns(problem: &Problem, builder: &mut ProgramBuilder) -> Vec<Place> {
    let mut places = Vec::new();
    for workload in problem.cluster.workload_indices() {
        let name = &problem.cluster.workloads[workload.index()].name;
        for gpu in problem.cluster.gpu_indices() {
            let at = |start| Location { gpu, start };
            let Some(instance) = problem.cluster.instance_at(workload, at(SliceStart(0))) else { continue };
            for &start in &problem.board(gpu).profile(instance.profile).starts {
                let location = at(start);
                let definition = match problem.current(workload) {
                    Some(current) if problem.is_pinned(workload) && current == location => {
                        variable().integer().min(1).max(1)
                    }
                    Some(_) if problem.is_pinned(workload) => continue,
                    _ if !problem.may_be_at(workload, location) => continue,
                    _ => variable().binary(),
                };
                let name = format!("w[{name},{},{}]", problem.cluster.gpus[gpu.index()].name, start.0);
                let column = Handle::add(builder, name, definition);
                places.push(Place {
                    workload,
                    location,
                    instance: GpuInstance { start, ..instance },
                    column,
                });
            }
        }
    }
    places
}

/// The workloads that are not pinned, each with the columns that say where it is.
fn parties(problem: &Problem, places: &[Place], by_workload: &[Vec<usize>]) -> Vec<Party> {
    let party = |workload: WorkloadIndex| {
        let own = || by_workload[workload.index()].iter().map(|&position| &places[position]);
        let mut on: BTreeMap<GpuIndex, Expression> = BTreeMap::new();
        for place in own() {
            *on.entry(place.location.gpu).or_default() += place.column.variable;
        }
        let stay = problem.current(workload).map(|current| Stay {
            on_gpu: on.get(&current.gpu).cloned().unwrap_or_default(),
            in_slot: Some(
                own().filter(|place| place.location == current).map(|place| place.column.variable).sum(),
            ),
        });
        Party { members: vec![workload], on: on.into_iter().collect(), stay }
    };
    let workloads = problem.cluster.workload_indices();
    workloads.filter(|&workload| !problem.is_pinned(workload)).map(party).collect()
}

/// `place`: every workload has at most one place, and exactly one if it must keep one.
fn one_place<'p>(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    workload: WorkloadIndex,
    own: impl Iterator<Item = &'p Place>,
) {
    let places: Expression = own.map(|place| place.column.variable).sum();
    let label = format!("place[{}]", problem.cluster.workloads[workload.index()].name);
    let least = if problem.must_stay(workload) { 1.0 } else { f64::NEG_INFINITY };
    builder.range_row(label, least, places, 1.0);
}

/// `slot`: no slot of a GPU is taken twice, and none while the GPU is not in use.
fn slots_of_gpu(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    gpu: GpuIndex,
    here: &[&Place],
    used: Handle,
) {
    let board = problem.board(gpu);
    let name = &problem.cluster.gpus[gpu.index()].name;
    for slot in 0..board.slots() {
        let covers = |place: &&&Place| board.footprint(place.instance).iter().any(|taken| taken == slot);
        let taken: Expression = here.iter().filter(covers).map(|place| place.column.variable).sum();
        builder.row(format!("slot[{name},{slot}]"), constraint!(taken <= used.variable));
    }
}

/// `limit`: the compute slices, engine pools and instance maxima of a GPU.
fn limits_of_gpu(problem: &Problem, builder: &mut ProgramBuilder, gpu: GpuIndex, here: &[&Place]) {
    for (number, limit) in problem.board(gpu).limits().iter().enumerate() {
        let used: Expression = here
            .iter()
            .map(|place| f64::from(limit.usage_of(place.instance.profile)) * place.column.variable)
            .sum();
        let label = format!("limit[{},{number}]", problem.cluster.gpus[gpu.index()].name);
        builder.row(label, constraint!(used <= f64::from(limit.capacity)));
    }
}

/// `gpu`: a machine with a GPU in use is in use.
fn gpus_of_machine(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    machine: MachineIndex,
    gpu_used: &[Handle],
    used: Handle,
) {
    for gpu in &problem.machine(machine).gpus {
        let label = format!("gpu[{}]", problem.cluster.gpus[gpu.index()].name);
        builder.row(label, constraint!(gpu_used[gpu.index()].variable <= used.variable));
    }
}

/// `cpu` and `memory`: what the workloads on a machine need together.
fn resources_of_machine(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    demands: &Demands,
    machine: MachineIndex,
    here: &[&Place],
    used: Handle,
) {
    for resource in demands.limited(&[problem.machine(machine).capacities()]) {
        let needed: Expression = here
            .iter()
            .map(|place| resource.of_workload(&problem.cluster, place.workload) * place.column.variable)
            .sum();
        let label = format!("{}[{}]", resource.name, problem.machine_name(machine));
        builder.row(label, constraint!(needed <= resource.capacity * used.variable));
    }
}

fn goals(
    problem: &Problem,
    places: &[Place],
    gpu_used: &[Handle],
    machine_used: &[Handle],
) -> GoalExpressions {
    let mut acceptance = Expression::default();
    let mut migrations = Expression::default();
    for workload in problem.cluster.workload_indices().filter(|&workload| problem.current(workload).is_some())
    {
        let evicted = problem.weighted(problem.costs.evict, workload);
        migrations += coefficient(problem, Goal::Migrations, evicted);
    }
    for place in places {
        let weight = problem.acceptance_weight(place.workload);
        acceptance.add_mul(coefficient(problem, Goal::Acceptance, weight), place.column.variable);
        if let Some(before) = problem.current(place.workload) {
            let saved = problem.costs.evict - cost_of_move(problem, before, place.location);
            let saved = problem.weighted(saved, place.workload);
            migrations.add_mul(-coefficient(problem, Goal::Migrations, saved), place.column.variable);
        }
    }
    let hardware = hardware(problem, gpu_used, machine_used);
    GoalExpressions([acceptance, hardware, migrations])
}

fn cost_of_move(problem: &Problem, before: Location, after: Location) -> Amount {
    if problem.machine_of(after.gpu) != problem.machine_of(before.gpu) {
        problem.costs.move_machine
    } else if after.gpu != before.gpu {
        problem.costs.move_gpu
    } else if after.start != before.start {
        problem.costs.move_start
    } else {
        Amount::ZERO
    }
}

impl Encoding for Slots<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Placement {
        let mut placement = Placement::new(vec![None; self.problem.cluster.workloads.len()]);
        for place in self.places.iter().filter(|place| place.column.whole(columns) == 1) {
            placement.set(place.workload, Some(place.location));
        }
        placement
    }

    fn encode(&self, placement: &Placement) -> Vec<f64> {
        let mut columns = vec![0.0; self.program.columns.len()];
        for place in &self.places {
            if placement.of(place.workload) == Some(place.location) {
                let gpu = place.location.gpu;
                columns[place.column.index] = 1.0;
                columns[self.gpu_used[gpu.index()].index] = 1.0;
                columns[self.machine_used[self.problem.machine_of(gpu).index()].index] = 1.0;
            }
        }
        self.rules.complete(self.problem, placement, &mut columns);
        columns
    }
}

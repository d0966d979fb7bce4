//! What both aggregated programs have in common: machines and pools in use, and what they can hold.

use super::kinds::Kind;
use super::pools::Pool;
use crate::instance::{Machine, MachineIndex, Problem};
use crate::programs::in_use::machine_columns;
use crate::programs::stage_plan::coefficient;
use crate::section::Goal;
use cluster::Demands;
use good_lp::{Expression, constraint, variable};
use milp::{Handle, ProgramBuilder};
use std::collections::BTreeMap;

/// A column that counts workloads of one kind in one pool.
#[derive(Clone, Copy)]
pub struct Held {
    /// Position of the kind.
    pub kind: usize,
    /// Position of the pool.
    pub pool: usize,
    /// The column.
    pub column: Handle,
}

/// The columns for machines and pools.
pub struct Frame {
    /// phi of every machine.
    pub machine_used: Vec<Handle>,
    /// Gamma of every pool.
    pub pool_used: Vec<Handle>,
    /// Columns for the patterns of every pool; empty where facets describe it.
    pub patterns: Vec<Vec<Handle>>,
    /// What the machines and what the GPUs in use count.
    totals: [Total; 2],
}

/// A term of objective (4) as a column of its own.
struct Total {
    column: Handle,
    /// The columns that it adds up, with their weights.
    terms: Vec<(Handle, f64)>,
}

impl Total {
    /// Adds the column and the row that defines it. Its value is whole, and so are its bounds: rounded, they cut off more than
    /// the columns that it adds up can.
    fn new(builder: &mut ProgramBuilder, name: &str, terms: Vec<(Handle, f64)>, most: f64) -> Self {
        let column = Handle::add(builder, format!("sum[{name}]"), variable().integer().min(0).max(most));
        builder.tighten(column.variable);
        let total: Expression = terms.iter().map(|(column, weight)| *weight * column.variable).sum();
        builder.row(format!("sum[{name}]"), constraint!(total == column.variable));
        Total { column, terms }
    }
}

impl Frame {
    /// Adds columns for machines and pools in use.
    pub fn new(problem: &Problem, builder: &mut ProgramBuilder, pools: &[Pool]) -> Self {
        let machine_used = machine_columns(problem, builder);
        let pool_used: Vec<Handle> = pools.iter().map(|pool| pool.used_column(problem, builder)).collect();
        let coefficient = |weight| coefficient(problem, Goal::Hardware, weight);
        let of_machine = |(&column, machine): (&Handle, &Machine)| (column, coefficient(machine.weight));
        let machines: Vec<_> = machine_used.iter().zip(&problem.machines).map(of_machine).collect();
        let of_pool = |(&column, pool): (&Handle, &Pool)| {
            (column, coefficient(problem.machine(pool.machine).gpu_weight))
        };
        let gpus: Vec<_> = pool_used.iter().zip(pools).map(of_pool).collect();
        let most_machines = machines.iter().map(|(_, weight)| weight).sum();
        let most_gpus =
            gpus.iter().zip(pools).map(|((_, weight), pool)| weight * f64::from(pool.size())).sum();
        let totals = [
            Total::new(builder, "machines", machines, most_machines),
            Total::new(builder, "gpus", gpus, most_gpus),
        ];
        Frame { machine_used, pool_used, patterns: Vec::new(), totals }
    }

    /// Adds the rows that confine what pools and machines hold.
    pub fn add_rows(
        &mut self,
        problem: &Problem,
        builder: &mut ProgramBuilder,
        kinds: &[Kind],
        pools: &[Pool],
        held: &[Held],
    ) {
        let mut in_pool = vec![Vec::new(); pools.len()];
        for entry in held {
            in_pool[entry.pool].push(*entry);
        }
        for ((pool, held), &used) in pools.iter().zip(&in_pool).zip(&self.pool_used) {
            let mut counts =
                vec![Expression::default(); problem.cluster.boards[pool.board.index()].profiles().len()];
            for entry in held {
                let profile =
                    kinds[entry.kind].profile_on(problem, pool.board).expect("the pool can hold it");
                counts[profile.index()] += entry.column.variable;
            }
            self.patterns.push(pool.rows(problem, builder, &counts, used));
            let phi = self.machine_used[pool.machine.index()].variable;
            let label = format!("gpus[{}]", pool.name(problem));
            builder.row(label, constraint!(used.variable <= f64::from(pool.size()) * phi));
        }
        let demands = Demands::of(&problem.cluster);
        for machine in problem.machine_indices() {
            let of_machine = |position: &usize| pools[*position].machine == machine;
            let positions: Vec<usize> = (0..pools.len()).filter(of_machine).collect();
            let phi = self.machine_used[machine.index()].variable;
            for resource in demands.limited(&[problem.machine(machine).capacities()]) {
                let mut needed = Expression::default();
                for entry in positions.iter().flat_map(|&position| &in_pool[position]) {
                    let demand = resource.of_workload(&problem.cluster, kinds[entry.kind].example);
                    needed.add_mul(demand, entry.column.variable);
                }
                let pinned = positions.iter().flat_map(|&position| &pools[position].pinned);
                let pinned: f64 =
                    pinned.map(|&workload| resource.of_workload(&problem.cluster, workload)).sum();
                let label = format!("{}[{}]", resource.name, problem.machine_name(machine));
                builder.row(label, constraint!(needed <= resource.capacity * phi - pinned));
            }
        }
    }

    /// Objective (3): what the columns hold, and what is pinned.
    pub(super) fn acceptance(&self, problem: &Problem, kinds: &[Kind], held: &[Held]) -> Expression {
        let coefficient =
            |workload| coefficient(problem, Goal::Acceptance, problem.acceptance_weight(workload));
        let pinned = problem.cluster.workload_indices().filter(|&workload| problem.is_pinned(workload));
        let mut acceptance = Expression::from(pinned.map(coefficient).sum::<f64>());
        for entry in held {
            acceptance.add_mul(coefficient(kinds[entry.kind].example), entry.column.variable);
        }
        acceptance
    }

    /// Objective (4).
    pub(super) fn hardware(&self) -> Expression {
        self.totals.iter().map(|total| total.column.variable).sum()
    }

    /// Gives the columns of totals the values that follow from all others.
    pub fn complete(&self, columns: &mut [f64]) {
        for total in &self.totals {
            let value = total.terms.iter().map(|(column, weight)| weight * columns[column.index]).sum();
            columns[total.column.index] = value;
        }
    }
}

/// Rows that use machines that are alike in their order, so that no solution occurs twice: `alike` are groups of machines,
/// and the later of two in a group has no more GPUs in use.
pub fn order_rows(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    frame: &Frame,
    pools: &[Pool],
    alike: &[Vec<MachineIndex>],
) {
    let mut gpus: Vec<Expression> = vec![Expression::default(); problem.machines.len()];
    for (pool, used) in pools.iter().zip(&frame.pool_used) {
        gpus[pool.machine.index()] += used.variable;
    }
    for pair in alike.iter().flat_map(|group| group.windows(2)) {
        let label = format!("order[{}]", problem.machine_name(pair[1]));
        let (first, second) = (gpus[pair[0].index()].clone(), gpus[pair[1].index()].clone());
        builder.row(label, constraint!(second <= first));
    }
}

/// Machines in service that are alike in boards, capacities and weights, in the sets of nodes to which workloads are bound, and in what is
/// fixed on them, in groups of two or more.
pub fn alike(
    problem: &Problem,
    pools: &[Pool],
    is_free: impl Fn(MachineIndex) -> bool,
) -> Vec<Vec<MachineIndex>> {
    let mut groups: BTreeMap<_, Vec<MachineIndex>> = BTreeMap::new();
    let in_service =
        |machine| pools.iter().all(|pool| pool.machine != machine || pool.is_in_service(problem));
    for machine in problem.machine_indices().filter(|&machine| is_free(machine) && in_service(machine)) {
        let about = problem.machine(machine);
        let own = pools.iter().filter(|pool| pool.machine == machine);
        let shape: Vec<_> = own.map(|pool| (pool.board, pool.gpus.len())).collect();
        let nodes = about.gpus.first().map(|&gpu| problem.cluster.node_sets_with(gpu).collect::<Vec<_>>());
        let key = (shape, about.cpu, about.memory, about.weight, about.gpu_weight, nodes.unwrap_or_default());
        groups.entry(key).or_default().push(machine);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

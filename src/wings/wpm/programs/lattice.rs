//! The aggregated program: GPUs counted by state, workloads flowing over a lattice of contents.
//!
//! Rows A1-A8 of `models/wpm.md`, one function each; those of rules are in `rule_rows`. `compact` and `exact-index` give it the ways in which occupied GPUs
//! may stay in use; everything else is the same.

use super::columns::{ColumnWriter, KindColumns, pending_columns};
use super::concerns::Concerns;
use super::rule_rows::{RuleColumns, TiedColumns, add_rules, residents};
use super::stage_plan::{GoalExpressions, StagePlan};
use super::states::{Contents, Kind, Pools, ResidentClass, ResidentClassIndex, States, WaysOf};
use crate::instance::Problem;
use crate::rules::Reading;
use crate::section::Goal;
use good_lp::{Expression, Variable, constraint, variable};
use itertools::Itertools;
use mig::Counts;
use milp::{Handle, Program, ProgramBuilder};
use std::collections::BTreeMap;

/// An aggregated program of a problem.
pub struct Lattice<'a> {
    pub(super) problem: &'a Problem,
    pub(super) plan: StagePlan,
    pub(super) program: Program,
    pub(super) reading: Reading,
    pub(super) states: States,
    /// How occupied GPUs may stay in use.
    pub(super) ways: Box<WaysOf<'a>>,
    pub(super) columns: Vec<KindColumns>,
    /// Workloads of every pool that wait.
    pub(super) pending: Vec<Handle>,
    /// Total of `KindColumns::gpus`, unless there is one kind alone.
    pub(super) total_gpus: Option<Handle>,
    /// Columns of rules.
    pub(super) rule_columns: RuleColumns,
    /// Positions of the columns that are whole only as vertices of a network.
    pub(super) network_columns: Vec<usize>,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        plan: StagePlan,
        (name, reading): (&str, Reading),
        concerns: Concerns,
        pools: Pools,
        ways: Box<WaysOf<'a>>,
    ) -> Self {
        let states = States::new(problem, concerns, pools, &ways);
        let mut builder = ProgramBuilder::new(name);
        let whole_flows = !states.flows_are_whole();
        let columns: Vec<KindColumns> = states
            .kinds
            .iter()
            .map(|kind| ColumnWriter::new(problem, &mut builder, kind, whole_flows).write())
            .collect();
        let total_gpus = (columns.len() != 1).then(|| {
            let most = problem.cluster.gpus.len() as f64;
            Handle::add(&mut builder, "gpus".to_owned(), variable().integer().min(0).max(most))
        });
        let pending = pending_columns(&mut builder, &states, whole_flows);

        for (kind, columns) in states.kinds.iter().zip(&columns) {
            a1_fills(&mut builder, kind, columns);
            a2_classes(&mut builder, kind, columns);
            a3_departures(&mut builder, kind, columns);
            a4_arrivals(&mut builder, kind, columns);
            a5_places(&mut builder, kind, columns);
            a7_gpus(&mut builder, kind, columns);
        }
        a6_pools(&mut builder, &states, &columns, &pending);
        if let Some(total) = total_gpus {
            a8_total(&mut builder, &columns, total);
        }

        let rule_columns = add_rules(&mut builder, problem, &states, &columns, &pending);

        let goals = goals(problem, &plan, &states, (&columns, &pending, &rule_columns.moved));
        plan.add_guide(&mut builder, &goals);
        plan.add_stages(&mut builder, goals);
        builder.dichotomy(total_gpus.unwrap_or_else(|| columns[0].gpus).variable);
        builder.box_radius(2);
        let network_columns = if whole_flows { Vec::new() } else { flow_positions(&columns, &pending) };
        let program = builder.build();
        Lattice {
            problem,
            plan,
            program,
            reading,
            states,
            ways,
            columns,
            pending,
            total_gpus,
            rule_columns,
            network_columns,
        }
    }
}

/// Positions of the columns that are whole only as vertices of a network.
fn flow_positions(columns: &[KindColumns], pending: &[Handle]) -> Vec<usize> {
    let flows = columns.iter().flat_map(|kind| {
        let departures = kind.leave.values().chain(kind.cross.values());
        departures.chain(kind.take.values()).chain(kind.assign.values())
    });
    flows.chain(pending).map(|handle| handle.index).collect()
}

fn sum<'h>(handles: impl IntoIterator<Item = &'h Handle>) -> Expression {
    handles.into_iter().map(|handle| handle.variable).sum()
}

/// A1: no more additions of a fill state than GPUs in that state.
fn a1_fills(builder: &mut ProgramBuilder, kind: &Kind, columns: &KindColumns) {
    let mut in_state: Vec<Expression> = vec![Expression::default(); kind.states.len()];
    for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
        for (option, keep) in class.options.iter().zip(options) {
            in_state[option.state.index()] += keep.variable;
        }
    }
    for (state, (fills, gpus)) in columns.fill.iter().zip(in_state).enumerate() {
        if !fills.is_empty() {
            builder.row(format!("A1[{},{state}]", kind.name), constraint!(sum(fills) <= gpus));
        }
    }
}

/// A2: every GPU of a class stays in at most one way, in exactly one where it has no alternative.
fn a2_classes(builder: &mut ProgramBuilder, kind: &Kind, columns: &KindColumns) {
    for (number, (class, options)) in kind.gpu_classes.iter().zip(&columns.keep).enumerate() {
        let gpus = class.gpus.len() as f64;
        let label = format!("A2[{},{number}]", kind.name);
        if !class.may_depart() {
            builder.row(label, constraint!(sum(options) == gpus));
        } else if options.len() > 1 {
            builder.row(label, constraint!(sum(options) <= gpus));
        }
    }
}

/// A3: GPUs that do not stay as they are: residents leave one by one until the GPU is repartitioned or empty.
fn a3_departures(builder: &mut ProgramBuilder, kind: &Kind, columns: &KindColumns) {
    let nodes = columns.cross.keys().chain(columns.leave.keys().map(|(node, _)| node));
    let mut balance: BTreeMap<&Contents, Expression> =
        nodes.map(|node| (node, Expression::default())).collect();
    for (class, options) in kind.gpu_classes.iter().zip(&columns.keep).filter(|(class, _)| class.may_depart())
    {
        let node = balance.get_mut(&class.contents).expect("every contents is a node");
        *node += class.gpus.len() as f64;
        *node -= sum(options);
    }
    for ((contents, class), leave) in &columns.leave {
        *balance.get_mut(contents).expect("a node") -= leave.variable;
        let fewer = contents.without_one(*class).expect("only residents leave");
        *balance.get_mut(&fewer).expect("a node") += leave.variable;
    }
    for (contents, cross) in &columns.cross {
        *balance.get_mut(contents).expect("a node") -= cross.variable;
    }
    for (contents, balance) in balance {
        let label = format!("A3[{},{contents}]", kind.name);
        // An emptied GPU may be switched off.
        let row = if contents.is_empty() { constraint!(balance >= 0) } else { constraint!(balance == 0) };
        builder.row(label, row);
    }
}

/// A4: GPUs laid out anew: repartitioned ones enter with what they kept, free ones empty; places are added one by one.
fn a4_arrivals(builder: &mut ProgramBuilder, kind: &Kind, columns: &KindColumns) {
    let zero = Counts::zero(kind.demand.len());
    let mut balance: BTreeMap<Counts, Expression> = columns
        .fresh
        .iter()
        .map(|(counts, fresh)| (counts.clone(), Expression::from(fresh.gpus.variable) * -1.0))
        .collect();
    balance.insert(zero.clone(), Expression::from(kind.free.len() as f64));
    for (contents, cross) in &columns.cross {
        *balance.get_mut(&kind.profiles_of(contents)).expect("what stays fits a pattern") += cross.variable;
    }
    for ((counts, profile), take) in &columns.take {
        *balance.get_mut(counts).expect("a pattern") -= take.variable;
        *balance.get_mut(&counts.add_one(*profile)).expect("a pattern") += take.variable;
    }
    for (counts, balance) in balance {
        let label = format!("A4[{},{}]", kind.name, counts.as_slice().iter().join("."));
        builder
            .row(label, if counts == zero { constraint!(balance >= 0) } else { constraint!(balance == 0) });
    }
}

/// A5: the places added, of every profile, are taken by workloads of the pools that it serves.
fn a5_places(builder: &mut ProgramBuilder, kind: &Kind, columns: &KindColumns) {
    let mut places: Vec<Expression> = vec![Expression::default(); kind.demand.len()];
    for ((_, profile), take) in &columns.take {
        places[profile.index()] += take.variable;
    }
    for (additions, fills) in kind.states.iter().zip(&columns.fill) {
        for (added, fill) in additions.iter().zip(fills) {
            for (profile, number) in added.counts.iter() {
                places[profile.index()] += f64::from(number) * fill.variable;
            }
        }
    }
    for (profile, places) in places.into_iter().enumerate() {
        let assigned: Expression = columns
            .assign
            .iter()
            .filter(|((_, of), _)| of.index() == profile)
            .map(|(_, assign)| assign.variable)
            .sum();
        if !kind.pools_of_profile[profile].is_empty() {
            builder.row(format!("A5[{},{profile}]", kind.name), constraint!(places == assigned));
        }
    }
}

/// A6: newcomers of a pool and its residents that left take a place or wait.
fn a6_pools(builder: &mut ProgramBuilder, states: &States, columns: &[KindColumns], pending: &[Handle]) {
    let mut balance: Vec<Expression> = states
        .pools
        .list
        .iter()
        .zip(pending)
        .map(|(pool, pending)| Expression::from(pool.newcomers.len() as f64) - pending.variable)
        .collect();
    for (kind, columns) in states.kinds.iter().zip(columns) {
        let pool_of = |class: ResidentClassIndex| kind.class(class).pool.index();
        for ((_, class), leave) in &columns.leave {
            balance[pool_of(*class)] += leave.variable;
        }
        for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
            for (option, keep) in class.options.iter().zip(options) {
                let departures = class.contents.departures(&option.keep);
                for (class, number) in departures.filter(|&(_, number)| number > 0) {
                    balance[pool_of(class)] += f64::from(number) * keep.variable;
                }
            }
        }
        for ((pool, _), assign) in &columns.assign {
            balance[pool.index()] -= assign.variable;
        }
    }
    for (pool, balance) in balance.into_iter().enumerate() {
        builder.row(format!("A6[{pool}]"), constraint!(balance == 0));
    }
}

/// A7: GPUs of a kind in use.
fn a7_gpus(builder: &mut ProgramBuilder, kind: &Kind, columns: &KindColumns) {
    debug_assert_eq!(kind.gpu_classes.len(), columns.keep.len());
    let ways = kind.gpu_classes.iter().zip(&columns.keep).flat_map(|(class, keep)| {
        class.options.iter().zip(keep).filter(|(option, _)| class.is_in_use(option)).map(|(_, keep)| keep)
    });
    let staying = sum(ways);
    let anew = sum(columns.fresh.values().map(|fresh| &fresh.gpus));
    builder.row(format!("A7[{}]", kind.name), constraint!(staying + anew == columns.gpus.variable));
}

/// A8: GPUs in use over all kinds.
fn a8_total(builder: &mut ProgramBuilder, columns: &[KindColumns], total: Handle) {
    let of_kinds = sum(columns.iter().map(|kind| &kind.gpus));
    builder.row("A8", constraint!(of_kinds == total.variable));
}

fn goals(
    problem: &Problem,
    plan: &StagePlan,
    states: &States,
    (columns, pending, moved): (&[KindColumns], &[Handle], &TiedColumns),
) -> GoalExpressions {
    let total = problem.decided().map(|workload| problem.costs.reward_of(workload)).sum();
    let mut goals = GoalExpressions {
        reward: Expression::from(plan.coefficient(Goal::Reward, total)),
        gpus: Expression::default(),
        migrations: Expression::default(),
        waste: Expression::default(),
        pending: sum(pending),
    };
    for (pool, pending) in states.pools.list.iter().zip(pending) {
        goals.reward -= plan.coefficient(Goal::Reward, pool.reward) * pending.variable;
    }
    for (kind, columns) in states.kinds.iter().zip(columns) {
        let costs = problem.costs.of_board(kind.board);
        goals.gpus += plan.coefficient(Goal::Gpus, costs.gpu) * columns.gpus.variable;
        add_migrations(&mut goals.migrations, problem, plan, (states, kind), columns);
        for (groups, column) in moved {
            let of = |class: &ResidentClass| match states.pools.tied(class.pool) == groups.as_slice() {
                true => plan.coefficient(Goal::Migrations, class.migration),
                false => 0.0,
            };
            add_term(&mut goals.migrations, residents(kind, of), column.variable);
        }
        add_waste(&mut goals.waste, plan.coefficient(Goal::Waste, costs.waste), kind, columns);
    }
    goals
}

/// Adds a term that says something.
fn add_term(expression: &mut Expression, coefficient: f64, variable: Variable) {
    if coefficient != 0.0 {
        *expression += coefficient * variable;
    }
}

/// Migrations and repartitions of a kind.
fn add_migrations(
    migrations: &mut Expression,
    problem: &Problem,
    plan: &StagePlan,
    (states, kind): (&States, &Kind),
    columns: &KindColumns,
) {
    let costs = problem.costs.of_board(kind.board);
    let repartition = plan.coefficient(Goal::Migrations, costs.repartition);
    let migration = |class: ResidentClassIndex| {
        let ResidentClass { pool, migration, .. } = kind.class(class);
        // Who moves as one with others is charged with them.
        let alone = states.pools.tied(*pool).is_empty();
        if alone { plan.coefficient(Goal::Migrations, *migration) } else { 0.0 }
    };
    for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
        for (option, keep) in class.options.iter().zip(options) {
            let departures = class.contents.departures(&option.keep);
            let moved: f64 = departures.map(|(class, number)| f64::from(number) * migration(class)).sum();
            let anew = if option.repartition { repartition } else { 0.0 };
            add_term(migrations, moved + anew, keep.variable);
        }
    }
    for ((_, class), leave) in &columns.leave {
        add_term(migrations, migration(*class), leave.variable);
    }
    for cross in columns.cross.values() {
        add_term(migrations, repartition, cross.variable);
    }
}

/// Slices that a kind wastes, each of which counts so much.
fn add_waste(waste: &mut Expression, of_slice: f64, kind: &Kind, columns: &KindColumns) {
    let mut add = |slices: u32, column: &Handle| {
        add_term(waste, of_slice * f64::from(slices), column.variable);
    };
    for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
        for (option, keep) in class.options.iter().zip(options) {
            add(option.waste, keep);
        }
    }
    for fresh in columns.fresh.values() {
        add(fresh.waste, &fresh.gpus);
    }
    for (additions, fills) in kind.states.iter().zip(&columns.fill) {
        for (added, fill) in additions.iter().zip(fills) {
            add(added.waste, fill);
        }
    }
}

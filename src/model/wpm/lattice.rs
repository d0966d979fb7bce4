//! The aggregated program: GPUs counted by state, workloads flowing over a lattice of contents.
//!
//! Rows A1-A8 of `models/wpm.md`, one function each. `compact` and `exact-index` give it the ways in which occupied GPUs
//! may stay in use; everything else is the same.

use super::instance::Problem;
use super::objective::{GoalExpressions, Plan};
use super::settings::Goal;
use super::solution::Reading;
use super::states::{Contents, Kind, States, WaysOf};
use crate::mig::{Board, Counts, ProfileIndex, patterns};
use crate::milp::{Handle, Program, ProgramBuilder};
use good_lp::{Expression, Variable, constraint, variable};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// The columns that belong to one board type.
pub(super) struct KindColumns {
    /// L: per GPU class and option, GPUs that stay in use that way.
    pub keep: Vec<Vec<Handle>>,
    /// Y: per fill state and addition, GPUs in that state that take it.
    pub fill: Vec<Vec<Handle>>,
    /// X: per pattern, GPUs laid out anew with it, and the least waste of the pattern.
    pub fresh: BTreeMap<Counts, (Handle, u32)>,
    /// d: residents of a class that leave GPUs with the given contents.
    pub leave: BTreeMap<(Contents, usize), Handle>,
    /// r: GPUs repartitioned with the given contents kept.
    pub cross: BTreeMap<Contents, Handle>,
    /// h: places of a profile added to GPUs laid out with the given counts so far.
    pub take: BTreeMap<(Counts, ProfileIndex), Handle>,
    /// pi: workloads of a pool that take places of a profile.
    pub assign: BTreeMap<(usize, ProfileIndex), Handle>,
    /// K: GPUs in use.
    pub gpus: Handle,
}

/// An aggregated program of a problem.
pub struct Lattice<'a> {
    pub(super) problem: &'a Problem,
    pub(super) plan: Plan,
    pub(super) program: Program,
    pub(super) reading: Reading,
    pub(super) states: States,
    /// How occupied GPUs may stay in use.
    pub(super) ways: Box<WaysOf<'a>>,
    pub(super) columns: Vec<KindColumns>,
    /// Workloads of every pool that wait.
    pub(super) pending: Vec<Handle>,
    /// Total of `KindColumns::gpus`, when there are several kinds.
    pub(super) total_gpus: Option<Handle>,
    /// Positions of the columns that are whole only as vertices of a network.
    pub(super) network_columns: Vec<usize>,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        plan: Plan,
        name: &str,
        reading: Reading,
        ways: Box<WaysOf<'a>>,
    ) -> Self {
        let states = States::new(problem, &ways);
        let mut builder = ProgramBuilder::new(name);
        let whole_flows = !states.one_class_per_profile();
        let columns: Vec<KindColumns> =
            states.kinds.iter().map(|kind| kind_columns(problem, &mut builder, kind, whole_flows)).collect();
        let total_gpus = (columns.len() > 1).then(|| {
            let most = problem.cluster.gpus.len() as f64;
            Handle::add(&mut builder, "gpus".to_owned(), variable().integer().min(0).max(most))
        });
        let pending = pending_columns(problem, &mut builder, &states, whole_flows);

        for (kind, columns) in states.kinds.iter().zip(&columns) {
            let board = problem.cluster.boards[kind.board.index()].name();
            a1_fills(&mut builder, board, kind, columns);
            a2_classes(&mut builder, board, kind, columns);
            a3_departures(&mut builder, board, kind, columns);
            a4_arrivals(&mut builder, board, kind, columns);
            a5_places(&mut builder, board, kind, columns);
            a7_gpus(&mut builder, board, kind, columns);
        }
        a6_pools(&mut builder, &states, &columns, &pending);
        if let Some(total) = total_gpus {
            a8_total(&mut builder, &columns, total);
        }

        let goals = goals(problem, &plan, &states, &columns, &pending);
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
            network_columns,
        }
    }
}

/// Contents as part of a name: numbers of residents by class.
fn contents_name(contents: &[u8]) -> String {
    contents.iter().join(".")
}

/// Counts as part of a name: `2x2g.20gb+1g.10gb`.
fn counts_name(board: &Board, counts: &Counts) -> String {
    board.counts_name(counts).replace(" x ", "x").replace(" + ", "+")
}

/// All contents that remain when residents leave one of the given contents.
fn below(contents: impl Iterator<Item = Contents>) -> BTreeSet<Contents> {
    let mut nodes = BTreeSet::new();
    let mut open: Vec<Contents> = contents.collect();
    while let Some(node) = open.pop() {
        if nodes.contains(&node) {
            continue;
        }
        for class in 0..node.len() {
            if let Some(fewer) = without_one(&node, class) {
                open.push(fewer);
            }
        }
        nodes.insert(node);
    }
    nodes
}

/// Contents after one resident of `class` left; `None` when there is none.
pub(super) fn without_one(contents: &[u8], class: usize) -> Option<Contents> {
    let mut fewer = contents.to_vec();
    fewer[class] = fewer[class].checked_sub(1)?;
    Some(fewer)
}

fn kind_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    kind: &Kind,
    whole_flows: bool,
) -> KindColumns {
    let board = &problem.cluster.boards[kind.board.index()];
    let name = board.name();
    let whole = |most: usize| variable().integer().min(0).max(most as f64);
    let flow = |most: usize| if whole_flows { whole(most) } else { variable().min(0).max(most as f64) };

    let keep = kind.gpu_classes.iter().enumerate().map(|(class, gpus)| {
        let options = (0..gpus.options.len()).map(|option| {
            Handle::add(builder, format!("keep[{name},{class},{option}]"), whole(gpus.gpus.len()))
        });
        options.collect_vec()
    });
    let keep = keep.collect_vec();
    let mut in_state = vec![0; kind.states.len()];
    for class in &kind.gpu_classes {
        class
            .options
            .iter()
            .map(|option| option.state)
            .unique()
            .for_each(|state| in_state[state] += class.gpus.len());
    }
    let fill = kind.states.iter().enumerate().map(|(state, additions)| {
        let columns = additions.iter().map(|(added, _)| {
            let column = format!("fill[{name},{state},{}]", counts_name(board, added));
            Handle::add(builder, column, whole(in_state[state]))
        });
        columns.collect_vec()
    });
    let fill = fill.collect_vec();

    let unpinned = || kind.gpu_classes.iter().filter(|class| !class.pinned);
    let departing: usize = unpinned().map(|class| class.gpus.len()).sum();
    let anew = departing + kind.free.len();
    let table = patterns(board);
    let reachable: BTreeMap<&Counts, u32> = table
        .waste_of
        .iter()
        .filter(|(counts, _)| anew > 0 && counts.fits_within(&kind.demand))
        .map(|(counts, &waste)| (counts, waste))
        .collect();
    let fresh = reachable.iter().filter(|(counts, _)| !counts.is_zero()).map(|(&counts, &waste)| {
        let column = format!("fresh[{name},{}]", counts_name(board, counts));
        (counts.clone(), (Handle::add(builder, column, whole(anew)), waste))
    });
    let fresh: BTreeMap<Counts, (Handle, u32)> = fresh.collect();

    let nodes = below(unpinned().map(|class| class.contents.clone()));
    let mut leave = BTreeMap::new();
    let mut cross = BTreeMap::new();
    for node in &nodes {
        for class in (0..node.len()).filter(|&class| node[class] > 0) {
            let column = format!("leave[{name},{},{class}]", contents_name(node));
            leave.insert((node.clone(), class), Handle::add(builder, column, flow(departing)));
        }
        let column = format!("cross[{name},{}]", contents_name(node));
        cross.insert(node.clone(), Handle::add(builder, column, flow(departing)));
    }
    let mut take = BTreeMap::new();
    for &counts in reachable.keys() {
        for profile in
            board.profile_indices().filter(|&profile| reachable.contains_key(&counts.add_one(profile)))
        {
            let column =
                format!("take[{name},{},{}]", counts_name(board, counts), board.profile(profile).name);
            take.insert((counts.clone(), profile), Handle::add(builder, column, flow(anew)));
        }
    }
    let mut assign = BTreeMap::new();
    for profile in board.profile_indices() {
        for &pool in &kind.pools_of_profile[profile.index()] {
            let column = format!("assign[{name},{pool}]");
            let most = kind.demand.get(profile) as usize;
            assign.insert((pool, profile), Handle::add(builder, column, flow(most)));
        }
    }
    let most = kind.free.len() + kind.gpu_classes.iter().map(|class| class.gpus.len()).sum::<usize>();
    let gpus = Handle::add(builder, format!("gpus[{name}]"), whole(most));
    KindColumns { keep, fill, fresh, leave, cross, take, assign, gpus }
}

fn pending_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    states: &States,
    whole_flows: bool,
) -> Vec<Handle> {
    let mut sizes = vec![0u32; states.pools.len()];
    for workload in problem.decided() {
        sizes[states.pool_of[workload.index()].expect("decided workloads have a pool")] += 1;
    }
    sizes
        .into_iter()
        .enumerate()
        .map(|(pool, size)| {
            let definition = variable().min(0).max(size);
            let definition = if whole_flows { definition.integer() } else { definition };
            Handle::add(builder, format!("pending[{pool}]"), definition)
        })
        .collect()
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
fn a1_fills(builder: &mut ProgramBuilder, board: &str, kind: &Kind, columns: &KindColumns) {
    let mut in_state: Vec<Expression> = vec![Expression::default(); kind.states.len()];
    for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
        for (option, keep) in class.options.iter().zip(options) {
            in_state[option.state] += keep.variable;
        }
    }
    for (state, (fills, gpus)) in columns.fill.iter().zip(in_state).enumerate() {
        if !fills.is_empty() {
            builder.row(format!("A1[{board},{state}]"), constraint!(sum(fills) <= gpus));
        }
    }
}

/// A2: every GPU of a class stays in use in at most one way, one that carries a pinned workload in exactly one.
fn a2_classes(builder: &mut ProgramBuilder, board: &str, kind: &Kind, columns: &KindColumns) {
    for (number, (class, options)) in kind.gpu_classes.iter().zip(&columns.keep).enumerate() {
        let gpus = class.gpus.len() as f64;
        let label = format!("A2[{board},{number}]");
        if class.pinned {
            builder.row(label, constraint!(sum(options) == gpus));
        } else if options.len() > 1 {
            builder.row(label, constraint!(sum(options) <= gpus));
        }
    }
}

/// A3: GPUs that do not stay as they are: residents leave one by one until the GPU is repartitioned or empty.
fn a3_departures(builder: &mut ProgramBuilder, board: &str, kind: &Kind, columns: &KindColumns) {
    let mut balance: BTreeMap<&Contents, Expression> =
        columns.cross.keys().map(|node| (node, Expression::default())).collect();
    for (class, options) in kind.gpu_classes.iter().zip(&columns.keep).filter(|(class, _)| !class.pinned) {
        let node = balance.get_mut(&class.contents).expect("every contents is a node");
        *node += class.gpus.len() as f64;
        *node -= sum(options);
    }
    for ((contents, class), leave) in &columns.leave {
        *balance.get_mut(contents).expect("a node") -= leave.variable;
        let fewer = without_one(contents, *class).expect("only residents leave");
        *balance.get_mut(&fewer).expect("a node") += leave.variable;
    }
    for (contents, cross) in &columns.cross {
        *balance.get_mut(contents).expect("a node") -= cross.variable;
    }
    for (contents, balance) in balance {
        let label = format!("A3[{board},{}]", contents_name(contents));
        let emptied = contents.iter().all(|&number| number == 0);
        // An emptied GPU may be switched off.
        builder.row(label, if emptied { constraint!(balance >= 0) } else { constraint!(balance == 0) });
    }
}

/// A4: GPUs laid out anew: repartitioned ones enter with what they kept, free ones empty; places are added one by one.
fn a4_arrivals(builder: &mut ProgramBuilder, board: &str, kind: &Kind, columns: &KindColumns) {
    let zero = Counts::zero(kind.demand.len());
    let mut balance: BTreeMap<Counts, Expression> = columns
        .fresh
        .iter()
        .map(|(counts, (fresh, _))| (counts.clone(), Expression::from(fresh.variable) * -1.0))
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
        let label = format!("A4[{board},{}]", counts.as_slice().iter().join("."));
        builder
            .row(label, if counts == zero { constraint!(balance >= 0) } else { constraint!(balance == 0) });
    }
}

/// A5: the places added, of every profile, are taken by workloads of the pools that it serves.
fn a5_places(builder: &mut ProgramBuilder, board: &str, kind: &Kind, columns: &KindColumns) {
    let mut places: Vec<Expression> = vec![Expression::default(); kind.demand.len()];
    for ((_, profile), take) in &columns.take {
        places[profile.index()] += take.variable;
    }
    for (additions, fills) in kind.states.iter().zip(&columns.fill) {
        for ((added, _), fill) in additions.iter().zip(fills) {
            for (profile, number) in added.iter() {
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
            builder.row(format!("A5[{board},{profile}]"), constraint!(places == assigned));
        }
    }
}

/// A6: newcomers of a pool and its residents that left take a place or wait.
fn a6_pools(builder: &mut ProgramBuilder, states: &States, columns: &[KindColumns], pending: &[Handle]) {
    let mut balance: Vec<Expression> = states
        .pools
        .iter()
        .zip(pending)
        .map(|(pool, pending)| Expression::from(pool.newcomers.len() as f64) - pending.variable)
        .collect();
    for (kind, columns) in states.kinds.iter().zip(columns) {
        for ((_, class), leave) in &columns.leave {
            balance[kind.resident_classes[*class].pool] += leave.variable;
        }
        for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
            for (option, keep) in class.options.iter().zip(options) {
                for (number, (&before, &after)) in class.contents.iter().zip(&option.keep).enumerate() {
                    if before > after {
                        balance[kind.resident_classes[number].pool] +=
                            f64::from(before - after) * keep.variable;
                    }
                }
            }
        }
        for ((pool, _), assign) in &columns.assign {
            balance[*pool] -= assign.variable;
        }
    }
    for (pool, balance) in balance.into_iter().enumerate() {
        builder.row(format!("A6[{pool}]"), constraint!(balance == 0));
    }
}

/// A7: GPUs of a kind in use.
fn a7_gpus(builder: &mut ProgramBuilder, board: &str, kind: &Kind, columns: &KindColumns) {
    debug_assert_eq!(kind.gpu_classes.len(), columns.keep.len());
    let staying = sum(columns.keep.iter().flatten());
    let anew = sum(columns.fresh.values().map(|(fresh, _)| fresh));
    builder.row(format!("A7[{board}]"), constraint!(staying + anew == columns.gpus.variable));
}

/// A8: GPUs in use over all kinds.
fn a8_total(builder: &mut ProgramBuilder, columns: &[KindColumns], total: Handle) {
    let of_kinds = sum(columns.iter().map(|kind| &kind.gpus));
    builder.row("A8", constraint!(of_kinds == total.variable));
}

fn goals(
    problem: &Problem,
    plan: &Plan,
    states: &States,
    columns: &[KindColumns],
    pending: &[Handle],
) -> GoalExpressions {
    let total = problem.decided().map(|workload| problem.costs.reward_of(workload)).sum();
    let mut goals = GoalExpressions {
        reward: Expression::from(plan.coefficient(Goal::Reward, total)),
        gpus: Expression::default(),
        migrations: Expression::default(),
        waste: Expression::default(),
        pending: sum(pending),
    };
    for (pool, pending) in states.pools.iter().zip(pending) {
        goals.reward -= plan.coefficient(Goal::Reward, pool.reward) * pending.variable;
    }
    for (kind, columns) in states.kinds.iter().zip(columns) {
        let costs = problem.costs.of_board(kind.board);
        let repartition = plan.coefficient(Goal::Migrations, costs.repartition);
        let waste = plan.coefficient(Goal::Waste, costs.waste);
        let migration =
            |class: usize| plan.coefficient(Goal::Migrations, kind.resident_classes[class].migration);
        let add = |expression: &mut Expression, coefficient: f64, variable: Variable| {
            if coefficient != 0.0 {
                *expression += coefficient * variable;
            }
        };
        goals.gpus += plan.coefficient(Goal::Gpus, costs.gpu) * columns.gpus.variable;
        for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
            for (option, keep) in class.options.iter().zip(options) {
                let departures = class.contents.iter().zip(&option.keep).enumerate();
                let moved: f64 = departures
                    .map(|(number, (&before, &after))| f64::from(before - after) * migration(number))
                    .sum();
                let anew = if option.repartition { repartition } else { 0.0 };
                add(&mut goals.migrations, moved + anew, keep.variable);
                add(&mut goals.waste, waste * f64::from(option.waste), keep.variable);
            }
        }
        for ((_, class), leave) in &columns.leave {
            add(&mut goals.migrations, migration(*class), leave.variable);
        }
        for cross in columns.cross.values() {
            add(&mut goals.migrations, repartition, cross.variable);
        }
        for (fresh, slices) in columns.fresh.values() {
            add(&mut goals.waste, waste * f64::from(*slices), fresh.variable);
        }
        for (additions, fills) in kind.states.iter().zip(&columns.fill) {
            for ((_, slices), fill) in additions.iter().zip(fills) {
                add(&mut goals.waste, waste * f64::from(*slices), fill.variable);
            }
        }
    }
    goals
}

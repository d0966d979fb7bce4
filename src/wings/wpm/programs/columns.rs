//! The columns of an aggregated program, family by family.

use super::states::{Contents, FillState, Kind, Pool, PoolIndex, ResidentClassIndex, States};
use crate::instance::Problem;
use good_lp::variable;
use good_lp::variable::VariableDefinition;
use itertools::Itertools;
use mig::{Board, Counts, ProfileIndex, patterns};
use milp::{Handle, ProgramBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// The columns that belong to one kind.
pub(super) struct KindColumns {
    /// L: per GPU class and option, GPUs that stay in use that way.
    pub keep: Vec<Vec<Handle>>,
    /// Y: per fill state and addition, GPUs in that state that take it.
    pub fill: Vec<Vec<Handle>>,
    /// X: per pattern, GPUs laid out anew with it.
    pub fresh: BTreeMap<Counts, Fresh>,
    /// d: residents of a class that leave GPUs with the given contents.
    pub leave: LeaveColumns,
    /// r: GPUs repartitioned with the given contents kept.
    pub cross: BTreeMap<Contents, Handle>,
    /// h: places of a profile added to GPUs laid out with the given counts so far.
    pub take: BTreeMap<(Counts, ProfileIndex), Handle>,
    /// pi: workloads of a pool that take places of a profile.
    pub assign: BTreeMap<(PoolIndex, ProfileIndex), Handle>,
    /// K: GPUs in use.
    pub gpus: Handle,
}

/// Columns for residents of a class that leave GPUs with the given contents.
pub(super) type LeaveColumns = BTreeMap<(Contents, ResidentClassIndex), Handle>;

/// GPUs laid out anew with a pattern.
pub(super) struct Fresh {
    pub gpus: Handle,
    /// Least slices that each of them wastes.
    pub waste: u32,
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
        open.extend(node.iter().filter_map(|(class, _)| node.without_one(class)));
        nodes.insert(node);
    }
    nodes
}

/// A whole column of at most `most`.
fn whole(most: usize) -> VariableDefinition {
    variable().integer().min(0).max(most as f64)
}

/// Adds the columns of a kind, family by family; none is bounded more tightly than by the GPUs and workloads that there are.
pub(super) struct ColumnWriter<'w> {
    builder: &'w mut ProgramBuilder,
    board: &'w Board,
    kind: &'w Kind,
    /// Whether flows have to be declared whole.
    whole_flows: bool,
    /// GPUs that need not stay as they are.
    departing: usize,
    /// GPUs that may be laid out anew.
    anew: usize,
    /// The patterns that the workloads could fill, with their least waste.
    reachable: BTreeMap<Counts, u32>,
}

impl<'w> ColumnWriter<'w> {
    pub fn new(
        problem: &'w Problem,
        builder: &'w mut ProgramBuilder,
        kind: &'w Kind,
        whole_flows: bool,
    ) -> Self {
        let board = &problem.cluster.boards[kind.board.index()];
        let unpinned = kind.gpu_classes.iter().filter(|class| class.may_depart());
        let departing: usize = unpinned.map(|class| class.gpus.len()).sum();
        let anew = departing + kind.free.len();
        let mut reachable = patterns(board).waste_of;
        reachable.retain(|counts, _| anew > 0 && counts.fits_within(&kind.demand));
        ColumnWriter { builder, board, kind, whole_flows, departing, anew, reachable }
    }

    /// Adds them all.
    pub fn write(mut self) -> KindColumns {
        let keep = self.keep();
        let fill = self.fill();
        let fresh = self.fresh();
        let (leave, cross) = self.departures();
        let take = self.take();
        let assign = self.assign();
        let in_use: usize = self.kind.gpu_classes.iter().map(|class| class.gpus.len()).sum();
        let gpus = self.add(format!("gpus[{}]", self.kind.name), whole(self.kind.free.len() + in_use));
        KindColumns { keep, fill, fresh, leave, cross, take, assign, gpus }
    }

    fn add(&mut self, name: String, definition: VariableDefinition) -> Handle {
        Handle::add(self.builder, name, definition)
    }

    /// Adds a column that is whole where the flows are not so by themselves.
    fn add_flow(&mut self, name: String, most: usize) -> Handle {
        let flow = variable().min(0).max(most as f64);
        self.add(name, if self.whole_flows { flow.integer() } else { flow })
    }

    /// L
    fn keep(&mut self) -> Vec<Vec<Handle>> {
        let (kind, board) = (self.kind, &self.kind.name);
        let of_class = kind.gpu_classes.iter().enumerate().map(|(number, class)| {
            let options = 0..class.options.len();
            let column = |option| format!("keep[{board},{number},{option}]");
            options.map(|option| self.add(column(option), whole(class.gpus.len()))).collect_vec()
        });
        of_class.collect()
    }

    /// Y
    fn fill(&mut self) -> Vec<Vec<Handle>> {
        let (kind, board) = (self.kind, self.board);
        let mut in_state = vec![0; kind.states.len()];
        for class in &kind.gpu_classes {
            let states = class.options.iter().map(|option| option.state);
            states.unique().for_each(|state| in_state[state.index()] += class.gpus.len());
        }
        let of_state = |(state, additions): (usize, &FillState)| {
            let columns = additions.iter().map(|added| {
                let counts = counts_name(board, &added.counts);
                self.add(format!("fill[{},{state},{counts}]", kind.name), whole(in_state[state]))
            });
            columns.collect_vec()
        };
        kind.states.iter().enumerate().map(of_state).collect()
    }

    /// X
    fn fresh(&mut self) -> BTreeMap<Counts, Fresh> {
        let (board, kind, anew) = (self.board, self.kind, self.anew);
        let reachable = self.reachable.clone().into_iter().filter(|(counts, _)| !counts.is_zero());
        let fresh = reachable.map(|(counts, waste)| {
            let column = format!("fresh[{},{}]", kind.name, counts_name(board, &counts));
            let gpus = self.add(column, whole(anew));
            (counts, Fresh { gpus, waste })
        });
        fresh.collect()
    }

    /// d and r
    fn departures(&mut self) -> (LeaveColumns, BTreeMap<Contents, Handle>) {
        let (kind, departing) = (self.kind, self.departing);
        let board = &kind.name;
        let unpinned = self.kind.gpu_classes.iter().filter(|class| class.may_depart());
        let nodes = below(unpinned.map(|class| class.contents.clone()));
        let (mut leave, mut cross) = (LeaveColumns::new(), BTreeMap::new());
        for node in nodes {
            for (class, _) in node.iter().filter(|&(_, residents)| residents > 0) {
                let column = format!("leave[{board},{node},{}]", class.0);
                leave.insert((node.clone(), class), self.add_flow(column, departing));
            }
            if kind.may_cross(&node) {
                let column = self.add_flow(format!("cross[{board},{node}]"), departing);
                cross.insert(node, column);
            }
        }
        (leave, cross)
    }

    /// h
    fn take(&mut self) -> BTreeMap<(Counts, ProfileIndex), Handle> {
        let (board, kind, anew) = (self.board, self.kind, self.anew);
        let mut take = BTreeMap::new();
        for counts in self.reachable.keys().cloned().collect_vec() {
            for profile in board.profile_indices() {
                if !self.reachable.contains_key(&counts.add_one(profile)) {
                    continue;
                }
                let (before, added) = (counts_name(board, &counts), &board.profile(profile).name);
                let column = self.add_flow(format!("take[{},{before},{added}]", kind.name), anew);
                take.insert((counts.clone(), profile), column);
            }
        }
        take
    }

    /// pi
    fn assign(&mut self) -> BTreeMap<(PoolIndex, ProfileIndex), Handle> {
        let (kind, board) = (self.kind, self.board);
        let mut assign = BTreeMap::new();
        for profile in board.profile_indices() {
            let most = usize::try_from(kind.demand.get(profile)).expect("workloads fit into memory");
            for &pool in &kind.pools_of_profile[profile.index()] {
                let column = self.add_flow(format!("assign[{},{}]", kind.name, pool.0), most);
                assign.insert((pool, profile), column);
            }
        }
        assign
    }
}

/// Workloads of every pool that wait.
pub(super) fn pending_columns(
    builder: &mut ProgramBuilder,
    states: &States,
    whole_flows: bool,
) -> Vec<Handle> {
    let column = |(index, pool): (PoolIndex, &Pool)| {
        let definition = variable().min(0).max(pool.size as f64);
        let definition = if whole_flows { definition.integer() } else { definition };
        Handle::add(builder, format!("pending[{}]", index.0), definition)
    };
    states.pools.indices().zip(&states.pools.list).map(column).collect()
}

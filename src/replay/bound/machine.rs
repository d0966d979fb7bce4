//! Machines that are alike as a part of the search by prices.

use super::knapsack::Knapsack;
use cluster::{BoardIndex, Cluster, Demands, RequestIndex, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use itertools::Itertools;
use kit::room_rows;
use mig::Room;
use milp::{Handle, Program, ProgramBuilder, Sense, Stage};
use prices::{Column, Effort as PartEffort, Limits, ONE, Part, Priced};
use solver::{Effort, Session, StageOptions, prove_stage};
use std::collections::BTreeMap;

/// Virtual machines that ask for the same.
pub struct Kind {
    pub request: RequestIndex,
    /// By position in the trace, ascending.
    pub positions: Vec<usize>,
}

/// What a machine holds: type of board, kind and number, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content(pub Vec<(BoardIndex, usize, u32)>);

/// What a machine has.
pub struct Equipment {
    /// Types of boards, and the number of GPUs of each.
    pub boards: Vec<(BoardIndex, usize)>,
    /// Cores and main memory, where they are limited.
    pub resources: (Option<Amount>, Option<Amount>),
}

/// Machines that are alike, with the program of what one of them holds.
pub struct Machine<'s> {
    number: u32,
    program: Program,
    /// The program, if it is one.
    knapsack: Option<Knapsack>,
    session: Box<dyn Session + 's>,
    /// Type of board, kind and the greatest number of each column.
    columns: Vec<(BoardIndex, usize, u32, Handle)>,
    limits: &'s Limits<'s>,
}

impl<'s> Machine<'s> {
    /// So many machines with the same equipment.
    ///
    /// # Errors
    /// When the solver refuses the program.
    pub fn new(
        cluster: &Cluster,
        kinds: &[Kind],
        rooms: &[Room],
        number: u32,
        equipment: &Equipment,
        effort: &'s Effort,
        limits: &'s Limits<'s>,
    ) -> Result<Self, String> {
        let mut builder = ProgramBuilder::new("replay-machine");
        let mut columns = Vec::new();
        for &(board, gpus) in &equipment.boards {
            let room = &rooms[board.index()];
            let mut counts = vec![Expression::default(); cluster.boards[board.index()].profiles().len()];
            for (kind, asks) in kinds.iter().enumerate() {
                let request = &cluster.requests[asks.request.index()];
                let Some(profile) = request.on_board[board.index()] else { continue };
                let most = room.maximal.iter().map(|fill| fill.get(profile)).max().unwrap_or(0);
                let most = (most as usize * gpus).min(asks.positions.len()) as u32;
                let name = format!("held[{},{kind}]", board.0);
                let column = Handle::add(&mut builder, name, variable().integer().min(0).max(most));
                counts[profile.index()] += column.variable;
                columns.push((board, kind, most, column));
            }
            let used = Expression::from(gpus as f64);
            room_rows(&mut builder, &board.0.to_string(), room, &counts, &used, gpus as u32);
        }
        for resource in Demands::of(cluster).limited(&[equipment.resources]) {
            let needed: Expression = columns
                .iter()
                .map(|(_, kind, _, column)| {
                    let example = WorkloadIndex::at(kinds[*kind].positions[0]);
                    resource.of_workload(cluster, example) * column.variable
                })
                .sum();
            builder.row(resource.name, constraint!(needed <= resource.capacity));
        }
        let program = builder.build();
        let session = effort.solver.open(&program, &effort.settings);
        let session = session.map_err(|failure| failure.to_string())?;
        let knapsack = Knapsack::of(&program);
        Ok(Machine { number, program, knapsack, session, columns, limits })
    }

    /// What one more of a kind is worth: one that is accepted, and the price of its kind, which is not positive.
    fn worth(prices: &[i64], kind: usize) -> i64 {
        ONE + prices[kind]
    }

    /// The best content, if few partial ones need to be tried for it.
    fn by_trying(&self, prices: &[i64]) -> Option<Priced<Content>> {
        let mut worth = vec![0; self.program.columns.len()];
        for (_, kind, _, column) in &self.columns {
            worth[column.index] = Self::worth(prices, *kind);
        }
        let (most, counts) = self.knapsack.as_ref()?.best(&worth)?;
        let content = self.content(|column| counts[column.index]);
        Some(Priced { most, is_exact: true, contents: vec![content] })
    }

    /// The best content, as far as the solver finds it and proves that there is no better one.
    fn by_program(&mut self, prices: &[i64]) -> Priced<Content> {
        let terms =
            self.columns.iter().map(|(_, kind, _, column)| (column.index, Self::worth(prices, *kind)));
        let stage = Stage {
            name: "worth".to_owned(),
            sense: Sense::Maximize,
            terms: terms.filter(|term| term.1 > 0).map(|(column, worth)| (column, worth as f64)).collect(),
            constant: 0.0,
            step: Some(1.0),
        };
        let options = StageOptions { deadline: self.limits.deadline, ..StageOptions::default() };
        let control = self.limits.control;
        let outcome = prove_stage(self.session.as_mut(), &self.program, &stage, &options, control);
        let content = outcome.columns.map(|columns| self.content(|column| column.whole(&columns)));
        let all = self.columns.iter().map(|&(_, kind, most, _)| Self::worth(prices, kind) * i64::from(most));
        let most = outcome.bound.map_or_else(|| all.sum(), |bound| bound.round() as i64);
        let found = content.as_ref().map(|content| self.column(content).worth(prices));
        Priced { most, is_exact: found == Some(most), contents: content.into_iter().collect() }
    }

    /// The content with so many of each column.
    fn content(&self, count: impl Fn(Handle) -> u32) -> Content {
        let held = self.columns.iter().map(|&(board, kind, _, column)| (board, kind, count(column)));
        Content(held.filter(|held| held.2 > 0).sorted().collect())
    }
}

impl Part for Machine<'_> {
    type Content = Content;

    fn number(&self) -> u32 {
        self.number
    }

    fn plain(&self) -> Content {
        Content::default()
    }

    fn column(&self, content: &Content) -> Column {
        let mut terms: BTreeMap<usize, i64> = BTreeMap::new();
        content.0.iter().for_each(|&(_, kind, count)| *terms.entry(kind).or_default() += i64::from(count));
        Column { cost: -terms.values().sum::<i64>(), terms: terms.into_iter().collect() }
    }

    /// By trying, or by an integer program where that takes too long, whatever the effort.
    fn price(&mut self, prices: &[i64], _: PartEffort) -> Priced<Content> {
        self.by_trying(prices).unwrap_or_else(|| self.by_program(prices))
    }

    /// A program tells the best content, not all.
    fn list(&mut self, _: &[i64], _: i64, _: usize) -> Option<Vec<Content>> {
        None
    }
}

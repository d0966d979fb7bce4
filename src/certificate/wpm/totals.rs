//! What is counted over all GPUs, so that proofs may tell cases apart and prices may be paid for it.

use super::kinds::{Kind, Kinds};
use super::pools::Pools;
use super::question::Question;
use crate::cases::Range;
use crate::names::one_word;
use cluster::BoardIndex;
use std::collections::BTreeMap;

/// A number that every placement has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Total {
    /// GPUs in use.
    Gpus,
    /// GPUs of a board in use.
    GpusOf(BoardIndex),
    /// GPUs repartitioned.
    Repartitions,
    /// Running workloads that migrate.
    Migrations,
    /// Workloads of a pool that have a place, by the position of the pool.
    Placed(usize),
    /// GPUs of a kind that are in use and not repartitioned, by the position of the kind.
    Stays(usize),
}

/// The totals of a question, by name, each with the least and the greatest value that it can have.
pub struct Totals {
    by_name: BTreeMap<String, Total>,
    bounds: BTreeMap<Total, Range>,
}

impl Totals {
    /// Those of a question.
    pub fn of(question: &Question<'_>, pools: &Pools, kinds: &Kinds) -> Self {
        let mut totals = Totals { by_name: BTreeMap::new(), bounds: BTreeMap::new() };
        totals.add("gpus".to_owned(), Total::Gpus, kinds.number(|_| true));
        for (position, board) in question.cluster.boards.iter().enumerate() {
            let (name, board) = (format!("gpus:{}", one_word(board.name())), BoardIndex::at(position));
            totals.add(name, Total::GpusOf(board), kinds.number(|kind| kind.board == board));
        }
        let occupied = kinds.number(|kind| !kind.residents.is_empty());
        totals.add("repartitions".to_owned(), Total::Repartitions, occupied);
        let movable = |kind: &Kind| kind.movable().count() as i128;
        let movable = kinds.list.iter().map(|(kind, number, _)| number * movable(kind)).sum::<i128>();
        let most = question.max_migrations.map_or(movable, |most| movable.min(i128::from(most)));
        totals.add("migrations".to_owned(), Total::Migrations, most);
        for (position, (_, number, first)) in kinds.list.iter().enumerate() {
            let name = format!("stays:{}", one_word(&question.cluster.gpus[first.index()].name));
            totals.add(name, Total::Stays(position), *number);
        }
        for (position, pool) in pools.list.iter().enumerate() {
            totals.add(format!("placed:{}", pool.name), Total::Placed(position), pool.size);
            if question.place_all {
                let range = Range { least: pool.size, greatest: pool.size };
                totals.bounds.insert(Total::Placed(position), range);
            }
        }
        totals
    }

    fn add(&mut self, name: String, total: Total, greatest: i128) {
        self.by_name.entry(name).or_insert(total);
        self.bounds.insert(total, Range { least: 0, greatest });
    }

    /// The total of this name.
    pub fn named(&self, name: &str) -> Option<Total> {
        self.by_name.get(name).copied()
    }

    /// The name of a total.
    pub fn name(&self, total: Total) -> Option<&str> {
        self.by_name.iter().find(|(_, known)| **known == total).map(|(name, _)| name.as_str())
    }

    /// The values that a total can have, by the question alone.
    pub fn range(&self, total: Total) -> Range {
        self.bounds[&total]
    }
}

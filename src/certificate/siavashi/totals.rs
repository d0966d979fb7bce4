//! What is counted over all machines, so that proofs may tell cases apart and prices may be paid for it.

use super::counted::Counted;
use super::kinds::Kinds;
use crate::cases::Range;
use std::collections::BTreeMap;

/// A number that every placement has. Types and kinds are meant by their positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Total {
    /// Machines in use.
    Machines,
    /// GPUs in use.
    Gpus,
    /// Running workloads that are not on their GPU in the end.
    Moved,
    /// Machines of a kind in use.
    MachinesOf(usize),
    /// GPUs in use of machines of a kind.
    GpusOf(usize),
    /// Workloads of a type that have a place.
    Placed(usize),
    /// Workloads of a type on machines of a kind.
    PlacedOn(usize, usize),
}

impl Total {
    /// Whether it counts in machines of one kind alone.
    pub fn is_of_kind(self) -> bool {
        matches!(self, Total::MachinesOf(_) | Total::GpusOf(_) | Total::PlacedOn(..))
    }
}

/// The totals of a question.
pub struct Totals {
    types: BTreeMap<String, usize>,
    kinds: BTreeMap<String, usize>,
    max_migrations: Option<u32>,
}

impl Totals {
    /// Those of a question.
    pub fn of(counted: &Counted, kinds: &Kinds, max_migrations: Option<u32>) -> Self {
        let types = counted.types.iter().map(|about| about.name.clone());
        let kinds = kinds.list.iter().map(|machines| machines.name.clone());
        Totals { types: types.zip(0..).collect(), kinds: kinds.zip(0..).collect(), max_migrations }
    }

    /// The type of a name.
    pub fn type_named(&self, name: &str) -> Option<usize> {
        self.types.get(name).copied()
    }

    /// The total of a name.
    pub fn named(&self, name: &str) -> Option<Total> {
        let Some((what, of)) = name.split_once(':') else {
            return match name {
                "machines" => Some(Total::Machines),
                "gpus" => Some(Total::Gpus),
                "moved" => Some(Total::Moved),
                _ => None,
            };
        };
        let kind = |name: &str| self.kinds.get(name).copied();
        match what {
            "machines" => kind(of).map(Total::MachinesOf),
            "gpus" => kind(of).map(Total::GpusOf),
            "placed" => self.type_named(of).map(Total::Placed).or_else(|| {
                let (of_type, on) = of.rsplit_once('@')?;
                Some(Total::PlacedOn(self.type_named(of_type)?, kind(on)?))
            }),
            _ => None,
        }
    }

    /// The values that a total can have, by the question alone.
    pub fn range(&self, total: Total, counted: &Counted, kinds: &Kinds) -> Range {
        let machines = |kind: usize| {
            let machines = &kinds.list[kind];
            let number = i128::from(machines.number);
            Range { least: if machines.kind.pinned() > 0 { number } else { 0 }, greatest: number }
        };
        let gpus = |kind: usize| {
            let machines = &kinds.list[kind];
            let of_each = |gpus: usize| i128::from(machines.number) * gpus as i128;
            Range { least: of_each(machines.kind.pinned()), greatest: of_each(machines.kind.slots.len()) }
        };
        let sum = |of: &dyn Fn(usize) -> Range| {
            let ranges = || (0..kinds.list.len()).map(of);
            Range {
                least: ranges().map(|range| range.least).sum(),
                greatest: ranges().map(|range| range.greatest).sum(),
            }
        };
        match total {
            Total::Machines => sum(&machines),
            Total::Gpus => sum(&gpus),
            Total::Moved => {
                let residents = counted.residents();
                let most = self.max_migrations.map_or(residents, |most| residents.min(i128::from(most)));
                Range { least: 0, greatest: most }
            }
            Total::MachinesOf(kind) => machines(kind),
            Total::GpusOf(kind) => gpus(kind),
            Total::Placed(of_type) => {
                let about = &counted.types[of_type];
                Range { least: i128::from(about.least), greatest: i128::from(about.number) }
            }
            Total::PlacedOn(of_type, _) => {
                Range { least: 0, greatest: i128::from(counted.types[of_type].number) }
            }
        }
    }

    /// What certificates call a total.
    pub fn name(&self, total: Total, counted: &Counted, kinds: &Kinds) -> String {
        let (of_type, of_kind) = (|at: usize| &counted.types[at].name, |at: usize| &kinds.list[at].name);
        match total {
            Total::Machines => "machines".to_owned(),
            Total::Gpus => "gpus".to_owned(),
            Total::Moved => "moved".to_owned(),
            Total::MachinesOf(kind) => format!("machines:{}", of_kind(kind)),
            Total::GpusOf(kind) => format!("gpus:{}", of_kind(kind)),
            Total::Placed(at) => format!("placed:{}", of_type(at)),
            Total::PlacedOn(at, kind) => format!("placed:{}@{}", of_type(at), of_kind(kind)),
        }
    }
}

//! Prices of a leaf: what an allocation and a running retraining cost in each slot.

use super::fits::Fits;
use super::question::Question;
use super::task::Task;
use crate::format::{Leaf, Run};
use crate::magnitude::{product, sum};
use crate::refusal::Refusal;
use std::collections::BTreeMap;

/// What has a price in each slot.
#[derive(Clone, Copy)]
enum Priced {
    /// An instance of a size, whoever has it.
    Size(usize),
    /// An allocation of a model.
    Allocation(usize, usize),
    /// A running retraining of a model, by the position of its size among those of the model.
    Retraining(usize, usize),
}

/// Everything that can have prices, by name.
pub struct Names(BTreeMap<String, Priced>);

/// The name of the unit of prices, in millionths of a request.
const UNIT: &str = "unit";

/// Prices in atoms.
pub struct Prices {
    /// By model, slot and allocation.
    pub allocations: Vec<Vec<Vec<i128>>>,
    /// By model, size of its retraining and slot.
    pub retrainings: Vec<Vec<Vec<i128>>>,
}

/// The name of an allocation of a model.
pub fn allocation_name(question: &Question<'_>, model: &str, counts: &[u8]) -> String {
    let parts = question.sizes.iter().zip(counts).rev().filter(|(_, count)| **count > 0);
    let parts: Vec<String> = parts
        .map(
            |(size, &count)| if count == 1 { size.name.to_owned() } else { format!("{count}x{}", size.name) },
        )
        .collect();
    format!("has:{model}:{}", parts.join("+"))
}

/// The name of a running retraining of a model.
pub fn retraining_name(question: &Question<'_>, model: &str, size: usize) -> String {
    format!("retrains:{model}:{}", question.sizes[size].name)
}

impl Names {
    /// Of sizes, of allocations and of retrainings.
    pub fn new(question: &Question<'_>, fits: &Fits, tasks: &[Task], models: &[String]) -> Self {
        let sizes = question.sizes.iter().enumerate();
        let mut names: BTreeMap<String, Priced> =
            sizes.map(|(size, about)| (about.name.to_owned(), Priced::Size(size))).collect();
        for (model, (task, named)) in tasks.iter().zip(models).enumerate() {
            for (position, allocation) in task.allocations.iter().enumerate() {
                let name = allocation_name(question, named, &fits.counts[allocation.number]);
                names.insert(name, Priced::Allocation(model, position));
            }
            for (position, run) in task.runs.iter().enumerate() {
                let name = retraining_name(question, named, run.size);
                names.insert(name, Priced::Retraining(model, position));
            }
        }
        Names(names)
    }

    /// All names.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Prices {
    /// Those of a leaf; `atoms` are in a millionth of a request.
    ///
    /// # Errors
    /// When they name what is not there, have more slots than the window, or are too large.
    pub fn of(
        leaf: &Leaf,
        names: &Names,
        things: (&Fits, &[Task]),
        (slots, atoms): (usize, i128),
    ) -> Result<Self, Refusal> {
        let mut unit = atoms;
        for (name, number) in &leaf.prices {
            if name != UNIT {
                return Err(Refusal::of(format!("`{name}` has no price that holds for all slots.")));
            }
            unit = product(atoms, i128::from(*number))?;
        }
        let (fits, tasks) = things;
        let mut prices = Prices {
            allocations: tasks.iter().map(|task| vec![vec![0; task.allocations.len()]; slots]).collect(),
            retrainings: tasks.iter().map(|task| vec![vec![0; slots]; task.runs.len()]).collect(),
        };
        for (name, runs) in &leaf.series {
            let priced = names.0.get(name);
            let priced =
                *priced.ok_or_else(|| Refusal::of(format!("`{name}` is nothing that has a price.")))?;
            let mut from: usize = 0;
            for &Run { number, count } in runs {
                let until = from.saturating_add(count as usize);
                if until > slots {
                    return Err(Refusal::of(format!("`{name}` has more prices than the window has slots.")));
                }
                let price = product(i128::from(number), unit)?;
                if price != 0 {
                    (from..until).try_for_each(|slot| prices.add(priced, slot, price, fits, tasks))?;
                }
                from = until;
            }
        }
        Ok(prices)
    }

    fn add(
        &mut self,
        priced: Priced,
        slot: usize,
        price: i128,
        fits: &Fits,
        tasks: &[Task],
    ) -> Result<(), Refusal> {
        let add = |to: &mut i128, times: i128| -> Result<(), Refusal> {
            *to = sum(*to, product(price, times)?)?;
            Ok(())
        };
        match priced {
            Priced::Allocation(model, allocation) => add(&mut self.allocations[model][slot][allocation], 1),
            Priced::Retraining(model, run) => add(&mut self.retrainings[model][run][slot], 1),
            Priced::Size(size) => {
                for (model, task) in tasks.iter().enumerate() {
                    for (allocation, own) in task.allocations.iter().zip(&mut self.allocations[model][slot]) {
                        add(own, i128::from(fits.counts[allocation.number][size]))?;
                    }
                    for (run, own) in task.runs.iter().zip(&mut self.retrainings[model]) {
                        add(&mut own[slot], i128::from(run.size == size))?;
                    }
                }
                Ok(())
            }
        }
    }
}

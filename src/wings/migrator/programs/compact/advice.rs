//! What the search knows of a part, for a proof by others: prices that get better step by step, and where the part is divided.

use super::domain::Domain;
use super::joint::Joint;
use super::split::{Cut, Met, split};
use super::subgradient::{OnContents, OnKnapsacks};
use super::tree::Effort;
use crate::instance::{Allocation, ModelIndex, SizeIndex};

/// Prices, in units of goodput, by slot.
pub struct Advised {
    /// Of what the GPU has of each of its inequalities.
    pub inequalities: Vec<Vec<i64>>,
    /// Of allocations, those of the inequalities included.
    pub allocations: Vec<(ModelIndex, Allocation, Vec<i64>)>,
    /// Of running retrainings, those of the inequalities included.
    pub retrainings: Vec<(ModelIndex, SizeIndex, Vec<i64>)>,
}

/// Advice on a part of the search.
pub struct Advice<'a, 'p> {
    joint: &'a Joint<'p>,
    domain: Domain,
    /// The value of the best plan.
    known: i64,
    inequalities: Vec<Vec<i64>>,
    on_contents: OnContents,
    met: Met,
}

impl<'a, 'p> Advice<'a, 'p> {
    /// On the whole, with prices of the inequalities alone.
    pub fn new(joint: &'a Joint<'p>, known: i64) -> Self {
        let domain = Domain::whole(joint);
        let mut on_knapsacks = OnKnapsacks::new(joint);
        for _ in 0..Effort::USUAL.knapsack_steps {
            if on_knapsacks.step(joint, &domain, Some(known)).is_none() {
                break;
            }
        }
        let inequalities = on_knapsacks.of_inequalities();
        let inequalities = inequalities.rows().map(<[i64]>::to_vec).collect();
        let on_contents = OnContents::new(joint, on_knapsacks.best(joint));
        Advice { joint, domain, known, inequalities, on_contents, met: Met::new(joint) }
    }

    /// Makes steps of prices on contents, as long as there is anything to gain.
    pub fn improve(&mut self, steps: u32) {
        for _ in 0..steps {
            let Some(bounded) = self.on_contents.step(self.joint, &self.domain, self.known) else {
                return;
            };
            self.met.note(&bounded.paths);
        }
    }

    /// The best prices so far.
    pub fn best(&self) -> Advised {
        let prices = self.on_contents.best();
        let mut advised = Advised {
            inequalities: self.inequalities.clone(),
            allocations: Vec::new(),
            retrainings: Vec::new(),
        };
        for (model, task) in self.joint.tasks.entries() {
            for (position, allocation) in task.allocations.entries() {
                let by_slot = self.joint.slots().map(|slot| prices.allocations[model][(slot, position)]);
                advised.allocations.push((model, allocation.clone(), by_slot.collect()));
            }
            for (position, retraining) in task.retrainings.entries() {
                let by_slot = prices.retrainings[model].row(position).to_vec();
                advised.retrainings.push((model, retraining.size, by_slot));
            }
        }
        advised
    }

    /// Divides the part; `None` if one start of each model is left.
    pub fn divide(self) -> Option<(Cut, [Self; 2])> {
        if self.domain.is_one_schedule() {
            return None;
        }
        let (joint, known) = (self.joint, self.known);
        let cut = split(joint, &self.domain, &self.met);
        let prices = self.on_contents.into_best();
        let half = |starts| Advice {
            joint,
            domain: self.domain.with(joint, cut.model, starts),
            known,
            inequalities: self.inequalities.clone(),
            on_contents: OnContents::new(joint, prices.clone()),
            met: Met::new(joint),
        };
        Some((cut, cut.halves(joint, &self.domain).map(half)))
    }
}

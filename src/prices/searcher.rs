//! What a search works on, and what it knows.

use super::ONE;
use super::chosen::Chosen;
use super::effort::{Counters, Limits};
use super::node::Node;
use super::part::Part;
use super::pool::Pool;
use super::pricing::Shared;
use super::question::Looking;
use super::total::Total;
use solver::{Settings, Solver};

/// What a search works on, and the best that it knows.
pub struct Searcher<'s, P: Part> {
    /// The totals that parts share.
    pub totals: Vec<Total>,
    /// The parts.
    pub parts: &'s mut [P],
    /// How many of each are alike.
    pub numbers: Vec<u32>,
    /// The contents met so far.
    pub pool: Pool<P::Content>,
    /// The least cost known.
    pub value: i64,
    /// A solution of that cost, if it is less than the question's.
    pub chosen: Option<Vec<Chosen<P::Content>>>,
    /// What it does.
    pub counters: Counters,
    /// What a price of a total is at first, at most.
    pub confines: f64,
    /// The relative gap at which to stop.
    pub relative_gap: f64,
    /// How to look for solutions.
    pub looking: Option<Looking>,
    /// How often parts may be asked, wide searches counting more.
    pub most_asked: u64,
    /// Solves the programs.
    pub solver: &'s dyn Solver,
    /// Its settings.
    pub settings: &'s Settings,
    /// When the search stops.
    pub limits: &'s Limits<'s>,
}

/// A solution, and what it costs.
pub struct Solution<C> {
    /// The cost.
    pub cost: i64,
    /// What it takes.
    pub chosen: Vec<Chosen<C>>,
}

impl<P: Part> Searcher<'_, P> {
    /// What rounds of prices and dives work on.
    pub fn shared(&mut self) -> Shared<'_, P> {
        Shared {
            totals: &self.totals,
            parts: self.parts,
            numbers: &self.numbers,
            pool: &mut self.pool,
            counters: &mut self.counters,
            limits: self.limits,
            most_asked: self.most_asked,
        }
    }

    /// By how much a solution of this cost may be dearer than what is proved, in units of price.
    pub fn gap(&self, node: &Node, cost: i64) -> i128 {
        i128::from(cost) * i128::from(ONE) - node.proved.bound
    }

    /// Takes a solution that is better than what is known.
    pub fn take(&mut self, solution: Solution<P::Content>) {
        if solution.cost < self.value {
            self.value = solution.cost;
            self.chosen = Some(solution.chosen);
        }
    }
}

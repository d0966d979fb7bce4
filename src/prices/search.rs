//! From parts and totals to a proved optimum.
//!
//! Parts of the search are taken in the order of what their solutions cost at least, the *target*. If a total of those that split early is
//! fractional in the linear program of the contents met so far, the part is divided there. Else its target is put to the test: do the
//! contents met so far have a solution of that cost (`looking`)? If not, all contents that may be part of one are listed, or, where they
//! are few, all that may be part of anything better than what is known; a program chooses among them, and the target is met or
//! rises. Where there are too many to list, some of them are tried, and the totals that split late divide.

use super::activities::activities;
use super::chosen::Chosen;
use super::effort::{Counters, Limits};
use super::looking::{FEW, near};
use super::node::Node;
use super::outer::{Outer, Proposal};
use super::part::Part;
use super::pool::Pool;
use super::pricing::{Pricing, Proved, Thoroughness, cost_of};
use super::question::Question;
use super::searcher::Searcher;
use super::selection::Listed;
use super::total::{Bounds, Split, Total};
use milp::StopReason;
use solver::{Settings, Solver};
use std::collections::BTreeMap;

/// The most contents that are listed for a target.
const MANY: usize = 20_000;

/// The nodes after which the choice among listed contents is given up where another way is open.
const NODES_OF_LISTED: u64 = 20_000;

/// What is found.
#[derive(Debug)]
pub struct Found<C> {
    /// No solution costs less.
    pub bound: i64,
    /// The least cost known, which of the answer or of the question.
    pub value: i64,
    /// A solution of that cost, if it is less than the question's.
    pub chosen: Option<Vec<Chosen<C>>>,
    /// Why the search ended: [`StopReason::NodeLimit`] where neither lists nor branches were left.
    pub stop: StopReason,
    /// What it did.
    pub counters: Counters,
}

/// Looks for the least cost of contents, one for each part, with which all totals keep their bounds.
///
/// # Errors
/// When the solver fails.
pub fn search<P: Part>(
    parts: &mut [P],
    question: Question<P::Content>,
    solver: &dyn Solver,
    settings: &Settings,
    limits: &Limits<'_>,
) -> Result<Found<P::Content>, String> {
    let numbers = parts.iter().map(Part::number).collect();
    let pool = Pool::new(parts, question.start);
    let searcher = Searcher {
        totals: question.totals,
        numbers,
        pool,
        value: question.known,
        chosen: None,
        counters: Counters::default(),
        confines: question.confines,
        relative_gap: question.relative_gap,
        looking: question.looking,
        most_asked: question.most_asked.map_or(u64::MAX, |most| u64::from(most) * parts.len() as u64),
        parts,
        solver,
        settings,
        limits,
    };
    searcher.run()
}

/// What becomes of a part of the search.
enum Step {
    /// Nothing in it is better than what is known.
    Closed,
    /// Its solutions cost more than thought.
    Raised(i64),
    /// It is divided.
    Divided(Vec<Node>),
    /// The search stops.
    Stopped(StopReason),
}

impl<P: Part> Searcher<'_, P> {
    fn run(mut self) -> Result<Found<P::Content>, String> {
        let mut open: BTreeMap<(i64, usize), Node> = BTreeMap::new();
        let mut number = 0;
        let bounds = Bounds::of(&self.totals);
        let (root, stop) = self.node(bounds, None, i64::MIN)?;
        if let Some(stop) = stop {
            let bound = root.map_or(i64::MIN, |root| root.target);
            return Ok(self.found(bound, stop));
        }
        open.extend(root.map(|root| ((root.target, number), root)));
        loop {
            let Some(((target, _), mut node)) = open.pop_first() else {
                let value = self.value;
                return Ok(self.found(value, StopReason::Proved));
            };
            if target >= self.value {
                let value = self.value;
                return Ok(self.found(value, StopReason::Proved));
            }
            if (self.value - target) as f64 <= self.relative_gap * (self.value as f64).abs() {
                return Ok(self.found(target, StopReason::GapLimit));
            }
            match self.step(&mut node)? {
                Step::Closed => {}
                Step::Raised(target) => {
                    number += 1;
                    node.target = target;
                    open.insert((target, number), node);
                }
                Step::Divided(nodes) => {
                    for node in nodes {
                        number += 1;
                        open.insert((node.target, number), node);
                    }
                }
                Step::Stopped(stop) => return Ok(self.found(target, stop)),
            }
        }
    }

    fn found(self, bound: i64, stop: StopReason) -> Found<P::Content> {
        let counters = Counters { contents: self.pool.entries.len(), ..self.counters };
        let bound = bound.min(self.value);
        let stop = if bound == self.value { StopReason::Proved } else { stop };
        Found { bound, value: self.value, chosen: self.chosen, stop, counters }
    }

    /// Bounds a part of the search. None if nothing in it is better than what is known; also, why the search stops.
    fn node(
        &mut self,
        bounds: Bounds,
        prices: Option<&[i64]>,
        least: i64,
    ) -> Result<(Option<Node>, Option<StopReason>), String> {
        self.counters.nodes += 1;
        let mut outer =
            Outer::new(&self.totals, &bounds, &self.numbers, self.confines, self.solver, self.settings)?;
        let rough = match prices {
            Some(_) => None,
            None => self.dive_early(&bounds, &mut outer)?,
        };
        let prices = rough.as_ref().map(|rough| &rough.prices[..]).or(prices);
        let (proved, stop) = self.price(&bounds, &mut outer, prices, Thoroughness::Full);
        if let Some(StopReason::SolverError(words)) = stop {
            return Err(words);
        }
        let proved = rough.into_iter().chain(proved).max_by_key(|proved| proved.bound);
        let Some(proved) = proved else { return Ok((None, stop)) };
        let target = least.max(cost_of(proved.bound));
        if target >= self.value {
            return Ok((None, None));
        }
        let mut node = Node { bounds, target, proved, activities: None, tried: None };
        if stop.is_none() {
            node.activities = self.activities(&node);
        }
        Ok((Some(node), stop))
    }

    /// Rounds of prices in a part of the search.
    fn price(
        &mut self,
        bounds: &Bounds,
        outer: &mut Outer<'_>,
        prices: Option<&[i64]>,
        thoroughness: Thoroughness,
    ) -> (Option<Proved>, Option<StopReason>) {
        let known = self.value;
        let mut shared = self.shared();
        let numbers = shared.numbers;
        let mut pricing = Pricing { shared: &mut shared, bounds, numbers, known, thoroughness };
        pricing.run(outer, prices)
    }

    /// Dives at prices that prove little, where some are asked for; what those prove.
    fn dive_early(&mut self, bounds: &Bounds, outer: &mut Outer<'_>) -> Result<Option<Proved>, String> {
        let dives = self.looking.map_or(0, |looking| looking.early_dives);
        if dives == 0 {
            return Ok(None);
        }
        let (proved, stop) = self.price(bounds, outer, None, Thoroughness::Quick);
        let Some(proved) = proved else { return Ok(None) };
        let proposal = match stop {
            None => outer.best(self.limits, &mut self.counters.work),
            Some(_) => None,
        };
        for wanted in proposal.iter().map(Proposal::least_cost).flat_map(|least| [least, near(least)]) {
            if wanted < self.value {
                self.dive_for(wanted, bounds, &proved.prices, 0..dives)?;
            }
        }
        Ok(Some(proved))
    }

    fn step(&mut self, node: &mut Node) -> Result<Step, String> {
        if let Some((total, value)) = node.fractional(self.splitting(Split::Early)) {
            return self.divide(node, total, value);
        }
        let Some(looking) = self.looking else { return Ok(Step::Stopped(StopReason::NodeLimit)) };
        if node.tried != Some(node.target) {
            node.tried = Some(node.target);
            self.look(node, looking)?;
            if self.value <= node.target {
                return Ok(Step::Closed);
            }
        }
        if let Some(stop) = self.limits.stop() {
            return Ok(Step::Stopped(stop));
        }
        let before = self.value;
        for (cost, most) in [(self.value - 1, FEW), (node.target, MANY)] {
            let Some(listed) = self.list(node, cost, most) else { continue };
            self.counters.listed = self.counters.listed.max(listed.len());
            let nodes = NODES_OF_LISTED * FEW as u64 / FEW.max(listed.len()) as u64;
            let bound = self.choose(node, &listed, cost, nodes)?;
            if let Some(step) = self.ended(node, bound) {
                return Ok(step);
            }
            if let Some(bound) = bound.filter(|&bound| bound > node.target) {
                let target = bound.min(cost + 1);
                return Ok(if target >= self.value { Step::Closed } else { Step::Raised(target) });
            }
        }
        if looking.samples {
            // There are too many to list, but some of them may do. Far from the target a sample is of no use, and takes longest.
            if let Some(step) = self.sampled(node, node.target)? {
                return Ok(step);
            }
        }
        self.look_again(node, looking.late())?;
        if let Some(step) = self.ended(node, None) {
            return Ok(step);
        }
        let near = near(node.target).min(self.value - 1);
        if looking.samples
            && near > node.target
            && let Some(step) = self.sampled(node, near)?
        {
            return Ok(step);
        }
        if self.value < before {
            // Fewer contents may be part of something better still.
            return Ok(Step::Raised(node.target));
        }
        if let Some((total, value)) = node.fractional(self.splitting(Split::Late)) {
            return self.divide(node, total, value);
        }
        self.look_again(node, looking.last())?;
        if let Some(step) = self.ended(node, None) {
            return Ok(step);
        }
        Ok(if self.value < before { Step::Raised(node.target) } else { Step::Stopped(StopReason::NodeLimit) })
    }

    /// Chooses of a sample; what that ends.
    fn sampled(&mut self, node: &Node, cost: i64) -> Result<Option<Step>, String> {
        let bound = self.choose_of_sample(node, cost)?;
        Ok(self.ended(node, bound))
    }

    /// What ends the work on the target after a choice that costs at least so much, if anything does.
    fn ended(&self, node: &Node, bound: Option<i64>) -> Option<Step> {
        if self.value <= node.target {
            return Some(Step::Closed);
        }
        // A bound that was reached in time counts.
        let stop = self.limits.stop().filter(|_| bound.is_none_or(|bound| bound <= node.target));
        stop.map(Step::Stopped)
    }

    /// The totals that split at this time.
    fn splitting(&self, split: Split) -> impl Iterator<Item = usize> + use<P> {
        // A bound that may be exceeded divides nothing.
        let splits = |(position, total): (usize, &Total)| {
            (total.split == split && total.excess_cost.is_none()).then_some(position)
        };
        self.totals.iter().enumerate().filter_map(splits).collect::<Vec<usize>>().into_iter()
    }

    fn divide(&mut self, node: &Node, total: usize, value: f64) -> Result<Step, String> {
        let below = value.floor() as i64;
        let mut nodes = Vec::new();
        for bounds in [node.bounds.at_most(total, below), node.bounds.at_least(total, below + 1)] {
            let (child, stop) = self.node(bounds, Some(&node.proved.prices), node.target)?;
            if let Some(stop) = stop {
                return Ok(Step::Stopped(stop));
            }
            nodes.extend(child);
        }
        Ok(Step::Divided(nodes))
    }

    /// The totals in the linear program of the contents met so far.
    fn activities(&self, node: &Node) -> Option<Vec<f64>> {
        let met = self.met(node, self.value);
        let listed: Vec<Listed<'_>> = met.into_iter().map(Listed::from).collect();
        activities(&self.selection(node, &listed), self.value, self.solver, self.settings, self.limits)
    }
}

//! From parts and totals to a proved optimum.
//!
//! Parts of the search are taken in the order of what their solutions cost at least, the *target*. If a total of those that split early is
//! fractional in the linear program of the contents met so far, the part is divided there. Else its target is put to the test: do the
//! contents met so far have a solution of that cost? If not, all contents that may be part of one are listed, or, where they are
//! few, all that may be part of anything better than what is known; a program chooses among them, and the target is met or
//! rises. Where there are too many to list, some of them are tried, and the totals that split late divide.

use super::ONE;
use super::activities::activities;
use super::chosen::Chosen;
use super::dive::Dives;
use super::effort::{Counters, Limits};
use super::listed;
use super::node::Node;
use super::outer::Outer;
use super::part::Part;
use super::pool::{Entry, Pool};
use super::pricing::{Pricing, Proved, Shared, Thoroughness, cost_of};
use super::total::{Bounds, Split, Total};
use milp::{Program, StopReason};
use solver::{Settings, Solver, StageOptions, StageOutcome, prove_stage};
use std::collections::BTreeMap;

/// The most contents that are listed when all are asked for that may be part of something better than what is known.
const FEW: usize = 1_500;

/// The most contents that are listed for a target.
const MANY: usize = 20_000;

/// The nodes after which the choice among contents met so far, and among listed ones, is given up where another way is open.
const NODES_OF_MET: u64 = 500;
const NODES_OF_LISTED: u64 = 20_000;

/// The least number of contents of a part in a sample.
const LEAST_SAMPLE: usize = 20;

/// What is asked.
pub struct Question<C> {
    /// The totals that parts share.
    pub totals: Vec<Total>,
    /// The contents of some solution, or any others that are good to begin with.
    pub start: Vec<(usize, C)>,
    /// The cost of a solution that is known.
    pub known: i64,
    /// What a price of a total is at first, at most.
    pub confines: f64,
    /// The relative gap at which to stop; 0 asks for the optimum.
    pub relative_gap: f64,
    /// How often to dive for a solution of each target.
    pub dives: usize,
    /// How often parts may be asked for their best content on average before the search gives up, a wide search counting more.
    pub most_asked: Option<u32>,
}

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
        dives: question.dives,
        most_asked: question.most_asked.map_or(u64::MAX, |most| u64::from(most) * parts.len() as u64),
        parts,
        solver,
        settings,
        limits,
    };
    searcher.run()
}

struct Searcher<'s, P: Part> {
    totals: Vec<Total>,
    parts: &'s mut [P],
    numbers: Vec<u32>,
    pool: Pool<P::Content>,
    value: i64,
    chosen: Option<Vec<Chosen<P::Content>>>,
    counters: Counters,
    confines: f64,
    relative_gap: f64,
    dives: usize,
    most_asked: u64,
    solver: &'s dyn Solver,
    settings: &'s Settings,
    limits: &'s Limits<'s>,
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

    /// What rounds of prices and dives work on.
    fn shared(&mut self) -> Shared<'_, P> {
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
        let known = self.value;
        let mut shared = self.shared();
        let numbers = shared.numbers;
        let thoroughness = Thoroughness::Full;
        let mut pricing =
            Pricing { shared: &mut shared, bounds: &bounds, numbers, known, thoroughness, in_program: 0 };
        let (proved, stop) = pricing.run(&mut outer, prices);
        if let Some(StopReason::SolverError(words)) = stop {
            return Err(words);
        }
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

    fn step(&mut self, node: &mut Node) -> Result<Step, String> {
        if let Some((total, value)) = node.fractional(self.splitting(Split::Early)) {
            return self.divide(node, total, value);
        }
        if node.tried != Some(node.target) {
            node.tried = Some(node.target);
            self.dive(node)?;
            if self.value <= node.target {
                return Ok(Step::Closed);
            }
            let gap = self.gap(node, node.target);
            let met: Vec<&Entry<P::Content>> =
                self.pool.entries.iter().filter(|entry| slack(&node.proved, entry) <= gap).collect();
            let (outcome, solution) = self.choose(node, &met, node.target, Some(NODES_OF_MET))?;
            self.counters.work += outcome.work;
            self.take(solution);
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
            let (ended, bound) = self.try_out(node, &listed, cost, nodes)?;
            if let Some(step) = ended {
                return Ok(step);
            }
            if let Some(bound) = bound.filter(|&bound| bound > node.target) {
                let target = bound.min(cost + 1);
                return Ok(if target >= self.value { Step::Closed } else { Step::Raised(target) });
            }
        }
        // There are too many to list, but some of them may do.
        let mut costs = vec![node.target, self.value - 1];
        costs.dedup();
        for cost in costs {
            let sample = self.sample(node, cost);
            if let (Some(step), _) = self.try_out(node, &sample, cost, NODES_OF_MET)? {
                return Ok(step);
            }
        }
        if self.value < before {
            // Fewer contents may be part of something better still.
            return Ok(Step::Raised(node.target));
        }
        match node.fractional(self.splitting(Split::Late)) {
            Some((total, value)) => self.divide(node, total, value),
            None => Ok(Step::Stopped(StopReason::NodeLimit)),
        }
    }

    /// Tries to choose among some contents at no more than a cost: what ends the work on the target, if that does, and what the choice costs
    /// at least.
    fn try_out(
        &mut self,
        node: &Node,
        entries: &[Entry<P::Content>],
        cost: i64,
        nodes: u64,
    ) -> Result<(Option<Step>, Option<i64>), String> {
        let entries: Vec<&Entry<P::Content>> = entries.iter().collect();
        let (outcome, solution) = self.choose(node, &entries, cost, Some(nodes))?;
        self.counters.work += outcome.work;
        self.take(solution);
        let bound = outcome.bound.map(|bound| bound.round() as i64);
        if self.value <= node.target {
            return Ok((Some(Step::Closed), bound));
        }
        // A bound that was reached in time counts.
        let stop = self.limits.stop().filter(|_| bound.is_none_or(|bound| bound <= node.target));
        Ok((stop.map(Step::Stopped), bound))
    }

    /// Dives for a solution that costs no more than the target.
    fn dive(&mut self, node: &Node) -> Result<(), String> {
        if self.dives == 0 {
            return Ok(());
        }
        let (number, solver, settings, confines) = (self.dives, self.solver, self.settings, self.confines);
        let (shared, bounds, wanted) = (self.shared(), &node.bounds, node.target);
        let mut dives = Dives { shared, bounds, solver, settings, confines, wanted };
        if let Some((cost, chosen)) = dives.run(number, &node.proved.prices)? {
            self.take(Some(Solution { cost, chosen }));
        }
        Ok(())
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

    /// By how much a solution of this cost may be dearer than what is proved, in units of price.
    fn gap(&self, node: &Node, cost: i64) -> i128 {
        i128::from(cost) * i128::from(ONE) - node.proved.bound
    }

    /// The totals in the linear program of the contents met so far.
    fn activities(&self, node: &Node) -> Option<Vec<f64>> {
        let gap = self.gap(node, self.value);
        let met: Vec<&Entry<P::Content>> =
            self.pool.entries.iter().filter(|entry| slack(&node.proved, entry) <= gap).collect();
        let program = self.program(node, &met, self.value);
        activities(&program, &met, self.totals.len(), self.solver, self.settings, self.limits)
    }

    fn program(&self, node: &Node, listed: &[&Entry<P::Content>], nothing: i64) -> Program {
        listed::program(&self.totals, &node.bounds, &self.numbers, listed, nothing)
    }

    /// All contents that may be part of a solution of at most this cost; none if there are more than `most`.
    fn list(&mut self, node: &Node, cost: i64, most: usize) -> Option<Vec<Entry<P::Content>>> {
        let gap = i64::try_from(self.gap(node, cost)).ok()?;
        let mut listed = Vec::new();
        for (part, about) in self.parts.iter_mut().enumerate() {
            let least = node.proved.most[part].saturating_sub(gap);
            let left = most.checked_sub(listed.len())?;
            for content in about.list(&node.proved.prices, least, left)? {
                let column = about.column(&content);
                listed.push(Entry { part, content, column });
            }
            if self.limits.stop().is_some() {
                return None;
            }
        }
        (listed.len() <= most).then_some(listed)
    }

    /// The contents met so far, and others, that may be part of a solution of this cost.
    fn sample(&mut self, node: &Node, cost: i64) -> Vec<Entry<P::Content>> {
        let gap = i64::try_from(self.gap(node, cost)).unwrap_or(0);
        let most = (FEW / self.parts.len()).max(LEAST_SAMPLE);
        let (prices, mut sample) = (&node.proved.prices, Vec::new());
        for (part, about) in self.parts.iter_mut().enumerate() {
            let least = node.proved.most[part].saturating_sub(gap);
            let met = self
                .pool
                .entries
                .iter()
                .filter(|entry| entry.part == part && entry.column.worth(prices) >= least);
            let mut contents: Vec<P::Content> = met.map(|entry| entry.content.clone()).collect();
            contents.extend(about.sample(prices, least, most));
            contents.sort_unstable();
            contents.dedup();
            sample.extend(contents.into_iter().map(|content| {
                let column = about.column(&content);
                Entry { part, content, column }
            }));
        }
        sample
    }

    /// The cheapest choice among some contents, if it costs no more than this.
    fn choose(
        &self,
        node: &Node,
        listed: &[&Entry<P::Content>],
        cost: i64,
        node_limit: Option<u64>,
    ) -> Result<Choice<P::Content>, String> {
        let program = self.program(node, listed, cost + 1);
        let mut session = self.solver.open(&program, self.settings).map_err(|failure| failure.to_string())?;
        let mut nothing = vec![0.0; program.columns.len()];
        *nothing.last_mut().expect("there is a column") = 1.0;
        let options = StageOptions {
            deadline: self.limits.deadline,
            relative_gap: 0.0,
            node_limit,
            start: Some(nothing),
        };
        let outcome =
            prove_stage(session.as_mut(), &program, &program.stages[0], &options, self.limits.control);
        if let StopReason::SolverError(words) = &outcome.stop {
            return Err(words.clone());
        }
        let something = outcome.columns.as_ref().filter(|columns| columns.last() == Some(&0.0));
        let solution = something.map(|columns| {
            let taken = listed.iter().zip(columns).filter(|(_, number)| **number > 0.5);
            let taken = taken.map(|(entry, number)| Chosen {
                part: entry.part,
                content: entry.content.clone(),
                number: number.round() as u32,
            });
            Solution {
                cost: outcome.value.expect("a point has a value").round() as i64,
                chosen: taken.collect(),
            }
        });
        Ok((outcome, solution))
    }

    /// Takes a solution that is better than what is known.
    fn take(&mut self, solution: Option<Solution<P::Content>>) {
        if let Some(solution) = solution.filter(|solution| solution.cost < self.value) {
            self.value = solution.cost;
            self.chosen = Some(solution.chosen);
        }
    }
}

/// What a program of listed contents says, and what it chooses.
type Choice<C> = (StageOutcome, Option<Solution<C>>);

struct Solution<C> {
    cost: i64,
    chosen: Vec<Chosen<C>>,
}

/// By how much a content is worth less than the best one of its part.
fn slack<C>(proved: &Proved, entry: &Entry<C>) -> i128 {
    i128::from(proved.most[entry.part]) - i128::from(entry.column.worth(&proved.prices))
}

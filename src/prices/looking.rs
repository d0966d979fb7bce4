//! Looking for solutions of a target among contents: those met so far, those that dives find, all that may be part of one.

use super::choosing::{Choice, Choosing};
use super::chosen::Chosen;
use super::dive::Dives;
use super::node::Node;
use super::part::Part;
use super::pool::Entry;
use super::pricing::{Proved, Thoroughness};
use super::question::Looking;
use super::searcher::{Searcher, Solution};
use super::selection::{Listed, Selection};
use super::total::Bounds;
use std::ops::Range;

/// The most contents that are listed when all are asked for that may be part of something better than what is known, or sampled.
pub const FEW: usize = 1_500;

/// The nodes after which the choice among contents met so far, or among a sample, is given up.
const NODES_OF_MET: u64 = 500;

/// The least number of contents of a part in a sample.
const LEAST_SAMPLE: usize = 20;

/// The share of a target above which a solution is far from it.
const FAR: i64 = 100;

/// The greatest cost that is not far from a target.
pub fn near(target: i64) -> i64 {
    target + target.abs() / FAR + 1
}

/// A choice, and the contents that it takes.
type Chose<C> = (Choice, Option<Solution<C>>);

/// By how much a content is worth less than the best one of its part.
fn slack<C>(proved: &Proved, entry: &Entry<C>) -> i128 {
    i128::from(proved.most[entry.part]) - i128::from(entry.column.worth(&proved.prices))
}

impl<P: Part> Searcher<'_, P> {
    /// Looks for a solution of the target among the contents met so far, and among those that dives meet; then for one that is not far
    /// from the target, where nothing near is known.
    pub fn look(&mut self, node: &Node, looking: Looking) -> Result<(), String> {
        let mut dived = 0;
        loop {
            let before = self.pool.entries.len();
            let dives = looking.dives.min(looking.most_dives - dived);
            self.dive(node, dived..dived + dives)?;
            let is_new = dived == 0 || self.pool.entries.len() > before;
            dived += dives;
            if self.value > node.target && is_new {
                self.choose_of_met(node, node.target)?;
            }
            let ends = dives == 0 || !is_new || dived >= looking.most_dives;
            if self.value <= node.target || ends || self.limits.stop().is_some() {
                break;
            }
        }
        let near = near(node.target);
        if self.value > near && self.limits.stop().is_none() {
            self.choose_of_met(node, near)?;
        }
        Ok(())
    }

    /// Looks for a solution of the target by more dives, and among the contents that they meet.
    pub fn look_again(&mut self, node: &Node, dives: Range<usize>) -> Result<(), String> {
        if !dives.is_empty() {
            self.dive(node, dives)?;
            if self.value > node.target {
                self.choose_of_met(node, node.target)?;
            }
        }
        Ok(())
    }

    /// Dives for a solution that costs no more than the target.
    fn dive(&mut self, node: &Node, dives: Range<usize>) -> Result<(), String> {
        self.dive_for(node.target, &node.bounds, &node.proved.prices, dives)
    }

    /// Dives that begin at some prices, for a solution that costs no more than wanted.
    pub fn dive_for(
        &mut self,
        wanted: i64,
        bounds: &Bounds,
        prices: &[i64],
        dives: Range<usize>,
    ) -> Result<(), String> {
        if dives.is_empty() {
            return Ok(());
        }
        let (solver, settings, confines) = (self.solver, self.settings, self.confines);
        let is_sparing = self.looking.is_some_and(|looking| looking.sparing);
        let thoroughness = if is_sparing { Thoroughness::Enough } else { Thoroughness::Quick };
        let shared = self.shared();
        let mut diving = Dives { shared, bounds, solver, settings, confines, wanted, thoroughness };
        if let Some((cost, chosen)) = diving.run(dives, prices)? {
            self.take(Solution { cost, chosen });
        }
        Ok(())
    }

    /// The contents met so far that may be part of a solution of at most this cost.
    pub fn met(&self, node: &Node, cost: i64) -> Vec<&Entry<P::Content>> {
        let gap = self.gap(node, cost);
        self.pool.entries.iter().filter(|entry| slack(&node.proved, entry) <= gap).collect()
    }

    /// Takes the cheapest choice among the contents met so far, if it costs no more than this.
    fn choose_of_met(&mut self, node: &Node, cost: i64) -> Result<(), String> {
        let choice = self.choice(node, &self.met(node, cost), cost, NODES_OF_MET)?;
        self.heed(choice);
        Ok(())
    }

    /// Chooses among the contents met so far and some others that may be part of a solution of this cost, if it costs no more; what
    /// the choice costs at least.
    pub fn choose_of_sample(&mut self, node: &Node, cost: i64) -> Result<Option<i64>, String> {
        let sample = self.sample(node, cost);
        self.choose(node, &sample, cost, NODES_OF_MET)
    }

    /// All contents that may be part of a solution of at most this cost; none if there are more than `most`.
    pub fn list(&mut self, node: &Node, cost: i64, most: usize) -> Option<Vec<Entry<P::Content>>> {
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

    /// Takes the cheapest choice among some contents, if it costs no more than this and is found in so many nodes; what the choice costs
    /// at least.
    pub fn choose(
        &mut self,
        node: &Node,
        listed: &[Entry<P::Content>],
        cost: i64,
        nodes: u64,
    ) -> Result<Option<i64>, String> {
        let choice = self.choice(node, &listed.iter().collect::<Vec<_>>(), cost, nodes)?;
        Ok(self.heed(choice))
    }

    /// Takes what is chosen, and says what the choice costs at least.
    fn heed(&mut self, (choice, solution): Chose<P::Content>) -> Option<i64> {
        self.counters.work += choice.work;
        solution.into_iter().for_each(|solution| self.take(solution));
        choice.bound
    }

    fn choice(
        &self,
        node: &Node,
        entries: &[&Entry<P::Content>],
        cost: i64,
        nodes: u64,
    ) -> Result<Chose<P::Content>, String> {
        let listed: Vec<Listed<'_>> = entries.iter().copied().map(Listed::from).collect();
        let choosing = Choosing { solver: self.solver, settings: self.settings, limits: self.limits, nodes };
        let choice = choosing.choose(&self.selection(node, &listed), cost, node.target)?;
        let solution = choice.taken.as_ref().map(|(cost, taken)| {
            let chosen = taken.iter().map(|&(position, number)| Chosen {
                part: entries[position].part,
                content: entries[position].content.clone(),
                number,
            });
            Solution { cost: *cost, chosen: chosen.collect() }
        });
        Ok((choice, solution))
    }

    /// The choice among contents in a part of the search.
    pub fn selection<'l>(&'l self, node: &'l Node, listed: &'l [Listed<'l>]) -> Selection<'l> {
        Selection { totals: &self.totals, bounds: &node.bounds, numbers: &self.numbers, listed }
    }
}

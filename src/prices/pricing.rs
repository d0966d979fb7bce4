//! The best bound that prices prove in a part of the search: prices in turn with contents that are worth more than is known.
//!
//! Prices of the linear program jump while it knows few contents. Parts are therefore asked at prices halfway to the best ones so far,
//! and at those of the program itself only when nothing new is found there. Beams find new contents; the end of a search is exact.

use super::ONE;
use super::effort::{Counters, Limits};
use super::outer::{Outer, Proposal};
use super::part::{BEAM, Effort, Part};
use super::pool::Pool;
use super::total::{Bounds, Total};
use milp::StopReason;

/// By what beams grow, and where the search is exact instead.
const BEAM_GROWTH: usize = 8;
const MOST_BEAM: usize = 100_000;

/// The share of the best prices at first.
const SMOOTHING: f64 = 0.5;

/// Below this share the prices are those of the linear program.
const LEAST_SMOOTHING: f64 = 0.3;

/// The gap between the linear program and the bound at which more rounds are no use, in units of the costs.
const GAP: f64 = 1e-2;

/// A saving below this is none.
const LEAST_SAVING: f64 = 1e-7;

/// How often wide searches count as asking a part, at most.
const WIDE: usize = 64;

/// What asking a part counts.
fn asked(effort: Effort) -> u64 {
    let wide = match effort {
        Effort::Beam(beam) => (beam / BEAM).clamp(1, WIDE),
        Effort::Exact => WIDE,
    };
    wide as u64
}

/// What prices prove.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The bound, in units of price.
    pub bound: i128,
    /// The prices.
    pub prices: Vec<i64>,
    /// The greatest worth of each part at these prices.
    pub most: Vec<i64>,
}

/// Whether a bound allows no lower cost than the program of prices, so that others within their confines would prove nothing more.
fn suffices(bound: i128, proposal: &Proposal) -> bool {
    cost_of(bound) >= proposal.least_cost()
}

/// The least cost that a bound in units of price allows.
pub fn cost_of(bound: i128) -> i64 {
    let cost = bound.div_euclid(i128::from(ONE)) + i128::from(bound.rem_euclid(i128::from(ONE)) > 0);
    i64::try_from(cost).expect("costs are moderate")
}

/// What rounds of prices and dives share with the search that they serve.
pub struct Shared<'s, P: Part> {
    /// The totals.
    pub totals: &'s [Total],
    /// The parts.
    pub parts: &'s mut [P],
    /// How many of each are alike.
    pub numbers: &'s [u32],
    /// The contents met so far.
    pub pool: &'s mut Pool<P::Content>,
    /// What the search does.
    pub counters: &'s mut Counters,
    /// When it stops.
    pub limits: &'s Limits<'s>,
    /// How often parts may be asked, wide searches counting more.
    pub most_asked: u64,
}

/// Rounds of prices in a part of the search.
pub struct Pricing<'p, 's, P: Part> {
    /// What is shared with the search.
    pub shared: &'p mut Shared<'s, P>,
    /// The bounds of the totals in this part of the search.
    pub bounds: &'p Bounds,
    /// How many of each part are left to fill there.
    pub numbers: &'p [u32],
    /// The cost of a solution that is known: a bound above what is better is of no use.
    pub known: i64,
    /// When rounds end.
    pub thoroughness: Thoroughness,
}

/// When rounds of prices end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// When nothing better can be proved.
    Full,
    /// When a narrow beam finds no new content.
    Quick,
    /// When the contents met allow a cost that is less than the known one, or a narrow beam finds no new content.
    Enough,
}

impl<P: Part> Pricing<'_, '_, P> {
    /// Improves on what is proved until it is as good as the contents allow, and says why it ended before if it did. Prices that are
    /// known already, as from a wider part of the search, are where it begins.
    pub fn run(
        &mut self,
        outer: &mut Outer<'_>,
        known: Option<&[i64]>,
    ) -> (Option<Proved>, Option<StopReason>) {
        let mut best: Option<Proved> = None;
        // Without any prices known, nothing has a price at first: the first prices of the program are the wildest ones.
        let mut center: Vec<f64> = match known {
            Some(prices) => prices.iter().map(|&price| price as f64 / ONE as f64).collect(),
            None => vec![0.0; self.shared.totals.len()],
        };
        loop {
            for entry in &self.shared.pool.entries[outer.contents..] {
                outer.add(entry.part, &entry.column);
            }
            let Some(proposal) = outer.best(self.shared.limits, &mut self.shared.counters.work) else {
                let stop = self.shared.limits.stop();
                return (best, Some(stop.unwrap_or(StopReason::SolverError("no prices".to_owned()))));
            };
            if self.thoroughness == Thoroughness::Enough && proposal.least_cost() < self.known {
                return (best, None);
            }
            let found = match self.improve(&proposal, &mut center, &mut best) {
                Ok(found) => found,
                Err(stop) => return (best, Some(stop)),
            };
            let bound = best.as_ref().expect("there was a round").bound;
            if bound > i128::from(self.known - 1) * i128::from(ONE) {
                return (best, None);
            }
            let gap = proposal.value - bound as f64 / ONE as f64;
            if found == 0 || gap < GAP || suffices(bound, &proposal) {
                match self.grow(outer, &proposal) {
                    Ok(true) => {}
                    Ok(false) => return (best, None),
                    Err(stop) => return (best, Some(stop)),
                }
            }
        }
    }

    /// Gives confined prices more room until that makes the program's best prices better; whether it does.
    fn grow(&mut self, outer: &mut Outer<'_>, proposal: &Proposal) -> Result<bool, StopReason> {
        let mut is_confined = proposal.is_confined;
        while is_confined && outer.grow() {
            let Some(next) = outer.best(self.shared.limits, &mut self.shared.counters.work) else {
                let stop = self.shared.limits.stop();
                return Err(stop.unwrap_or(StopReason::SolverError("no prices".to_owned())));
            };
            if next.value > proposal.value + LEAST_SAVING {
                return Ok(true);
            }
            is_confined = next.is_confined;
        }
        Ok(false)
    }

    /// Asks the parts at prices near to those of the program until they find something new; how much they found.
    fn improve(
        &mut self,
        proposal: &Proposal,
        center: &mut Vec<f64>,
        best: &mut Option<Proved>,
    ) -> Result<usize, StopReason> {
        let mut share = SMOOTHING;
        let first_beam = self.shared.parts.iter().map(Part::first_beam).max().unwrap_or(BEAM);
        loop {
            let between = |position: usize, price: f64| {
                ((share * center[position] + (1.0 - share) * price) * ONE as f64).round() as i64
            };
            let mut prices: Vec<i64> = proposal
                .prices
                .iter()
                .enumerate()
                .map(|(position, &price)| between(position, price))
                .collect();
            self.bounds.clip(self.shared.totals, &mut prices);
            let mut answers = vec![None; self.shared.parts.len()];
            let mut effort = Effort::Beam(first_beam);
            loop {
                let (bound, found) = self.ask(&prices, effort, proposal, &mut answers)?;
                if best.as_ref().is_none_or(|best| bound > best.bound) {
                    *center = prices.iter().map(|&price| price as f64 / ONE as f64).collect();
                    let most = answers.iter().map(|answer| answer.map_or(0, |(most, _)| most)).collect();
                    *best = Some(Proved { bound, prices: prices.clone(), most });
                }
                if found > 0 {
                    return Ok(found);
                }
                if share > 0.0 {
                    break;
                }
                if best.as_ref().is_some_and(|best| suffices(best.bound, proposal)) {
                    return Ok(0);
                }
                effort = match effort {
                    _ if self.thoroughness != Thoroughness::Full => return Ok(0),
                    _ if answers.iter().flatten().all(|answer| answer.1) => return Ok(0),
                    Effort::Exact => return Ok(0),
                    Effort::Beam(beam) if beam < MOST_BEAM => Effort::Beam((beam * BEAM_GROWTH).max(BEAM)),
                    Effort::Beam(_) => Effort::Exact,
                };
            }
            share = if share < LEAST_SMOOTHING { 0.0 } else { share / 2.0 };
        }
    }

    /// Asks every part without an exact answer for its best content: what all answers prove, and how many contents are new and of use.
    fn ask(
        &mut self,
        prices: &[i64],
        effort: Effort,
        proposal: &Proposal,
        answers: &mut [Option<(i64, bool)>],
    ) -> Result<(i128, usize), StopReason> {
        self.shared.counters.rounds += 1;
        let (mut bound, mut found) = (self.bounds.earned(prices), 0);
        let enough = self.enough(bound, proposal);
        for (part, answer) in answers.iter_mut().enumerate() {
            if let Some(stop) = self.shared.limits.stop() {
                return Err(stop);
            }
            if self.numbers[part] == 0 {
                continue;
            }
            if answer.is_none_or(|(_, is_exact)| !is_exact) {
                self.shared.counters.asked += asked(effort);
                if self.shared.counters.asked > self.shared.most_asked {
                    return Err(StopReason::NodeLimit);
                }
                let priced = self.shared.parts[part].price_up_to(prices, effort, enough);
                let before = answer.map_or(i64::MAX, |(most, _)| most);
                *answer = Some((priced.most.min(before), priced.is_exact));
                let at_a_time = self.shared.parts[part].contents_at_a_time();
                for content in priced.contents.into_iter().take(at_a_time) {
                    if self.shared.pool.has(part, &content) {
                        continue;
                    }
                    let column = self.shared.parts[part].column(&content);
                    if proposal.saving(part, &column) > LEAST_SAVING {
                        self.shared.pool.add(self.shared.parts, part, content);
                        found += 1;
                    }
                }
            }
            let (most, _) = answer.expect("it was asked");
            bound -= i128::from(self.numbers[part]) * i128::from(most);
        }
        Ok((bound, found))
    }

    /// What contents may be worth where these terms are earned so that the bound allows no lower cost than the program of prices.
    fn enough(&self, earned: i128, proposal: &Proposal) -> i64 {
        let parts: i128 = self.numbers.iter().map(|&number| i128::from(number)).sum();
        let below = i128::from(proposal.least_cost()) - 1;
        let enough = (earned - below * i128::from(ONE) - 1).div_euclid(parts.max(1));
        i64::try_from(enough.max(0)).unwrap_or(0)
    }
}

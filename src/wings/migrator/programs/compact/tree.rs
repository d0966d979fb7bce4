//! The search for the best plan among parts: each has its own open starts and its own prices.
//!
//! In a part, steps of prices take turns with sweeps that grow wider. A part is done when its bound is not above the best plan, or when
//! a sweep had nothing too much to drop. Else its starts are divided in two. The part with the greatest bound comes first, so that this
//! bound holds for all plans at every moment.

use super::domain::Domain;
use super::index::{Slot, Start};
use super::joint::Joint;
use super::kept::Width;
use super::list::List;
use super::paths::Paths;
use super::potential::Potential;
use super::pricing::{NEVER, Prices};
use super::split::{Met, split};
use super::subgradient::{OnContents, OnKnapsacks};
use super::sweep::Sweep;
use crate::instance::ModelIndex;
use crate::rules::{Plan, Retraining};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How work is shared out; whatever the numbers, the search ends with a proof.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps of prices on the GPU's inequalities.
    pub knapsack_steps: u32,
    /// Steps of prices on contents before the first sweep, and before every other one, of the whole search; of its parts half as many.
    pub content_steps: u32,
    /// The most that the first sweep of a part keeps of a slot.
    pub width: usize,
    /// By what each sweep is wider than the one before.
    pub growth: usize,
    /// How wide the last sweep of a part is that can be divided.
    pub widest: usize,
    /// The most that such a sweep keeps of all slots together.
    pub kept: usize,
}

impl Effort {
    /// What pays off.
    pub const USUAL: Effort = Effort {
        knapsack_steps: 150,
        content_steps: 60,
        width: 100,
        growth: 8,
        widest: 6_400,
        kept: 2_000_000,
    };
}

/// When to stop before the end.
pub struct Until<'u> {
    /// Whether there is time left.
    pub goes_on: &'u dyn Fn() -> bool,
    /// Whether this bound is close enough to the value of the best plan.
    pub suffices: &'u dyn Fn(i64, i64) -> bool,
}

/// What the search did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Steps of prices.
    pub steps: u64,
    /// Parts that were looked at.
    pub parts: u64,
    /// Joint states that sweeps kept.
    pub kept: u64,
}

/// What the search found, in units of goodput.
pub struct Searched {
    /// No plan is worth more.
    pub bound: i64,
    /// The best plan found and its value.
    pub best: Option<(i64, Plan)>,
    /// What it did.
    pub counters: Counters,
}

/// Looks for a plan that is worth more than `known`. `schedule` are retrainings that fit: even without time there is a plan with them.
pub fn search_tree(
    joint: &Joint<'_>,
    schedule: Option<&[Retraining]>,
    known: Option<i64>,
    effort: Effort,
    until: &Until<'_>,
) -> Searched {
    let tree = Tree {
        joint,
        effort,
        until,
        known: known.unwrap_or(NEVER),
        best: None,
        counters: Counters::default(),
        open: BTreeMap::new(),
    };
    tree.run(schedule)
}

/// A part of the search.
struct Part {
    domain: Domain,
    prices: Prices<i64>,
    is_whole: bool,
}

struct Tree<'t, 'p> {
    joint: &'t Joint<'p>,
    effort: Effort,
    until: &'t Until<'t>,
    /// The value of the best plan known.
    known: i64,
    best: Option<(i64, Plan)>,
    counters: Counters,
    /// By bound, the greatest first, and the number of the part.
    open: BTreeMap<(Reverse<i64>, u64), Part>,
}

/// What is left of a part.
enum Left {
    /// Nothing that is better than what is known.
    Nothing,
    /// Something may be, as there was no time: with this bound.
    Unfinished(i64),
    /// Two parts with this bound.
    Halves(i64, Vec<Part>),
}

impl Tree<'_, '_> {
    fn run(mut self, schedule: Option<&[Retraining]>) -> Searched {
        let joint = self.joint;
        if let Some(starts) = schedule.and_then(|schedule| starts_of(joint, schedule)) {
            let only = Domain::new(joint, starts.iter().map(|&start| vec![start]).collect());
            let without_end = Until { goes_on: &|| true, suffices: self.until.suffices };
            self.sweep(&only, &Prices::same(joint, 0), Some(1), &without_end);
        }
        let domain = Domain::whole(joint);
        let prices = self.knapsack_prices(&domain);
        let (bound, is_done) = self.sweep(&domain, &prices, Some(self.effort.width), self.until);
        if is_done {
            return self.searched(NEVER);
        }
        self.open.insert((Reverse(bound), 0), Part { domain, prices, is_whole: true });
        let mut number = 0;
        while let Some(((Reverse(bound), _), part)) = self.open.pop_first() {
            if bound <= self.known || (self.until.suffices)(bound, self.known) {
                return self.searched(bound);
            }
            self.counters.parts += 1;
            match self.examine(part) {
                Left::Nothing => {}
                Left::Unfinished(of_part) => {
                    let others = self.open.first_key_value();
                    let of_others = others.map_or(NEVER, |((Reverse(bound), _), _)| *bound);
                    return self.searched(bound.min(of_part).max(of_others));
                }
                Left::Halves(of_halves, halves) => {
                    for half in halves {
                        number += 1;
                        self.open.insert((Reverse(bound.min(of_halves)), number), half);
                    }
                }
            }
        }
        self.searched(NEVER)
    }

    /// Prices on the GPU's inequalities, spread over contents.
    fn knapsack_prices(&mut self, domain: &Domain) -> Prices<i64> {
        let mut on_knapsacks = OnKnapsacks::new(self.joint);
        for _ in 0..self.effort.knapsack_steps {
            let target = (self.known > NEVER).then_some(self.known);
            if !(self.until.goes_on)() || on_knapsacks.step(self.joint, domain, target).is_none() {
                break;
            }
            self.counters.steps += 1;
        }
        on_knapsacks.best(self.joint)
    }

    /// What was found, if parts that are left may hold something up to a bound.
    fn searched(self, bound: i64) -> Searched {
        Searched { bound: bound.max(self.known), best: self.best, counters: self.counters }
    }

    /// Sweeps through a part, without a width if there is none; its bound after that, and whether nothing was too much.
    fn sweep(
        &mut self,
        domain: &Domain,
        prices: &Prices<i64>,
        width: Option<usize>,
        until: &Until<'_>,
    ) -> (i64, bool) {
        let Some(potential) = Potential::new(self.joint, domain, prices) else { return (NEVER, true) };
        if potential.bound <= self.known {
            return (potential.bound, true);
        }
        let loss = potential.bound - self.known - 1;
        let width = match width {
            Some(of_slot) => Width { loss, of_slot, of_all: self.effort.kept },
            None => Width::unlimited(loss),
        };
        let swept = Sweep { potential: &potential }.run(width, until.goes_on);
        self.counters.kept += u64::try_from(swept.kept).expect("as many fit into memory");
        if let Some((value, plan)) = swept.best.filter(|(value, _)| *value > self.known) {
            self.known = value;
            self.best = Some((value, plan));
        }
        (swept.bound, !swept.is_cut)
    }

    /// Prices and sweeps in turn, until a part is done or has to be divided.
    fn examine(&mut self, part: Part) -> Left {
        let joint = self.joint;
        let mut domain = part.domain;
        let mut met = Met::new(joint);
        let mut on_contents = OnContents::new(joint, part.prices);
        let steps = self.effort.content_steps;
        let steps = if part.is_whole { steps } else { steps.div_ceil(2) };
        let mut width = self.effort.width;
        let mut bound = i64::MAX;
        loop {
            for _ in 0..steps {
                let Some(bounded) = on_contents.step(joint, &domain, self.known) else { break };
                self.counters.steps += 1;
                met.note(&bounded.paths);
                if on_contents.bound() <= self.known || !(self.until.goes_on)() {
                    break;
                }
            }
            bound = bound.min(on_contents.bound());
            if bound <= self.known {
                return Left::Nothing;
            }
            if !(self.until.goes_on)() {
                return Left::Unfinished(bound);
            }
            let Some(left) = self.keep_starts(&domain, on_contents.best()) else { return Left::Nothing };
            domain = left;
            let can_be_divided = !domain.is_one_schedule();
            let of_slot = can_be_divided.then_some(width);
            let (of_sweep, is_done) = self.sweep(&domain, on_contents.best(), of_slot, self.until);
            bound = bound.min(of_sweep);
            if is_done || bound <= self.known {
                return Left::Nothing;
            }
            if !(self.until.goes_on)() {
                return Left::Unfinished(bound);
            }
            if can_be_divided && width >= self.effort.widest {
                let cut = split(joint, &domain, &met);
                let prices = on_contents.into_best();
                let half = |starts: Vec<Start>| Part {
                    domain: domain.with(joint, cut.model, starts),
                    prices: prices.clone(),
                    is_whole: false,
                };
                return Left::Halves(bound, cut.halves(joint, &domain).map(half).into());
            }
            width = width.saturating_mul(self.effort.growth).min(self.effort.widest);
        }
    }

    /// The open starts without those with which nothing is better than what is known; `None` if a model has none left.
    fn keep_starts(&self, domain: &Domain, prices: &Prices<i64>) -> Option<Domain> {
        let joint = self.joint;
        let mut of_models = Vec::new();
        let mut bound: i64 = prices.dearest(joint, domain).iter().map(|dearest| dearest.price).sum();
        for model in joint.models() {
            let values = Paths::new(joint, domain, prices, model).by_start();
            let best = values.iter().map(|&(value, _)| value).max()?;
            bound += best;
            of_models.push((best, values));
        }
        let slack = bound - self.known;
        let keep = |(best, values): (i64, Vec<(i64, Start)>)| -> Vec<Start> {
            values.into_iter().filter(|(value, _)| best - value < slack).map(|(_, start)| start).collect()
        };
        let starts: List<ModelIndex, Vec<Start>> = of_models.into_iter().map(keep).collect();
        starts.iter().all(|starts| !starts.is_empty()).then(|| Domain::new(joint, starts))
    }
}

/// The starts of a plan; `None` if a model is retrained on a size that no plan uses.
fn starts_of(joint: &Joint<'_>, plan: &[Retraining]) -> Option<List<ModelIndex, Start>> {
    let tasks = joint.tasks.iter().zip(plan);
    let start = tasks.map(|(task, retraining)| {
        let from = Slot(retraining.from);
        Some(Start { retraining: task.retraining_on(retraining.size)?, from })
    });
    start.collect()
}

//! Good prices, a good plan, and what no better plan contains.

use super::super::plan::{Plan, Retraining};
use super::joint::Joint;
use super::pricing::{NEVER, Paths, Start};
use super::schedule::{Schedules, TooManyStates};
use super::subgradient::{OnContents, OnKnapsacks};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// How much work the presolve may do.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps of prices on the GPU's inequalities.
    pub knapsack_steps: u32,
    /// Steps of prices on contents.
    pub content_steps: u32,
    /// Visits of joint states after that: first to improve the best schedule, then to go through all schedules that are left,
    /// if that takes no more than these.
    pub visits: u64,
    /// Most joint states of a slot for that.
    pub joint_states: usize,
}

impl Effort {
    /// What pays off: something below a second.
    pub const USUAL: Effort =
        Effort { knapsack_steps: 300, content_steps: 600, visits: 800_000_000, joint_states: 20_000 };
}

/// What the presolve knows. Goodput and losses are in units of goodput.
pub struct Presolved {
    /// The best plan found and its goodput.
    pub incumbent: Option<(i64, Plan)>,
    /// No plan has a goodput above this.
    pub bound: i64,
    /// The bound of the prices, from which the losses count.
    pub price_bound: i64,
    /// By model, slot and state, before and after the completion of the retraining: how far the best plan through it stays
    /// below the price bound.
    pub losses: Vec<[Vec<i64>; 2]>,
    /// By model the same for every start of its retraining.
    pub starts: Vec<Vec<(i64, Start)>>,
    /// By slot and contents what they are below the dearest ones.
    pub content_losses: Vec<Vec<i64>>,
    /// Steps and schedules that were computed.
    pub rounds: u64,
}

/// The search for plans: schedules are looked at once.
struct Known<'a, 'p> {
    schedules: Schedules<'a, 'p>,
    seen: BTreeSet<Vec<Start>>,
    best: Option<(i64, Vec<Start>)>,
}

impl Known<'_, '_> {
    /// Looks at a schedule; whether it was new.
    ///
    /// # Errors
    /// When there are too many joint states.
    fn look_at(&mut self, starts: &[Start]) -> Result<bool, TooManyStates> {
        if self.seen.contains(starts) {
            return Ok(false);
        }
        let value = self.schedules.value(starts)?;
        self.seen.insert(starts.to_vec());
        if let Some(value) = value.filter(|&value| value > self.goodput()) {
            self.best = Some((value, starts.to_vec()));
        }
        Ok(true)
    }

    /// Goodput of the best plan, or less than any.
    fn goodput(&self) -> i64 {
        self.best.as_ref().map_or(NEVER, |&(goodput, _)| goodput)
    }
}

/// Presolves a problem; `schedule` are retrainings that fit, to begin with, and `goes_on` says whether there is time left.
/// `None` if a model cannot be retrained in the window.
pub fn presolve(
    joint: &Joint<'_>,
    schedule: Option<&[Retraining]>,
    effort: Effort,
    goes_on: impl Fn() -> bool,
) -> Option<Presolved> {
    let schedules = Schedules::new(joint, effort.joint_states);
    let mut known = Known { schedules, seen: BTreeSet::new(), best: None };
    if let Some(starts) = schedule.and_then(|schedule| Schedules::starts_of(joint, schedule)) {
        let _ = known.look_at(&starts);
    }
    let mut rounds = 0;
    let mut on_knapsacks = OnKnapsacks::new(joint);
    for round in 0..effort.knapsack_steps {
        if !goes_on() {
            break;
        }
        let target = known.best.as_ref().map(|&(goodput, _)| goodput);
        let Some(bounded) = on_knapsacks.step(joint, target) else { break };
        rounds += 1;
        if round % 10 == 0 || round + 5 > effort.knapsack_steps {
            let _ = known.look_at(&starts_of(&bounded.paths));
        }
        if bounded.bound <= known.goodput() {
            break;
        }
    }
    let mut on_contents = OnContents::new(joint, on_knapsacks.best(joint));
    for round in 0..effort.content_steps {
        if !goes_on() && round > 0 {
            break;
        }
        let target = known.best.as_ref().map_or(0, |&(goodput, _)| goodput);
        let Some(bounded) = on_contents.step(joint, target) else { break };
        rounds += 1;
        if round % 10 == 0 {
            let _ = known.look_at(&starts_of(&bounded.paths));
        }
    }
    let prices = on_contents.into_best();
    let paths: Vec<Paths<'_>> =
        (0..joint.tasks.len()).map(|model| Paths::new(joint, &prices, model)).collect();
    let best_of: Option<Vec<i64>> = paths.iter().map(|paths| Some(paths.best()?.value)).collect();
    let best_of = best_of?;
    let dearest = prices.dearest(joint);
    let price_bound = dearest.iter().map(|&(price, _)| price).sum::<i64>() + best_of.iter().sum::<i64>();
    let mut starts: Vec<Vec<(i64, Start)>> = Vec::new();
    for (model, paths) in paths.iter().enumerate() {
        let losses = paths.by_start(&prices.retrainings[model]).into_iter();
        let mut losses: Vec<(i64, Start)> =
            losses.map(|(value, start)| (best_of[model] - value, start)).collect();
        losses.sort();
        starts.push(losses);
    }
    let schedules = known.schedules.within(effort.visits);
    polish(&mut known, &starts, price_bound, schedules, &goes_on);
    let left = count_above(&starts, price_bound - known.goodput(), schedules);
    let bound = match left <= schedules {
        true => enumerate(&mut known, &starts, price_bound, &goes_on),
        false => price_bound,
    };
    rounds += known.seen.len() as u64;
    let losses = paths.iter().zip(&best_of).map(|(paths, &best)| {
        paths.through().map(|through| {
            through.into_iter().map(|value| if value == NEVER { i64::MAX } else { best - value }).collect()
        })
    });
    let losses: Vec<[Vec<i64>; 2]> = losses.collect();
    let content_losses = dearest.iter().enumerate().map(|(slot, &(price, _))| {
        joint.contents.iter().map(|contents| price - prices.of(joint, slot, contents)).collect()
    });
    let content_losses = content_losses.collect();
    let incumbent = known.best.take().and_then(|(goodput, starts)| {
        let plan = known.schedules.plan(&starts)?;
        Some((goodput, plan))
    });
    let bound = bound.max(incumbent.as_ref().map_or(NEVER, |&(goodput, _)| goodput));
    Some(Presolved { incumbent, bound, price_bound, losses, starts, content_losses, rounds })
}

fn starts_of(paths: &[super::pricing::Path]) -> Vec<Start> {
    paths.iter().map(|path| path.start).collect()
}

/// How many schedules lose less than `slack`, counted up to a little above `most`.
fn count_above(starts: &[Vec<(i64, Start)>], slack: i64, most: usize) -> usize {
    let Some((starts, others)) = starts.split_first() else { return 1 };
    let mut count = 0;
    for &(loss, _) in starts.iter().take_while(|&&(loss, _)| loss < slack) {
        if count > most {
            break;
        }
        count += count_above(others, slack - loss, most - count);
    }
    count
}

/// Looks at schedules in the order of their bounds, the best first, and returns what no plan exceeds: once the bound of the
/// next schedule is not above the best plan, that plan is optimal.
fn enumerate(
    known: &mut Known<'_, '_>,
    starts: &[Vec<(i64, Start)>],
    price_bound: i64,
    goes_on: &impl Fn() -> bool,
) -> i64 {
    let models = starts.len();
    let bound_of = |choice: &[usize]| {
        price_bound - choice.iter().zip(starts).map(|(&position, starts)| starts[position].0).sum::<i64>()
    };
    let first = vec![0; models];
    let mut open: BinaryHeap<(i64, Reverse<Vec<usize>>)> = BinaryHeap::new();
    open.push((bound_of(&first), Reverse(first)));
    while let Some((bound, Reverse(choice))) = open.pop() {
        if bound <= known.goodput() {
            return known.goodput();
        }
        let chosen: Vec<Start> =
            choice.iter().zip(starts).map(|(&position, starts)| starts[position].1).collect();
        if !goes_on() || known.look_at(&chosen).is_err() {
            return bound;
        }
        // Each choice is reached once: only positions from the last one that was advanced on are advanced.
        let last = choice.iter().rposition(|&position| position > 0).unwrap_or(0);
        for model in last..models {
            let mut next = choice.clone();
            next[model] += 1;
            if next[model] < starts[model].len() {
                let bound = bound_of(&next);
                if bound > known.goodput() {
                    open.push((bound, Reverse(next)));
                }
            }
        }
    }
    known.goodput()
}

/// Improves the best schedule by moving one retraining at a time, while there are better ones to be hoped for.
fn polish(
    known: &mut Known<'_, '_>,
    starts: &[Vec<(i64, Start)>],
    price_bound: i64,
    most: usize,
    goes_on: &impl Fn() -> bool,
) {
    let mut left = most;
    loop {
        let before = known.goodput();
        for (model, starts) in starts.iter().enumerate() {
            for &(loss, start) in starts {
                let Some((goodput, best)) = &known.best else { return };
                if price_bound - loss <= *goodput || left == 0 || !goes_on() {
                    break;
                }
                let mut moved = best.clone();
                moved[model] = start;
                match known.look_at(&moved) {
                    Ok(is_new) => left -= usize::from(is_new),
                    Err(TooManyStates) => return,
                }
            }
        }
        if known.goodput() <= before {
            return;
        }
    }
}

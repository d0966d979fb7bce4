//! Good prices, a good plan, and what no better plan contains.

use super::index::{ByLayer, ContentsIndex, Slot, Start, StateIndex};
use super::joint::Joint;
use super::list::{List, Table};
use super::pricing::{Dearest, NEVER, Path, Paths, Prices};
use super::schedule::{Schedules, TooManyStates};
use super::subgradient::{OnContents, OnKnapsacks};
use crate::instance::ModelIndex;
use crate::rules::{Plan, Retraining};
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

/// A start of a retraining, and how far the best plan with it stays below the price bound. In this order the first loses
/// least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RankedStart {
    /// Units of goodput.
    pub loss: i64,
    /// The start.
    pub start: Start,
}

/// What the presolve knows. Goodput and losses are in units of goodput.
pub struct Presolved {
    /// The best plan found and its goodput.
    pub incumbent: Option<(i64, Plan)>,
    /// No plan has a goodput above this.
    pub bound: i64,
    /// The bound of the prices, from which the losses count.
    pub price_bound: i64,
    /// For every state in every slot, how far the best plan through it stays below the price bound.
    pub losses: List<ModelIndex, ByLayer<Table<Slot, StateIndex, i64>>>,
    /// The same for every start of a retraining, in ascending order.
    pub starts: List<ModelIndex, Vec<RankedStart>>,
    /// How much less contents are worth than the dearest ones of the slot.
    pub content_losses: List<Slot, List<ContentsIndex, i64>>,
    /// Steps and schedules that were computed.
    pub rounds: u64,
}

/// The search for plans: schedules are looked at once.
struct Known<'a, 'p> {
    schedules: Schedules<'a, 'p>,
    seen: BTreeSet<List<ModelIndex, Start>>,
    best: Option<(i64, List<ModelIndex, Start>)>,
}

impl Known<'_, '_> {
    /// Looks at a schedule; whether it was new.
    ///
    /// # Errors
    /// When there are too many joint states.
    fn look_at(&mut self, starts: &List<ModelIndex, Start>) -> Result<bool, TooManyStates> {
        if self.seen.contains(starts) {
            return Ok(false);
        }
        let value = self.schedules.value(starts)?;
        self.seen.insert(starts.clone());
        if let Some(value) = value.filter(|&value| value > self.goodput()) {
            self.best = Some((value, starts.clone()));
        }
        Ok(true)
    }

    /// Looks at the schedule of paths that may not fit together; when there are too many joint states it stays unseen.
    fn look_at_paths(&mut self, paths: &List<ModelIndex, Path>) {
        let _ = self.look_at(&paths.iter().map(|path| path.start).collect());
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
    let (prices, steps) = good_prices(joint, &mut known, effort, &goes_on);
    let losses = Losses::under(joint, &prices)?;
    let bound = go_through_schedules(&mut known, &losses, effort, &goes_on);
    let looked_at = u64::try_from(known.seen.len()).expect("as many as fit into memory");
    let incumbent = known.best.take().and_then(|(goodput, starts)| {
        let plan = known.schedules.plan(&starts)?;
        Some((goodput, plan))
    });
    Some(Presolved {
        bound: bound.max(incumbent.as_ref().map_or(NEVER, |&(goodput, _)| goodput)),
        incumbent,
        price_bound: losses.bound,
        losses: losses.states,
        starts: losses.starts,
        content_losses: losses.contents,
        rounds: steps + looked_at,
    })
}

/// Prices with a low bound, and the steps that led to them. The schedules of some steps are looked at on the way.
fn good_prices(
    joint: &Joint<'_>,
    known: &mut Known<'_, '_>,
    effort: Effort,
    goes_on: &impl Fn() -> bool,
) -> (Prices<i64>, u64) {
    let mut steps = 0;
    let mut on_knapsacks = OnKnapsacks::new(joint);
    for round in 0..effort.knapsack_steps {
        if !goes_on() {
            break;
        }
        let target = known.best.as_ref().map(|&(goodput, _)| goodput);
        let Some(bounded) = on_knapsacks.step(joint, target) else { break };
        steps += 1;
        if round % 10 == 0 || round + 5 > effort.knapsack_steps {
            known.look_at_paths(&bounded.paths);
        }
        if bounded.bound <= known.goodput() {
            break;
        }
    }
    let mut on_contents = OnContents::new(joint, on_knapsacks.best(joint));
    for round in 0..effort.content_steps {
        // One step at least, so that there is a bound.
        if !goes_on() && round > 0 {
            break;
        }
        let target = known.best.as_ref().map_or(0, |&(goodput, _)| goodput);
        let Some(bounded) = on_contents.step(joint, target) else { break };
        steps += 1;
        if round % 10 == 0 {
            known.look_at_paths(&bounded.paths);
        }
    }
    (on_contents.into_best(), steps)
}

/// What follows from prices: a bound, and how far whatever is in a plan keeps it below the bound.
struct Losses {
    bound: i64,
    states: List<ModelIndex, ByLayer<Table<Slot, StateIndex, i64>>>,
    starts: List<ModelIndex, Vec<RankedStart>>,
    contents: List<Slot, List<ContentsIndex, i64>>,
}

impl Losses {
    /// `None` if a model cannot be retrained in the window.
    fn under(joint: &Joint<'_>, prices: &Prices<i64>) -> Option<Self> {
        let dearest = prices.dearest(joint);
        let mut bound = dearest.iter().map(|dearest| dearest.price).sum::<i64>();
        let (mut states, mut starts) = (Vec::new(), Vec::new());
        for model in joint.models() {
            let paths = Paths::new(joint, prices, model);
            let best = paths.best()?.value;
            bound += best;
            let loss = |&value: &i64| if value == NEVER { i64::MAX } else { best - value };
            let ByLayer { before, after } = paths.through();
            states.push(ByLayer { before: before.map(loss), after: after.map(loss) });
            let values = paths.by_start(&prices.retrainings[model]).into_iter();
            let mut ranked: Vec<RankedStart> =
                values.map(|(value, start)| RankedStart { loss: best - value, start }).collect();
            ranked.sort();
            starts.push(ranked);
        }
        let of_slot = |(slot, dearest): (Slot, &Dearest)| {
            let contents = joint.contents.iter();
            contents.map(|contents| dearest.price - prices.of(slot, contents)).collect()
        };
        let contents = dearest.entries().map(of_slot).collect();
        Some(Losses { bound, states: states.into(), starts: starts.into(), contents })
    }

    /// The starts of a schedule.
    fn ranked(&self, ranks: &Ranks) -> impl Iterator<Item = RankedStart> {
        ranks.iter().zip(self.starts.iter()).map(|(&rank, starts)| starts[rank])
    }
}

/// Looks for better schedules, and if they are few enough at all that may be better; no plan exceeds what is returned.
fn go_through_schedules(
    known: &mut Known<'_, '_>,
    losses: &Losses,
    effort: Effort,
    goes_on: &impl Fn() -> bool,
) -> i64 {
    let most = known.schedules.within(effort.visits);
    polish(known, losses, most, goes_on);
    match count_above(&losses.starts, losses.bound - known.goodput(), most) <= most {
        true => enumerate(known, losses, goes_on),
        false => losses.bound,
    }
}

/// How many schedules lose less than `slack`, counted up to a little above `most`.
fn count_above(starts: &[Vec<RankedStart>], slack: i64, most: usize) -> usize {
    let Some((starts, others)) = starts.split_first() else { return 1 };
    let mut count = 0;
    for start in starts.iter().take_while(|start| start.loss < slack) {
        if count > most {
            break;
        }
        count += count_above(others, slack - start.loss, most - count);
    }
    count
}

/// A schedule: for each model the rank of its start among all of that model.
type Ranks = List<ModelIndex, usize>;

/// Looks at schedules in the order of their bounds, the best first, and returns what no plan exceeds: once the bound of the
/// next schedule is not above the best plan, that plan is optimal.
fn enumerate(known: &mut Known<'_, '_>, losses: &Losses, goes_on: &impl Fn() -> bool) -> i64 {
    let starts = &losses.starts;
    let bound_of = |ranks: &Ranks| losses.bound - losses.ranked(ranks).map(|start| start.loss).sum::<i64>();
    let first: Ranks = List::filled(starts.len(), 0);
    let mut open: BinaryHeap<(i64, Reverse<Ranks>)> = BinaryHeap::new();
    open.push((bound_of(&first), Reverse(first)));
    while let Some((bound, Reverse(ranks))) = open.pop() {
        if bound <= known.goodput() {
            return known.goodput();
        }
        let schedule = losses.ranked(&ranks).map(|start| start.start).collect();
        if !goes_on() || known.look_at(&schedule).is_err() {
            return bound;
        }
        // Each schedule is reached once: only ranks from the last one that was advanced on are advanced.
        let last = ranks.iter().rposition(|&rank| rank > 0).unwrap_or(0);
        for model in starts.positions().skip(last) {
            let mut next = ranks.clone();
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

/// Improves the best schedule by moving one retraining at a time, while there are better ones to be hoped for and fewer than
/// `most` have been looked at.
fn polish(known: &mut Known<'_, '_>, losses: &Losses, most: usize, goes_on: &impl Fn() -> bool) {
    let mut left = most;
    loop {
        let before = known.goodput();
        for (model, starts) in losses.starts.entries() {
            for &RankedStart { loss, start } in starts {
                let Some((goodput, best)) = &known.best else { return };
                if losses.bound - loss <= *goodput || left == 0 || !goes_on() {
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

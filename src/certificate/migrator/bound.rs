//! What every plan of a case is worth at most at prices, and which starts are in no plan that is worth more than the claim.

use super::fits::{Fits, NOTHING};
use super::paths::Paths;
use super::prices::Prices;
use super::starts::Start;
use super::task::{NEVER, Task};

/// How often what is dropped is allowed to drop more.
const MOST_ROUNDS: usize = 16;

/// A bound, and what it consists of.
pub struct Bound {
    /// No plan is worth more.
    pub value: i128,
    /// What the contents of each slot pay at most.
    pub dearest: Vec<i128>,
    /// By model the starts that are left, in the order of their first slots.
    pub starts: Vec<Vec<Start>>,
}

impl Bound {
    /// Drops starts as long as the bound shows that no plan with them is worth `target`. None if no plan is.
    pub fn new(
        fits: &Fits,
        tasks: &[Task],
        prices: &Prices,
        paths: &[Paths<'_>],
        mut starts: Vec<Vec<Start>>,
        target: i128,
    ) -> Option<Bound> {
        for round in 0.. {
            let dearest = dearest(fits, tasks, prices, &starts);
            let best = |(paths, starts): (&Paths<'_>, &Vec<Start>)| {
                starts.iter().map(|&start| paths.of(start)).max().unwrap_or(NEVER)
            };
            let best: Vec<i128> = paths.iter().zip(&starts).map(best).collect();
            if best.iter().chain(&dearest).any(|&value| value < NEVER / 2) {
                return None;
            }
            let value = best.iter().sum::<i128>() + dearest.iter().sum::<i128>();
            if value < target {
                return None;
            }
            let left = |starts: &[Vec<Start>]| starts.iter().map(Vec::len).sum::<usize>();
            let before = left(&starts);
            for ((paths, best), starts) in paths.iter().zip(&best).zip(&mut starts) {
                starts.retain(|&start| value - best + paths.of(start) >= target);
            }
            if round == MOST_ROUNDS || before == left(&starts) {
                return Some(Bound { value, dearest, starts });
            }
        }
        None
    }
}

/// By slot, the price of the dearest contents that fit, and that these starts allow.
fn dearest(fits: &Fits, tasks: &[Task], prices: &Prices, starts: &[Vec<Start>]) -> Vec<i128> {
    let slots = prices.allocations.first().map_or(0, Vec::len);
    let may: Vec<MayRun> =
        tasks.iter().zip(starts).map(|(task, starts)| MayRun::new(task, starts, slots)).collect();
    let of_slot = |slot: usize| {
        let mut best = vec![NEVER; fits.counts.len()];
        best[NOTHING] = 0;
        for (model, task) in tasks.iter().enumerate() {
            let allocations = task.allocations.iter().zip(&prices.allocations[model][slot]);
            let allocations: Vec<_> =
                allocations.map(|(allocation, &price)| (allocation.number, price)).collect();
            best = extended(fits, &best, &allocations);
            let idle = may[model].rests[slot].then_some((NOTHING, 0));
            let runs = task.runs.iter().enumerate().filter(|&(run, _)| may[model].runs[run][slot]);
            let runs = runs.map(|(run, about)| (about.number, prices.retrainings[model][run][slot]));
            best = extended(fits, &best, &idle.into_iter().chain(runs).collect::<Vec<_>>());
        }
        best.into_iter().max().unwrap_or(NEVER)
    };
    (0..slots).map(of_slot).collect()
}

/// The best prices of what fits when one of some things is added.
fn extended(fits: &Fits, best: &[i128], choices: &[(usize, i128)]) -> Vec<i128> {
    let mut extended = vec![NEVER; best.len()];
    for (held, &paid) in best.iter().enumerate().filter(|(_, paid)| **paid > NEVER / 2) {
        for &(number, price) in choices {
            if let Some(sum) = fits.sum(held, number) {
                extended[sum] = (paid + price).max(extended[sum]);
            }
        }
    }
    extended
}

/// What may be the case in a slot if the retraining of a model has one of some starts.
struct MayRun {
    /// By slot, that it does not run.
    rests: Vec<bool>,
    /// By size and slot, that it runs.
    runs: Vec<Vec<bool>>,
}

impl MayRun {
    fn new(task: &Task, starts: &[Start], slots: usize) -> Self {
        // How many starts run in a slot, as changes from slot to slot.
        let mut changes = vec![vec![0_i64; slots + 1]; task.runs.len()];
        for start in starts {
            changes[start.run][start.from] += 1;
            changes[start.run][start.end] -= 1;
        }
        let counts = |changes: Vec<i64>| -> Vec<i64> {
            let mut count = 0;
            let counts = changes.into_iter().take(slots).map(|change| {
                count += change;
                count
            });
            counts.collect()
        };
        let counts: Vec<Vec<i64>> = changes.into_iter().map(counts).collect();
        let running = |slot: usize| counts.iter().map(|counts| counts[slot]).sum::<i64>();
        let rests = (0..slots).map(|slot| running(slot) < starts.len() as i64).collect();
        let runs = counts.iter().map(|counts| counts.iter().map(|&count| count > 0).collect()).collect();
        MayRun { rests, runs }
    }
}

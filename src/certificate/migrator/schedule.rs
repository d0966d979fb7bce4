//! Whether the retrainings alone can be finished within the window.
//!
//! Allocations may change in every slot, and what can run at once can do so without some of it. So the retrainings of a plan can be moved
//! ahead one after another, in the order of their starts, each to the first slot from which on it fits beside those before it.

use super::fits::{Fits, NOTHING, Number};
use super::starts::Start;
use super::task::Task;
use crate::refusal::Refusal;

/// The most placements that are tried.
const MOST_PLACED: u64 = 1_000_000;

/// The retrainings, and what can be beside them.
pub struct Schedules<'s> {
    /// What fits.
    pub fits: &'s Fits,
    /// The models.
    pub tasks: &'s [Task],
    /// By number, whether the inference tasks can have it all together.
    pub inference: &'s [bool],
    /// Slots of the window.
    pub slots: usize,
}

impl Schedules<'_> {
    /// Whether there is a schedule that ends within the window.
    ///
    /// # Errors
    /// When there are too many to try.
    pub fn is_one_possible(&self) -> Result<bool, Refusal> {
        let mut left = MOST_PLACED;
        self.place(&mut vec![None; self.tasks.len()], 0, &mut left)
    }

    /// Places the other retrainings, none before a slot.
    fn place(&self, placed: &mut Vec<Option<Start>>, first: usize, left: &mut u64) -> Result<bool, Refusal> {
        if placed.iter().all(Option::is_some) {
            return Ok(self.has_room(&[]));
        }
        for model in 0..placed.len() {
            if placed[model].is_some() {
                continue;
            }
            for run in 0..self.tasks[model].runs.len() {
                *left =
                    left.checked_sub(1).ok_or_else(|| Refusal::of("there are too many schedules to try."))?;
                let Some(start) = self.earliest(placed, model, run, first) else { continue };
                placed[model] = Some(start);
                let is_possible = self.place(placed, start.from, left)?;
                placed[model] = None;
                if is_possible {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The first start, from a slot on, that fits beside those that are placed.
    fn earliest(&self, placed: &[Option<Start>], model: usize, run: usize, first: usize) -> Option<Start> {
        let about = &self.tasks[model].runs[run];
        let latest = self.slots.checked_sub(about.slots)?;
        let others = || placed.iter().enumerate().filter_map(|(other, start)| Some((other, (*start)?)));
        let mut slots: Vec<usize> = others().map(|(_, start)| start.end).filter(|&end| end > first).collect();
        slots.push(first);
        slots.sort_unstable();
        let number = |(other, start): (usize, Start)| self.tasks[other].runs[start.run].number;
        let fits_in = |slot: usize| {
            let running = others().filter(|(_, start)| start.slots().contains(&slot)).map(number);
            self.has_room(&running.chain([about.number]).collect::<Vec<_>>())
        };
        // Those that are placed start no later than this one, so that most of them run in its first slot.
        let from = slots.into_iter().find(|&slot| slot <= latest && fits_in(slot))?;
        Some(Start { run, from, end: from + about.slots })
    }

    /// Whether instances fit beside some allocations of all inference tasks.
    fn has_room(&self, instances: &[Number]) -> bool {
        let all = instances.iter().try_fold(NOTHING, |all, &number| self.fits.sum(all, number));
        all.is_some_and(|all| self.fits.has_room(self.inference, all))
    }
}

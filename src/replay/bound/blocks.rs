//! A bound from blocks of time, each of them solved in integers.
//!
//! A program of all the time may be too large for a search in integers. Its rows are divided by time into blocks, and what an
//! accepted virtual machine counts for is divided among the blocks in which it has rows, in whole parts of [`ONE`]. Whatever is
//! accepted obeys the rows of every block. So no more is accepted, counted in these parts, than the sum of what each block can
//! accept at most on its own. Divided by the prices of the linear program, blocks solved as linear programs add up to its
//! bound; solved in integers they add up to less (M. Guignard and S. Kim, *Lagrangean Decomposition*, Mathematical Programming 39, 1987).

use super::super::operator::ReplayError;
use super::relaxation::{Relaxation, Scope};
use super::solving::{Proved, linear, searched};
use super::timeline::Timeline;
use super::tolls::Tolls;
use crate::Trace;
use itertools::Itertools;
use prices::ONE;
use solver::{Control, Effort};
use std::time::{Duration, Instant};

/// How many virtual machines arrive in a block at first.
const FIRST_SIZE: usize = 60;
/// What a block may leave open of its value, so that all together lose less than one in ten thousand.
const RELATIVE_GAP: f64 = 1e-4;
/// Seconds for a block.
const SECONDS_FOR_BLOCK: u64 = 10;

/// A program of all the time, whose rows can be divided into blocks.
pub struct Blocks<'b> {
    /// What the program is about.
    pub scope: &'b Scope<'b>,
    /// The program.
    pub relaxation: &'b Relaxation,
    /// The best point of its linear program.
    pub columns: &'b [f64],
    /// The dual values of its rows there.
    pub prices: &'b [f64],
    /// The solver.
    pub effort: &'b Effort,
    /// The user's wish to stop.
    pub control: &'b Control,
}

impl Blocks<'_> {
    /// No more can be accepted: the least bound of blocks that are twice as large each time, until all arrive in one, or time
    /// would not suffice. Without a deadline they stay small. `None` if all arrive in one at first.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn bound(&self, until: Option<Instant>) -> Result<Option<usize>, ReplayError> {
        let mut best: Option<usize> = None;
        let mut size = FIRST_SIZE;
        loop {
            let began = Instant::now();
            let Some(bound) = self.bound_of_size(size, until)? else { return Ok(best) };
            best = Some(best.map_or(bound, |best| best.min(bound)));
            size *= 2;
            // Blocks of twice the size take about twice as long together.
            let is_time_for_more = until.is_some_and(|until| Instant::now() + 2 * began.elapsed() < until);
            if !is_time_for_more || self.control.is_interrupted() {
                return Ok(best);
            }
        }
    }

    /// The same with blocks in which so many virtual machines arrive. `None` if all arrive in one.
    ///
    /// # Errors
    /// When the solver fails.
    fn bound_of_size(&self, size: usize, until: Option<Instant>) -> Result<Option<usize>, ReplayError> {
        let timeline = self.scope.timeline;
        let starts = self.starts(size);
        if starts.len() < 2 {
            return Ok(None);
        }
        let (worth, in_no_row) = self.divide(&starts);
        let mut bound = in_no_row * ONE as usize;
        for (block, worth) in worth.iter().enumerate() {
            let end = starts.get(block + 1).map_or(timeline.arrivals(), |&next| next);
            let scope = Scope { worth, times: starts[block]..end, written_out: true, ..*self.scope };
            let relaxation = Relaxation::new(&scope, None);
            let blocks_left = (starts.len() - block) as u32;
            let most = Duration::from_secs(SECONDS_FOR_BLOCK);
            let share = until.map(|until| 4 * until.saturating_duration_since(Instant::now()) / blocks_left);
            let until = Instant::now().checked_add(share.map_or(most, |share| share.min(most)));
            let searched = searched(&relaxation, self.effort, RELATIVE_GAP, until, self.control)?;
            // A search that runs out of time early may not even know what the linear program proves.
            let linear = match searched.is_proved {
                true => None,
                false => linear(&relaxation, self.effort, None, self.control)?.0.bound,
            };
            let all = worth.iter().map(|&worth| worth as usize).sum();
            bound += [searched.bound, linear].into_iter().flatten().fold(all, usize::min);
        }
        Ok(Some(bound / ONE as usize))
    }

    /// When blocks begin, ascending: about so many arrive in each, and the linear program lets the fewest stay from one to the next.
    fn starts(&self, size: usize) -> Vec<usize> {
        let Blocks { scope, relaxation, columns, .. } = *self;
        let members: Vec<usize> =
            (0..scope.worth.len()).filter(|&position| scope.worth[position] > 0).collect();
        let peaks = &relaxation.peaks;
        // By peak, how many are there at the one before and stay.
        let mut staying = vec![0.0; peaks.len() + 2];
        for (class, accepted) in relaxation.classes.iter().zip(columns) {
            if let Some((first, last)) = class.span {
                staying[first + 1] += accepted;
                staying[last + 1] -= accepted;
            }
        }
        for peak in 1..staying.len() {
            staying[peak] += staying[peak - 1];
        }
        let start = |number: usize| {
            let peak_after = |number: usize| peaks.partition_point(|&peak| peak < members[number]);
            let near =
                peak_after(number - size / 3).max(1)..peak_after((number + size / 3).min(members.len() - 1));
            let fewest = near.min_by(|&one, &other| staying[one].total_cmp(&staying[other]));
            fewest.map_or(members[number], |peak| peaks[peak - 1] + 1)
        };
        // Where no rows are for long, the same peak may be the last one before several.
        std::iter::once(0).chain((size..members.len()).step_by(size).map(start)).sorted().dedup().collect()
    }

    /// For each block, which begins at one of some ascending times, what each virtual machine counts for there; and how many are there
    /// at no peak that has rows, so that all of them are accepted.
    fn divide(&self, starts: &[usize]) -> (Vec<Vec<u32>>, usize) {
        let Blocks { relaxation, prices, .. } = *self;
        let tolls = Tolls::of(relaxation, prices);
        let mut worth = vec![vec![0; self.scope.timeline.arrivals()]; starts.len()];
        let mut in_no_row = 0;
        for (number, class) in relaxation.classes.iter().enumerate() {
            let Some((first, last)) = class.span else {
                in_no_row += class.positions.len();
                continue;
            };
            let block_at = |peak: usize| starts.partition_point(|&start| start <= relaxation.peaks[peak]) - 1;
            let blocks = block_at(first)..=block_at(last);
            let paid = |block: usize| {
                let end = starts.get(block + 1).map_or(usize::MAX, |&next| next);
                tolls.paid(number, &(starts[block]..end))
            };
            let parts = in_parts(&blocks.clone().map(paid).collect::<Vec<f64>>());
            for (worth, part) in worth[blocks].iter_mut().zip(parts) {
                class.positions.iter().for_each(|&position| worth[position] = part);
            }
        }
        (worth, in_no_row)
    }
}

/// No policy accepts more of some virtual machines, even if it may move running ones at any time for free: the bound from blocks of
/// time in which `size` of them arrive. `None` if all arrive in one block, or the solver knows no prices of linear programs.
///
/// # Errors
/// When the solver fails.
pub fn bound_by_blocks(
    trace: &Trace,
    members: &[bool],
    size: usize,
    effort: &Effort,
    control: &Control,
) -> Result<Option<usize>, ReplayError> {
    let timeline = Timeline::of(trace);
    let worth: Vec<u32> = members.iter().map(|&member| u32::from(member)).collect();
    let scope = Scope::of(&trace.cluster, &timeline, &worth);
    let relaxation = Relaxation::new(&scope, None);
    let (Proved { columns: Some(columns), .. }, Some(prices)) = linear(&relaxation, effort, None, control)?
    else {
        return Ok(None);
    };
    Blocks { scope: &scope, relaxation: &relaxation, columns: &columns, prices: &prices, effort, control }
        .bound_of_size(size, None)
}

/// Divides [`ONE`] in proportion to some values, rounded down. What is left is for the greatest.
fn in_parts(values: &[f64]) -> Vec<u32> {
    let sum: f64 = values.iter().sum();
    let part = |value: &f64| if sum > 0.0 { (value / sum * ONE as f64) as u32 } else { 0 };
    let mut parts: Vec<u32> = values.iter().map(part).collect();
    let greatest =
        (1..values.len()).fold(0, |best, next| if values[next] > values[best] { next } else { best });
    parts[greatest] += ONE as u32 - parts.iter().sum::<u32>();
    parts
}

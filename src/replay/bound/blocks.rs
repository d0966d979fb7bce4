//! A bound from blocks of time, each of them solved in integers.
//!
//! A program of all the time may be too large for a search in integers. Its rows are divided by time into blocks, and what an
//! accepted virtual machine counts for is divided among the blocks in which it has rows, in whole parts of [`ONE`]. Whatever is
//! accepted obeys the rows of every block. So no more is accepted, counted in these parts, than the sum of what each block can
//! accept at most on its own. Divided by the prices of the linear program, blocks solved as linear programs add up to its
//! bound; solved in integers they add up to less (M. Guignard and S. Kim, *Lagrangean Decomposition*, Mathematical Programming 39, 1987).

use super::super::operator::ReplayError;
use super::easier::Kinds;
use super::relaxation::{Relaxation, Scope};
use super::solving::{Proved, linear, searched};
use super::timeline::Timeline;
use super::tolls::Tolls;
use crate::Trace;
use itertools::Itertools;
use prices::ONE;
use solver::{Control, Effort, Settings, THREAD_STACK};
use std::ops::Range;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// How many virtual machines arrive in a block at first.
const FIRST_SIZE: usize = 60;
/// What a block may leave open of its value, so that all together lose less than one in ten thousand.
const RELATIVE_GAP: f64 = 1e-4;
/// Seconds for a block at first; joined blocks have twice as many each time.
const SECONDS_FOR_BLOCK: u64 = 10;

/// A program of all the time, whose rows can be divided into blocks.
pub struct Blocks<'b> {
    /// What the program is about.
    pub scope: &'b Scope<'b>,
    /// The program.
    pub relaxation: &'b Relaxation,
    /// What virtual machines ask for.
    pub kinds: &'b Kinds,
    /// The best point of its linear program.
    pub columns: &'b [f64],
    /// The dual values of its rows there.
    pub prices: &'b [f64],
    /// The solver.
    pub effort: &'b Effort,
    /// The user's wish to stop.
    pub control: &'b Control,
}

/// A block of time.
struct Block {
    /// Its times, up to the first one of the next block.
    times: Range<usize>,
    /// How many the linear program lets stay from the block before.
    staying: f64,
    /// What each virtual machine counts for.
    worth: Vec<u32>,
    /// No more is accepted, counted in these parts.
    bound: usize,
    /// Whether that is as little as its rows prove.
    is_proved: bool,
}

impl Blocks<'_> {
    /// No more can be accepted: what blocks add up to, of which neighbours are joined again and again until few are left or time is up. Without
    /// a deadline they stay small. `None` if all arrive in one at first.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn bound(&self, until: Option<Instant>) -> Result<Option<usize>, ReplayError> {
        let joins = if until.is_some() { usize::MAX } else { 0 };
        self.bound_of_size(FIRST_SIZE, joins, until)
    }

    /// The same with blocks in which so many virtual machines arrive at first, and neighbours joined so often.
    ///
    /// # Errors
    /// When the solver fails.
    fn bound_of_size(
        &self,
        size: usize,
        joins: usize,
        until: Option<Instant>,
    ) -> Result<Option<usize>, ReplayError> {
        let starts = self.starts(size);
        if starts.len() < 2 {
            return Ok(None);
        }
        let times = starts.iter().map(|start| start.0).collect_vec();
        let (worth, in_no_row) = self.divide(&times);
        let ends = times.iter().copied().skip(1).chain([self.scope.timeline.arrivals()]);
        let block = |(((start, staying), end), worth): (((usize, f64), usize), Vec<u32>)| Block {
            times: start..end,
            staying,
            bound: worth.iter().map(|&worth| worth as usize).sum(),
            worth,
            is_proved: false,
        };
        let mut blocks = starts.iter().copied().zip(ends).zip(worth).map(block).collect_vec();
        let mut most = Duration::from_secs(SECONDS_FOR_BLOCK);
        for joined in 0..=joins {
            if joined > 0 {
                blocks = join(blocks);
                most *= 2;
            }
            self.lower_each(&mut blocks, joined == 0, most, until)?;
            let is_over = until.is_some_and(|until| Instant::now() >= until) || self.control.is_interrupted();
            if is_over || blocks.len() <= 2 {
                break;
            }
        }
        let bound = in_no_row * ONE as usize + blocks.iter().map(|block| block.bound).sum::<usize>();
        Ok(Some(bound / ONE as usize))
    }

    /// Solves those blocks that are not proved, as many at once as there are threads, none for longer than a time.
    fn lower_each(
        &self,
        blocks: &mut [Block],
        are_first: bool,
        most: Duration,
        until: Option<Instant>,
    ) -> Result<(), ReplayError> {
        let threads = self.effort.settings.threads.max(1);
        let waiting =
            Mutex::new(blocks.iter_mut().filter(|block| !block.is_proved).collect_vec().into_iter());
        let next = || {
            let mut waiting = waiting.lock().expect("no panics");
            let share = |until: Instant| {
                4 * threads * until.saturating_duration_since(Instant::now()) / waiting.len().max(1) as u32
            };
            let time = until.map_or(most, |until| share(until).min(most));
            waiting.next().map(|block| (block, Instant::now().checked_add(time)))
        };
        let work = || -> Result<(), ReplayError> {
            while let Some((block, until)) = next() {
                self.lower(block, are_first, until)?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let begin = |_| thread::Builder::new().stack_size(THREAD_STACK).spawn_scoped(scope, work);
            // Where there is no room for another thread, there are fewer.
            let others = (1..threads).map_while(|number| begin(number).ok()).collect_vec();
            let own = work();
            others.into_iter().map(|worker| worker.join().expect("no panics")).fold(own, Result::and)
        })
    }

    /// Solves a block. If it is not solved in time, its linear program may do.
    fn lower(&self, block: &mut Block, is_first: bool, until: Option<Instant>) -> Result<(), ReplayError> {
        let scope = Scope {
            worth: &block.worth,
            times: block.times.clone(),
            written_out: true,
            easier_first: Some(self.kinds),
            ..*self.scope
        };
        let relaxation = Relaxation::new(&scope, None);
        // The threads are for blocks beside each other.
        let settings = Settings { threads: 1, ..self.effort.settings.clone() };
        let effort = &Effort { settings, ..self.effort.clone() };
        let searched = searched(&relaxation, effort, RELATIVE_GAP, until, self.control)?;
        block.is_proved = searched.is_proved;
        // A search that runs out of time early may not even know what the linear program proves.
        let linear = match is_first && !searched.is_proved {
            true => linear(&relaxation, effort, None, self.control)?.0.bound,
            false => None,
        };
        block.bound = [searched.bound, linear].into_iter().flatten().fold(block.bound, usize::min);
        Ok(())
    }

    /// When blocks begin, ascending, and how many the linear program lets stay from the one before: about so many arrive in each, and few stay.
    fn starts(&self, size: usize) -> Vec<(usize, f64)> {
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
            fewest.map_or((members[number], staying[peak_after(number)]), |peak| {
                (peaks[peak - 1] + 1, staying[peak])
            })
        };
        let others = (size..members.len()).step_by(size).map(start).sorted_by_key(|start| start.0);
        // Where no rows are for long, the same peak may be the last one before several.
        std::iter::once((0, 0.0)).chain(others).dedup_by(|one, other| one.0 == other.0).collect()
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

/// Joins neighbours, those first between which most stay; each block with one other at most. What a virtual machine counts for in both adds up, and
/// so do the bounds.
fn join(blocks: Vec<Block>) -> Vec<Block> {
    let by_staying =
        (1..blocks.len()).sorted_by(|&one, &other| blocks[other].staying.total_cmp(&blocks[one].staying));
    let mut joins_before = vec![false; blocks.len() + 1];
    for number in by_staying {
        joins_before[number] = !joins_before[number - 1] && !joins_before[number + 1];
    }
    let mut joined: Vec<Block> = Vec::new();
    for (block, joins) in blocks.into_iter().zip(joins_before) {
        match joined.last_mut().filter(|_| joins) {
            Some(before) => {
                before.times.end = block.times.end;
                before.worth.iter_mut().zip(block.worth).for_each(|(worth, more)| *worth += more);
                before.bound += block.bound;
                before.is_proved = false;
            }
            None => joined.push(block),
        }
    }
    joined
}

/// No policy accepts more of some virtual machines, even if it may move running ones at any time for free: the bound from blocks of
/// time in which `size` of them arrive at first, of which neighbours are joined so often. `None` if all arrive in one block, or the solver knows no prices of linear programs.
///
/// # Errors
/// When the solver fails.
pub fn bound_by_blocks(
    trace: &Trace,
    members: &[bool],
    size: usize,
    joins: usize,
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
    let (scope, relaxation, kinds) = (&scope, &relaxation, &Kinds::of(&trace.cluster));
    Blocks { scope, relaxation, kinds, columns: &columns, prices: &prices, effort, control }
        .bound_of_size(size, joins, None)
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

//! Better schedules by annealing.
//!
//! A virtual machine goes to some place, whether it had one or not; those in its way lose theirs, and go elsewhere if there is room. A change that
//! loses virtual machines is undone, but for a few at random, of which there are ever fewer (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi,
//! *Optimization by Simulated Annealing*, Science 220, 1983).

mod occupancy;
mod round;

use super::schedule::Schedule;
use super::task::Task;
use itertools::Itertools;
use occupancy::Occupancy;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use round::Round;
use std::time::Instant;

/// How schedules found so are told.
const ANNEALED: &str = ", then annealing";
/// One virtual machine less is kept with the chance exp(-1 / temperature).
const HOTTEST: f64 = 0.12;
const COLDEST: f64 = 0.04;
/// How many changes are tried for each virtual machine at first; rounds are twice as long each time.
const FIRST_ROUND: u64 = 10_000;
/// Where there is time for no more than so many rounds like the next one, that one takes all of it.
const LAST_ROUNDS: u32 = 4;
/// How many changes are tried at one temperature.
const STEPS_AT_ONCE: u64 = 1_000;
/// What is used is counted for each GPU, slot and peak. More GPUs times members than this take hundreds of megabytes.
const MOST_CELLS: usize = 5_000_000;

/// A search for better schedules by annealing.
pub struct Annealing<'a> {
    /// What is to be scheduled.
    pub task: &'a Task<'a>,
    /// Among whom schedules are looked for, one set after the other.
    pub among: &'a [Vec<bool>],
}

impl Annealing<'_> {
    /// Improves a schedule until it attains the bound, two rounds in turn do not improve it, or time is up. Large fleets are left alone.
    pub fn run(&self, mut schedule: Schedule, bound: usize) -> Schedule {
        let before = schedule.accepted();
        let mut random = ChaCha8Rng::seed_from_u64(0);
        for members in self.among {
            let members = members.iter().positions(|&member| member).collect_vec();
            if self.task.trace.cluster.gpus.len() * members.len() <= MOST_CELLS {
                self.improve(&mut schedule, &members, bound, &mut random);
            }
        }
        if schedule.accepted() > before && !schedule.found_by.ends_with(ANNEALED) {
            schedule.found_by += ANNEALED;
        }
        schedule
    }

    /// Improves a schedule among some members.
    fn improve(&self, schedule: &mut Schedule, members: &[usize], bound: usize, random: &mut ChaCha8Rng) {
        let Task { trace, timeline, .. } = *self.task;
        let mut steps = FIRST_ROUND * members.len() as u64;
        let mut without_gain = 0;
        while schedule.accepted() < bound && without_gain < 2 && !self.task.is_over() {
            let known = schedule.accepted();
            let began = Instant::now();
            let occupancy = Occupancy::of(&trace.cluster, timeline, members, &schedule.placement);
            let mut round = Round::of(occupancy, random);
            self.cool(&mut round, steps, bound);
            without_gain += 1;
            // Those that are not members lose their places, so that there may be fewer at first.
            if round.most() > known {
                schedule.placement = round.best(timeline.arrivals());
                without_gain = 0;
            }
            steps = steps.saturating_mul(2);
            // One long round finds more than two short ones.
            if self.task.time_left().is_some_and(|left| left < 2 * LAST_ROUNDS * began.elapsed()) {
                steps = u64::MAX;
            }
        }
    }

    /// Tries so many changes, or as many as there is time for, the last ones at the lowest temperature.
    fn cool(&self, round: &mut Round<'_>, steps: u64, bound: usize) {
        let (began, time) = (Instant::now(), self.task.time_left());
        let mut tried = 0;
        while tried < steps && round.most() < bound && !self.task.is_over() {
            let passed = time.map_or(0.0, |time| began.elapsed().as_secs_f64() / time.as_secs_f64());
            let progress = passed.max(tried as f64 / steps as f64);
            let temperature = HOTTEST * (COLDEST / HOTTEST).powf(progress);
            for _ in 0..STEPS_AT_ONCE {
                round.step(temperature);
            }
            tried += STEPS_AT_ONCE;
        }
    }
}

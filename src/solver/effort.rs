//! Which solver works, and how hard: what everything that solves is told.

use super::session::{Settings, Solver};
use super::stages::Options;
use std::time::{Duration, Instant};

/// Stack of a thread in which a solver works, in bytes: as much as the main thread of a process commonly has.
pub const THREAD_STACK: usize = 8 << 20;

/// A solver, its settings, and when it may stop.
#[derive(Clone)]
pub struct Effort {
    /// The solver.
    pub solver: &'static dyn Solver,
    /// Its threads, its seed and its own options.
    pub settings: Settings,
    /// Wall-clock limit.
    pub time_limit: Option<Duration>,
    /// Relative gap at which to stop; 0 asks for the optimum.
    pub relative_gap: f64,
}

impl Effort {
    /// Without limit until the optimum is proved, on one thread.
    pub fn exact(solver: &'static dyn Solver) -> Self {
        Effort { solver, settings: Settings::default(), time_limit: None, relative_gap: 0.0 }
    }

    /// The same with another limit.
    #[must_use]
    pub fn within(self, time_limit: Option<Duration>) -> Self {
        Effort { time_limit, ..self }
    }

    /// What is left of the time limit for work that began at a moment.
    pub fn time_left(&self, began: Instant) -> Option<Duration> {
        self.time_limit.map(|limit| limit.saturating_sub(began.elapsed()))
    }

    /// The options of the solver for work that began at a moment, with a point to start from.
    pub fn options(&self, began: Instant, start: Option<Vec<f64>>) -> Options {
        Options {
            time_limit: self.time_left(began),
            relative_gap: self.relative_gap,
            settings: self.settings.clone(),
            start,
            ..Options::default()
        }
    }
}

//! What bounds and schedules are made of, and in what time.

use super::timeline::Timeline;
use crate::Trace;
use solver::{Control, Effort};
use std::time::{Duration, Instant};

/// A trace in which virtual machines leave, and the means to bound and schedule it.
pub struct Task<'t> {
    /// The trace.
    pub trace: &'t Trace,
    /// Who is there when.
    pub timeline: &'t Timeline,
    /// Among whom a best schedule finds all that it accepts.
    pub needed: &'t [bool],
    /// The solver.
    pub effort: &'t Effort,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// The user's wish to stop.
    pub control: &'t Control,
}

impl Task<'_> {
    /// The same with another deadline.
    #[must_use]
    pub fn until(&self, deadline: Option<Instant>) -> Self {
        Task { deadline, ..*self }
    }

    /// Whether time is up, or the user wishes to stop.
    pub fn is_over(&self) -> bool {
        self.control.is_interrupted() || self.time_left().is_some_and(|left| left.is_zero())
    }

    /// The time until the deadline, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// When a share of the time that is left will be over.
    pub fn share_of_time(&self, share: f64) -> Option<Instant> {
        self.share_of_time_until(self.deadline, share)
    }

    /// When a share of the time until a moment will be over.
    pub fn share_of_time_until(&self, until: Option<Instant>, share: f64) -> Option<Instant> {
        let now = Instant::now();
        now.checked_add(until?.saturating_duration_since(now).mul_f64(share))
    }
}

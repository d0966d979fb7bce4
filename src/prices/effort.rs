//! When a search stops, and what it did.

use milp::{StopReason, Work};
use solver::Control;
use std::ops::Add;
use std::time::Instant;

/// When a search stops.
#[derive(Clone, Copy)]
pub struct Limits<'l> {
    /// At this moment.
    pub deadline: Option<Instant>,
    /// When it is interrupted.
    pub control: &'l Control,
}

impl Limits<'_> {
    /// Why the search stops now, if it does.
    pub fn stop(&self) -> Option<StopReason> {
        if self.control.is_interrupted() {
            return Some(StopReason::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopReason::TimeLimit)
    }
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Vectors of prices at which all parts were asked for their best content.
    pub rounds: usize,
    /// How often parts were asked for their best content, wide searches counting more.
    pub asked: u64,
    /// Contents that were met.
    pub contents: usize,
    /// The most contents that a program at the end chose from.
    pub listed: usize,
    /// Parts of the search that were bounded.
    pub nodes: usize,
    /// What the programs took.
    pub work: Work,
}

impl Add for Counters {
    type Output = Counters;

    /// Accumulates what two searches did; what they listed is that of the longer list.
    fn add(self, other: Counters) -> Counters {
        Counters {
            rounds: self.rounds + other.rounds,
            asked: self.asked + other.asked,
            contents: self.contents + other.contents,
            listed: self.listed.max(other.listed),
            nodes: self.nodes + other.nodes,
            work: self.work + other.work,
        }
    }
}

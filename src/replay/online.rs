//! The heuristics as operators of a replay.

use super::moment::Moment;
use super::operator::{Decision, Operator, ReplayError};
use super::trace::Trace;
use fleet::{Fleet, Guest, Move, Policy, admit};
use siavashi::Online;
use std::num::NonZeroU64;

/// A policy that decides about one virtual machine after the other. At the end of an interval in which it rejected any it
/// defragments, and at the end of every consolidation interval it consolidates after that.
pub struct OnlineOperator<'t> {
    trace: &'t Trace,
    policy: Box<dyn Policy>,
    consolidates_every: NonZeroU64,
    intervals: u64,
}

impl<'t> OnlineOperator<'t> {
    /// The policy at its beginning, on the trace's empty fleet. A consolidation interval is that many intervals long; the first
    /// one begins with the replay.
    pub fn new(trace: &'t Trace, policy: &dyn Online, consolidates_every: NonZeroU64) -> Self {
        let policy = policy.begin(&trace.fleet());
        OnlineOperator { trace, policy, consolidates_every, intervals: 0 }
    }
}

impl<'t> Operator<'t> for OnlineOperator<'t> {
    fn arrive(
        &mut self,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<Decision, ReplayError> {
        for &guest in arrivals {
            admit(self.policy.as_mut(), fleet, guest, self.trace.request(guest), moment.0);
        }
        Ok(Decision::default())
    }

    fn end_interval(&mut self, fleet: &mut Fleet<'t>, rejected: bool) -> Vec<Move> {
        self.intervals += 1;
        let mut moves = if rejected { self.policy.defragment(fleet) } else { Vec::new() };
        if self.intervals.is_multiple_of(self.consolidates_every.get()) {
            moves.extend(self.policy.consolidate(fleet));
        }
        moves
    }
}

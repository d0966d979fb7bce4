//! The heuristics as operators of a replay.

use super::moment::Moment;
use super::operator::{Decision, Operator, ReplayError};
use super::repack::Repack;
use super::trace::Trace;
use fleet::{Fleet, Guest, Move, Policy, admit};
use kit::Chosen;
use siavashi::Online;
use std::num::NonZeroU64;

/// A policy that decides about one virtual machine after the other. At the end of an interval in which it rejected any it
/// defragments, and at the end of every consolidation interval it consolidates after that. Where what runs is laid out anew from time to
/// time, the policy begins anew on what that leaves.
pub struct OnlineOperator<'t> {
    trace: &'t Trace,
    online: Chosen<dyn Online>,
    policy: Box<dyn Policy>,
    consolidates_every: NonZeroU64,
    /// How many intervals pass between two times at which all is laid out anew, and how that is done.
    repacks: Option<(NonZeroU64, Repack)>,
    intervals: u64,
}

impl<'t> OnlineOperator<'t> {
    /// The policy at its beginning, on the trace's empty fleet. A consolidation interval is that many intervals long; the first
    /// one begins with the replay.
    pub fn new(trace: &'t Trace, online: Chosen<dyn Online>, consolidates_every: NonZeroU64) -> Self {
        let policy = online.begin(&trace.fleet());
        OnlineOperator { trace, online, policy, consolidates_every, repacks: None, intervals: 0 }
    }

    /// The same, but after every so many intervals all is laid out anew on the fewest GPUs.
    ///
    /// # Errors
    /// When the fewest GPUs of the trace's fleet cannot be told.
    pub fn repacking(self, every: NonZeroU64) -> Result<Self, String> {
        let repacks = Some((every, Repack::of(self.trace)?));
        Ok(OnlineOperator { repacks, ..self })
    }

    /// The policy at its beginning on what runs, all of which has arrived before.
    fn begin_anew(&mut self, fleet: &Fleet<'t>) {
        self.policy = self.online.begin(fleet);
        let mut running: Vec<Guest> =
            fleet.gpu_indices().flat_map(|gpu| fleet.guests(gpu)).copied().collect();
        running.sort_unstable();
        for guest in running {
            let arrival = self.trace.visits[guest.0 as usize].arrival;
            self.policy.observe(self.trace.request(guest), arrival.0);
        }
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
        if let Some((every, repack)) = &self.repacks
            && self.intervals.is_multiple_of(every.get())
        {
            moves.extend(repack.carry_out(fleet));
            self.begin_anew(fleet);
        }
        moves
    }
}

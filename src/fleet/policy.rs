//! What the policies have in common: they place one request after the other, without knowing the next.

use super::state::{Fleet, Guest, Move, Request};
use cluster::Location;

/// A policy at work on a fleet.
///
/// Those of Siavashi & Momtazpour begin instances where NVIDIA's driver puts them by default (Algorithm 1); others choose the start. GPUs
/// are compared in global order, and only one that is strictly better replaces an earlier one, as in Algorithm 6. The capacities of hosts
/// are always respected. A GPU whose board does not serve the request is passed over, so that a fleet may have boards of several types.
pub trait Policy {
    /// Takes note of a request that arrives, or arrived before the policy began. `time` is in any unit and never
    /// decreases from request to request.
    fn observe(&mut self, _request: Request<'_>, _time: u64) {}

    /// The place for a request that was just observed; `None` rejects it.
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location>;

    /// Makes room on a GPU after an interval in which requests were rejected, and says who moved.
    fn defragment(&mut self, _fleet: &mut Fleet<'_>) -> Vec<Move> {
        Vec::new()
    }

    /// Empties GPUs, at every consolidation interval, and says who moved.
    fn consolidate(&mut self, _fleet: &mut Fleet<'_>) -> Vec<Move> {
        Vec::new()
    }
}

/// Lets a request arrive at a policy and gives it the place that the policy chooses; `None` if it was rejected.
pub fn admit<'r>(
    policy: &mut dyn Policy,
    fleet: &mut Fleet<'r>,
    guest: Guest,
    request: Request<'r>,
    time: u64,
) -> Option<Location> {
    policy.observe(request, time);
    let location = policy.choose(fleet, request)?;
    fleet.place(guest, request, location);
    Some(location)
}

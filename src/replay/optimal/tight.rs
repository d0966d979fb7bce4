//! Places for those that arrive that need the least additional hardware while none moves.

use super::super::trace::Trace;
use cluster::{GpuIndex, HostIndex, Location};
use fleet::{Fleet, Guest};
use mig::GpuInstance;
use std::cmp::Reverse;

/// The arrivals that find a place one after the other, with their places; the fleet is left as it was.
///
/// A GPU in use comes before another GPU of a host in use, and that before an idle host; then the GPU counts that is left with
/// the greatest capability, and the first in global order.
pub fn place<'t>(trace: &'t Trace, fleet: &mut Fleet<'t>, arrivals: &[Guest]) -> Vec<(Guest, Location)> {
    let mut guests_of_host = vec![0_usize; trace.cluster.hosts.len()];
    let host_of = |gpu: GpuIndex| trace.cluster.gpus[gpu.index()].host;
    for gpu in fleet.gpu_indices() {
        if let Some(HostIndex(host)) = host_of(gpu) {
            guests_of_host[host as usize] += fleet.guests(gpu).len();
        }
    }
    let mut placed = Vec::new();
    for &guest in arrivals {
        let request = trace.request(guest);
        let rank = |location: &Location| {
            let Location { gpu, start } = *location;
            let gpu_in_use = !fleet.guests(gpu).is_empty();
            let host_in_use = host_of(gpu).is_some_and(|host| guests_of_host[host.index()] > 0);
            let placements = fleet.board_of(gpu);
            let taken = fleet
                .profile_on(gpu, request)
                .map(|profile| placements.board().footprint(GpuInstance { profile, start }));
            let capability = placements.capability(fleet.occupied(gpu).union(taken.unwrap_or_default()));
            (!gpu_in_use, !gpu_in_use && !host_in_use, Reverse(capability))
        };
        let places = fleet.gpu_indices().filter_map(|gpu| fleet.fit(gpu, request));
        let Some(location) = places.min_by_key(rank) else { continue };
        fleet.place(guest, request, location);
        if let Some(host) = host_of(location.gpu) {
            guests_of_host[host.index()] += 1;
        }
        placed.push((guest, location));
    }
    for (guest, _) in &placed {
        fleet.remove(*guest);
    }
    placed
}

//! Walks over a fleet: node by node, and over the GPUs of a node.

use cluster::{GpuIndex, Location};
use fleet::{Fleet, Placements, Request};
use mig::{GpuInstance, ProfileIndex, SliceStart, SlotMask};

/// The place on the node of least key among those that have one; of equal nodes, on the first.
pub fn on_best_node<K: Ord>(
    fleet: &Fleet<'_>,
    key: impl Fn(&[GpuIndex]) -> K,
    place: impl Fn(&[GpuIndex]) -> Option<Location>,
) -> Option<Location> {
    let mut best: Option<(K, Location)> = None;
    for gpus in fleet.nodes() {
        let key = key(gpus);
        if best.as_ref().is_none_or(|(least, _)| key < *least) {
            best = place(gpus).map(|place| (key, place)).or(best);
        }
    }
    best.map(|(_, place)| place)
}

/// The place on the first of some GPUs that can take a request, at the start that a rule chooses.
pub fn on_first_gpu(
    fleet: &Fleet<'_>,
    gpus: &[GpuIndex],
    request: Request<'_>,
    start: impl Fn(GpuIndex, ProfileIndex) -> Option<SliceStart>,
) -> Option<Location> {
    gpus.iter().find_map(|&gpu| on_gpu(fleet, gpu, request, &start).map(|(place, _)| place))
}

/// The place on the GPU of least key among those that can take a request, at the start that a rule chooses; of equal GPUs, on the first.
pub fn on_best_gpu<K: Ord>(
    fleet: &Fleet<'_>,
    gpus: &[GpuIndex],
    request: Request<'_>,
    start: impl Fn(GpuIndex, ProfileIndex) -> Option<SliceStart>,
    key: impl Fn(GpuIndex, GpuInstance) -> K,
) -> Option<Location> {
    let places = gpus.iter().filter_map(|&gpu| on_gpu(fleet, gpu, request, &start));
    places.min_by_key(|&(place, instance)| key(place.gpu, instance)).map(|(place, _)| place)
}

/// The start that a rule chooses by the slots of a GPU that are occupied.
pub fn by_slots<'f>(
    fleet: &'f Fleet<'_>,
    rule: impl Fn(&Placements, SlotMask, ProfileIndex) -> Option<SliceStart> + 'f,
) -> impl Fn(GpuIndex, ProfileIndex) -> Option<SliceStart> + 'f {
    move |gpu, profile| rule(fleet.board_of(gpu), fleet.occupied(gpu), profile)
}

fn on_gpu(
    fleet: &Fleet<'_>,
    gpu: GpuIndex,
    request: Request<'_>,
    start: impl Fn(GpuIndex, ProfileIndex) -> Option<SliceStart>,
) -> Option<(Location, GpuInstance)> {
    let profile = fleet.profile_on(gpu, request)?;
    let start = start(gpu, profile)?;
    let place = Location { gpu, start };
    fleet.can_take(request, place).then_some((place, GpuInstance { profile, start }))
}

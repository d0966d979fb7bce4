//! Algorithm 5: of two half-full GPUs of the light basket one is emptied.

use cluster::GpuIndex;
use fleet::{Fleet, Guest, Move};

/// Algorithm 5: moves the only guest of a half-full GPU to another such GPU, where there is one that can take it. The
/// emptied GPUs are those from which guests move.
///
/// - *Half full with a single 3g.20gb or 4g.20gb* are, on every board, the GPUs with one guest that takes half of the slots.
/// - The target is the first such GPU, in global order, on which a start is free for the guest by default (two 4g.20gb begin
///   at the same slot and cannot share a GPU) and whose host has room for it, given that its own host lets it go.
///   Algorithm 5 takes any.
/// - Algorithm 5 leaves the target among the GPUs to choose from. Here a GPU that was filled or emptied is no longer half
///   full, and so neither a source nor a target.
/// - A guest that may not be moved stays, but may get company.
pub fn consolidate(fleet: &mut Fleet<'_>, light_basket: impl Iterator<Item = GpuIndex>) -> Vec<Move> {
    let gpus: Vec<GpuIndex> = light_basket.filter(|&gpu| is_half_full(fleet, gpu)).collect();
    let mut moves = Vec::new();
    for &source in &gpus {
        if is_half_full(fleet, source) && fleet.is_movable(source) {
            moves.extend(move_to_any(fleet, fleet.guests(source)[0], &gpus));
        }
    }
    moves
}

/// Moves a guest to the first of the GPUs that is half full and can take it.
fn move_to_any(fleet: &mut Fleet<'_>, guest: Guest, gpus: &[GpuIndex]) -> Option<Move> {
    let from = fleet.location(guest).expect("it is on a GPU");
    // The guest's own GPU is then empty, and so none of the targets.
    let request = fleet.remove(guest);
    let target =
        gpus.iter().filter(|&&gpu| is_half_full(fleet, gpu)).find_map(|&gpu| fleet.fit(gpu, request));
    let to = target.unwrap_or(from);
    fleet.place(guest, request, to);
    (to != from).then_some(Move { guest, from, to })
}

fn is_half_full(fleet: &Fleet<'_>, gpu: GpuIndex) -> bool {
    let slots = fleet.board_of(gpu).board().slots();
    fleet.guests(gpu).len() == 1 && 2 * fleet.occupied(gpu).count() == slots
}

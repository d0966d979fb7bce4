//! What a picture amounts to, in words and counts.

use ground::counted;
use std::collections::BTreeMap;

use super::picture::{Picture, PieceChange, Waiting};

/// The counts that matter, each as a phrase: GPUs, changes, waste, pending workloads.
pub(super) fn phrases(picture: &Picture) -> Vec<String> {
    let in_use = picture.gpus.iter().filter(|gpu| !gpu.shown().is_empty()).count();
    let mut phrases = vec![counted(picture.gpus.len(), "GPU"), format!("{in_use} in use")];
    let freed = picture.gpus.iter().filter(|gpu| gpu.is_freed()).count();
    let repartitioned = picture.gpus.iter().filter(|gpu| gpu.repartitioned).count();
    let shown = || picture.gpus.iter().flat_map(|gpu| gpu.shown());
    let number = |change| shown().filter(|piece| piece.change == change).count();
    let wasted: usize = shown().map(|piece| piece.wasted.min(piece.size) as usize).sum();
    let occasional = [
        (freed, "freed"),
        (repartitioned, "repartitioned"),
        (number(PieceChange::Migrates), "moved"),
        (number(PieceChange::Shifts), "shifted"),
        (number(PieceChange::Starts), "started"),
        (evicted(picture), "evicted"),
        (stopped(picture), "stopped"),
        (picture.pending.len(), "pending"),
    ];
    phrases.extend(
        occasional.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")),
    );
    if wasted > 0 {
        phrases.push(format!("{} wasted", counted(wasted, "slice")));
    }
    phrases
}

/// How many workloads have a place before the change and none after it.
fn evicted(picture: &Picture) -> usize {
    if !picture.is_change() {
        return 0;
    }
    let leaving = picture.gpus.iter().flat_map(|gpu| &gpu.before);
    let leaving = leaving.filter(|piece| piece.change == PieceChange::Leaves && !piece.stops()).count();
    leaving - picture.migrations().len().min(leaving)
}

/// How many workloads the change stops.
fn stopped(picture: &Picture) -> usize {
    picture.gpus.iter().flat_map(|gpu| &gpu.before).filter(|piece| piece.stops()).count()
}

/// The names of what is pending by profile or type.
pub(super) fn pending<'p>(waiting: &'p [Waiting<'p>]) -> BTreeMap<&'p str, Vec<&'p str>> {
    let mut pending: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for waiting in waiting {
        pending.entry(waiting.profile.as_ref()).or_default().push(waiting.workload.as_ref());
    }
    pending
}

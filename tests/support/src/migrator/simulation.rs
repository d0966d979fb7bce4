//! Goodput of what happens in a window, by overlaps of intervals of time.

use super::Counts;
use super::case::{Case, TestModel};
use migrator::{Deployment, Reconfiguration};

/// Divisible by every number of instances on a GPU.
const PARTS: i64 = 420;

/// Units of goodput in a request: thousandths of accuracy, of requests per second and of seconds, and 420 parts of the latter.
pub const UNITS: i64 = 1_000_000_000 * PARTS;

/// A retraining: slots from..until, and the position of the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub size: usize,
    pub from: usize,
    pub until: usize,
}

/// What happens in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// By model.
    pub retraining: Vec<Run>,
    /// By model and slot.
    pub inference: Vec<Vec<Counts>>,
}

/// The goodput of a window, in [`UNITS`] to a request.
pub fn goodput(case: &Case, proposal: &Proposal) -> i64 {
    let models = case.models.iter().zip(&proposal.inference).zip(&proposal.retraining);
    models.map(|((model, inference), run)| of_model(case, model, inference, run.until)).sum()
}

fn of_model(case: &Case, model: &TestModel, inference: &[Counts], until: usize) -> i64 {
    let mut goodput = 0;
    let mut before = model.first.as_ref();
    // When the latest reconfiguration began.
    let mut since: Option<usize> = None;
    for (slot, counts) in inference.iter().enumerate() {
        if before.is_some_and(|before| case.signature(before) != case.signature(counts)) {
            since = Some(slot);
        }
        let lost = since.map_or(0, |since| lost(case, model, counts, slot - since));
        goodput +=
            served(case, model, slot, counts, lost) * if slot >= until { model.after } else { model.before };
        before = Some(counts);
    }
    goodput
}

/// What is lost in a slot that begins so many slots after the latest reconfiguration, in 420ths of a millisecond.
pub fn lost(case: &Case, model: &TestModel, counts: &Counts, slots_later: usize) -> i64 {
    let psi = model.reconfiguration * PARTS;
    let (begin, end) =
        (slots_later as i64 * case.basis * PARTS, (slots_later as i64 + 1) * case.basis * PARTS);
    // The part of the outage 0..psi that lies within the slot.
    let overlap = |outage: i64| (outage.min(end) - begin).max(0);
    match case.readings.reconfiguration {
        Reconfiguration::Carry => overlap(psi),
        _ if slots_later > 0 => 0,
        Reconfiguration::Clip => overlap(psi),
        Reconfiguration::Frac => overlap(psi / counts.iter().map(|&count| i64::from(count)).sum::<i64>()),
        Reconfiguration::Charge => psi,
    }
}

/// Requests served in a slot, in thousandths of [`UNITS`].
pub fn served(case: &Case, model: &TestModel, slot: usize, counts: &Counts, lost: i64) -> i64 {
    let is_large_enough = |size| size >= model.minimum || case.readings.deployment == Deployment::Gpcs;
    let sizes = (0..counts.len()).filter(|&size| is_large_enough(size));
    let capability: i64 = sizes.map(|size| model.capability[size] * i64::from(counts[size])).sum();
    (capability * (case.basis * PARTS - lost)).min(model.requests[slot] * 1000 * PARTS)
}

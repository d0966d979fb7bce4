//! Where a part of the search is divided.

use super::domain::Domain;
use super::index::{Slot, Start};
use super::joint::Joint;
use super::list::List;
use super::paths::Path;
use crate::instance::ModelIndex;

/// The starts of the best paths under the prices of a part, one after another.
pub struct Met(List<ModelIndex, Vec<Start>>);

impl Met {
    /// None yet.
    pub fn new(joint: &Joint<'_>) -> Self {
        Met(List::filled(joint.tasks.len(), Vec::new()))
    }

    /// Takes note of paths.
    pub fn note(&mut self, paths: &List<ModelIndex, Path>) {
        for (met, path) in self.0.iter_mut().zip(paths.iter()) {
            met.push(path.start);
        }
    }

    /// The later half of what was met and is still open.
    fn of(&self, domain: &Domain, model: ModelIndex) -> Vec<Start> {
        let met = &self.0[model];
        let late = met[met.len() / 2..].iter().copied();
        late.filter(|start| domain.starts(model).contains(start)).collect()
    }
}

/// The two halves of the open starts of one model, by their first slot or by their end. The best paths of all prices come to terms with
/// a model that is split between far starts; so the model whose starts lie farthest from their mean is divided at the mean.
pub fn split(joint: &Joint<'_>, domain: &Domain, met: &Met) -> (ModelIndex, [Vec<Start>; 2]) {
    let mut best: Option<(f64, ModelIndex, [Vec<Start>; 2])> = None;
    for model in joint.models() {
        let task = &joint.tasks[model];
        let (open, late) = (domain.starts(model), met.of(domain, model));
        let late = if late.is_empty() { open } else { &late };
        let first = |start: Start| start.from;
        let end = |start: Start| task.run_of(start).end;
        for slot_of in [&first as &dyn Fn(Start) -> Slot, &end] {
            let place = |start: &Start| f64::from(slot_of(*start).0);
            let mean = late.iter().map(place).sum::<f64>() / late.len() as f64;
            let spread =
                late.iter().map(|start| (place(start) - mean).abs()).sum::<f64>() / late.len() as f64;
            let (below, above): (Vec<Start>, Vec<Start>) =
                open.iter().partition(|start| place(start) <= mean);
            if !below.is_empty() && !above.is_empty() && best.as_ref().is_none_or(|best| spread > best.0) {
                best = Some((spread, model, [below, above]));
            }
        }
    }
    let Some((_, model, halves)) = best else { return in_the_middle(joint, domain) };
    (model, halves)
}

/// The halves of the model with most open starts, in their order.
fn in_the_middle(joint: &Joint<'_>, domain: &Domain) -> (ModelIndex, [Vec<Start>; 2]) {
    let most = joint.models().max_by_key(|&model| domain.starts(model).len()).expect("there is a model");
    let (below, above) = domain.starts(most).split_at(domain.starts(most).len() / 2);
    (most, [below.to_vec(), above.to_vec()])
}

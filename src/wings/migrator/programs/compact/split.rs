//! Where a part of the search is divided.

use super::domain::Domain;
use super::index::Start;
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

/// By which number of a retraining a part is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Its first slot.
    Start,
    /// The slot before which it is complete.
    End,
    /// Its size, by its position among those of the GPU.
    Size,
}

/// A division of a part: the number of one model's retraining is at most this, or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The model.
    pub model: ModelIndex,
    /// The number.
    pub measure: Measure,
    /// Its greatest value in the first half.
    pub at: u32,
}

impl Measure {
    fn of(self, joint: &Joint<'_>, model: ModelIndex, start: Start) -> u32 {
        let task = &joint.tasks[model];
        match self {
            Measure::Start => start.from.0,
            Measure::End => task.run_of(start).end.0,
            Measure::Size => task.retrainings[start.retraining].size.0,
        }
    }
}

impl Cut {
    /// The open starts of the model in both halves.
    pub fn halves(&self, joint: &Joint<'_>, domain: &Domain) -> [Vec<Start>; 2] {
        let is_below = |start: &Start| self.measure.of(joint, self.model, *start) <= self.at;
        let (below, above) = domain.starts(self.model).iter().partition(|start| is_below(start));
        [below, above]
    }
}

/// Where the open starts of one model are divided. The best paths of all prices come to terms with a model that is split between far
/// starts; so the model whose starts lie farthest from their mean is divided at the mean.
pub fn split(joint: &Joint<'_>, domain: &Domain, met: &Met) -> Cut {
    let mut best: Option<(f64, Cut)> = None;
    for model in joint.models() {
        let (open, late) = (domain.starts(model), met.of(domain, model));
        let late = if late.is_empty() { open } else { &late };
        for measure in [Measure::Start, Measure::End] {
            let place = |start: &Start| f64::from(measure.of(joint, model, *start));
            let mean = late.iter().map(place).sum::<f64>() / late.len() as f64;
            let spread =
                late.iter().map(|start| (place(start) - mean).abs()).sum::<f64>() / late.len() as f64;
            let cut = Cut { model, measure, at: mean as u32 };
            let divides = cut.halves(joint, domain).iter().all(|half| !half.is_empty());
            if divides && best.as_ref().is_none_or(|best| spread > best.0) {
                best = Some((spread, cut));
            }
        }
    }
    best.map_or_else(|| in_the_middle(joint, domain), |(_, cut)| cut)
}

/// The middle of the starts of the model with most of them.
fn in_the_middle(joint: &Joint<'_>, domain: &Domain) -> Cut {
    let model = joint.models().max_by_key(|&model| domain.starts(model).len()).expect("there is a model");
    let cut = |measure: Measure| {
        let mut values: Vec<u32> =
            domain.starts(model).iter().map(|&start| measure.of(joint, model, start)).collect();
        values.sort_unstable();
        values.dedup();
        let below = values.len().checked_sub(2)?;
        Some(Cut { model, measure, at: values[below / 2] })
    };
    let mut cuts = [Measure::Start, Measure::End, Measure::Size].into_iter().filter_map(cut);
    cuts.next().expect("different starts differ in their first slot or their size")
}

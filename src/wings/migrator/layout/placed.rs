//! The layout of a plan, its changes, and what they come to.

use super::ahead::prepared_seconds;
use super::contents::{Contents, segments};
use super::lifetime::Lifetime;
use super::path::best_path;
use super::reconfigured::{is_reconfigured, is_reconfigured_at_first};
use crate::instance::{ModelIndex, Problem};
use crate::rules::Plan;
use ground::Amount;
use kit::{ChangedInstance, LayoutChange, PlannedInstance, ReconfiguredTask, TaskKind};
use std::collections::{BTreeMap, BTreeSet};

/// A plan on the memory slots of the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Every instance, in the order of `from`.
    pub lifetimes: Vec<Lifetime>,
}

/// What changes of the layout come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayoutSummary {
    /// Instances destroyed before the end of the window.
    pub destroyed: u64,
    /// Times that the instance of a running retraining has to move, which the model does not see.
    pub moved_retrainings: u64,
    /// Seconds of all reconfigurations.
    pub reconfiguration_seconds: Amount,
    /// Seconds of them that pass ahead.
    pub hidden_seconds: Amount,
}

/// Lays a plan out. The layout is empty where the contents of a slot do not fit the GPU, which the verifier reports, and where
/// they could lie in more than 10,000 ways, which takes a board with more memory slots than those of the catalogue.
pub fn lay_out(problem: &Problem, plan: &Plan) -> Layout {
    let segments = segments(problem, plan);
    let path = best_path(problem, &segments).unwrap_or_default();
    let mut lifetimes: Vec<Lifetime> = Vec::new();
    let mut standing = BTreeMap::new();
    for (segment, layout) in segments.iter().zip(&path) {
        let mut kept = BTreeMap::new();
        for held in layout {
            let position = standing.remove(held).unwrap_or(lifetimes.len());
            match lifetimes.get_mut(position) {
                Some(lifetime) => lifetime.until = segment.until,
                None => lifetimes.push(Lifetime {
                    model: held.owner.model,
                    task: held.owner.task,
                    instance: held.instance,
                    from: segment.from,
                    until: segment.until,
                }),
            }
            kept.insert(*held, position);
        }
        standing = kept;
    }
    Layout { lifetimes }
}

impl Layout {
    /// The instances as documents have them.
    pub fn instances(&self, problem: &Problem) -> Vec<PlannedInstance> {
        let document = |(lifetime, prepared_seconds): (&Lifetime, Amount)| {
            let ChangedInstance { model, task, instance, start } = changed(problem, lifetime);
            let size = problem.gpu.board.profile(lifetime.instance.profile).size;
            let Lifetime { from, until, .. } = *lifetime;
            PlannedInstance { model, task, instance, start, size, from, until, prepared_seconds }
        };
        self.lifetimes.iter().zip(prepared_seconds(problem, &self.lifetimes)).map(document).collect()
    }

    /// The changes as documents have them; at slot 0 whatever lies there first is created.
    pub fn changes(&self, problem: &Problem) -> Vec<LayoutChange> {
        let prepared = prepared_seconds(problem, &self.lifetimes);
        let mut ending: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut beginning: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, lifetime) in self.lifetimes.iter().enumerate() {
            beginning.entry(lifetime.from).or_default().push(index);
            if lifetime.until < problem.slots {
                ending.entry(lifetime.until).or_default().push(index);
            }
        }
        let slots: BTreeSet<u32> = beginning.keys().chain(ending.keys()).copied().collect();
        let mut contents = Contents::new();
        let mut changes = Vec::new();
        for slot in slots {
            let destroyed = ending.remove(&slot).unwrap_or_default();
            let created = beginning.remove(&slot).unwrap_or_default();
            let before = contents.clone();
            for &index in &destroyed {
                let lifetime = &self.lifetimes[index];
                let key = (lifetime.instance.profile, lifetime.owner());
                contents.entry(key).and_modify(|count| *count -= 1);
            }
            for &index in &created {
                let lifetime = &self.lifetimes[index];
                *contents.entry((lifetime.instance.profile, lifetime.owner())).or_default() += 1;
            }
            contents.retain(|_, count| *count > 0);
            let reconfigured = |&model: &ModelIndex| match slot {
                0 => is_reconfigured_at_first(problem, model, &contents),
                _ => is_reconfigured(problem, model, &before, &contents),
            };
            let task = |model: ModelIndex| {
                let seconds = problem.model(model).reconfiguration;
                let own = created.iter().filter(|&&index| {
                    let lifetime = &self.lifetimes[index];
                    lifetime.model == model && lifetime.task == TaskKind::Inference
                });
                let hidden_seconds = own.map(|&index| prepared[index]).min().unwrap_or(seconds);
                ReconfiguredTask { model: problem.model(model).name.clone(), seconds, hidden_seconds }
            };
            let reconfigured = problem.model_indices().filter(reconfigured).map(task).collect();
            let document = |indices: Vec<usize>| {
                let mut all: Vec<ChangedInstance> =
                    indices.into_iter().map(|index| changed(problem, &self.lifetimes[index])).collect();
                all.sort_by_key(|instance| instance.start);
                all
            };
            changes.push(LayoutChange {
                slot,
                destroyed: document(destroyed),
                created: document(created),
                reconfigured,
            });
        }
        changes
    }

    /// What the changes come to.
    pub fn summary(&self, problem: &Problem) -> LayoutSummary {
        let changes = self.changes(problem);
        let reconfigured = || changes.iter().flat_map(|change| &change.reconfigured);
        let of_retrainings = self.lifetimes.iter().filter(|lifetime| lifetime.task == TaskKind::Retraining);
        let retrained: BTreeSet<ModelIndex> = of_retrainings.clone().map(|lifetime| lifetime.model).collect();
        LayoutSummary {
            destroyed: changes.iter().map(|change| change.destroyed.len() as u64).sum(),
            moved_retrainings: (of_retrainings.count() - retrained.len()) as u64,
            reconfiguration_seconds: reconfigured().map(|task| task.seconds).sum(),
            hidden_seconds: reconfigured().map(|task| task.hidden_seconds).sum(),
        }
    }
}

fn changed(problem: &Problem, lifetime: &Lifetime) -> ChangedInstance {
    let profile = lifetime.instance.profile;
    let size = problem.gpu.sizes.iter().find(|size| size.profile == profile);
    ChangedInstance {
        model: problem.model(lifetime.model).name.clone(),
        task: lifetime.task,
        instance: size.map(|size| size.name.clone()).unwrap_or_default(),
        start: u32::from(lifetime.instance.start.0),
    }
}

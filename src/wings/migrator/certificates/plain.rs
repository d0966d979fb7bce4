//! The question in the plain terms of the checker.

use crate::instance::{ModelTasks, Problem};
use crate::section;
use certificate::migrator::{Deployment, Model, Question, Reconfiguration, Signature, Size};

/// The question that a problem asks.
pub fn plain(problem: &Problem) -> Question<'_> {
    let sizes = problem.gpu.sizes.iter();
    let sizes = sizes.map(|size| Size { name: &size.name, gpcs: size.gpcs, profile: size.profile });
    Question {
        board: &problem.gpu.board,
        sizes: sizes.collect(),
        slots: problem.slots as usize,
        basis: problem.basis,
        reading: problem.readings.to_string(),
        reconfiguration: match problem.readings.reconfiguration {
            section::Reconfiguration::Clip => Reconfiguration::Clip,
            section::Reconfiguration::Carry => Reconfiguration::Carry,
            section::Reconfiguration::Frac => Reconfiguration::Frac,
            section::Reconfiguration::Charge => Reconfiguration::Charge,
        },
        deployment: match problem.readings.deployment {
            section::Deployment::Instance => Deployment::Instance,
            section::Deployment::Gpcs => Deployment::Gpcs,
        },
        signature: match problem.readings.signature {
            section::Signature::Count => Signature::Count,
            section::Signature::Multiset => Signature::Multiset,
        },
        models: problem.models.iter().map(model).collect(),
    }
}

fn model(tasks: &ModelTasks) -> Model<'_> {
    Model {
        name: &tasks.name,
        minimum: tasks.minimum.index(),
        capability: &tasks.capability,
        requests: &tasks.requests,
        before: tasks.before,
        after: tasks.after,
        retraining: &tasks.retraining,
        reconfiguration: tasks.reconfiguration,
        first: tasks.first.as_ref().map(|first| first.counts()),
    }
}

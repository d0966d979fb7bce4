//! What has to be done to workloads, in words.

use crate::course::Course;
use crate::shell::comment;
use cluster::Spot;
use plan::{Kind, MoveEntry};

/// What people or their tools do to a workload in a round.
pub fn words(course: &Course<'_>, step: &MoveEntry) -> String {
    let who = who(course, &step.workload);
    let spot = |spot: &Option<Spot>| {
        let Some(Spot { gpu, start }) = spot else { return String::new() };
        format!("{gpu} slot {start}")
    };
    let (from, to) = (spot(&step.from), spot(&step.to));
    comment(&match step.kind {
        Kind::Surge => {
            format!(
                "{who}: start a second copy at {to}, wait until it is ready, switch to it, stop the one at {from}"
            )
        }
        Kind::Restart => format!("{who}: stop it at {from}, start it at {to}"),
        Kind::Stop => format!("{who}: stop it at {from}"),
        Kind::Start => format!("{who}: start it at {to}"),
    })
}

/// A workload and by what it is managed.
fn who(course: &Course<'_>, workload: &str) -> String {
    let Some(known) = course.lock.workloads.get(workload) else { return workload.to_owned() };
    match (&known.pod, &known.namespace, known.job) {
        (Some(pod), Some(namespace), _) => format!("{workload} (pod {pod} in namespace {namespace})"),
        (_, _, Some(job)) => format!("{workload} (job {job} of Slurm)"),
        _ => workload.to_owned(),
    }
}

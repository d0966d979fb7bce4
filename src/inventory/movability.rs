//! Whether a workload can be moved, and how.

use crate::gather::{ClusterFacts, Gathered, KnownPod, User};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a workload can be moved. A process on an instance never moves with its memory: a second copy is started, or it starts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Movability {
    /// A second copy is started, then the first is stopped.
    Surge,
    /// It is stopped, then started elsewhere.
    Restart,
    /// It stays.
    Never,
}

/// What a user allows, and why.
pub(crate) fn of_user(user: &User, gathered: &Gathered) -> (Movability, String) {
    let cluster = &gathered.cluster;
    match user {
        User::Pod { namespace, name } => match cluster.pod_named(namespace, name) {
            Some(known) => of_pod(known, cluster),
            None => (Movability::Never, "its pod is in no file, so its controller is not known".to_owned()),
        },
        User::PodUid(_) => {
            (Movability::Never, "its pod is in no file, so its controller is not known".to_owned())
        }
        User::Job { id, .. } => match cluster.jobs.get(id) {
            Some(known) if known.job.requeue => {
                (Movability::Restart, "Slurm requeues the job (Requeue=1)".to_owned())
            }
            Some(_) => (Movability::Never, "Slurm does not requeue the job (Requeue=0)".to_owned()),
            None => (Movability::Never, "its job is in no file".to_owned()),
        },
        User::Process { .. } => (Movability::Never, "a process that nothing starts again".to_owned()),
    }
}

fn of_pod(known: &KnownPod, cluster: &ClusterFacts) -> (Movability, String) {
    let pod = &known.pod;
    if let Some(annotation) = &pod.forbids_eviction {
        return (Movability::Never, format!("annotation {annotation}"));
    }
    let Some(controller) = &pod.controller else {
        return (Movability::Never, "a bare pod: no controller starts it anew".to_owned());
    };
    let kind = controller.kind.as_str();
    match kind {
        "DaemonSet" => return (Movability::Never, "a DaemonSet's pod belongs to its node".to_owned()),
        "Node" => return (Movability::Never, "a static pod belongs to its node".to_owned()),
        "ReplicaSet" => return (Movability::Surge, "a ReplicaSet can run a second copy".to_owned()),
        _ => {}
    }
    let budget = cluster.budgets.iter().find(|budget| {
        budget.allowed == Some(0) && budget.namespace == pod.namespace && budget.selector.selects(&pod.labels)
    });
    match budget {
        Some(budget) => (
            Movability::Never,
            format!("disruption budget {} allows none, and a {kind} runs no second copy", budget.full_name()),
        ),
        None => (Movability::Restart, format!("a {kind} stops a pod before it starts another")),
    }
}

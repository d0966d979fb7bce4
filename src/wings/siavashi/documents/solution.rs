//! Placements as files.

use crate::instance::Problem;
use crate::rules::Score;
use cluster::Placement;
use kit::{InstanceReference, SolutionDocument};

/// Writes a placement down, with what it is worth.
pub fn document(
    model: &str,
    problem: &Problem,
    fingerprint: &str,
    placement: &Placement,
    score: &Score,
) -> SolutionDocument {
    let cluster = &problem.cluster;
    let pending = cluster.workload_indices().filter(|&workload| placement.of(workload).is_none());
    let instance = InstanceReference::new(&cluster.name, fingerprint);
    let is_pinned = |workload| problem.is_pinned(workload);
    SolutionDocument {
        score: Some(kit::Score::of(score)),
        ..SolutionDocument::new(model, instance, cluster, placement, pending, is_pinned)
    }
}

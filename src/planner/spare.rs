//! How many empty GPUs have to be lent for a plan that stops no workload.

use crate::options::Options;
use crate::search::{Answer, plan};
use cluster::Placement;
use plan::{SpareGpu, Transition, with_spares};
use solver::Control;
use std::sync::Arc;
use std::time::Instant;

/// An answer, and the empty GPUs that it needs.
pub struct WithSpares {
    /// The answer.
    pub answer: Answer,
    /// The GPUs that are lent.
    pub spares: Vec<SpareGpu>,
    /// Whether fewer are proved not to suffice, or only none was found with fewer.
    pub is_least: bool,
}

/// A plan with as few lent GPUs of a board as are needed to stop no workload that need not restart. As many as GPUs change always suffice.
///
/// # Errors
/// As for [`plan()`], and when no GPU of the cluster is of that board.
pub fn plan_with_spares(
    transition: &Transition,
    board: &str,
    options: &Options,
    control: &Control,
) -> Result<WithSpares, String> {
    let began = Instant::now();
    let mut spares: Vec<SpareGpu> = Vec::new();
    let mut is_least = true;
    loop {
        let lent = spares.iter().map(|spare| (spare.name.as_str(), spare.board.as_str()));
        let cluster = with_spares(&transition.cluster, lent)?;
        let target = Placement::new(
            cluster.workload_indices().map(|workload| transition.target.of(workload)).collect(),
        );
        let wider = Transition::new(Arc::new(cluster), target, transition.limits, transition.backend)?;
        let mut answer = plan(&wider, &options.since(began), control)?;
        let (stops, least) = match &answer {
            Answer::Found(found) => {
                let counts = found.judgement.counts;
                let bound = found.file.bounds.as_ref().and_then(|bounds| bounds.stops.as_ref());
                (
                    counts.stops > counts.restarts + waiting(found),
                    bound.is_some_and(|bound| bound.value == counts.stops),
                )
            }
            Answer::Impossible(_) | Answer::Stopped(_) => (true, false),
        };
        let is_enough = spares.len() >= transition.cluster.gpus.len();
        if !stops
            || is_enough
            || control.is_interrupted()
            || options.effort.time_left(began).is_some_and(|left| left.is_zero())
        {
            if let Answer::Found(found) = &mut answer {
                found.file.spares.clone_from(&spares);
            }
            return Ok(WithSpares { answer, spares, is_least });
        }
        is_least &= least;
        spares.push(SpareGpu { name: format!("spare-{}", spares.len()), board: board.to_owned() });
    }
}

/// Stops of workloads that restart anyway, and wait a while.
fn waiting(found: &crate::search::Found) -> u64 {
    let restarts = |step: &&plan::Move| {
        let about = &found.transition.cluster.workloads[step.workload.index()];
        step.kind == plan::Kind::Stop && about.handover == cluster::Handover::Restart
    };
    found.plan.rounds.iter().flatten().filter(restarts).count() as u64
}

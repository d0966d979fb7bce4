//! What the numbers of a certificate say of workloads and GPUs.

use super::plain::plain;
use super::verdict::reading_of;
use crate::instance::Problem;
use crate::rules::{Changes, Solution, wasted_slices};
use certificate::wpm::{Checker, Outcome};
use certificate::{Certificate, Explains, Refusal};
use kit::{ClaimDocument, ExplanationDocument, SenseName};

/// What a certificate says, and what the best solution leaves to be desired.
///
/// # Errors
/// Why it is no proof.
pub fn explain(
    problem: &Problem,
    best: Option<&Solution>,
    certificate: &Certificate,
) -> Result<ExplanationDocument, Refusal> {
    let question = plain(problem, reading_of(best, certificate)?);
    let outcome = best.map(|solution| outcome(problem, solution));
    let claims = Checker::new(&question)?.explain_all(certificate, outcome.as_ref())?;
    let sense_of = |goal: &str| match goal {
        "reward" | "profit" => SenseName::Maximize,
        _ => SenseName::Minimize,
    };
    let claims = claims.into_iter().map(|claim| ClaimDocument::new(claim, sense_of));
    Ok(ExplanationDocument { parts: "GPU", items: "workload", claims: claims.collect() })
}

/// What a solution makes of the GPUs.
fn outcome(problem: &Problem, solution: &Solution) -> Outcome {
    let cluster = &problem.cluster;
    let by_gpu = solution.placement.by_gpu(cluster);
    let wasted = cluster.gpu_indices().zip(by_gpu.iter());
    Outcome {
        workloads: by_gpu.iter().map(<[_]>::to_vec).collect(),
        repartitioned: solution.repartitioned.clone(),
        wasted: wasted.map(|(gpu, workloads)| wasted_slices(problem, solution, gpu, workloads)).collect(),
        moved: Changes::of(problem, solution).moved,
    }
}

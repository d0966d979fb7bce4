//! What the numbers of a certificate say of workloads and machines.

use super::contents::contents;
use super::plain::plain;
use crate::instance::Problem;
use certificate::siavashi::Checker;
use certificate::{Certificate, Explains, Refusal};
use cluster::Placement;
use kit::{ClaimDocument, ExplanationDocument, SenseName};

/// What a certificate says, and what the best placement leaves to be desired.
///
/// # Errors
/// Why it is no proof.
pub fn explain(
    problem: &Problem,
    best: Option<&Placement>,
    certificate: &Certificate,
) -> Result<ExplanationDocument, Refusal> {
    let question = plain(problem);
    let checker = Checker::new(&question)?;
    let outcome = best.map(|placement| contents(problem, &checker, placement));
    let claims = checker.explain_all(certificate, outcome.as_ref())?;
    let sense_of = |goal: &str| match goal {
        "acceptance" | "weighted" => SenseName::Maximize,
        _ => SenseName::Minimize,
    };
    let claims = claims.into_iter().map(|claim| ClaimDocument::new(claim, sense_of));
    Ok(ExplanationDocument { parts: "machine", items: "workload", claims: claims.collect() })
}

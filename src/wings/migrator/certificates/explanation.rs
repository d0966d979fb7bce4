//! What the numbers of a certificate say of models and of instances.

use super::plain::plain;
use crate::instance::Problem;
use certificate::migrator::Checker;
use certificate::{Certificate, Explains, Refusal};
use kit::{ClaimDocument, ExplanationDocument, SenseName};

/// What a certificate says.
///
/// # Errors
/// Why it is no proof.
pub fn explain(problem: &Problem, certificate: &Certificate) -> Result<ExplanationDocument, Refusal> {
    let question = plain(problem);
    let claims = Checker::new(&question)?.explain_all(certificate, None)?;
    let claims = claims.into_iter().map(|claim| ClaimDocument::new(claim, |_| SenseName::Maximize));
    Ok(ExplanationDocument { parts: "slot", items: "model", claims: claims.collect() })
}

//! What the numbers of a certificate say of virtual machines and servers.

use super::plain::plain;
use crate::instance::Problem;
use crate::rules::Packing;
use certificate::sharing::Checker;
use certificate::{Certificate, Explains, Refusal};
use kit::{ClaimDocument, ExplanationDocument, SenseName};

/// What a certificate says, and what the best packing leaves to be desired.
///
/// # Errors
/// Why it is no proof.
pub fn explain(
    problem: &Problem,
    best: Option<&Packing>,
    certificate: &Certificate,
) -> Result<ExplanationDocument, Refusal> {
    let question = plain(problem);
    let server_of = |packing: &Packing| -> Option<Vec<usize>> {
        problem.vm_indices().map(|vm| packing.of(vm).map(|server| server.index())).collect()
    };
    let claims = Checker::new(&question)?.explain_all(certificate, best.and_then(server_of).as_ref())?;
    let claims = claims.into_iter().map(|claim| ClaimDocument::new(claim, |_| SenseName::Minimize));
    Ok(ExplanationDocument { parts: "server", items: "virtual machine", claims: claims.collect() })
}

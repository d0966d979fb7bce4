//! What a certificate proves of a packing.

use super::plain::{plain, values};
use crate::instance::Problem;
use crate::rules::Score;
use certificate::sharing::{Checker, LINES};
use certificate::{Certificate, Refusal, Refutes};
use ground::counted;
use kit::{CertificateDocument, proved};

/// Whether a certificate proves that a packing which obeys all rules is optimal, or without one that there is none.
///
/// # Errors
/// Why it is no proof.
pub fn check(
    problem: &Problem,
    best: Option<&Score>,
    certificate: &Certificate,
) -> Result<CertificateDocument, Refusal> {
    let question = plain(problem);
    let checker = Checker::new(&question)?;
    let accepted = checker.check(certificate)?;
    let values = best.map(|score| values(problem, score));
    let proved = proved(&accepted, &checker.goals(), values.as_deref(), "packing")?;
    let message = format!(
        "{proved}, for the instance as read: {}, {}",
        counted(problem.vms.len(), "virtual machine"),
        counted(problem.servers.len(), "server")
    );
    let trusted = format!("the reader of instances, the verifier and {}", counted(LINES, "line"));
    Ok(CertificateDocument::accepted(message, format!("{trusted} of checker")))
}

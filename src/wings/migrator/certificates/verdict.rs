//! What a certificate proves of a plan.

use super::plain::plain;
use crate::instance::Problem;
use crate::rules::Score;
use certificate::migrator::{Checker, LINES};
use certificate::{Certificate, Refusal, Refutes};
use ground::counted;
use kit::{CertificateDocument, proved};

/// Whether a certificate proves that a plan which obeys all rules is optimal, or without one that there is none.
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
    let values = best.map(|score| [score.goodput]);
    let proved =
        proved(&accepted, &checker.goals(), values.as_ref().map(|values| values.as_slice()), "plan")?;
    let message = format!(
        "{proved} under the readings {}, for the instance as read: {}, {}",
        problem.readings,
        counted(problem.models.len(), "model"),
        counted(question.slots, "slot")
    );
    let trusted = format!("the reader of instances, the boards, the verifier and {}", counted(LINES, "line"));
    Ok(CertificateDocument::accepted(message, format!("{trusted} of checker")))
}

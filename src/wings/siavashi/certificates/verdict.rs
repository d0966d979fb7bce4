//! What a certificate proves of a placement.

use super::plain::{plain, values};
use crate::instance::Problem;
use crate::rules::Score;
use certificate::siavashi::{Checker, LINES};
use certificate::{Certificate, Refusal, Refutes};
use ground::counted;
use kit::{CertificateDocument, left_out, proved};

/// Whether a certificate proves that a placement which obeys all rules is optimal, or without one that there is none.
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
    let values = best.map(|score| values(problem, &question, score));
    let proved = proved(&accepted, &checker.goals(), values.as_deref(), "placement")?;
    let cluster = &problem.cluster;
    let message = format!(
        "{proved}, for the instance as read: {}, {}, {}{}",
        counted(cluster.workloads.len(), "workload"),
        counted(problem.machines.len(), "machine"),
        counted(cluster.gpus.len(), "GPU"),
        left_out(cluster, problem.limits.max_disrupted, &[])
    );
    let trusted = format!("the reader of instances, the boards, the verifier and {}", counted(LINES, "line"));
    Ok(CertificateDocument::accepted(message, format!("{trusted} of checker")))
}

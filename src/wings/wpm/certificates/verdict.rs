//! What a certificate proves of a solution.

use super::plain::{plain, values};
use crate::instance::Problem;
use crate::rules::{Reading, Score, Solution};
use certificate::wpm::{Checker, LINES};
use certificate::{Certificate, Refusal, Refutes};
use ground::counted;
use kit::{CertificateDocument, Choices, left_out, proved};

/// Whether a certificate proves that a solution which obeys all rules is optimal, or without one that there is none.
///
/// # Errors
/// Why it is no proof.
pub fn check(
    problem: &Problem,
    best: Option<(&Solution, &Score)>,
    certificate: &Certificate,
) -> Result<CertificateDocument, Refusal> {
    let reading = reading_of(best.map(|(solution, _)| solution), certificate)?;
    let question = plain(problem, reading);
    let checker = Checker::new(&question)?;
    let accepted = checker.check(certificate)?;
    let values = best.map(|(_, score)| values(&question, score));
    let proved = proved(&accepted, &checker.goals(), values.as_deref(), "placement")?;
    let cluster = &problem.cluster;
    let others = [("cores and memory of hosts", problem.host_resources)];
    let message = format!(
        "{proved} under the {} reading, for the instance as read: {}, {}{}",
        reading.name(),
        counted(cluster.workloads.len(), "workload"),
        counted(cluster.gpus.len(), "GPU"),
        left_out(cluster, problem.limits.max_disrupted, &others)
    );
    let trusted = format!("the reader of instances, the boards, the verifier and {}", counted(LINES, "line"));
    Ok(CertificateDocument::accepted(message, format!("{trusted} of checker")))
}

/// The reading under which a certificate is checked: that of the solution, or the one that it names.
pub fn reading_of(best: Option<&Solution>, certificate: &Certificate) -> Result<Reading, Refusal> {
    let named = certificate.reading.as_deref().and_then(|name| Reading::named(name).ok());
    let reading = best.map(|solution| solution.reading).or(named);
    reading.ok_or_else(|| Refusal::of("it does not name a reading of the rules."))
}

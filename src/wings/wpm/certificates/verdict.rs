//! What a certificate proves of a solution.

use super::plain::{plain, values};
use crate::instance::Problem;
use crate::rules::{Reading, Score, Solution};
use certificate::wpm::{Accepted, Checker, LINES};
use certificate::{Certificate, Refusal};
use ground::counted;
use kit::{CertificateDocument, Choices};

/// Whether a certificate proves that a solution which obeys all rules is optimal, or without one that there is none.
///
/// # Errors
/// Why it is no proof.
pub fn check(
    problem: &Problem,
    best: Option<(&Solution, &Score)>,
    certificate: &Certificate,
) -> Result<CertificateDocument, Refusal> {
    let named = certificate.reading.as_deref().and_then(|name| Reading::named(name).ok());
    let reading = best.map(|(solution, _)| solution.reading).or(named);
    let reading = reading.ok_or_else(|| Refusal::of("it does not name a reading of the rules."))?;
    let question = plain(problem, reading);
    let accepted = Checker::new(&question)?.check(certificate)?;
    let proved = match (accepted, best) {
        (Accepted::Infeasible, None) => "proved that no placement obeys all rules",
        (Accepted::Infeasible, Some(_)) => {
            return Err(Refusal::of(
                "it says that no placement obeys all rules, but this one does. This is a bug in migopt; please report it.",
            ));
        }
        (Accepted::Optimal(_), None) => {
            return Err(Refusal::of("it is about a placement with certain values, and there is none."));
        }
        (Accepted::Optimal(claimed), Some((_, score))) => {
            let values = values(&question, score);
            for ((stage, claimed), value) in question.stages.iter().zip(&claimed).zip(&values) {
                if claimed != value {
                    return Err(Refusal::of(format!(
                        "it is about placements with {claimed} in goal `{}`, and this one has {value}.",
                        stage.name()
                    )));
                }
            }
            "proved optimal"
        }
    };
    let cluster = &problem.cluster;
    let message = format!(
        "{proved} under the {} reading, for the instance as read: {}, {}",
        reading.name(),
        counted(cluster.workloads.len(), "workload"),
        counted(cluster.gpus.len(), "GPU")
    );
    let trusted = format!("the reader of instances, the boards, the verifier and {}", counted(LINES, "line"));
    Ok(CertificateDocument::accepted(message, format!("{trusted} of checker")))
}

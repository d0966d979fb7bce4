//! What a certificate of optimality comes to.

use certificate::{Accepted, Refusal};
use ground::Amount;
use schemars::JsonSchema;
use serde::Serialize;

/// What the checker of a certificate says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CertificateDocument {
    /// Whether it is a proof.
    pub accepted: bool,
    /// What is proved, or why it is no proof; that begins with the line.
    pub message: String,
    /// What has to be believed beside; null where the certificate is no proof.
    pub trusted: Option<String>,
}

impl CertificateDocument {
    /// The verdict on a certificate that is a proof.
    pub fn accepted(message: String, trusted: String) -> Self {
        CertificateDocument { accepted: true, message, trusted: Some(trusted) }
    }

    /// The verdict on one that is none.
    pub fn refused(reason: impl ToString) -> Self {
        CertificateDocument { accepted: false, message: reason.to_string(), trusted: None }
    }
}

/// What a certificate that a checker accepted proves of a solution with some values of the goals, or without a solution by itself.
/// `solution` is what the model calls one.
///
/// # Errors
/// When it is about something else.
pub fn proved(
    accepted: &Accepted,
    goals: &[&str],
    values: Option<&[Amount]>,
    solution: &str,
) -> Result<String, Refusal> {
    match (accepted, values) {
        (Accepted::Infeasible, None) => Ok(format!("proved that no {solution} obeys all rules")),
        (Accepted::Infeasible, Some(_)) => Err(Refusal::of(format!(
            "it says that no {solution} obeys all rules, but this one does. This is a bug in migopt; please report it."
        ))),
        (Accepted::Optimal(_), None) => Ok(format!("proved that no {solution} is better than it says")),
        (Accepted::Optimal(claimed), Some(values)) => {
            for ((goal, claimed), value) in goals.iter().zip(claimed).zip(values) {
                if claimed != value {
                    return Err(Refusal::of(format!(
                        "it is about {solution}s with {claimed} in goal `{goal}`, and this one has {value}."
                    )));
                }
            }
            Ok("proved optimal".to_owned())
        }
    }
}

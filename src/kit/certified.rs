//! What a certificate of optimality comes to.

use certificate::{Accepted, Certificate, Refusal, Refutes};
use cluster::Cluster;
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

/// A certificate as it is read back from what is written, if its checker accepts that.
///
/// # Errors
/// Why it is no proof, in words.
pub fn read_back(checker: &impl Refutes, certificate: &Certificate) -> Result<Certificate, String> {
    let read = Certificate::parse(&certificate.to_string());
    let accepted = read.and_then(|certificate| checker.check(&certificate).map(|_| certificate));
    accepted.map_err(|refusal| refusal.to_string())
}

/// The rules of a cluster of which a proof makes no use: groups, limits on disruptions, and others by name where they are there. Without
/// them there are only more solutions.
pub fn left_out(cluster: &Cluster, max_disrupted: Option<u32>, others: &[(&str, bool)]) -> String {
    let limits_disruptions =
        max_disrupted.is_some() || cluster.hosts.iter().any(|host| host.max_disrupted.is_some());
    let common = [("groups", !cluster.groups.is_empty()), ("limits on disruptions", limits_disruptions)];
    let rules = common.iter().chain(others).filter_map(|&(rule, is_there)| is_there.then_some(rule));
    let rules: Vec<&str> = rules.collect();
    if rules.is_empty() { String::new() } else { format!("; the proof makes no use of {}", rules.join(", ")) }
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

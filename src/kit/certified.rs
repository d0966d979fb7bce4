//! What a certificate of optimality comes to.

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

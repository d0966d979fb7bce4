//! A solution as text for a terminal: what `solve`, `heuristic` and `verify` print.

use ground::counted;
use kit::{
    About, CertificateDocument, ProposalDocument, ResultDocument, Status, VerdictDocument, ViolationDocument,
};
use models::Model;
use report::{Worth, seconds_in_words, work_in_words};
use serde_json::{Map, Value};

/// The readable answer, in paragraphs: what is asked, the verdict, what the solution is worth, the solution itself, the effort.
pub struct Summary(Vec<Vec<String>>);

impl Summary {
    /// The answer to a question, with the drawing of its solution.
    pub fn of_result(model: &dyn Model, result: &ResultDocument, drawing: Option<String>) -> Self {
        let method = [
            format!("formulation {}", result.formulation),
            format!("solver {} {}", result.solver, result.solver_version),
        ];
        Summary::of_question(model, &result.instance, in_words(result.status), &method, &result.about)
            .with(result.reason.clone())
            .with_worth(&Worth::of_result(result))
            .with(result.notes.iter().map(|note| format!("note: {note}")))
            .with(drawing)
            .with([format!("{}; {}", work_in_words(result), seconds_in_words(result))])
    }

    /// What a heuristic proposes, with its drawing.
    pub fn of_proposal(model: &dyn Model, proposal: &ProposalDocument, drawing: String) -> Self {
        let ProposalDocument { instance, violations, stages, score, about, metrics, .. } = proposal;
        let method = [format!("heuristic {}", proposal.heuristic), format!("seed {}", proposal.seed)];
        let worth = Worth::judged(model.name(), stages, score.as_ref(), about, metrics.as_ref());
        Summary::of_question(model, instance, &judgement(violations), &method, about)
            .with(violations.iter().map(broken))
            .with_worth(&worth)
            .with([drawing])
            .with([format!("{:.3} s", proposal.seconds)])
    }

    /// What the verifier says of a solution.
    pub fn of_verdict(model: &dyn Model, about: &About, verdict: &VerdictDocument) -> Self {
        let violations = &verdict.violations;
        let judged = match &verdict.certificate {
            Some(certificate) if certificate.accepted => {
                "optimal (verified; proved by a certificate)".to_owned()
            }
            _ => judgement(violations),
        };
        Summary::of_question(model, &about.instance, &judged, &[], &about.fields)
            .with(violations.iter().map(broken))
            .with_worth(&Worth::of_verdict(about, verdict))
            .with(verdict.certificate.iter().flat_map(certified))
    }

    /// What a certificate says of a question without a solution.
    pub fn of_certificate(model: &dyn Model, about: &About, certificate: &CertificateDocument) -> Self {
        let judged = if certificate.accepted { "infeasible (proved by a certificate)" } else { "not proved" };
        Summary::of_question(model, &about.instance, judged, &[], &about.fields).with(certified(certificate))
    }

    /// What a certificate says of an answer, in paragraphs.
    pub fn of_explanation(
        model: &dyn Model,
        about: &About,
        certificate: &CertificateDocument,
        paragraphs: Vec<Vec<String>>,
    ) -> Self {
        let judged = if certificate.accepted {
            "why nothing is better (proved by a certificate)"
        } else {
            "not proved"
        };
        let question = Summary::of_question(model, &about.instance, judged, &[], &about.fields);
        paragraphs.into_iter().fold(question, Summary::with).with(certified(certificate))
    }

    fn of_question(
        model: &dyn Model,
        instance: &str,
        verdict: &str,
        method: &[String],
        about: &Map<String, Value>,
    ) -> Self {
        let mut question = vec![format!("model {}", model.name())];
        question.extend_from_slice(method);
        question.extend(Some(model.read_back(about).to_string()).filter(|settings| !settings.is_empty()));
        Summary(vec![vec![format!("{instance}: {verdict}"), question.join(", ")]])
    }

    fn with(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.0.push(lines.into_iter().map(|line| line.trim_end().to_owned()).collect());
        self
    }

    fn with_worth(self, worth: &Worth) -> Self {
        worth.paragraphs().into_iter().fold(self, Summary::with)
    }

    /// The text, its last line ended.
    pub fn text(&self) -> String {
        let paragraphs = self.0.iter().filter(|lines| !lines.is_empty());
        let texts: Vec<String> = paragraphs.map(|lines| lines.join("\n") + "\n").collect();
        texts.join("\n")
    }
}

fn broken(violation: &ViolationDocument) -> String {
    format!("  {}: {}", violation.rule, violation.message)
}

/// What a certificate comes to, line by line.
fn certified(certificate: &CertificateDocument) -> Vec<String> {
    match &certificate.trusted {
        Some(trusted) => {
            vec![format!("certificate: {}", certificate.message), format!("trusted: {trusted}")]
        }
        None => vec![format!("certificate refused: {}", certificate.message)],
    }
}

fn judgement(violations: &[ViolationDocument]) -> String {
    match violations.len() {
        0 => "valid (verified; not proved optimal)".to_owned(),
        several => format!("not valid: {} broken", counted(several, "rule")),
    }
}

fn in_words(status: Status) -> &'static str {
    match status {
        Status::Optimal => "optimal (proved: bound and verified value meet)",
        Status::WithinGap => "within the gap asked for (verified; not proved optimal)",
        Status::TimeLimit => "stopped by the time limit (best verified solution and bound)",
        Status::Interrupted => "interrupted (best verified solution and bound)",
        Status::MemoryLimit => "out of memory (best verified solution and bound)",
        Status::Infeasible => "infeasible (proved)",
    }
}

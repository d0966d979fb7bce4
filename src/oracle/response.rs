//! What the oracle answers on a line.

use crate::front::Gap;
use ground::{Amount, InputError};
use kit::{ProposalDocument, ResultDocument, Status, Verdict, VerdictDocument, ViolationDocument};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The answer to a line of `migopt oracle`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "migopt response")]
pub struct Response {
    /// Number of the line from 1; empty lines count, but get no answer.
    pub line: u64,
    /// The `id` of the request, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub id: Option<Box<RawValue>>,
    /// The answer to its task.
    #[serde(flatten)]
    pub answer: Answer,
    /// The model that was taken, where neither the line nor the command names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'static str>,
    /// How the model was determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_from: Option<ModelFrom>,
}

/// How the model was determined, where none was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelFrom {
    /// The instance has a section of this model, and of no other.
    Section,
    /// The result or the proposal that holds the solution.
    Solution,
    /// Nothing: the instance has sections of several models or of none, and this is the first that it may mean.
    Guess,
}

/// The answer to a task, under the name of its kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// To `solve`: as `migopt solve` writes it. That there is no solution, or that a limit came before the proof, is a
    /// result too; its status says so.
    Result(Box<ResultDocument>),
    /// To `verify`.
    Verdict(Box<VerdictDocument>),
    /// To `gap`.
    Gap(Box<GapDocument>),
    /// To `heuristic`: as `migopt heuristic` writes it.
    Proposal(Box<ProposalDocument>),
    /// To `question`: as external heuristics receive it (`migopt schema question`).
    Question(Value),
    /// Why there is no answer.
    Error(ErrorDocument),
}

/// How far a solution is from the optimum.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GapDocument {
    /// Whether the solution obeys all rules. Where it does not, no optimum is sought.
    pub valid: bool,
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// Whether the optimum is proved. Where it is not, there is nothing to compare with.
    pub proved: bool,
    /// The first objective in which solution and optimum differ; null if the solution is optimal, or nothing is proved.
    pub stage: Option<String>,
    /// |value - optimum| / |optimum|, over a millionth where the optimum is 0; 0 if the solution is optimal, null if nothing
    /// is proved.
    pub relative: Option<f64>,
    /// The solution's value of that objective, of the last one if the solution is optimal; null if nothing is proved.
    pub value: Option<Amount>,
    /// The optimum's value of the same objective; null if nothing is proved.
    pub optimum: Option<Amount>,
    /// The search for the optimum, as `migopt solve` writes it; null if a rule is broken.
    pub result: Option<ResultDocument>,
    /// The judgement of the solution.
    pub verdict: VerdictDocument,
}

/// Why a line has no answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorDocument {
    /// Whose fault it is.
    pub kind: ErrorKind,
    /// What is wrong, where, and how to fix it.
    pub message: String,
}

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The line's.
    BadInput,
    /// That of migopt or of the solver.
    Internal,
}

impl Response {
    /// The response as a line.
    pub(super) fn to_line(&self) -> String {
        serde_json::to_string(self).expect("plain data serialises") + "\n"
    }

    /// Whether an interruption stopped the search for it.
    pub(super) fn is_interrupted(&self) -> bool {
        let result = match &self.answer {
            Answer::Result(result) => Some(result.as_ref()),
            Answer::Gap(gap) => gap.result.as_ref(),
            _ => None,
        };
        result.is_some_and(|result| result.status == Status::Interrupted)
    }
}

impl GapDocument {
    /// A solution that breaks rules, for which no optimum is searched.
    pub(super) fn of_broken(violations: Vec<ViolationDocument>) -> Self {
        GapDocument::without_proof(VerdictDocument::broken(violations), None)
    }

    /// A solution that cannot be compared, as the search ended without a proof.
    pub(super) fn of_open(verdict: Verdict, result: ResultDocument) -> Self {
        GapDocument::without_proof(verdict.into(), Some(result))
    }

    fn without_proof(verdict: VerdictDocument, result: Option<ResultDocument>) -> Self {
        GapDocument {
            valid: verdict.valid,
            violations: verdict.violations.clone(),
            proved: false,
            stage: None,
            relative: None,
            value: None,
            optimum: None,
            result,
            verdict,
        }
    }
}

impl From<Gap> for GapDocument {
    fn from(gap: Gap) -> Self {
        let Gap { distance, verdict, proof, .. } = gap;
        GapDocument {
            proved: true,
            stage: distance.stage,
            relative: Some(distance.relative),
            value: Some(distance.value),
            optimum: Some(distance.optimum),
            ..GapDocument::without_proof(verdict.into(), Some(proof.result().clone()))
        }
    }
}

impl ErrorDocument {
    /// An error that is in the line.
    pub(super) fn bad_input(message: String) -> Self {
        ErrorDocument { kind: ErrorKind::BadInput, message }
    }

    /// An error that is in migopt or the solver.
    pub(super) fn internal(message: &str) -> Self {
        let message =
            format!("{message}. This is a bug in migopt or the solver, not in the input; please report it.");
        ErrorDocument { kind: ErrorKind::Internal, message }
    }
}

impl From<InputError> for ErrorDocument {
    fn from(error: InputError) -> Self {
        ErrorDocument::bad_input(error.paragraphs())
    }
}

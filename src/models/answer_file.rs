//! Answers as files: a solution alone, or within a result or a proposal, which also say what they answer.

use super::catalogue::model_named;
use super::instance::Instance;
use super::instance_file::InstanceFile;
use super::model::Model;
use ground::document::NodeId;
use ground::{InputError, SourceText, did_you_mean};
use kit::{Overrides, ProposalDocument, ResultDocument, SolutionDocument};
use serde_json::{Map, Value};

/// The kinds of documents that migopt reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// An instance, or anything that is nothing else.
    Instance,
    /// A bare solution.
    Solution,
    /// A result of `migopt solve`.
    Result,
    /// A proposal of `migopt heuristic`.
    Proposal,
    /// A plan of `migopt plan`.
    Plan,
}

impl DocumentKind {
    /// What a document looks like by its fields.
    pub fn of(source: &SourceText) -> Self {
        let Ok(document) = source.document() else { return DocumentKind::Instance };
        let has = |name: &str| {
            document.field(NodeId::ROOT, name).is_some_and(|(_, value)| !document.is_null(value))
        };
        match () {
            () if has("solver_version") => DocumentKind::Result,
            () if has("heuristic") => DocumentKind::Proposal,
            () if has("rounds") => DocumentKind::Plan,
            () if ["placement", "packing", "plan"].into_iter().any(has) => DocumentKind::Solution,
            () => DocumentKind::Instance,
        }
    }
}

/// What the file of an answer says: the question as it was asked, and the solution.
#[derive(Clone, Debug)]
pub struct AnswerFile<Found = SolutionDocument> {
    /// The model, where the file names one; results and proposals always do.
    pub model: Option<&'static dyn Model>,
    /// The settings of the question that a result or a proposal answers; none of a bare solution.
    pub overrides: Overrides,
    /// The solution.
    pub solution: Found,
}

impl AnswerFile {
    /// Reads a solution, a result or a proposal.
    ///
    /// # Errors
    /// When the text is none of them, or a result without a solution.
    pub fn parse(source: &SourceText) -> Result<Self, InputError> {
        let AnswerFile { model, overrides, solution } = AnswerFile::parse_whatever_is_found(source)?;
        let nothing =
            "this result holds no solution, as none was found. There is nothing to verify or to draw.";
        let solution = solution.ok_or_else(|| source.error(nothing))?;
        Ok(AnswerFile { model, overrides, solution })
    }

    /// The same as one that might have held no solution.
    pub fn or_none(self) -> AnswerFile<Option<SolutionDocument>> {
        AnswerFile { model: self.model, overrides: self.overrides, solution: Some(self.solution) }
    }
}

impl AnswerFile<Option<SolutionDocument>> {
    /// Reads a solution, a result, which may hold none, or a proposal.
    ///
    /// # Errors
    /// When the text is none of them.
    pub fn parse_whatever_is_found(source: &SourceText) -> Result<Self, InputError> {
        let (about, model, solution) = match DocumentKind::of(source) {
            DocumentKind::Result => {
                let result: ResultDocument = source.parse()?;
                (Some(result.about), Some(result.model), result.solution)
            }
            DocumentKind::Proposal => {
                let proposal: ProposalDocument = source.parse()?;
                (Some(proposal.about), Some(proposal.model), Some(proposal.solution))
            }
            DocumentKind::Plan => {
                let message = "this is a plan of `migopt plan`, not a solution. Give a solution here.";
                return Err(source.error(message));
            }
            DocumentKind::Solution => bare(source.parse()?),
            DocumentKind::Instance => bare(source.parse().map_err(|error| unless_instance(source, error))?),
        };
        let model = model.map(|name| {
            model_named(&name)
                .map_err(|message| source.error_at_key(&["model"], format!("`model`: {message}")))
        });
        let model = model.transpose()?;
        let overrides = match (model, about) {
            (Some(model), Some(about)) => {
                check_fields(source, model, &about)?;
                model.read_back(&about)
            }
            _ => Overrides::default(),
        };
        Ok(AnswerFile { model, overrides, solution })
    }
}

/// Refuses fields that no answer of the model has, and answers that do not say what was asked.
fn check_fields(
    source: &SourceText,
    model: &dyn Model,
    about: &Map<String, Value>,
) -> Result<(), InputError> {
    let known = model.answer_fields();
    if let Some(field) = about.keys().find(|field| !known.contains(field)) {
        let guess = did_you_mean(field, known.iter().map(String::as_str));
        let message =
            format!("`{field}` is not a field of answers of model {}{guess}. Leave it out.", model.name());
        return Err(source.error_at_key(&[field], message));
    }
    if !about.contains_key("objective") {
        return Err(source.error("the field `objective` is missing. Give the answer as migopt wrote it."));
    }
    Ok(())
}

/// A solution alone; the question is the instance's.
fn bare(
    solution: SolutionDocument,
) -> (Option<Map<String, Value>>, Option<String>, Option<SolutionDocument>) {
    (None, solution.model.clone(), Some(solution))
}

/// Why a text is no solution: because it is an instance, or else for the reason given.
fn unless_instance(source: &SourceText, error: InputError) -> InputError {
    match source.parse::<InstanceFile>() {
        Ok(_) => source.error("this is an instance, not a solution. Give a solution of the instance here."),
        Err(_) => error,
    }
}

/// Reads an instance; where the text is an answer instead, the complaint says so.
///
/// # Errors
/// As [`Instance::parse`].
pub fn parse_instance(source: SourceText) -> Result<Instance, InputError> {
    Instance::parse(source.clone()).map_err(|error| {
        let what = match DocumentKind::of(&source) {
            DocumentKind::Instance => return error,
            DocumentKind::Solution => "solution, not an instance. Give the instance that it solves.",
            DocumentKind::Result => {
                "result of `migopt solve`, not an instance. Give the instance that it answers."
            }
            DocumentKind::Plan => {
                "plan of `migopt plan`, not an instance. Give the instance whose cluster it changes."
            }
            DocumentKind::Proposal => {
                "proposal of `migopt heuristic`, not an instance. Give the instance that it answers."
            }
        };
        source.error(format!("this is a {what}"))
    })
}

//! Answers as files: a solution alone, or within a result or a proposal, which also say what they answer.

use super::answer::ResultDocument;
use super::contract::Model;
use super::file::{Instance, InstanceFile};
use super::overrides::Overrides;
use super::proposal::ProposalDocument;
use super::registry::model_named;
use super::solution::SolutionDocument;
use crate::cluster::{InputError, SourceText};
use serde::Deserialize;
use serde::de::IgnoredAny;

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
}

impl DocumentKind {
    /// What a document looks like by its fields.
    pub fn of(source: &SourceText) -> Self {
        #[derive(Deserialize)]
        struct Fields {
            placement: Option<IgnoredAny>,
            packing: Option<IgnoredAny>,
            plan: Option<IgnoredAny>,
            solver_version: Option<IgnoredAny>,
            heuristic: Option<IgnoredAny>,
        }
        match source.parse::<Fields>() {
            Ok(Fields { solver_version: Some(_), .. }) => DocumentKind::Result,
            Ok(Fields { heuristic: Some(_), .. }) => DocumentKind::Proposal,
            Ok(
                Fields { placement: Some(_), .. }
                | Fields { packing: Some(_), .. }
                | Fields { plan: Some(_), .. },
            ) => DocumentKind::Solution,
            _ => DocumentKind::Instance,
        }
    }
}

/// What the file of an answer says: the question as it was asked, and the solution.
#[derive(Clone, Debug)]
pub struct AnswerFile {
    /// The model, where the file names one; results and proposals always do.
    pub model: Option<&'static dyn Model>,
    /// The settings of the question that a result or a proposal answers; none of a bare solution.
    pub overrides: Overrides,
    /// The solution.
    pub solution: SolutionDocument,
}

impl AnswerFile {
    /// Reads a solution, a result or a proposal.
    ///
    /// # Errors
    /// When the text is none of them, or a result without a solution.
    pub fn parse(source: &SourceText) -> Result<Self, InputError> {
        let (overrides, model, solution) = match DocumentKind::of(source) {
            DocumentKind::Result => {
                let result: ResultDocument = source.parse()?;
                let asked = result.asked();
                let nothing = "this result holds no solution, as none was found. There is nothing to verify or to draw.";
                (asked, Some(result.model), result.solution.ok_or_else(|| source.error(nothing))?)
            }
            DocumentKind::Proposal => {
                let proposal: ProposalDocument = source.parse()?;
                (proposal.asked(), Some(proposal.model), proposal.solution)
            }
            DocumentKind::Solution => bare(source.parse()?),
            DocumentKind::Instance => bare(source.parse().map_err(|error| unless_instance(source, error))?),
        };
        let model = model.map(|name| {
            model_named(&name)
                .map_err(|message| source.error_at_key(&["model"], format!("`model`: {message}")))
        });
        Ok(AnswerFile { model: model.transpose()?, overrides, solution })
    }
}

/// A solution alone; the question is the instance's.
fn bare(solution: SolutionDocument) -> (Overrides, Option<String>, SolutionDocument) {
    (Overrides::default(), solution.model.clone(), solution)
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
            DocumentKind::Proposal => {
                "proposal of `migopt heuristic`, not an instance. Give the instance that it answers."
            }
        };
        source.error(format!("this is a {what}"))
    })
}

//! Reading files, and telling what kind of document each is.

use super::exit::Failure;
use crate::cluster::{InputError, SourceText};
use crate::model::wpm::{Objective, SolutionDocument, UseCase};
use crate::model::{Instance, ProposalDocument, ResultDocument};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;

/// The kinds of documents that migopt reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instance, or anything that is nothing else.
    Instance,
    /// A bare solution.
    Solution,
    /// A result of `migopt solve`.
    Result,
    /// A proposal of `migopt heuristic`.
    Proposal,
}

impl Kind {
    /// What a document looks like by its fields.
    pub fn of(source: &SourceText) -> Kind {
        #[derive(Deserialize)]
        struct Fields {
            placement: Option<IgnoredAny>,
            solver_version: Option<IgnoredAny>,
            heuristic: Option<IgnoredAny>,
        }
        match source.parse::<Fields>() {
            Ok(Fields { solver_version: Some(_), .. }) => Kind::Result,
            Ok(Fields { heuristic: Some(_), .. }) => Kind::Proposal,
            Ok(Fields { placement: Some(_), .. }) => Kind::Solution,
            _ => Kind::Instance,
        }
    }
}

/// Reads and validates an instance file.
pub fn read_instance(path: &Path) -> Result<Instance, Failure> {
    let source = SourceText::read(path)?;
    Instance::parse(source.clone()).map_err(|error| match Kind::of(&source) {
        Kind::Instance => error.into(),
        Kind::Solution => {
            source.error("this is a solution, not an instance. Give the instance that it solves.").into()
        }
        Kind::Result => source
            .error("this is a result of `migopt solve`, not an instance. Give the instance that it answers.")
            .into(),
        Kind::Proposal => source
            .error("this is a proposal of `migopt heuristic`, not an instance. Give the instance that it answers.")
            .into(),
    })
}

/// What a result or a proposal says: the question as it was asked, and the solution.
#[derive(Debug)]
pub struct Answer {
    pub use_case: UseCase,
    pub objective: Objective,
    pub solution: SolutionDocument,
}

/// Reads a result or a proposal.
pub fn read_answer(source: &SourceText, kind: Kind) -> Result<Answer, InputError> {
    if kind == Kind::Proposal {
        let ProposalDocument { use_case, objective, solution, .. } = source.parse()?;
        return Ok(Answer { use_case, objective, solution });
    }
    let ResultDocument { use_case, objective, solution, .. } = source.parse()?;
    let nothing = "this result holds no solution, as none was found. There is nothing to verify or to draw.";
    let solution = solution.ok_or_else(|| source.error(nothing))?;
    Ok(Answer { use_case, objective, solution })
}

//! Reading files, and telling what kind of document each is.

use super::exit::Failure;
use crate::cluster::{InputError, SourceText};
use crate::model::{
    Instance, Model, Overrides, ProposalDocument, RefusedOverride, ResultDocument, SolutionDocument,
    model_named,
};
use crate::solver::{Solver, by_name};
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
            packing: Option<IgnoredAny>,
            plan: Option<IgnoredAny>,
            solver_version: Option<IgnoredAny>,
            heuristic: Option<IgnoredAny>,
        }
        match source.parse::<Fields>() {
            Ok(Fields { solver_version: Some(_), .. }) => Kind::Result,
            Ok(Fields { heuristic: Some(_), .. }) => Kind::Proposal,
            Ok(
                Fields { placement: Some(_), .. }
                | Fields { packing: Some(_), .. }
                | Fields { plan: Some(_), .. },
            ) => Kind::Solution,
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

/// The instance with what the command line asks for instead of its own model and settings.
pub fn read_configured(
    path: &Path,
    model: Option<&'static dyn Model>,
    overrides: &Overrides,
) -> Result<Instance, Failure> {
    let instance = read_instance(path)?;
    let model = model.unwrap_or(instance.model);
    let refused = |error: RefusedOverride| {
        Failure::of_flag(&format!("--{}", error.field.replace('_', "-")))(error.message)
    };
    instance.under(model).with_settings(overrides).map_err(refused)
}

/// What a result or a proposal says: the question as it was asked, and the solution.
#[derive(Debug)]
pub struct Answer {
    pub model: &'static dyn Model,
    pub overrides: Overrides,
    pub solution: SolutionDocument,
}

/// Reads a result or a proposal.
pub fn read_answer(source: &SourceText, kind: Kind) -> Result<Answer, InputError> {
    let (overrides, model, solution) = if kind == Kind::Proposal {
        let proposal: ProposalDocument = source.parse()?;
        (proposal.asked(), proposal.model, Some(proposal.solution))
    } else {
        let result: ResultDocument = source.parse()?;
        (result.asked(), result.model, result.solution)
    };
    let nothing = "this result holds no solution, as none was found. There is nothing to verify or to draw.";
    Ok(Answer {
        model: model_of(source, &model)?,
        overrides,
        solution: solution.ok_or_else(|| source.error(nothing))?,
    })
}

/// The model that a document names.
pub fn model_of(source: &SourceText, name: &str) -> Result<&'static dyn Model, InputError> {
    model_named(name).map_err(|message| source.error_at_key(&["model"], format!("`model`: {message}")))
}

/// The solver that a command line names.
pub fn solver_named(name: &str) -> Result<&'static dyn Solver, Failure> {
    by_name(name).ok_or_else(|| Failure::Input(format!("--solver {name} is not part of this build.")))
}

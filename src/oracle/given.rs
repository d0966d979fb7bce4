//! What a line gives to its task: the instance, the solution, the options.

use super::request::{Fields, Request, Start};
use super::response::{ErrorDocument, ModelFrom};
use crate::front::{Options, Unsolved};
use ground::{InputError, SourceText};
use kit::{Overrides, SolutionDocument, Verdict, solver_seed};
use models::{AnswerFile, Instance, Model, model_named, parse_instance};
use solver::Effort;

/// What applies to requests that say nothing else.
#[derive(Clone)]
pub struct Defaults {
    /// The model; by default that of the instance.
    pub model: Option<&'static dyn Model>,
    /// The formulation; by default the one that suits the instance.
    pub formulation: Option<String>,
    /// The solver and its limits.
    pub effort: Effort,
}

/// What a line gives to its task.
pub(super) struct Given<'l> {
    source: &'l SourceText,
    fields: &'l Fields<'l>,
    request: &'l Request,
    defaults: &'l Defaults,
}

/// An instance as it is asked.
pub(super) struct Asked {
    /// The instance under its model.
    pub instance: Instance,
    /// What says that it is this model, where neither the line nor the command names one.
    pub from: Option<ModelFrom>,
}

/// A solution, its instance, and what it is worth.
pub(super) struct Judged {
    pub asked: Asked,
    pub solution: SolutionDocument,
    pub verdict: Verdict,
}

impl<'l> Given<'l> {
    pub fn new(
        source: &'l SourceText,
        fields: &'l Fields<'l>,
        request: &'l Request,
        defaults: &'l Defaults,
    ) -> Self {
        Given { source, fields, request, defaults }
    }

    /// The instance under the model and with the settings that the request asks for.
    pub fn instance(&self) -> Result<Asked, InputError> {
        self.instance_with(None, self.request.settings.clone())
    }

    /// The instance with these settings, under the model that the request or the command asks for, else this one, which an
    /// answer names.
    fn instance_with(
        &self,
        answered: Option<&'static dyn Model>,
        settings: Overrides,
    ) -> Result<Asked, InputError> {
        let instance = parse_instance(self.fields.instance()?)?;
        let named = self.request.asked.model.as_deref().map(model_named).transpose();
        let named = named.map_err(|message| self.error("model", message))?.or(self.defaults.model);
        let from = match (named, answered, &instance.guess) {
            (Some(_), _, _) => None,
            (None, Some(_), _) => Some(ModelFrom::Solution),
            (None, None, Some(_)) => Some(ModelFrom::Guess),
            (None, None, None) => Some(ModelFrom::Section),
        };
        let model = named.or(answered).unwrap_or(instance.model);
        let configured = instance.under(model).with_settings(&settings);
        let instance = configured.map_err(|refused| self.error(&refused.field, refused.message))?;
        Ok(Asked { instance, from })
    }

    /// The solution, judged. Where it comes within a result or a proposal, the question is the one that this answers, but for
    /// settings of the request.
    pub fn judged(&self) -> Result<Judged, InputError> {
        let source = self.fields.document("solution")?;
        let AnswerFile { model, overrides, solution } = AnswerFile::parse(&source)?;
        let asked = self.instance_with(model, self.request.settings.clone().or(overrides))?;
        let own = asked.instance.model.name();
        if let Some(other) = model.map(|model| model.name()).filter(|&other| other != own) {
            let message = format!(
                "this is a solution of model {other}, but the question is asked under model {own}. Add \"model\": \"{other}\" to the request."
            );
            return Err(source.error_at_key(&["model"], message));
        }
        let verdict = asked.instance.question()?.judge(&solution, &source)?;
        Ok(Judged { asked, solution, verdict })
    }

    /// How to search for the optimum.
    pub fn options(&self) -> Result<Options, InputError> {
        let (asked, defaults) = (&self.request.asked, self.defaults);
        let limit = asked.time_limit().map_err(|message| self.error("time_limit", message))?;
        let settings = &defaults.effort.settings;
        let seed = asked.seed.map(solver_seed).transpose().map_err(|message| self.error("seed", message))?;
        let mut options = Options::default()
            .solver(asked.solver.as_deref().unwrap_or(defaults.effort.solver.name()))
            .threads(asked.threads.unwrap_or(settings.threads))
            .seed(seed.unwrap_or(settings.seed))
            .relative_gap(asked.relative_gap.unwrap_or_default());
        // Options of one solver mean nothing to another.
        let same_solver = asked.solver.as_deref().is_none_or(|name| name == defaults.effort.solver.name());
        let usual = settings.options.iter().filter(|_| same_solver);
        let asked_options = asked.solver_options.iter().flatten();
        for (name, value) in usual.map(|(name, value)| (name, value)).chain(asked_options) {
            options = options.solver_option(name, value);
        }
        if let Some(limit) = limit.or(defaults.effort.time_limit) {
            options = options.time_limit(limit);
        }
        if let Some(formulation) = asked.formulation.as_ref().or(defaults.formulation.as_ref()) {
            options = options.formulation(formulation);
        }
        Ok(match self.fields.start()? {
            None => options,
            Some(Start::Heuristic(name)) => options.warm_start(name),
            Some(Start::Solution(text)) => options.start_from(AnswerFile::parse(&text)?.solution, text),
        })
    }

    /// The heuristic to run.
    pub fn heuristic(&self) -> Result<&str, InputError> {
        let missing = || self.error("heuristic", "it is missing. Name one (see `migopt list heuristics`).");
        self.request.asked.heuristic.as_deref().ok_or_else(missing)
    }

    /// An error about a key of the line.
    fn error(&self, key: &str, message: impl std::fmt::Display) -> InputError {
        self.source.error(format!("`{key}`: {message}"))
    }

    /// Why there is no answer, at its place.
    pub fn tell(&self, error: &Unsolved) -> ErrorDocument {
        let text = error.to_string();
        let name = self.source.name();
        let placed = if text.starts_with(name) { text } else { format!("{name}: {text}") };
        match error {
            Unsolved::BadInput(_) => ErrorDocument::bad_input(placed),
            _ => ErrorDocument::internal(&placed),
        }
    }
}

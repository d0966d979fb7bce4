//! What a line gives to its task: the instance, the solution, the options.

use super::request::{Fields, Request};
use super::response::ErrorDocument;
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

/// A solution, its instance, and what it is worth.
pub(super) struct Judged {
    pub instance: Instance,
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
    pub fn instance(&self) -> Result<Instance, InputError> {
        self.instance_with(None, self.request.settings.clone())
    }

    /// The instance with these settings, under the model that the request or the command asks for, else this one.
    fn instance_with(
        &self,
        model: Option<&'static dyn Model>,
        settings: Overrides,
    ) -> Result<Instance, InputError> {
        let instance = parse_instance(self.fields.instance()?)?;
        let model = match &self.request.asked.model {
            Some(name) => model_named(name).map_err(|message| self.error("model", message))?,
            None => self.defaults.model.or(model).unwrap_or(instance.model),
        };
        let configured = instance.under(model).with_settings(&settings);
        configured.map_err(|refused| self.error(&refused.field, refused.message))
    }

    /// The solution, judged. Where it comes within a result or a proposal, the question is the one that this answers, but for
    /// settings of the request.
    pub fn judged(&self) -> Result<Judged, InputError> {
        let source = self.fields.document("solution")?;
        let AnswerFile { model, overrides, solution } = AnswerFile::parse(&source)?;
        let instance = self.instance_with(model, self.request.settings.clone().or(overrides))?;
        let own = instance.model.name();
        if let Some(other) = model.map(|model| model.name()).filter(|&other| other != own) {
            let message = format!(
                "this is a solution under model {other}, and the instance is asked under {own}. Add \"model\": \"{other}\" to the request."
            );
            return Err(source.error_at_key(&["model"], message));
        }
        let verdict = instance.question()?.judge(&solution, &source)?;
        Ok(Judged { instance, solution, verdict })
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
        Ok(match &asked.warm_start {
            Some(heuristic) => options.warm_start(heuristic),
            None => options,
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

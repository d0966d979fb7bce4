//! The methods that a sweep compares.

use super::exact::{Exact, OPTIMUM};
use super::program::Program;
use ground::did_you_mean;
use models::Model;
use solver::{Effort, Solver, Solvers};

/// Prefix of an external heuristic.
const EXTERNAL: &str = "exec:";

/// Name of the method that gives what the library knows.
pub const LIBRARY: &str = "library";

/// A way to answer an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Solve to proved optimality. A certain formulation proves something only under the rules that suit the instance.
    Exact(Exact),
    /// A heuristic of the model, with its parameters.
    Heuristic(String),
    /// A shell command that reads a question and writes a solution.
    External(String),
    /// What the benchmark library knows of its instance; nothing runs.
    Library,
}

impl Method {
    /// The method of a model that a text names: `optimum` or a formulation, with or without options, a heuristic with or without
    /// parameters, `library`, or `exec:` and a command. Of `solvers`, `usual` works where a method that solves names no
    /// other.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn named(
        model: &'static dyn Model,
        text: &str,
        usual: &'static dyn Solver,
        solvers: Solvers,
    ) -> Result<Method, String> {
        if let Some(command) = text.strip_prefix(EXTERNAL) {
            return if command.trim().is_empty() {
                Err(format!("\"{text}\" names no command. Write `{EXTERNAL}./my-heuristic`."))
            } else {
                Ok(Method::External(command.trim().to_owned()))
            };
        }
        let name = text.split(':').next().unwrap_or_default();
        if name == OPTIMUM {
            return Exact::named(model, None, text, usual, solvers).map(Method::Exact);
        }
        if text == LIBRARY {
            return Ok(Method::Library);
        }
        if let Ok(formulation) = model.formulation_named(name) {
            return Exact::named(model, Some(formulation), text, usual, solvers).map(Method::Exact);
        }
        let heuristics = model.heuristics();
        if heuristics.iter().any(|entry| name == entry.name) {
            return model.check_heuristic(text).map(|()| Method::Heuristic(text.to_owned()));
        }
        let heuristics = heuristics.iter().map(|entry| entry.name);
        let formulations = model.formulations().into_iter().map(|entry| entry.name);
        let known: Vec<&str> = [OPTIMUM, LIBRARY].into_iter().chain(heuristics).chain(formulations).collect();
        let guess = did_you_mean(name, known.iter().copied());
        Err(format!(
            "\"{text}\" is not a method{guess}. Known methods: {}, and {EXTERNAL}COMMAND for a program of your own.",
            known.join(", ")
        ))
    }

    /// The optimum and all heuristics of a model.
    pub fn usual(model: &'static dyn Model) -> Vec<Method> {
        [Method::Exact(Exact::optimum(model))].into_iter().chain(Method::heuristics(model)).collect()
    }

    /// All heuristics of a model.
    pub fn heuristics(model: &'static dyn Model) -> Vec<Method> {
        model.heuristics().into_iter().map(|entry| Method::Heuristic(entry.name.to_owned())).collect()
    }

    /// The seeds with which it runs when these are asked for: neither a solver nor the library takes any.
    pub fn seeds(&self, asked: &[u64]) -> Vec<Option<u64>> {
        match self {
            Method::Exact(_) | Method::Library => vec![None],
            Method::Heuristic(_) | Method::External(_) => asked.iter().copied().map(Some).collect(),
        }
    }

    /// The effort with which it solves where everything else would be solved with another one; none if it does not solve.
    pub(super) fn solves_with(&self, effort: &Effort) -> Option<Effort> {
        match self {
            Method::Exact(exact) => Some(exact.effort(effort)),
            Method::Heuristic(_) | Method::External(_) | Method::Library => None,
        }
    }

    /// The program that it runs, as it is now, if it runs one.
    pub(super) fn program(&self) -> Option<Program> {
        match self {
            Method::External(command) => Some(Program::of(command)),
            Method::Exact(_) | Method::Heuristic(_) | Method::Library => None,
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Method::Exact(exact) => write!(formatter, "{exact}"),
            Method::Heuristic(text) => formatter.write_str(text),
            Method::External(command) => write!(formatter, "{EXTERNAL}{command}"),
            Method::Library => formatter.write_str(LIBRARY),
        }
    }
}

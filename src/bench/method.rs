//! The methods that a sweep compares.

use ground::did_you_mean;
use models::Model;

/// Prefix of an external heuristic.
const EXTERNAL: &str = "exec:";
/// The name of the proved optimum by the formulation that suits the instance.
pub const OPTIMUM: &str = "optimum";

/// A way to answer an instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Solve to proved optimality with the formulation that suits the instance.
    Optimum,
    /// Solve with a certain formulation; it proves something only under the rules that suit the instance.
    Formulation(String),
    /// A heuristic of the model, with its parameters.
    Heuristic(String),
    /// A shell command that reads a question and writes a solution.
    External(String),
}

impl Method {
    /// The method of a model that a text names: `optimum`, a formulation, a heuristic with or without parameters, or
    /// `exec:` and a command.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn named(model: &dyn Model, text: &str) -> Result<Method, String> {
        if let Some(command) = text.strip_prefix(EXTERNAL) {
            return if command.trim().is_empty() {
                Err(format!("\"{text}\" names no command. Write `{EXTERNAL}./my-heuristic`."))
            } else {
                Ok(Method::External(command.trim().to_owned()))
            };
        }
        if text == OPTIMUM {
            return Ok(Method::Optimum);
        }
        if model.formulations().iter().any(|entry| entry.name == text) {
            return Ok(Method::Formulation(text.to_owned()));
        }
        let heuristics = model.heuristics();
        if heuristics.iter().any(|entry| text.split(':').next() == Some(entry.name)) {
            return model.check_heuristic(text).map(|()| Method::Heuristic(text.to_owned()));
        }
        let heuristics = heuristics.iter().map(|entry| entry.name);
        let formulations = model.formulations().into_iter().map(|entry| entry.name);
        let known: Vec<&str> = [OPTIMUM].into_iter().chain(heuristics).chain(formulations).collect();
        let guess = did_you_mean(text, known.iter().copied());
        Err(format!(
            "\"{text}\" is not a method{guess}. Known methods: {}, and {EXTERNAL}COMMAND for a program of your own.",
            known.join(", ")
        ))
    }

    /// The optimum and all heuristics of a model.
    pub fn usual(model: &dyn Model) -> Vec<Method> {
        let heuristics = model.heuristics().into_iter().map(|entry| Method::Heuristic(entry.name.to_owned()));
        [Method::Optimum].into_iter().chain(heuristics).collect()
    }

    /// The seeds with which it runs when these are asked for: a solver takes none.
    pub fn seeds(&self, asked: &[u64]) -> Vec<Option<u64>> {
        match self {
            Method::Optimum | Method::Formulation(_) => vec![None],
            Method::Heuristic(_) | Method::External(_) => asked.iter().copied().map(Some).collect(),
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Method::Optimum => formatter.write_str(OPTIMUM),
            Method::Formulation(name) | Method::Heuristic(name) => formatter.write_str(name),
            Method::External(command) => write!(formatter, "{EXTERNAL}{command}"),
        }
    }
}

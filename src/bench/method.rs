//! The methods that a sweep compares.

use crate::model::MODELS;

/// Prefix of an external heuristic.
const EXTERNAL: &str = "exec:";
/// The name of the proved optimum by the formulation that suits the instance.
pub const OPTIMUM: &str = "optimum";

/// A way to answer an instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Solve to proved optimality with the formulation that suits the instance.
    Optimum,
    /// Solve with a certain formulation; it proves something only under the reading that suits the instance.
    Formulation(String),
    /// A heuristic of the registry.
    Heuristic(String),
    /// A shell command that reads a question and writes a solution.
    External(String),
}

impl Method {
    /// The method with this name.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn named(name: &str) -> Result<Method, String> {
        if let Some(command) = name.strip_prefix(EXTERNAL) {
            return if command.trim().is_empty() {
                Err(format!("\"{name}\" names no command. Write `{EXTERNAL}./my-heuristic`."))
            } else {
                Ok(Method::External(command.trim().to_owned()))
            };
        }
        if name == OPTIMUM {
            return Ok(Method::Optimum);
        }
        if MODELS.iter().any(|model| model.formulations.iter().any(|entry| entry.name == name)) {
            return Ok(Method::Formulation(name.to_owned()));
        }
        if MODELS.iter().any(|model| model.heuristics.iter().any(|entry| entry.name() == name)) {
            return Ok(Method::Heuristic(name.to_owned()));
        }
        let known = Method::all_names();
        let guess = crate::cluster::did_you_mean(name, known.iter().copied());
        Err(format!(
            "\"{name}\" is not a method{guess}. Known methods: {}, and {EXTERNAL}COMMAND for a program of your own.",
            known.join(", ")
        ))
    }

    /// Names of all methods but external ones.
    fn all_names() -> Vec<&'static str> {
        let formulations = MODELS.iter().flat_map(|model| model.formulations.iter().map(|entry| entry.name));
        [OPTIMUM].into_iter().chain(Method::heuristic_names()).chain(formulations).collect()
    }

    /// Names of all heuristics of the registry.
    pub fn heuristic_names() -> impl Iterator<Item = &'static str> {
        MODELS.iter().flat_map(|model| model.heuristics.iter().map(|entry| entry.name()))
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

//! What is asked about an instance, and by which methods it is answered.

use crate::brute_force::{self, Tried};
use crate::entries::Entry;
use ground::{Amount, SourceText};
use kit::{
    Choices, FormulationEntry, Overrides, ResultDocument, SolutionDocument, SolveError, SolveOptions, Status,
};
use models::{Instance, Model, Question};
use sharing::Optimum;
use solver::{Control, Effort, Solver};
use solvers::by_name;
use std::fmt;
use std::time::Duration;

/// The program that model wpm chooses by itself where workloads are pinned. It reads the rules in another way than the print.
pub const EXACT_INDEX: &str = "exact-index";

/// An instance with a question about it.
pub struct Asked {
    pub instance: Instance,
    /// Whether it is asked as printed although the model would choose another reading by itself.
    pub as_printed: bool,
}

/// A way to prove an optimum.
#[derive(Clone, Copy)]
pub enum Method {
    BruteForce,
    Program { formulation: FormulationEntry, solver: &'static dyn Solver },
}

/// What a method found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Infeasible,
    /// The values of the stages, which are the bounds as well.
    Optimum(Vec<Amount>),
}

/// What comes of asking a method.
pub enum Reply {
    Found(Answer),
    /// It cannot express the question, or there is too much to try.
    DoesNotApply,
    /// It does not prove anything within the limit.
    Unproved,
}

/// The instance as it stands, and with the settings in which files are proved as well. Lines vary the settings among them.
pub fn questions(model: &'static dyn Model, entry: &Entry) -> Vec<Asked> {
    let others = if entry.is_line { Vec::new() } else { other_settings() };
    let mut objectives = Vec::new();
    let mut questions = Vec::new();
    for overrides in std::iter::once(Overrides::default()).chain(others) {
        let mut instance = entry.instance.clone();
        if model.configure(&mut instance, &overrides).is_err() {
            continue;
        }
        let (objective, formulation) = {
            let question = model.pose(&instance).unwrap_or_else(|error| panic!("{error}"));
            (question.about().fields["objective"].clone(), question.formulation(None))
        };
        if !objectives.contains(&objective) {
            objectives.push(objective);
            if formulation.name == EXACT_INDEX {
                questions.push(Asked { instance: instance.clone(), as_printed: true });
            }
            questions.push(Asked { instance, as_printed: false });
        }
    }
    questions.sort_by_key(|asked| asked.as_printed);
    questions
}

fn other_settings() -> Vec<Overrides> {
    let optimum = |optimum: Optimum| Overrides::default().with("optimum", optimum.name());
    vec![
        Overrides::default().with("objective", "lexicographic"),
        optimum(Optimum::AnyServers),
        optimum(Optimum::FirstMOfTheOrder),
    ]
}

impl Method {
    /// The method of a name such as `compact/highs`; nothing where this build has no such solver.
    pub fn named(model: &'static dyn Model, name: &str) -> Result<Option<Method>, String> {
        let Some((formulation, solver)) = name.split_once('/') else {
            let known = name == Method::BruteForce.to_string();
            return if known {
                Ok(Some(Method::BruteForce))
            } else {
                Err(format!("no method is called {name}"))
            };
        };
        let formulation = model.formulation_named(formulation)?;
        Ok(by_name(solver).map(|solver| Method::Program { formulation, solver }))
    }

    /// Asks the method; what a program finds is verified.
    pub fn ask(
        self,
        model: &'static dyn Model,
        asked: &Asked,
        limit: Option<Duration>,
    ) -> Result<Reply, String> {
        match self {
            Method::BruteForce => Ok(match try_all(model, asked) {
                Tried::TooMany => Reply::DoesNotApply,
                Tried::Infeasible => Reply::Found(Answer::Infeasible),
                Tried::Best(values) => Reply::Found(Answer::Optimum(values)),
            }),
            Method::Program { formulation, solver } => {
                let question = model.pose(&asked.instance).map_err(|error| error.to_string())?;
                let options = SolveOptions {
                    formulation: Some(formulation),
                    ..SolveOptions::new(Effort::exact(solver).within(limit))
                };
                let result = match question.solve(&options, &Control::silent()) {
                    Err(SolveError::Refused(_)) => return Ok(Reply::DoesNotApply),
                    result => result.map_err(|error| error.to_string())?,
                };
                if limit.is_some() && !result.proved {
                    return Ok(Reply::Unproved);
                }
                proved(question.as_ref(), &result).map(Reply::Found)
            }
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::BruteForce => formatter.write_str("brute-force"),
            Method::Program { formulation, solver } => {
                write!(formatter, "{}/{}", formulation.name, solver.name())
            }
        }
    }
}

fn try_all(model: &'static dyn Model, asked: &Asked) -> Tried {
    if asked.as_printed {
        brute_force::wpm::best_as_printed(&asked.instance)
    } else {
        brute_force::best(model.name(), &asked.instance)
    }
}

/// What a result proves, if the verifier finds the same in its solution.
pub fn proved(question: &dyn Question, result: &ResultDocument) -> Result<Answer, String> {
    if result.status == Status::Infeasible {
        return Ok(Answer::Infeasible);
    }
    if result.status != Status::Optimal {
        return Err(format!("it ends with {:?}", result.status));
    }
    let solution: &SolutionDocument = result.solution.as_ref().ok_or("an optimum without a solution")?;
    let verdict =
        question.judge(solution, &SourceText::new("result", "")).map_err(|error| error.to_string())?;
    if !verdict.violations.is_empty() || verdict.score != result.score {
        return Err(format!("the verifier disagrees: {:?} {:?}", verdict.violations, verdict.score));
    }
    let values = result.stages.iter().map(|stage| match (stage.value, stage.bound) {
        (Some(value), Some(bound)) if value == bound => Ok(value),
        _ => Err(format!("the bound of {} does not meet its value", stage.name)),
    });
    values.collect::<Result<_, _>>().map(Answer::Optimum)
}

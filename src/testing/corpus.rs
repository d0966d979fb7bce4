//! Small instances whose optima are proved and shipped with the crate.

use crate::front::{Distance, Unscored, Unsolved, verify_comparable};
use ground::SourceText;
use kit::{SenseName, SolutionDocument, StageDocument};
use models::{Instance, model_named};
use std::collections::BTreeMap;

/// An instance and its proved optimum.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Truth {
    /// The instance's name, unique in its corpus.
    pub name: String,
    /// What it is about; the name without its number.
    pub family: String,
    /// The instance, asked under the model of the corpus.
    pub instance: Instance,
    /// Its text, in JSON.
    pub text: &'static str,
    /// The objectives in order with their proved optima; none where it is proved that no solution obeys all rules.
    pub optimum: Option<Vec<StageDocument>>,
}

impl Truth {
    /// How far a solution is from the optimum, without solving anything.
    ///
    /// # Errors
    /// When the solution breaks a rule or does not speak of the instance, and where the instance has no solution.
    pub fn distance(&self, solution: &SolutionDocument) -> Result<Distance, Unscored> {
        let verdict = verify_comparable(&self.instance, solution)?;
        let contradiction = || {
            let text =
                format!("{}: the verifier contradicts the shipped optimum; please report it.", self.name);
            Unscored::from(Unsolved::Internal(text))
        };
        let optimum = self.optimum.as_ref().ok_or_else(contradiction)?;
        Distance::to_optimum(&verdict.stages, optimum).ok_or_else(contradiction)
    }
}

/// The corpus of a model: small instances from trivial to tricky, each with its optimum as several methods proved it
/// (`instances/README.md` says which).
///
/// # Panics
/// When there is no such model.
pub fn corpus(model: &str) -> Vec<Truth> {
    let model = model_named(model).unwrap_or_else(|message| panic!("{message}"));
    let shipped = model.corpus();
    let optima = optima(shipped.optima);
    let truth = |text: &'static str| {
        let source = SourceText::new("corpus", text);
        let instance = Instance::parse(source).expect("the corpus is valid").under(model);
        let name = instance.name.clone();
        let optimum = optima.get(name.as_str()).cloned().expect("every instance of the corpus is proved");
        let family = instance.family.clone().expect("every instance of the corpus has a family");
        Truth { name, family, instance, text, optimum }
    };
    shipped.instances.lines().map(truth).collect()
}

/// By instance the objectives with their values; none where there is no solution.
fn optima(table: &str) -> BTreeMap<String, Option<Vec<StageDocument>>> {
    let mut optima: BTreeMap<String, Option<Vec<StageDocument>>> = BTreeMap::new();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    for row in rows.records() {
        let row = row.expect("the table of optima is a table");
        let [instance, objective, sense, value, bound] = [0, 1, 2, 3, 4].map(|column| &row[column]);
        // What another reading than that of the question has as its optimum.
        if objective.contains(": ") {
            continue;
        }
        if objective == "infeasible" {
            optima.insert(instance.to_owned(), None);
            continue;
        }
        let amount = |text: &str| Some(text.parse().expect("a proved value is an amount"));
        let stage = StageDocument {
            name: objective.rsplit(" > ").next().unwrap_or(objective).to_owned(),
            sense: if sense == "maximize" { SenseName::Maximize } else { SenseName::Minimize },
            value: amount(value),
            bound: amount(bound),
        };
        let stages = optima.entry(instance.to_owned()).or_insert_with(|| Some(Vec::new()));
        stages.as_mut().expect("an instance with an optimum is not infeasible").push(stage);
    }
    optima
}

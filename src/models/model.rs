//! What the rest of the house meets of a model.

use super::contents::Contents;
use super::corpus::Corpus;
use super::instance_file::InstanceFile;
use super::question::Question;
use ground::InputError;
use kit::{
    FormulationEntry, HeuristicEntry, MetricEntry, Overrides, ParameterEntry, RefusedOverride, RefusedValues,
    Score, SolutionDocument, WorthLine, unknown,
};
use schemars::Schema;
use serde_json::{Map, Value};

/// A placement model.
pub trait Model: Sync {
    /// Unique name, as flags and documents have it.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// Ways of writing its problems as programs, the default first.
    fn formulations(&self) -> Vec<FormulationEntry>;

    /// Ways to propose a placement without proof.
    fn heuristics(&self) -> Vec<HeuristicEntry>;

    /// What is counted about its solutions.
    fn metrics(&self) -> Vec<MetricEntry>;

    /// What can be asked otherwise than the instance says.
    fn settings(&self) -> Vec<ParameterEntry>;

    /// What can be chosen about its random instances.
    fn generator_parameters(&self) -> Vec<ParameterEntry>;

    /// The generator of random instances, by seed, with these values of its parameters.
    ///
    /// # Errors
    /// When there is no such parameter, or it has no such value.
    fn generator(&self, values: &[(&str, &str)]) -> Result<Box<dyn Fn(u64) -> InstanceFile>, RefusedValues>;

    /// Whether a text names a heuristic: `name`, or `name:key=value,key=value` where it takes parameters.
    ///
    /// # Errors
    /// When it does not; the message lists what there is.
    fn check_heuristic(&self, text: &str) -> Result<(), String>;

    /// Replaces settings of the instance.
    ///
    /// # Errors
    /// When the model has no such setting, or the setting no such value.
    fn configure(&self, instance: &mut Contents, overrides: &Overrides) -> Result<(), RefusedOverride>;

    /// The settings that an answer repeats.
    fn read_back(&self, answer: &Map<String, Value>) -> Overrides;

    /// The fields by which answers repeat the question, and the remarks that they may have.
    fn answer_fields(&self) -> Vec<String>;

    /// The instance's question in a word, by which sweeps tell rows that may be compared; for wpm the use case.
    fn question_name(&self, instance: &Contents) -> String;

    /// How many things the instance has to find places for.
    fn size(&self, instance: &Contents) -> u64;

    /// Whether it places workloads on the GPUs of a cluster.
    fn needs_gpus(&self) -> bool;

    /// A solution in which nothing has a place yet.
    fn blank(&self, instance: &Contents) -> SolutionDocument;

    /// What there is before anything is placed, where that is no matter of GPUs and the instance has a section of the model.
    fn unplaced(&self, instance: &Contents) -> Option<SolutionDocument>;

    /// Applies the instance's settings to its cluster.
    ///
    /// # Errors
    /// When the settings break a rule.
    fn pose<'i>(&self, instance: &'i Contents) -> Result<Box<dyn Question + 'i>, InputError>;

    /// The JSON Schema of [`Question::document`].
    fn question_schema(&self) -> Schema;

    /// The small instances that are shipped with their optima.
    fn corpus(&self) -> &'static Corpus;

    /// The instances of the benchmark library, one as JSON on each line.
    fn library_text(&self) -> &'static str;

    /// What a solution is worth, line by line. `fields` are those of the answer: the question as it repeats it, and its remarks.
    fn worth(&self, score: &Score, fields: &Map<String, Value>) -> Vec<WorthLine>;

    /// What the goals have come to, where the objective is a weighted sum of them: the sum says little by itself. The fields are as in
    /// [`Model::worth`].
    fn goals_in_words(&self, score: &Score, fields: &Map<String, Value>) -> Option<String>;
}

impl dyn Model {
    /// The formulation of the given name.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn formulation_named(&self, name: &str) -> Result<FormulationEntry, String> {
        let all = self.formulations();
        all.iter().copied().find(|entry| entry.name == name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|entry| entry.name).collect();
            unknown(name, &format!("a formulation of {}", self.name()), "Formulations", &known)
        })
    }
}

impl std::fmt::Debug for dyn Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

//! What the rest of the house meets of a model, and of an instance's question under it.

use super::catalogue::InstanceFile;
use super::instance::Instance;
use ground::{Amount, InputError, SourceText};
use kit::{
    About, FormulationEntry, FrontierDocument, HeuristicEntry, MetricEntry, Overrides, ParameterEntry,
    ProposalDocument, RefusedOverride, ResultDocument, Score, SolutionDocument, SolveError, SolveOptions,
    Verdict, unknown,
};
use milp::Program;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use solver::Control;

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
    fn generator(&self, values: &[(&str, &str)]) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String>;

    /// Whether a text names a heuristic: `name`, or `name:key=value,key=value` where it takes parameters.
    ///
    /// # Errors
    /// When it does not; the message lists what there is.
    fn check_heuristic(&self, text: &str) -> Result<(), String>;

    /// Replaces settings of the instance.
    ///
    /// # Errors
    /// When the model has no such setting, or the setting no such value.
    fn configure(&self, instance: &mut Instance, overrides: &Overrides) -> Result<(), RefusedOverride>;

    /// The settings that an answer repeats.
    fn read_back(&self, answer: &Map<String, Value>) -> Overrides;

    /// The fields by which answers repeat the question, and the remarks that they may have.
    fn answer_fields(&self) -> Vec<String>;

    /// The instance's question in a word, by which sweeps tell rows that may be compared; for wpm the use case.
    fn question_name(&self, instance: &Instance) -> String;

    /// How many things the instance has to find places for.
    fn size(&self, instance: &Instance) -> u64;

    /// Whether it places workloads on the GPUs of a cluster.
    fn needs_gpus(&self) -> bool;

    /// A solution in which nothing has a place yet.
    fn blank(&self, instance: &Instance) -> SolutionDocument;

    /// What there is before anything is placed, where that is no matter of GPUs and the instance has a section of the model.
    fn unplaced(&self, instance: &Instance) -> Option<SolutionDocument>;

    /// Applies the instance's settings to its cluster.
    ///
    /// # Errors
    /// When the settings break a rule.
    fn pose<'i>(&self, instance: &'i Instance) -> Result<Box<dyn Question + 'i>, InputError>;

    /// The JSON Schemas of what only this model has in documents.
    fn schemas(&self, generator: &mut SchemaGenerator) -> ModelSchemas;

    /// The JSON Schema of [`Question::document`].
    fn question_schema(&self) -> Schema;

    /// The small instances that are shipped with their optima.
    fn corpus(&self) -> &'static Corpus;

    /// What a result's score consists of, line by line, for readers of the answer.
    fn score_lines(&self, result: &ResultDocument) -> Vec<String>;

    /// What a solution is worth, line by line, for readers of the verdict.
    fn verdict_lines(&self, score: &Score) -> Vec<String>;
}

/// The small instances of a model that are shipped, as texts of files.
pub struct Corpus {
    /// An instance as JSON on each line.
    pub instances: &'static str,
    /// The table of their optima, which `scripts/prove-corpus` makes.
    pub optima: &'static str,
}

/// The JSON Schemas of what only one model has in documents.
pub struct ModelSchemas {
    /// The fields by which answers repeat the question.
    pub about: Schema,
    /// What answers may have beside the solution.
    pub remarks: Schema,
    /// What a solution is worth.
    pub score: Schema,
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

/// An instance's question under a model: what can be solved, proposed to and judged.
pub trait Question {
    /// The question as answers repeat it.
    fn about(&self) -> About;

    /// The formulation asked for, or the one that suits the question.
    fn formulation(&self, asked: Option<FormulationEntry>) -> FormulationEntry;

    /// The question as a program.
    ///
    /// # Errors
    /// When the formulation does not apply.
    fn program(&self, formulation: FormulationEntry) -> Result<Program, SolveError>;

    /// The question as a program with products of columns, in the language AMPL.
    ///
    /// # Errors
    /// When the model has no such program, or it would be too large.
    fn nonlinear_program(&self) -> Result<String, SolveError>;

    /// Solves the question to proved optimality, or as far as the limits allow.
    ///
    /// # Errors
    /// When solvers cannot tell the values of the objective apart, when the formulation or the warm start does not apply, and when
    /// the solver fails or its answer does not pass the verifier.
    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError>;

    /// Lists the non-dominated values of two goals, named with a comma between them, and a solution for each.
    ///
    /// # Errors
    /// When the model has no such goals, and as for [`solve`](Question::solve).
    fn frontier(
        &self,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<FrontierDocument, SolveError>;

    /// Runs a heuristic of the model, `name` or `name:key=value,...`, and judges what it proposes.
    ///
    /// # Errors
    /// When there is no such heuristic.
    fn propose(&self, heuristic: &str, seed: u64) -> Result<ProposalDocument, String>;

    /// Judges a solution by the rules alone.
    ///
    /// # Errors
    /// When it does not speak of this instance.
    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError>;

    /// The solution by which one under other rules is compared with those of this question; `None` where its rules are
    /// those of the question.
    fn comparable(&self, solution: &SolutionDocument) -> Option<SolutionDocument>;

    /// What one unit of hardware in use costs, in units of the first goal, so that gaps can be told in units; for wpm a GPU.
    fn unit_cost(&self) -> Option<Amount>;

    /// The question for external heuristics, with everything resolved.
    fn document(&self, seed: u64) -> Value;
}

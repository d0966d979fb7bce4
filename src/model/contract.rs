//! What the rest of the house needs to know of a model, and of an instance's question under it.

use super::answer::ResultDocument;
use super::entry::{FormulationEntry, HeuristicEntry, MetricEntry, unknown};
use super::file::{Instance, InstanceFile};
use super::frontier::FrontierDocument;
use super::overrides::{Overrides, RefusedOverride};
use super::solution::SolutionDocument;
use super::solving::{SolveError, SolveOptions};
use super::verdict::{About, ScoreDocument, Verdict};
use crate::cluster::{InputError, SourceText};
use crate::milp::Program;
use crate::solver::Control;

/// A placement model.
pub trait Model: Sync {
    /// Unique name, as flags and documents have it.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// Ways of writing its problems as programs, the default first.
    fn formulations(&self) -> &'static [FormulationEntry];

    /// Ways to propose a placement without proof.
    fn heuristics(&self) -> Vec<HeuristicEntry>;

    /// What is counted about its solutions.
    fn metrics(&self) -> &'static [MetricEntry];

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

    /// The instance's question in a word, by which sweeps tell rows that may be compared; for wpm the use case.
    fn question_name(&self, instance: &Instance) -> String;

    /// How many things the instance has to find places for.
    fn workloads(&self, instance: &Instance) -> u64 {
        instance.cluster.workloads.len() as u64
    }

    /// Applies the instance's settings to its cluster.
    ///
    /// # Errors
    /// When the settings break a rule.
    fn pose<'i>(&self, instance: &'i Instance) -> Result<Box<dyn Question + 'i>, InputError>;

    /// The JSON Schema of [`Question::document`].
    fn question_schema(&self) -> schemars::Schema;

    /// What a result's score consists of, line by line, for readers of the answer.
    fn score_lines(&self, result: &ResultDocument) -> Vec<String>;

    /// What a solution is worth, line by line, for readers of the verdict.
    fn verdict_lines(&self, score: &ScoreDocument) -> Vec<String>;

    /// The command `migopt generate MODEL` with the model's own flags; those for seeds and files are added to it.
    fn generate_command(&self) -> clap::Command;

    /// The generator of random instances, by seed, that the flags of [`generate_command`](Model::generate_command) ask for.
    ///
    /// # Errors
    /// When a flag has a value that cannot be used.
    fn generator(&self, flags: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String>;
}

impl dyn Model {
    /// The formulation of the given name.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn formulation_named(&self, name: &str) -> Result<&'static FormulationEntry, String> {
        self.formulations().iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.formulations().iter().map(|entry| entry.name).collect();
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
    fn formulation(&self, asked: Option<&'static FormulationEntry>) -> &'static FormulationEntry;

    /// Whether solvers can tell all values of the objective apart.
    ///
    /// # Errors
    /// When they cannot; the message says how to mend that.
    fn check_exactness(&self) -> Result<(), InputError>;

    /// The question as a program.
    ///
    /// # Errors
    /// When the formulation does not apply.
    fn program(&self, formulation: &FormulationEntry) -> Result<Program, SolveError>;

    /// The question as a program with products of columns, in the language AMPL.
    ///
    /// # Errors
    /// When the model has no such program, or it would be too large.
    fn nonlinear_program(&self) -> Result<String, SolveError> {
        let text = format!(
            "model {} has no nonlinear program to write to a .mod file; write .lp or .mps instead",
            self.about().model
        );
        Err(SolveError::Refused(text))
    }

    /// Solves the question to proved optimality, or as far as the limits allow.
    ///
    /// # Errors
    /// When the formulation or the warm start does not apply, and when the solver fails or its answer does not pass the
    /// verifier.
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
    ) -> Result<FrontierDocument, SolveError> {
        let (_, _, _) = (goals, options, control);
        let text = format!("model {} lists no non-dominated values; siavashi does", self.about().model);
        Err(SolveError::Refused(text))
    }

    /// Runs a heuristic and judges what it proposes; with the seconds that the heuristic took.
    ///
    /// # Errors
    /// When there is no such heuristic.
    fn propose(&self, heuristic: &str, seed: u64) -> Result<(Verdict, f64), String>;

    /// Judges a solution by the rules alone.
    ///
    /// # Errors
    /// When it does not speak of this instance.
    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError>;

    /// The solution by which one under other rules is compared with those of this question; `None` where its rules are
    /// those of the question.
    fn comparable(&self, _: &SolutionDocument) -> Option<SolutionDocument> {
        None
    }

    /// The question for external heuristics, with everything resolved.
    fn document(&self, seed: u64) -> serde_json::Value;
}

//! A placement model: what it is made of, all of it typed. The catalogue of models makes of it what the rest of the house meets.

use super::certified::CertificateDocument;
use super::choice::ChoiceEntry;
use super::draft::Draft;
use super::explanation::ExplanationDocument;
use super::formulation::Formulation;
use super::heuristic::Heuristic;
use super::metric::Metric;
use super::parameter::{ParameterEntry, RefusedValues};
use super::setting::Setting;
use super::solution::SolutionDocument;
use super::solving::{SolveError, SolveOptions};
use super::stage::StageDocument;
use super::terms::Terms;
use super::verification::{Rule, Verification};
use super::worth::WorthLine;
use certificate::{Certificate, Refusal};
use cluster::Cluster;
use ground::{Amount, InputError, Located, SourceText};
use mig::Geometry;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use solver::Control;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// What a wing reads of an instance file beside its own section.
#[derive(Clone, Copy)]
pub struct Common<'f> {
    /// The text of the file, for messages.
    pub source: &'f SourceText,
    /// The instance's name.
    pub name: &'f str,
    /// Boards of the file's own.
    pub boards: &'f BTreeMap<String, Located<Geometry>>,
}

/// The part of a solution document that a model's solutions fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Workloads on the GPUs of a cluster: `placement`.
    Placement,
    /// Virtual machines on servers: `packing`.
    Packing,
    /// What happens during a window of time: `plan`.
    Plan,
}

/// Makes random instances, a seed each.
pub type Generate<Section> = Box<dyn Fn(u64) -> Draft<Section>>;

/// From names and values of parameters to the generator that they ask for; an error says what is wrong with them.
pub type GeneratorWith<Section> = fn(&[(&str, &str)]) -> Result<Generate<Section>, RefusedValues>;

/// The generator of a model's random instances.
pub struct Generator<Section: 'static> {
    /// What can be chosen.
    pub parameters: fn() -> Vec<ParameterEntry>,
    /// The generator with these values of its parameters.
    pub with: GeneratorWith<Section>,
}

/// A placement model.
///
/// Each table of a wing holds values with behaviour: a formulation builds its own program, a metric computes itself, a setting knows
/// how to be set. Nothing is looked up by name inside a wing.
pub trait Wing: Sized + Send + Sync + 'static {
    /// Unique name: of the section in instance files, in flags and in documents.
    const NAME: &'static str;
    /// What it is, in one line.
    const SUMMARY: &'static str;
    /// What its solutions are.
    const SHAPE: Shape;
    /// What can be asked otherwise than the instance says, in the order in which answers repeat it.
    const SETTINGS: &'static [Setting<Self::Given>];
    /// Settings that other models have and this one lacks, and what to do instead.
    const LACKING: &'static [(&'static str, &'static str)] = &[];
    /// Ways of writing its problems as programs, the default first.
    const FORMULATIONS: &'static [&'static dyn Formulation<Self>];
    /// What is counted about its solutions.
    const METRICS: &'static [Metric<Self::Figures>];
    /// Its generator of random instances.
    const GENERATOR: Generator<Self::Section>;

    /// What the instance file says of it.
    type Section: Clone + Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync;
    /// What is kept of an instance for it: the section, read and validated, to which settings are applied.
    type Given: Clone + Debug + Send + Sync;
    /// A problem with everything resolved; immutable.
    type Problem: Send + Sync;
    /// What heuristics propose.
    type Proposal;
    /// A solution, with everything that it is judged by.
    type Solution;
    /// A broken rule.
    type Violation: Rule;
    /// What a solution is worth.
    type Score: Clone + Debug + Serialize + DeserializeOwned + JsonSchema;
    /// What its metrics are read from.
    type Figures;
    /// How answers repeat the question: fields beside the model and the name of the instance, `objective` among them.
    type About: Serialize + JsonSchema;
    /// What answers may have beside the solution, all of it optional.
    type Remarks: Default + Serialize + JsonSchema;
    /// The question as external heuristics get it.
    type Question: Serialize + JsonSchema;

    /// The readings under which its solutions can be judged, where there are several.
    fn readings() -> Vec<ChoiceEntry> {
        Vec::new()
    }

    /// Ways to propose a solution without proof.
    fn heuristics() -> Vec<&'static dyn Heuristic<Self::Problem, Self::Proposal>>;

    /// Reads and validates the section of an instance file, where there is one. May resolve what the section refers to, so that
    /// the section then says everything that matters.
    ///
    /// # Errors
    /// When the section breaks a rule.
    fn read(common: Common<'_>, section: Option<&mut Self::Section>) -> Result<Self::Given, InputError>;

    /// The instance's question in a word, by which sweeps tell rows that may be compared.
    fn question_name(given: &Self::Given) -> String;

    /// How many things the instance has to find places for.
    fn size(cluster: &Cluster, given: &Self::Given) -> u64;

    /// What there is before anything is placed, where that is no matter of the cluster's GPUs; for drawings.
    fn unplaced(given: &Self::Given, fingerprint: &str) -> Option<SolutionDocument> {
        let (_, _) = (given, fingerprint);
        None
    }

    /// The problem that is posed.
    ///
    /// # Errors
    /// When the settings break a rule, or the instance does not pose a problem of this model.
    fn pose(
        source: &SourceText,
        cluster: &Arc<Cluster>,
        given: &Self::Given,
    ) -> Result<Arc<Self::Problem>, InputError>;

    /// Name of the problem's instance.
    fn instance_name(problem: &Self::Problem) -> &str;

    /// How answers repeat the question.
    fn about(problem: &Self::Problem) -> Self::About;

    /// The formulation that suits the problem.
    fn suitable(problem: &Self::Problem) -> &'static dyn Formulation<Self> {
        let _ = problem;
        Self::FORMULATIONS[0]
    }

    /// Whether solvers can tell all values of the objective apart.
    ///
    /// # Errors
    /// When they cannot; the message says how to fix that.
    fn check_exactness(problem: &Self::Problem, source: &SourceText) -> Result<(), InputError> {
        let (_, _) = (problem, source);
        Ok(())
    }

    /// The question as a program with products of columns, in the language AMPL.
    ///
    /// # Errors
    /// When there is no such program, or it would be too large.
    fn nonlinear_program(problem: &Self::Problem) -> Result<String, SolveError> {
        let _ = problem;
        let text = format!(
            "model {} has no nonlinear program to write to a .mod file; write .lp or .mps instead",
            Self::NAME
        );
        Err(SolveError::Refused(text))
    }

    /// What else there is to say where the formulation was chosen by the problem; costs further solves.
    ///
    /// # Errors
    /// As for [`Formulation::solve`].
    fn remarks(
        problem: &Self::Problem,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Self::Remarks, SolveError> {
        let (_, _, _) = (problem, options, control);
        Ok(Self::Remarks::default())
    }

    /// The solution that a proposal amounts to.
    fn complete(problem: &Self::Problem, proposal: Self::Proposal) -> Self::Solution;

    /// Judges a solution by the rules alone.
    fn verify(
        problem: &Self::Problem,
        solution: &Self::Solution,
    ) -> Verification<Self::Violation, Self::Score>;

    /// The values of the goals, without bounds.
    fn values(problem: &Self::Problem, score: &Self::Score) -> Vec<StageDocument>;

    /// What the metrics of a solution that obeys all rules are read from.
    fn figures(problem: &Self::Problem, solution: &Self::Solution, score: &Self::Score) -> Self::Figures;

    /// Writes a solution down; `is_valid` says whether it obeys all rules.
    fn document(
        problem: &Self::Problem,
        fingerprint: &str,
        solution: &Self::Solution,
        score: &Self::Score,
        is_valid: bool,
    ) -> SolutionDocument;

    /// Reads a solution back.
    ///
    /// # Errors
    /// When it does not speak of this instance.
    fn resolve(
        document: &SolutionDocument,
        problem: &Self::Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Self::Solution, InputError>;

    /// The solution by which one under other rules is compared with those of this question; `None` where its rules are
    /// those of the question.
    fn comparable(problem: &Self::Problem, solution: &SolutionDocument) -> Option<SolutionDocument> {
        let (_, _) = (problem, solution);
        None
    }

    /// What one unit of hardware in use costs, in units of the first goal, so that gaps can be told in units.
    fn unit_cost(problem: &Self::Problem) -> Option<Amount> {
        let _ = problem;
        None
    }

    /// Makes a certificate that the best solution of a proved answer is optimal, or that there is none.
    ///
    /// # Errors
    /// Why there is no certificate, in words.
    fn certify(
        problem: &Self::Problem,
        fingerprint: &str,
        best: Option<(&Self::Solution, &Self::Score)>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String>;

    /// Whether a certificate proves that a solution which obeys all rules is optimal, or without one whether it proves what it claims.
    ///
    /// # Errors
    /// Why it is no proof.
    fn check_certificate(
        problem: &Self::Problem,
        best: Option<(&Self::Solution, &Self::Score)>,
        certificate: &Certificate,
    ) -> Result<CertificateDocument, Refusal>;

    /// What the numbers of a certificate say, and where the best solution is given, what it leaves to be desired.
    ///
    /// # Errors
    /// Why it is no proof.
    fn explain(
        problem: &Self::Problem,
        best: Option<&Self::Solution>,
        certificate: &Certificate,
    ) -> Result<ExplanationDocument, Refusal>;

    /// The question for external heuristics, with everything resolved.
    fn question(problem: &Self::Problem, fingerprint: &str, seed: u64) -> Self::Question;

    /// What a solution is worth, line by line. `fields` are those of the answer: the question as it repeats it, and its remarks.
    fn worth(score: &Self::Score, fields: &Map<String, Value>) -> Vec<WorthLine>;

    /// What the goals have come to, where the objective is a weighted sum of them: the sum says little by itself. The fields are as in
    /// [`Wing::worth`].
    fn goals_in_words(score: &Self::Score, fields: &Map<String, Value>) -> Option<String> {
        let (_, _) = (score, fields);
        None
    }
}

impl<W: Wing> Terms for W {
    const NAME: &'static str = W::NAME;

    type Problem = W::Problem;
    type Solution = W::Solution;
    type Score = W::Score;
}

/// The remarks of a model that has nothing else to say.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct NoRemarks {}

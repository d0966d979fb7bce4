//! The model as the catalogue of models meets it.

use crate::Siavashi;
use crate::certificates;
use crate::documents::{About, GoalWeights, QuestionDocument, document, goals, worth};
use crate::generator::GENERATOR;
use crate::heuristics::heuristics;
use crate::instance::Problem;
use crate::metrics::{Figures, METRICS};
use crate::programs::{FORMULATIONS, suitable};
use crate::rules::{Score, Verification, Violation, values, verify};
use crate::section::{SETTINGS, Settings};
use certificate::{Certificate, Refusal};
use cluster::{Cluster, Placement};
use ground::{InputError, SourceText};
use kit::{
    CertificateDocument, Choices, Common, ExplanationDocument, Formulation, Generator, Heuristic, Metric,
    NoRemarks, Setting, Shape, SolutionDocument, SolveOptions, StageDocument, Wing, WorthLine,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use solver::Control;
use std::sync::Arc;

impl Wing for Siavashi {
    const NAME: &'static str = "siavashi";
    const SUMMARY: &'static str =
        "virtual machines on GPUs: acceptance, hardware in use, migrations (Siavashi & Momtazpour)";
    const SHAPE: Shape = Shape::Placement;
    const SETTINGS: &'static [Setting<Settings>] = SETTINGS;
    const FORMULATIONS: &'static [&'static dyn Formulation<Self>] = FORMULATIONS;
    const METRICS: &'static [Metric<Figures>] = METRICS;
    const GENERATOR: Generator<Settings> = GENERATOR;

    type Section = Settings;
    type Given = Settings;
    type Problem = Problem;
    type Proposal = Placement;
    type Solution = Placement;
    type Violation = Violation;
    type Score = Score;
    type Figures = Figures;
    type About = About;
    type Remarks = NoRemarks;
    type Question = QuestionDocument;

    fn heuristics() -> Vec<&'static dyn Heuristic<Problem>> {
        heuristics()
    }

    fn read(_: Common<'_>, section: Option<&mut Settings>) -> Result<Settings, InputError> {
        Ok(section.cloned().unwrap_or_default())
    }

    fn question_name(given: &Settings) -> String {
        format!("residents {}", given.residents.name())
    }

    fn size(cluster: &Cluster, _: &Settings) -> u64 {
        cluster.workloads.len() as u64
    }

    fn pose(
        source: &SourceText,
        cluster: &Arc<Cluster>,
        given: &Settings,
    ) -> Result<Arc<Problem>, InputError> {
        Problem::new(source, cluster.clone(), given).map(Arc::new)
    }

    fn instance_name(problem: &Problem) -> &str {
        &problem.cluster.name
    }

    fn about(problem: &Problem) -> About {
        About::new(problem)
    }

    fn suitable(problem: &Problem) -> &'static dyn Formulation<Self> {
        suitable(problem)
    }

    fn complete(_: &Problem, proposal: Placement) -> Placement {
        proposal
    }

    fn verify(problem: &Problem, solution: &Placement) -> Verification {
        verify(problem, solution)
    }

    fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
        values(problem, score)
    }

    fn figures(problem: &Problem, solution: &Placement, score: &Score) -> Figures {
        Figures::new(problem, solution, score)
    }

    fn document(
        problem: &Problem,
        fingerprint: &str,
        solution: &Placement,
        score: &Score,
        _is_valid: bool,
    ) -> SolutionDocument {
        document(Self::NAME, problem, fingerprint, solution, score)
    }

    fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Placement, InputError> {
        document.resolve(&problem.cluster, fingerprint, source)
    }

    fn certify(
        problem: &Problem,
        fingerprint: &str,
        best: Option<(&Placement, &Score)>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String> {
        certificates::make(problem, fingerprint, best, (options, control))
    }

    fn check_certificate(
        problem: &Problem,
        best: Option<(&Placement, &Score)>,
        certificate: &Certificate,
    ) -> Result<CertificateDocument, Refusal> {
        certificates::check(problem, best.map(|(_, score)| score), certificate)
    }

    fn explain(
        problem: &Problem,
        best: Option<&Placement>,
        certificate: &Certificate,
    ) -> Result<ExplanationDocument, Refusal> {
        certificates::explain(problem, best, certificate)
    }

    fn question(problem: &Problem, fingerprint: &str, seed: u64) -> QuestionDocument {
        QuestionDocument::new(problem, fingerprint, seed)
    }

    fn worth(score: &Score, fields: &Map<String, Value>) -> Vec<WorthLine> {
        let weights = fields.get("weights").and_then(|weights| GoalWeights::deserialize(weights).ok());
        worth(score, weights)
    }

    fn goals_in_words(score: &Score, fields: &Map<String, Value>) -> Option<String> {
        fields.contains_key("weights").then(|| goals(score))
    }
}

//! The model as the catalogue of models meets it.

use crate::Sharing;
use crate::certificates;
use crate::documents::{About, QuestionDocument, words};
use crate::generator::GENERATOR;
use crate::heuristics::HEURISTICS;
use crate::instance::{Given, Problem, SETTINGS, build};
use crate::metrics::{Figures, METRICS};
use crate::programs::{FORMULATIONS, multilinear};
use crate::rules::{Packing, Score, Verification, Violation, verify};
use crate::section::Section;
use certificate::{Certificate, Refusal};
use cluster::Cluster;
use ground::{InputError, SourceText};
use kit::{
    CertificateDocument, Choices, Common, ExplanationDocument, Formulation, Generator, Heuristic, Metric,
    NoRemarks, Setting, Shape, SolutionDocument, SolveError, SolveOptions, StageDocument, Wing, WorthLine,
};
use serde_json::{Map, Value};
use solver::Control;
use std::sync::Arc;

impl Wing for Sharing {
    const NAME: &'static str = "sharing";
    const SUMMARY: &'static str =
        "virtual machines on servers, on which they share memory pages: servers in use (Rampersaud & Grosu)";
    const SHAPE: Shape = Shape::Packing;
    const SETTINGS: &'static [Setting<Given>] = SETTINGS;
    const LACKING: &'static [(&'static str, &'static str)] = &[(
        "objective",
        "the goals of model sharing follow from --optimum. Leave it out, or choose with --optimum which servers may be used.",
    )];
    const FORMULATIONS: &'static [&'static dyn Formulation<Self>] = FORMULATIONS;
    const METRICS: &'static [Metric<Figures>] = METRICS;
    const GENERATOR: Generator<Section> = GENERATOR;

    type Section = Section;
    type Given = Given;
    type Problem = Problem;
    type Proposal = Packing;
    type Solution = Packing;
    type Violation = Violation;
    type Score = Score;
    type Figures = Figures;
    type About = About;
    type Remarks = NoRemarks;
    type Question = QuestionDocument;

    fn heuristics() -> Vec<&'static dyn Heuristic<Problem, Packing>> {
        HEURISTICS.to_vec()
    }

    fn read(common: Common<'_>, section: Option<&mut Section>) -> Result<Given, InputError> {
        let Some(section) = section else { return Ok(None) };
        build(common.source, common.name.to_owned(), section).map(|problem| Some(Arc::new(problem)))
    }

    fn question_name(given: &Given) -> String {
        given.as_ref().map(|problem| problem.optimum.name().to_owned()).unwrap_or_default()
    }

    fn size(_: &Cluster, given: &Given) -> u64 {
        given.as_ref().map_or(0, |problem| problem.vms.len() as u64)
    }

    fn unplaced(given: &Given, fingerprint: &str) -> Option<SolutionDocument> {
        given.as_ref().map(|problem| Packing::of_nothing(problem, fingerprint))
    }

    fn pose(source: &SourceText, _: &Arc<Cluster>, given: &Given) -> Result<Arc<Problem>, InputError> {
        given.clone().ok_or_else(|| {
            source.error(
                "the instance has no section `sharing`, in which model sharing finds its servers and virtual machines. Add one (see \
                 instances/sharing/), or use another model.",
            )
        })
    }

    fn instance_name(problem: &Problem) -> &str {
        &problem.name
    }

    fn about(problem: &Problem) -> About {
        About::new(problem)
    }

    fn nonlinear_program(problem: &Problem) -> Result<String, SolveError> {
        multilinear(problem).map_err(|error| SolveError::Refused(error.to_string()))
    }

    fn complete(_: &Problem, packing: Packing) -> Packing {
        packing
    }

    fn verify(problem: &Problem, packing: &Packing) -> Verification {
        verify(problem, packing)
    }

    fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
        score.values(problem.optimum)
    }

    fn figures(problem: &Problem, packing: &Packing, score: &Score) -> Figures {
        Figures::new(problem, packing, score)
    }

    fn document(
        problem: &Problem,
        fingerprint: &str,
        packing: &Packing,
        score: &Score,
        is_valid: bool,
    ) -> SolutionDocument {
        let score = is_valid.then(|| kit::Score::of(score));
        SolutionDocument { score, ..packing.document(problem, fingerprint) }
    }

    fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Packing, InputError> {
        Packing::resolve(document, problem, fingerprint, source)
    }

    fn certify(
        problem: &Problem,
        fingerprint: &str,
        best: Option<(&Packing, &Score)>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String> {
        certificates::make(problem, fingerprint, best, (options, control))
    }

    fn check_certificate(
        problem: &Problem,
        best: Option<(&Packing, &Score)>,
        certificate: &Certificate,
    ) -> Result<CertificateDocument, Refusal> {
        certificates::check(problem, best.map(|(_, score)| score), certificate)
    }

    fn explain(
        problem: &Problem,
        best: Option<&Packing>,
        certificate: &Certificate,
    ) -> Result<ExplanationDocument, Refusal> {
        certificates::explain(problem, best, certificate)
    }

    fn question(problem: &Problem, fingerprint: &str, seed: u64) -> QuestionDocument {
        QuestionDocument::new(problem, fingerprint, seed)
    }

    fn worth(score: &Score, _: &Map<String, Value>) -> Vec<WorthLine> {
        words::worth(score)
    }
}

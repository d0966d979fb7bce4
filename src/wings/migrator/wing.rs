//! The model as the rest of the house sees it.

use crate::Migrator;
use crate::certificates;
use crate::documents::{About, QuestionDocument, worth};
use crate::generator::GENERATOR;
use crate::heuristics::HEURISTICS;
use crate::instance::{Given, Problem, SETTINGS, build};
use crate::layout::{Layout, Solution};
use crate::metrics::{Figures, METRICS};
use crate::programs::FORMULATIONS;
use crate::rules::{GOODPUT, Plan, Score, Violation, verify};
use crate::section::{Section, read_requests};
use certificate::{Certificate, Refusal};
use cluster::Cluster;
use ground::{InputError, SourceText};
use kit::{
    CertificateDocument, Common, ExplanationDocument, Formulation, Generator, Heuristic, Metric, NoRemarks,
    Rule, SenseName, Setting, Shape, SolutionDocument, SolveOptions, StageDocument, Verification, Wing,
    WorthLine,
};
use serde_json::{Map, Value};
use solver::Control;
use std::sync::Arc;

impl Wing for Migrator {
    const NAME: &'static str = "migrator";
    const SUMMARY: &'static str =
        "models that serve requests and are retrained on one GPU, second by second: goodput (Wang et al.)";
    const SHAPE: Shape = Shape::Plan;
    const SETTINGS: &'static [Setting<Given>] = SETTINGS;
    const LACKING: &'static [(&'static str, &'static str)] =
        &[("objective", "model migrator has one goal, goodput. Leave it out.")];
    const FORMULATIONS: &'static [&'static dyn Formulation<Self>] = FORMULATIONS;
    const METRICS: &'static [Metric<Figures>] = METRICS;
    const GENERATOR: Generator<Section> = GENERATOR;

    type Section = Section;
    type Given = Given;
    type Problem = Problem;
    type Proposal = Plan;
    type Solution = Solution;
    type Violation = Violation;
    type Score = Score;
    type Figures = Figures;
    type About = About;
    type Remarks = NoRemarks;
    type Question = QuestionDocument;

    fn heuristics() -> Vec<&'static dyn Heuristic<Problem, Plan>> {
        HEURISTICS.to_vec()
    }

    fn read(common: Common<'_>, section: Option<&mut Section>) -> Result<Given, InputError> {
        let Some(section) = section else { return Ok(None) };
        read_requests(common.source, section)?;
        let problem = build(common.source, common.name.to_owned(), common.boards, section)?;
        Ok(Some(Arc::new(problem)))
    }

    fn question_name(given: &Given) -> String {
        given.as_ref().map(|problem| problem.readings.to_string()).unwrap_or_default()
    }

    fn size(_: &Cluster, given: &Given) -> u64 {
        given.as_ref().map_or(0, |problem| problem.models.len() as u64)
    }

    fn unplaced(given: &Given, fingerprint: &str) -> Option<SolutionDocument> {
        given.as_ref().map(|problem| Plan::of_nothing(problem, fingerprint))
    }

    fn pose(source: &SourceText, _: &Arc<Cluster>, given: &Given) -> Result<Arc<Problem>, InputError> {
        given.clone().ok_or_else(|| {
            source.error(
                "the instance has no section `migrator`, in which model migrator finds its window and its models. Add one (see \
                 instances/migrator/), or use another model.",
            )
        })
    }

    fn instance_name(problem: &Problem) -> &str {
        &problem.name
    }

    fn about(problem: &Problem) -> About {
        About::of(problem)
    }

    fn complete(_: &Problem, plan: Plan) -> Solution {
        plan.into()
    }

    fn verify(problem: &Problem, solution: &Solution) -> Verification<Violation, Score> {
        let verification = verify(problem, &solution.plan);
        Verification { violations: verification.violations, score: verification.score }
    }

    fn values(_: &Problem, score: &Score) -> Vec<StageDocument> {
        vec![StageDocument::without_bound(GOODPUT, SenseName::Maximize, score.goodput)]
    }

    fn figures(problem: &Problem, solution: &Solution, score: &Score) -> Figures {
        Figures::of(problem, solution, score)
    }

    fn document(
        problem: &Problem,
        fingerprint: &str,
        solution: &Solution,
        score: &Score,
        is_valid: bool,
    ) -> SolutionDocument {
        let none = Layout::default();
        let layout = if is_valid { solution.layout(problem) } else { &none };
        let score = is_valid.then(|| kit::Score::of(score));
        SolutionDocument { score, ..solution.plan.document(problem, layout, fingerprint) }
    }

    fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Solution, InputError> {
        Plan::resolve(document, problem, fingerprint, source).map(Solution::from)
    }

    fn certify(
        problem: &Problem,
        fingerprint: &str,
        best: Option<(&Solution, &Score)>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String> {
        certificates::make(problem, fingerprint, best.map(|(_, score)| score), (options, control))
    }

    fn check_certificate(
        problem: &Problem,
        best: Option<(&Solution, &Score)>,
        certificate: &Certificate,
    ) -> Result<CertificateDocument, Refusal> {
        certificates::check(problem, best.map(|(_, score)| score), certificate)
    }

    fn explain(
        problem: &Problem,
        _: Option<&Solution>,
        certificate: &Certificate,
    ) -> Result<ExplanationDocument, Refusal> {
        certificates::explain(problem, certificate)
    }

    fn question(problem: &Problem, fingerprint: &str, seed: u64) -> QuestionDocument {
        QuestionDocument::new(problem, fingerprint, seed)
    }

    fn worth(score: &Score, _: &Map<String, Value>) -> Vec<WorthLine> {
        worth(score)
    }
}

impl Rule for Violation {
    fn rule(&self) -> &'static str {
        Violation::rule(self)
    }
}

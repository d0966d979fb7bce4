//! The model as the catalogue of models meets it.

use crate::Wpm;
use crate::certificates;
use crate::documents::{About, CostsDocument, PrintedReading, QuestionDocument, Remarks, words};
use crate::generator::GENERATOR;
use crate::heuristics::HEURISTICS;
use crate::instance::Problem;
use crate::metrics::METRICS;
use crate::programs::{EXACT_INDEX, FORMULATIONS, StagePlan, printed_reading, suitable, values};
use crate::rules::{Reading, Score, Solution, Verification, Violation, reading_for, verify};
use crate::section::{Objective, SETTINGS, Settings};
use certificate::{Certificate, Refusal};
use cluster::{Cluster, Metrics, Placement};
use ground::{Amount, InputError, SourceText};
use itertools::Itertools;
use kit::{
    CertificateDocument, ChoiceEntry, Choices, Common, ExplanationDocument, Formulation, Generator,
    Heuristic, Metric, Setting, Shape, SolutionDocument, SolveError, SolveOptions, StageDocument, Wing,
    WorthLine,
};
use serde_json::{Map, Value};
use solver::Control;
use std::sync::Arc;

impl Wing for Wpm {
    const NAME: &'static str = "wpm";
    const SUMMARY: &'static str =
        "placement and migration of MIG workloads for the best profit (Turkkan et al.)";
    const SHAPE: Shape = Shape::Placement;
    const SETTINGS: &'static [Setting<Settings>] = SETTINGS;
    const FORMULATIONS: &'static [&'static dyn Formulation<Self>] = FORMULATIONS;
    const METRICS: &'static [Metric<Metrics>] = METRICS;
    const GENERATOR: Generator<Settings> = GENERATOR;

    type Section = Settings;
    type Given = Settings;
    type Problem = Problem;
    type Proposal = Placement;
    type Solution = Solution;
    type Violation = Violation;
    type Score = Score;
    type Figures = Metrics;
    type About = About;
    type Remarks = Remarks;
    type Question = QuestionDocument;

    fn readings() -> Vec<ChoiceEntry> {
        Reading::entries()
    }

    fn heuristics() -> Vec<&'static dyn Heuristic<Problem>> {
        HEURISTICS.to_vec()
    }

    fn read(common: Common<'_>, section: Option<&mut Settings>) -> Result<Settings, InputError> {
        let settings = section.cloned().unwrap_or_default();
        settings.check_costs(common.source)?;
        Ok(settings)
    }

    fn question_name(given: &Settings) -> String {
        given.use_case.to_string()
    }

    fn size(cluster: &Cluster, _: &Settings) -> u64 {
        cluster.workloads.len() as u64
    }

    fn pose(
        source: &SourceText,
        cluster: &Arc<Cluster>,
        given: &Settings,
    ) -> Result<Arc<Problem>, InputError> {
        Problem::new(source, Arc::clone(cluster), given).map(Arc::new)
    }

    fn instance_name(problem: &Problem) -> &str {
        &problem.cluster.name
    }

    fn about(problem: &Problem) -> About {
        About {
            use_case: problem.use_case,
            objective: problem.objective.to_string(),
            max_migrations: problem.limits.max_migrations,
            max_disrupted: problem.limits.max_disrupted,
            shifts: problem.limits.shifts,
            costs: CostsDocument::new(problem),
        }
    }

    fn suitable(problem: &Problem) -> &'static dyn Formulation<Self> {
        suitable(problem)
    }

    fn check_exactness(problem: &Problem, source: &SourceText) -> Result<(), InputError> {
        StagePlan::new(problem)
            .map(drop)
            .map_err(|error| source.error_at_key(&["wpm", "costs"], format!("{error}.")))
    }

    /// What the printed reading would have cost, where pinned workloads made migopt choose the exact-index reading.
    fn remarks(problem: &Problem, options: &SolveOptions, control: &Control) -> Result<Remarks, SolveError> {
        if !problem.has_pins_to_work_around() {
            return Ok(Remarks::default());
        }
        let reading = |Score { gpus, pending, profit, .. }| PrintedReading { gpus, pending, profit };
        Ok(Remarks { printed_reading: printed_reading(problem, options, control)?.map(reading) })
    }

    fn complete(problem: &Problem, placement: Placement) -> Solution {
        Solution::from_placement(problem, reading_for(problem), placement)
    }

    fn verify(problem: &Problem, solution: &Solution) -> Verification {
        verify(problem, solution)
    }

    fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
        values(&problem.objective, score)
    }

    fn figures(problem: &Problem, solution: &Solution, _: &Score) -> Metrics {
        solution.metrics(problem)
    }

    fn document(
        problem: &Problem,
        fingerprint: &str,
        solution: &Solution,
        score: &Score,
        _is_valid: bool,
    ) -> SolutionDocument {
        SolutionDocument { score: Some(kit::Score::of(score)), ..solution.document(problem, fingerprint) }
    }

    fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Solution, InputError> {
        Solution::resolve(document, problem, fingerprint, source)
    }

    /// Solutions are comparable only under one reading; what was proved under another one proves nothing there.
    fn comparable(problem: &Problem, solution: &SolutionDocument) -> Option<SolutionDocument> {
        let reading = reading_for(problem).name();
        let differs = solution.reading.as_deref().is_some_and(|other| other != reading);
        differs.then(|| SolutionDocument {
            reading: Some(reading.to_owned()),
            repartitioned: None,
            ..solution.clone()
        })
    }

    /// What a GPU costs, where the objective is the profit and all GPUs cost the same.
    fn unit_cost(problem: &Problem) -> Option<Amount> {
        let mut of_gpus = problem.costs.board.iter().map(|costs| costs.gpu);
        (problem.objective == Objective::Weighted).then(|| of_gpus.all_equal_value().ok()).flatten()
    }

    fn certify(
        problem: &Problem,
        fingerprint: &str,
        best: Option<(&Solution, &Score)>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String> {
        let reading = best.map_or_else(|| reading_of(problem, options), |(solution, _)| solution.reading);
        let score = best.map(|(_, score)| score);
        certificates::make(problem, fingerprint, reading, score, (options, control))
    }

    fn check_certificate(
        problem: &Problem,
        best: Option<(&Solution, &Score)>,
        certificate: &Certificate,
    ) -> Result<CertificateDocument, Refusal> {
        certificates::check(problem, best, certificate)
    }

    fn explain(
        problem: &Problem,
        best: Option<&Solution>,
        certificate: &Certificate,
    ) -> Result<ExplanationDocument, Refusal> {
        certificates::explain(problem, best, certificate)
    }

    fn question(problem: &Problem, fingerprint: &str, seed: u64) -> QuestionDocument {
        QuestionDocument::new(problem, fingerprint, seed)
    }

    fn worth(score: &Score, fields: &Map<String, Value>) -> Vec<WorthLine> {
        let costs = read::<CostsDocument>(fields, "costs");
        let printed = read::<PrintedReading>(fields, "printed_reading");
        costs.map(|costs| words::worth(score, &costs, printed.as_ref())).unwrap_or_default()
    }

    fn goals_in_words(score: &Score, fields: &Map<String, Value>) -> Option<String> {
        let objective = read::<Objective>(fields, "objective");
        (objective == Some(Objective::Weighted)).then(|| words::goals(score))
    }
}

/// The reading under which a problem is solved.
fn reading_of(problem: &Problem, options: &SolveOptions) -> Reading {
    match options.formulation {
        None => reading_for(problem),
        Some(entry) if entry.name == EXACT_INDEX.name() => Reading::ExactIndex,
        Some(_) => Reading::Printed,
    }
}

/// A field of an answer, where it is there.
fn read<T: serde::de::DeserializeOwned>(fields: &Map<String, Value>, name: &str) -> Option<T> {
    T::deserialize(fields.get(name)?).ok()
}

//! From what a wing says of its model to what the rest of the house meets: once for all models.

use super::contents::Contents;
use super::corpus::Corpus;
use super::instance_file::InstanceFile;
use super::listed::Listed;
use super::model::Model;
use super::question::Question;
use super::schemas::{ModelSchemas, document_schema};
use super::settings::{models_with, settings_of};
use certificate::{Certificate, Claimed, Refusal};
use ground::{Amount, InputError, SourceText};
use kit::{
    About, CertificateDocument, ExplanationDocument, ExportedPrograms, Formulation, FormulationEntry,
    FrontierDocument, FrontierPoint, HeuristicEntry, MetricEntry, Overrides, ParameterEntry, Point,
    ProposalDocument, Recorder, RefusedOverride, RefusedValues, ResultDocument, Rule, Score, Shape,
    SolutionDocument, SolveError, SolveOptions, StageClaim, Verdict, VerdictDocument, Verification,
    ViolationDocument, WarmStart, Wing, WorthLine, choose_heuristic, claims, exported, heuristic_entries,
    metric_values, root_bound, unknown,
};
use milp::Program;
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};
use solver::Control;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

/// The model that a wing describes.
pub struct Of<W>(PhantomData<fn() -> W>);

impl<W> Of<W> {
    /// The model.
    pub const MODEL: Of<W> = Of(PhantomData);
}

impl<W: Listed> Model for Of<W> {
    fn name(&self) -> &'static str {
        W::NAME
    }

    fn summary(&self) -> &'static str {
        W::SUMMARY
    }

    fn formulations(&self) -> Vec<FormulationEntry> {
        W::FORMULATIONS.iter().map(|formulation| formulation.entry()).collect()
    }

    fn heuristics(&self) -> Vec<HeuristicEntry> {
        heuristic_entries(&W::heuristics())
    }

    fn metrics(&self) -> Vec<MetricEntry> {
        W::METRICS.iter().map(kit::Metric::entry).collect()
    }

    fn settings(&self) -> Vec<ParameterEntry> {
        settings_of::<W>()
    }

    fn generator_parameters(&self) -> Vec<ParameterEntry> {
        (W::GENERATOR.parameters)()
    }

    fn generator(&self, values: &[(&str, &str)]) -> Result<Box<dyn Fn(u64) -> InstanceFile>, RefusedValues> {
        let draw = (W::GENERATOR.with)(values)?;
        Ok(Box::new(move |seed| InstanceFile::of::<W>(draw(seed))))
    }

    fn check_heuristic(&self, text: &str) -> Result<(), String> {
        choose_heuristic(&W::heuristics(), text).map(drop)
    }

    fn configure(&self, instance: &mut Contents, overrides: &Overrides) -> Result<(), RefusedOverride> {
        for (name, value) in overrides.iter() {
            let refused = |message: String| RefusedOverride { field: name.to_owned(), message };
            let setting = W::SETTINGS.iter().find(|setting| setting.parameter.name == name);
            let setting = setting.ok_or_else(|| refused(lacking::<W>(name)))?;
            (setting.parameter.set)(W::given_mut(&mut instance.given), value).map_err(refused)?;
        }
        Ok(())
    }

    fn read_back(&self, answer: &Map<String, Value>) -> Overrides {
        let pair = |setting: &kit::Setting<W::Given>| {
            Some((setting.parameter.name.to_owned(), setting.read_back(answer)?))
        };
        W::SETTINGS.iter().filter_map(pair).collect()
    }

    fn answer_fields(&self) -> Vec<String> {
        let mut generator = SchemaGenerator::default();
        let ModelSchemas { about, remarks, .. } = ModelSchemas::of::<W>(&mut generator);
        [about, remarks].iter().flat_map(property_names).collect()
    }

    fn question_name(&self, instance: &Contents) -> String {
        W::question_name(W::given(&instance.given))
    }

    fn size(&self, instance: &Contents) -> u64 {
        W::size(&instance.cluster, W::given(&instance.given))
    }

    fn needs_gpus(&self) -> bool {
        W::SHAPE == Shape::Placement
    }

    fn blank(&self, instance: &Contents) -> SolutionDocument {
        SolutionDocument::blank(W::NAME, instance.reference(), W::SHAPE)
    }

    fn unplaced(&self, instance: &Contents) -> Option<SolutionDocument> {
        W::unplaced(W::given(&instance.given), &instance.fingerprint)
    }

    fn pose<'i>(&self, instance: &'i Contents) -> Result<Box<dyn Question + 'i>, InputError> {
        Ok(Box::new(Posed::<W> { instance, problem: instance.problem::<W>()? }))
    }

    fn question_schema(&self) -> Schema {
        document_schema::<W::Question>()
    }

    fn corpus(&self) -> &'static Corpus {
        W::CORPUS
    }

    fn library_text(&self) -> &'static str {
        W::LIBRARY
    }

    fn worth(&self, score: &Score, fields: &Map<String, Value>) -> Vec<WorthLine> {
        score.read::<W::Score>().map(|score| W::worth(&score, fields)).unwrap_or_default()
    }

    fn goals_in_words(&self, score: &Score, fields: &Map<String, Value>) -> Option<String> {
        W::goals_in_words(&score.read::<W::Score>()?, fields)
    }
}

/// Names of the properties of a schema.
fn property_names(schema: &Schema) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// Why a model refuses a setting that it does not have, and what to do instead.
fn lacking<W: Wing>(name: &str) -> String {
    if let Some((_, advice)) = W::LACKING.iter().find(|(lacking, _)| *lacking == name) {
        return (*advice).to_owned();
    }
    match models_with(name).as_slice() {
        [] => {
            let known: Vec<&str> = W::SETTINGS.iter().map(|setting| setting.parameter.name).collect();
            unknown(name, &format!("a setting of model {}", W::NAME), "Settings", &known)
        }
        [other] => format!("model {} has no such setting, only {other} has. Leave it out.", W::NAME),
        others => {
            format!("model {} has no such setting; {} have. Leave it out.", W::NAME, others.join(" and "))
        }
    }
}

/// An instance with its problem.
struct Posed<'i, W: Wing> {
    instance: &'i Contents,
    problem: Arc<W::Problem>,
}

impl<W: Listed> Posed<'_, W> {
    /// The certificate that a text is, if it is about this instance.
    fn certificate(&self, text: &str) -> Result<Certificate, Refusal> {
        Certificate::parse(text)?.of(W::NAME, &self.instance.fingerprint)
    }

    /// The verifier's findings about a solution, written down.
    fn verdict(&self, solution: &W::Solution) -> Verdict {
        let (violations, score) = self.findings(solution);
        self.described(solution, &score, violations)
    }

    /// The rules that a solution breaks, and what it would be worth if it broke none.
    fn findings(&self, solution: &W::Solution) -> (Vec<ViolationDocument>, W::Score) {
        let Verification { violations, score } = W::verify(&self.problem, solution);
        let violations = violations.iter().map(|violation| ViolationDocument {
            rule: violation.rule().to_owned(),
            message: violation.to_string(),
        });
        (violations.collect(), score)
    }

    fn described(
        &self,
        solution: &W::Solution,
        score: &W::Score,
        violations: Vec<ViolationDocument>,
    ) -> Verdict {
        let VerdictDocument { valid, violations, stages, score: worth, metrics, .. } =
            self.weighed(solution, score, violations);
        let solution = W::document(&self.problem, &self.instance.fingerprint, solution, score, valid);
        Verdict { violations, stages, score: worth, metrics, solution }
    }

    fn weighed(
        &self,
        solution: &W::Solution,
        score: &W::Score,
        violations: Vec<ViolationDocument>,
    ) -> VerdictDocument {
        if !violations.is_empty() {
            return VerdictDocument::broken(violations);
        }
        let problem = &self.problem;
        VerdictDocument {
            valid: true,
            violations,
            stages: W::values(problem, score),
            score: Some(Score::of(score)),
            metrics: Some(metric_values(W::METRICS, &W::figures(problem, solution, score))),
            certificate: None,
        }
    }

    /// The solution that a solver is to start from.
    fn start(&self, warm_start: &WarmStart) -> Result<W::Solution, SolveError> {
        match warm_start {
            WarmStart::Heuristic(text) => {
                let chosen = choose_heuristic(&W::heuristics(), text).map_err(SolveError::Refused)?;
                Ok(W::complete(&self.problem, chosen.propose(&self.problem, 0)))
            }
            WarmStart::Solution(document, source) => {
                let solution = W::resolve(document, &self.problem, &self.instance.fingerprint, source)?;
                match W::verify(&self.problem, &solution).violations.first() {
                    None => Ok(solution),
                    Some(violation) => {
                        let words = "a solution to start from has to obey all rules. `migopt verify` names all that it breaks.";
                        Err(source
                            .error(format!("this breaks the rule {}: {violation}; {words}", violation.rule()))
                            .into())
                    }
                }
            }
        }
    }

    /// The solution of an answer.
    fn resolved(&self, document: &SolutionDocument) -> Result<W::Solution, String> {
        let source = SourceText::new("solution", "");
        let solution = W::resolve(document, &self.problem, &self.instance.fingerprint, &source);
        solution.map_err(|error| error.to_string())
    }

    /// The formulation that an entry stands for, or the one that suits the problem.
    fn formulation_of(&self, asked: Option<FormulationEntry>) -> &'static dyn Formulation<W> {
        let Some(asked) = asked else { return W::suitable(&self.problem) };
        let found = W::FORMULATIONS.iter().find(|formulation| formulation.name() == asked.name);
        *found.expect("entries are of formulations of this model")
    }
}

/// The fields of a plain structure.
fn fields(structure: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(structure) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

impl<W: Listed> Question for Posed<'_, W> {
    fn about(&self) -> About {
        About {
            model: W::NAME,
            instance: W::instance_name(&self.problem).to_owned(),
            fields: fields(&W::about(&self.problem)),
        }
    }

    fn formulation(&self, asked: Option<FormulationEntry>) -> FormulationEntry {
        self.formulation_of(asked).entry()
    }

    fn program(&self, formulation: FormulationEntry) -> Result<Program, SolveError> {
        self.formulation_of(Some(formulation)).program(&self.problem)
    }

    fn exported(
        &self,
        formulation: FormulationEntry,
        answer: &ResultDocument,
    ) -> Result<ExportedPrograms, SolveError> {
        let formulation = self.formulation_of(Some(formulation));
        let program = formulation.program(&self.problem)?;
        let score = answer.score.as_ref().and_then(Score::read::<W::Score>);
        let goals = formulation.goals(&self.problem, score.as_ref())?;
        Ok(exported(&program, &goals, &answer.stages))
    }

    fn nonlinear_program(&self) -> Result<String, SolveError> {
        W::nonlinear_program(&self.problem)
    }

    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError> {
        let began = Instant::now();
        W::check_exactness(&self.problem, &self.instance.source)?;
        let formulation = self.formulation_of(options.formulation);
        let (recorder, recorded) = Recorder::new(control);
        let start = options.warm_start.as_ref().map(|warm_start| self.start(warm_start)).transpose()?;
        let mut solved = formulation.solve(&self.problem, start.as_ref(), options, &recorded)?;
        let trace = recorder.finish(&solved.stages);
        let effort = options.effort.clone().within(options.effort.time_left(began));
        let rest = SolveOptions { effort, ..options.clone() };
        let remarks = if options.remarks && options.formulation.is_none() && !control.is_interrupted() {
            fields(&W::remarks(&self.problem, &rest, control)?)
        } else {
            Map::new()
        };
        let laying_out = Instant::now();
        let best = solved.best.take().map(|(solution, score)| self.described(&solution, &score, Vec::new()));
        let mut result = ResultDocument::new(self.about(), options.effort.solver, solved, best);
        result.root_bound = root_bound(&trace);
        result.trace = trace;
        result.remarks = remarks;
        result.notes.extend(self.instance.cluster.notes.iter().cloned());
        result.seconds.lay_out = Some(laying_out.elapsed().as_secs_f64());
        Ok(result)
    }

    fn frontier(
        &self,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<FrontierDocument, SolveError> {
        let began = Instant::now();
        let formulation = self.formulation_of(options.formulation);
        let found = formulation.frontier(&self.problem, goals, options, control)?;
        let point = |point: Point<W>| {
            let verdict = self.described(&point.solution, &point.score, Vec::new());
            FrontierPoint { values: point.values, score: verdict.score, solution: verdict.solution }
        };
        let mut about = self.about();
        about.fields.shift_remove("objective");
        Ok(FrontierDocument {
            model: about.model.to_owned(),
            instance: about.instance,
            formulation: found.formulation.to_owned(),
            solver: options.effort.solver.name().to_owned(),
            solver_version: options.effort.solver.version(),
            about: about.fields,
            goals: found.goals,
            status: found.status,
            reason: found.reason,
            points: found.points.into_iter().map(point).collect(),
            notes: found.notes,
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    fn propose(&self, heuristic: &str, seed: u64) -> Result<ProposalDocument, String> {
        let chosen = choose_heuristic(&W::heuristics(), heuristic)?;
        let began = Instant::now();
        let proposal = chosen.propose(&self.problem, seed);
        let solution = W::complete(&self.problem, proposal);
        let seconds = began.elapsed().as_secs_f64();
        Ok(ProposalDocument::new(self.about(), heuristic, seed, seconds, self.verdict(&solution)))
    }

    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError> {
        let solution = W::resolve(solution, &self.problem, &self.instance.fingerprint, source)?;
        Ok(self.verdict(&solution))
    }

    fn judgement(
        &self,
        solution: &SolutionDocument,
        source: &SourceText,
    ) -> Result<VerdictDocument, InputError> {
        let solution = W::resolve(solution, &self.problem, &self.instance.fingerprint, source)?;
        let (violations, score) = self.findings(&solution);
        Ok(self.weighed(&solution, &score, violations))
    }

    fn certify(
        &self,
        answer: &ResultDocument,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String> {
        if !answer.proved {
            return Err("nothing is proved".to_owned());
        }
        self.certify_solution(answer.solution.as_ref(), options, control)
    }

    fn certify_solution(
        &self,
        solution: Option<&SolutionDocument>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String> {
        let fingerprint = &self.instance.fingerprint;
        let Some(document) = solution else {
            return W::certify(&self.problem, fingerprint, None, options, control);
        };
        let solution = self.resolved(document)?;
        let Verification { score, .. } = W::verify(&self.problem, &solution);
        W::certify(&self.problem, fingerprint, Some((&solution, &score)), options, control)
    }

    fn explain(
        &self,
        certificate: &str,
        solution: Option<(&SolutionDocument, &SourceText)>,
    ) -> Result<ExplanationDocument, InputError> {
        let best = solution.map(|(document, source)| {
            W::resolve(document, &self.problem, &self.instance.fingerprint, source)
        });
        let best = best.transpose()?;
        let explained = self
            .certificate(certificate)
            .and_then(|certificate| W::explain(&self.problem, best.as_ref(), &certificate));
        explained.map_err(|refusal| SourceText::new("the certificate", "").error(refusal.to_string()))
    }

    fn claims(
        &self,
        formulation: FormulationEntry,
        answer: &ResultDocument,
    ) -> Result<Vec<StageClaim>, String> {
        if !answer.proved {
            return Err("nothing is proved".to_owned());
        }
        let formulation = self.formulation_of(Some(formulation));
        let words = |error: SolveError| error.to_string();
        let solution = answer.solution.as_ref().map(|document| self.resolved(document)).transpose()?;
        let score = solution.as_ref().map(|solution| W::verify(&self.problem, solution).score);
        let program = formulation.program(&self.problem).map_err(words)?;
        let goals = formulation.goals(&self.problem, score.as_ref()).map_err(words)?;
        let point = match &solution {
            Some(solution) => formulation.point(&self.problem, solution).map_err(words)?,
            None => None,
        };
        let name_of_sum = answer.stages.last().map_or("", |stage| &stage.name);
        claims(&program, &goals, name_of_sum, point.as_deref()).map_err(|error| error.to_string())
    }

    fn check_certificate(
        &self,
        certificate: &str,
        solution: Option<(&SolutionDocument, &SourceText)>,
    ) -> Result<CertificateDocument, InputError> {
        let certificate = match self.certificate(certificate) {
            Ok(certificate) => certificate,
            Err(refusal) => return Ok(CertificateDocument::refused(refusal)),
        };
        if solution.is_none() && !certificate.says_infeasible() {
            let reason = "it is about a solution with certain values, and there is none.";
            return Ok(CertificateDocument::refused(reason));
        }
        let solution = solution.map(|(document, source)| {
            W::resolve(document, &self.problem, &self.instance.fingerprint, source)
        });
        let solution = solution.transpose()?;
        let verified = solution.as_ref().map(|solution| W::verify(&self.problem, solution));
        if verified.as_ref().is_some_and(|verified| !verified.violations.is_empty()) {
            return Ok(CertificateDocument::refused(
                "the solution breaks a rule, so that nothing is proved of it",
            ));
        }
        let best = solution.as_ref().zip(verified.as_ref().map(|verified| &verified.score));
        let checked = W::check_certificate(&self.problem, best, &certificate);
        Ok(checked.unwrap_or_else(CertificateDocument::refused))
    }

    fn proved_by(&self, certificate: &str) -> Result<Vec<Claimed>, Refusal> {
        let certificate = self.certificate(certificate)?;
        W::check_certificate(&self.problem, None, &certificate)?;
        Ok(certificate.claims.into_iter().map(|claim| claim.claimed).collect())
    }

    fn comparable(&self, solution: &SolutionDocument) -> Option<SolutionDocument> {
        W::comparable(&self.problem, solution)
    }

    fn unit_cost(&self) -> Option<Amount> {
        W::unit_cost(&self.problem)
    }

    fn document(&self, seed: u64) -> Value {
        let question = W::question(&self.problem, &self.instance.fingerprint, seed);
        let mut document = serde_json::to_value(question).expect("plain data serialises");
        // Fields of questions are in alphabetical order.
        document.sort_all_objects();
        document
    }
}

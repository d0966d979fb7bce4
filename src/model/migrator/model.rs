//! The model as the rest of the house sees it.

use super::formulation::GOODPUT;
use super::generator::{GeneratorFlags, generator};
use super::heuristic::{HEURISTICS, heuristic_named};
use super::instance::Problem;
use super::layout::lay_out;
use super::metrics::{METRICS, metric_values};
use super::plan::Plan;
use super::question::QuestionDocument;
use super::solve::{FORMULATIONS, program, solve, values};
use super::verify::{Verification, verify};
use super::words;
use crate::cluster::{InputError, SourceText};
use crate::milp::Program;
use crate::model::{
    About, FormulationEntry, HeuristicEntry, Instance, InstanceFile, MetricEntry, Model, Overrides, Question,
    RefusedOverride, ResultDocument, ScoreDocument, SolutionDocument, SolveError, SolveOptions, Verdict,
    ViolationDocument, heuristic_entries,
};
use crate::solver::Control;
use clap::Args;
use std::time::Instant;

/// Inference and retraining of several models on one GPU during a window of time (MIGRator).
pub struct Migrator;

impl Model for Migrator {
    fn name(&self) -> &'static str {
        "migrator"
    }

    fn summary(&self) -> &'static str {
        "models that serve requests and are retrained on one GPU, second by second: goodput (Wang et al.)"
    }

    fn formulations(&self) -> &'static [FormulationEntry] {
        FORMULATIONS
    }

    fn heuristics(&self) -> Vec<HeuristicEntry> {
        heuristic_entries(HEURISTICS)
    }

    fn metrics(&self) -> &'static [MetricEntry] {
        METRICS
    }

    fn check_heuristic(&self, text: &str) -> Result<(), String> {
        heuristic_named(text).map(drop)
    }

    fn configure(&self, instance: &mut Instance, overrides: &Overrides) -> Result<(), RefusedOverride> {
        overrides.refuse_those_of_others(self.name())?;
        if overrides.objective.is_some() {
            let message = "model migrator has one goal, goodput. Leave it out.";
            return Err(RefusedOverride { field: "objective", message: message.to_owned() });
        }
        let Some(problem) = &mut instance.migrator else { return Ok(()) };
        let readings = &mut problem.readings;
        readings.reconfiguration = overrides.reconfiguration.unwrap_or(readings.reconfiguration);
        readings.deployment = overrides.deployment.unwrap_or(readings.deployment);
        readings.signature = overrides.signature.unwrap_or(readings.signature);
        problem
            .count_units()
            .map_err(|error| RefusedOverride { field: "reconfiguration", message: error.to_string() })
    }

    fn question_name(&self, instance: &Instance) -> String {
        instance.migrator.as_ref().map(|problem| problem.readings.to_string()).unwrap_or_default()
    }

    fn workloads(&self, instance: &Instance) -> u64 {
        instance.migrator.as_ref().map_or(0, |problem| problem.models.len() as u64)
    }

    fn pose<'i>(&self, instance: &'i Instance) -> Result<Box<dyn Question + 'i>, InputError> {
        Ok(Box::new(Posed { instance, problem: instance.migrator_problem()? }))
    }

    fn question_schema(&self) -> schemars::Schema {
        schemars::schema_for!(QuestionDocument)
    }

    fn score_lines(&self, result: &ResultDocument) -> Vec<String> {
        match &result.score {
            Some(ScoreDocument::Migrator(score)) => words::score_lines(score),
            _ => Vec::new(),
        }
    }

    fn verdict_lines(&self, score: &ScoreDocument) -> Vec<String> {
        match score {
            ScoreDocument::Migrator(score) => words::verdict_lines(score),
            _ => Vec::new(),
        }
    }

    fn generate_command(&self) -> clap::Command {
        GeneratorFlags::augment_args(clap::Command::new(self.name()))
    }

    fn generator(&self, flags: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String> {
        generator(flags)
    }
}

/// An instance with its problem.
struct Posed<'i> {
    instance: &'i Instance,
    problem: &'i Problem,
}

impl Posed<'_> {
    /// A plan and what the verifier found, written down.
    fn described(&self, plan: &Plan, Verification { violations, score, .. }: Verification) -> Verdict {
        let problem = self.problem;
        let worth = violations.is_empty().then_some(score);
        let layout = worth.as_ref().map(|_| lay_out(problem, plan)).unwrap_or_default();
        let solution = SolutionDocument {
            score: worth.clone().map(ScoreDocument::Migrator),
            ..plan.document(problem, &layout, &self.instance.fingerprint)
        };
        let violations = violations.iter().map(|violation| ViolationDocument {
            rule: violation.rule().to_owned(),
            message: violation.to_string(),
        });
        Verdict {
            violations: violations.collect(),
            stages: worth.as_ref().map(values).unwrap_or_default(),
            metrics: worth
                .as_ref()
                .map(|score| metric_values(problem, plan, score, &layout.summary(problem))),
            score: worth.map(ScoreDocument::Migrator),
            solution,
        }
    }
}

impl Question for Posed<'_> {
    fn about(&self) -> About {
        About {
            model: Migrator.name(),
            instance: self.problem.name.clone(),
            objective: GOODPUT.to_owned(),
            use_case: None,
            costs: None,
            residents: None,
            optimum: None,
            readings: Some(self.problem.readings),
        }
    }

    fn formulation(&self, asked: Option<&'static FormulationEntry>) -> &'static FormulationEntry {
        asked.unwrap_or(&FORMULATIONS[0])
    }

    /// Reading an instance refuses numbers of which the goodput cannot be counted in whole units.
    fn check_exactness(&self) -> Result<(), InputError> {
        Ok(())
    }

    fn program(&self, asked: &FormulationEntry) -> Result<Program, SolveError> {
        Ok(program(self.problem, asked.name))
    }

    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError> {
        let mut solved = solve(self.problem, options, control)?;
        solved.notes.extend(self.problem.warnings.iter().cloned());
        let best = solved.best.take().map(|(plan, verification)| self.described(&plan, verification));
        Ok(ResultDocument::new(self.about(), options.solver, solved, best))
    }

    fn propose(&self, heuristic: &str, seed: u64) -> Result<(Verdict, f64), String> {
        let heuristic = heuristic_named(heuristic)?;
        let began = Instant::now();
        let plan = heuristic.propose(self.problem, seed);
        let seconds = began.elapsed().as_secs_f64();
        Ok((self.described(&plan, verify(self.problem, &plan)), seconds))
    }

    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError> {
        let plan = Plan::resolve(solution, self.problem, &self.instance.fingerprint, source)?;
        Ok(self.described(&plan, verify(self.problem, &plan)))
    }

    fn document(&self, seed: u64) -> serde_json::Value {
        let question = QuestionDocument::new(self.problem, &self.instance.fingerprint, seed);
        serde_json::to_value(question).expect("plain data serialises")
    }
}

//! The model as the rest of the house sees it.

use super::generator::{GeneratorFlags, generator};
use super::heuristic::{HEURISTICS, heuristic_named};
use super::instance::Problem;
use super::metrics::{METRICS, metric_values};
use super::multilinear::multilinear;
use super::packing::Packing;
use super::question::QuestionDocument;
use super::solve::{FORMULATIONS, formulation, solve, values};
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

/// Sharing-aware packing of virtual machines (Rampersaud & Grosu).
pub struct Sharing;

impl Model for Sharing {
    fn name(&self) -> &'static str {
        "sharing"
    }

    fn summary(&self) -> &'static str {
        "virtual machines on servers, on which they share memory pages: servers in use (Rampersaud & Grosu)"
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
            let message = "the goals of model sharing follow from --optimum. Leave it out, or choose with --optimum which servers may be used.";
            return Err(RefusedOverride { field: "objective", message: message.to_owned() });
        }
        if let (Some(optimum), Some(problem)) = (overrides.optimum, &mut instance.sharing) {
            problem.optimum = optimum;
        }
        Ok(())
    }

    fn question_name(&self, instance: &Instance) -> String {
        instance.sharing.as_ref().map(|problem| problem.optimum.name().to_owned()).unwrap_or_default()
    }

    fn workloads(&self, instance: &Instance) -> u64 {
        instance.sharing.as_ref().map_or(0, |problem| problem.vms.len() as u64)
    }

    fn pose<'i>(&self, instance: &'i Instance) -> Result<Box<dyn Question + 'i>, InputError> {
        Ok(Box::new(Posed { instance, problem: instance.sharing_problem()? }))
    }

    fn question_schema(&self) -> schemars::Schema {
        schemars::schema_for!(QuestionDocument)
    }

    fn score_lines(&self, result: &ResultDocument) -> Vec<String> {
        match &result.score {
            Some(ScoreDocument::Sharing(score)) => words::score_lines(score),
            _ => Vec::new(),
        }
    }

    fn verdict_lines(&self, score: &ScoreDocument) -> Vec<String> {
        match score {
            ScoreDocument::Sharing(score) => words::verdict_lines(score),
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
    /// A packing and what the verifier found, written down.
    fn described(&self, packing: &Packing, Verification { violations, score }: Verification) -> Verdict {
        let problem = self.problem;
        let worth = violations.is_empty().then_some(score);
        let solution = SolutionDocument {
            score: worth.clone().map(ScoreDocument::Sharing),
            ..packing.document(problem, &self.instance.fingerprint)
        };
        let violations = violations.iter().map(|violation| ViolationDocument {
            rule: violation.rule().to_owned(),
            message: violation.to_string(),
        });
        Verdict {
            violations: violations.collect(),
            stages: worth.as_ref().map(|score| values(problem, score)).unwrap_or_default(),
            metrics: worth.as_ref().map(|score| metric_values(problem, packing, score)),
            score: worth.map(ScoreDocument::Sharing),
            solution,
        }
    }
}

impl Question for Posed<'_> {
    fn about(&self) -> About {
        let goals = self.problem.optimum.goals().iter().map(|goal| goal.name());
        About {
            model: Sharing.name(),
            instance: self.problem.name.clone(),
            objective: format!("lexicographic:{}", goals.collect::<Vec<_>>().join(",")),
            use_case: None,
            costs: None,
            residents: None,
            optimum: Some(self.problem.optimum),
            readings: None,
        }
    }

    fn formulation(&self, asked: Option<&'static FormulationEntry>) -> &'static FormulationEntry {
        asked.unwrap_or(&FORMULATIONS[0])
    }

    /// An instance whose costs solvers cannot tell apart is refused when it is read.
    fn check_exactness(&self) -> Result<(), InputError> {
        Ok(())
    }

    fn program(&self, asked: &FormulationEntry) -> Result<Program, SolveError> {
        Ok(formulation(self.problem, asked.name)?.program().clone())
    }

    fn nonlinear_program(&self) -> Result<String, SolveError> {
        multilinear(self.problem).map_err(|error| SolveError::Refused(error.to_string()))
    }

    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError> {
        let mut solved = solve(self.problem, options, control)?;
        let best = solved
            .best
            .take()
            .map(|(packing, score)| self.described(&packing, Verification { violations: Vec::new(), score }));
        Ok(ResultDocument::new(self.about(), options.solver, solved, best))
    }

    fn propose(&self, heuristic: &str, seed: u64) -> Result<(Verdict, f64), String> {
        let heuristic = heuristic_named(heuristic)?;
        let began = Instant::now();
        let packing = heuristic.propose(self.problem, seed);
        let seconds = began.elapsed().as_secs_f64();
        Ok((self.described(&packing, verify(self.problem, &packing)), seconds))
    }

    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError> {
        let packing = Packing::resolve(solution, self.problem, &self.instance.fingerprint, source)?;
        Ok(self.described(&packing, verify(self.problem, &packing)))
    }

    fn document(&self, seed: u64) -> serde_json::Value {
        let question = QuestionDocument::new(self.problem, &self.instance.fingerprint, seed);
        serde_json::to_value(question).expect("plain data serialises")
    }
}

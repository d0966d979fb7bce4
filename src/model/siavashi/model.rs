//! The model as the rest of the house sees it.

use super::generator::{GeneratorFlags, generator};
use super::goal::Goal;
use super::heuristic::{HEURISTICS, heuristic_named};
use super::instance::Problem;
use super::metrics::{METRICS, metric_values};
use super::objective::goals_named;
use super::question::QuestionDocument;
use super::solve::{FORMULATIONS, Point, build, formulation_for, frontier, solve, values};
use super::verify::{Verification, verify};
use super::words;
use crate::cluster::{InputError, Placement, SourceText};
use crate::milp::Program;
use crate::model::{
    About, FormulationEntry, FrontierDocument, FrontierPoint, GoalEntry, HeuristicEntry, Instance,
    InstanceFile, InstanceReference, MetricEntry, Model, Overrides, Question, RefusedOverride,
    ResultDocument, ScoreDocument, SolutionDocument, SolveError, SolveOptions, Verdict, ViolationDocument,
    heuristic_entries,
};
use crate::solver::Control;
use clap::Args;
use std::time::Instant;

/// Multi-objective placement of virtual machines on GPUs (Siavashi & Momtazpour).
pub struct Siavashi;

impl Model for Siavashi {
    fn name(&self) -> &'static str {
        "siavashi"
    }

    fn summary(&self) -> &'static str {
        "virtual machines on GPUs: acceptance, hardware in use, migrations (Siavashi & Momtazpour)"
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
        if let Some(text) = &overrides.objective {
            instance.siavashi.objective =
                text.parse().map_err(|message| RefusedOverride { field: "objective", message })?;
        }
        if let Some(residents) = overrides.residents {
            instance.siavashi.residents = residents;
        }
        Ok(())
    }

    fn question_name(&self, instance: &Instance) -> String {
        format!("residents {}", instance.siavashi.residents.name())
    }

    fn pose<'i>(&self, instance: &'i Instance) -> Result<Box<dyn Question + 'i>, InputError> {
        Ok(Box::new(Posed { instance, problem: instance.siavashi_problem()? }))
    }

    fn question_schema(&self) -> schemars::Schema {
        schemars::schema_for!(QuestionDocument)
    }

    fn score_lines(&self, result: &ResultDocument) -> Vec<String> {
        match &result.score {
            Some(ScoreDocument::Siavashi(score)) => words::score_lines(score),
            _ => Vec::new(),
        }
    }

    fn verdict_lines(&self, score: &ScoreDocument) -> Vec<String> {
        match score {
            ScoreDocument::Siavashi(score) => words::verdict_lines(score),
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
    problem: Problem,
}

impl Posed<'_> {
    fn verdict(&self, placement: &Placement) -> Verdict {
        self.described(placement, verify(&self.problem, placement))
    }

    /// A placement and what the verifier found, written down.
    fn described(&self, placement: &Placement, Verification { violations, score }: Verification) -> Verdict {
        let (problem, cluster) = (&self.problem, &self.problem.cluster);
        let document = SolutionDocument {
            score: Some(ScoreDocument::Siavashi(score.clone())),
            ..SolutionDocument::new(
                Siavashi.name(),
                InstanceReference::new(&cluster.name, &self.instance.fingerprint),
                cluster,
                placement,
                cluster.workload_indices().filter(|&workload| placement.of(workload).is_none()),
                |workload| problem.is_pinned(workload),
            )
        };
        let worth = violations.is_empty().then_some(score);
        let violations = violations.iter().map(|violation| ViolationDocument {
            rule: violation.rule().to_owned(),
            message: violation.to_string(),
        });
        Verdict {
            violations: violations.collect(),
            stages: worth.as_ref().map(|score| values(problem, score)).unwrap_or_default(),
            metrics: worth.as_ref().map(|score| metric_values(problem, placement, score)),
            score: worth.map(ScoreDocument::Siavashi),
            solution: document,
        }
    }
}

impl Question for Posed<'_> {
    fn about(&self) -> About {
        About {
            model: Siavashi.name(),
            instance: self.problem.cluster.name.clone(),
            objective: self.problem.objective.to_string(),
            use_case: None,
            costs: None,
            residents: Some(self.problem.residents),
            optimum: None,
            readings: None,
        }
    }

    fn formulation(&self, asked: Option<&'static FormulationEntry>) -> &'static FormulationEntry {
        formulation_for(&self.problem, asked)
    }

    /// A problem whose weights solvers cannot tell apart is not made at all.
    fn check_exactness(&self) -> Result<(), InputError> {
        Ok(())
    }

    fn program(&self, formulation: &FormulationEntry) -> Result<Program, SolveError> {
        Ok(build(&self.problem, formulation.name)?.program().clone())
    }

    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError> {
        let mut solved = solve(&self.problem, options, control)?;
        let best = solved.best.take().map(|(placement, score)| {
            self.described(&placement, Verification { violations: Vec::new(), score })
        });
        Ok(ResultDocument::new(self.about(), options.solver, solved, best))
    }

    fn frontier(
        &self,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<FrontierDocument, SolveError> {
        let began = Instant::now();
        let refused = |message: String| {
            SolveError::Refused(format!("the goals to compare: {}", message.trim_end_matches('.')))
        };
        let goals = goals_named(goals).map_err(refused)?;
        let &[first, second] = goals.as_slice() else {
            return Err(SolveError::Refused("exactly two goals can be compared. Write GOAL,GOAL".to_owned()));
        };
        let problem = self.problem.with_goals(goals);
        let (formulation, points, status) = frontier(&problem, options, control)?;
        let entry = |goal: Goal| GoalEntry { name: goal.name().to_owned(), sense: goal.sense().into() };
        let point = |point: Point| {
            let verification = Verification { violations: Vec::new(), score: point.score };
            let verdict = self.described(&point.placement, verification);
            FrontierPoint { values: point.values, score: verdict.score, solution: verdict.solution }
        };
        let about = self.about();
        Ok(FrontierDocument {
            model: about.model.to_owned(),
            instance: about.instance,
            formulation: formulation.to_owned(),
            solver: options.solver.name().to_owned(),
            solver_version: options.solver.version(),
            residents: about.residents,
            goals: [entry(first), entry(second)],
            status,
            points: points.into_iter().map(point).collect(),
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    fn propose(&self, heuristic: &str, seed: u64) -> Result<(Verdict, f64), String> {
        let heuristic = heuristic_named(heuristic)?;
        let began = Instant::now();
        let placement = heuristic.propose(&self.problem, seed);
        let seconds = began.elapsed().as_secs_f64();
        Ok((self.verdict(&placement), seconds))
    }

    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError> {
        let placement = solution.resolve(&self.problem.cluster, &self.instance.fingerprint, source)?;
        Ok(self.verdict(&placement))
    }

    fn document(&self, seed: u64) -> serde_json::Value {
        let question = QuestionDocument::new(&self.problem, &self.instance.fingerprint, seed);
        serde_json::to_value(question).expect("plain data serialises")
    }
}

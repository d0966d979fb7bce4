//! The model as the rest of the house sees it.

use super::document::{CostsDocument, PrintedReading};
use super::generator::{GeneratorFlags, generator};
use super::heuristic::{HEURISTICS, heuristic_named};
use super::instance::Problem;
use super::metrics::{METRICS, metric_values};
use super::objective::Plan;
use super::question::QuestionDocument;
use super::reader::values;
use super::solution::Solution;
use super::solve::{FORMULATIONS, build, formulation_for, printed_reading, reading_for, solve};
use super::verify::{Score, Verification, verify};
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

/// Placement and migration of MIG workloads (Turkkan et al.).
pub struct Wpm;

impl Model for Wpm {
    fn name(&self) -> &'static str {
        "wpm"
    }

    fn summary(&self) -> &'static str {
        "placement and migration of MIG workloads for the best profit (Turkkan et al.)"
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
            instance.wpm.objective =
                text.parse().map_err(|message| RefusedOverride { field: "objective", message })?;
        }
        if let Some(use_case) = overrides.use_case {
            instance.wpm.use_case = use_case;
        }
        Ok(())
    }

    fn question_name(&self, instance: &Instance) -> String {
        instance.wpm.use_case.to_string()
    }

    fn pose<'i>(&self, instance: &'i Instance) -> Result<Box<dyn Question + 'i>, InputError> {
        Ok(Box::new(Posed { instance, problem: instance.wpm_problem()? }))
    }

    fn question_schema(&self) -> schemars::Schema {
        schemars::schema_for!(QuestionDocument)
    }

    fn score_lines(&self, result: &ResultDocument) -> Vec<String> {
        match (&result.score, &result.costs) {
            (Some(ScoreDocument::Wpm(score)), Some(costs)) => {
                words::score_lines(score, costs, result.printed_reading.as_ref())
            }
            _ => Vec::new(),
        }
    }

    fn verdict_lines(&self, score: &ScoreDocument) -> Vec<String> {
        match score {
            ScoreDocument::Wpm(score) => words::verdict_lines(score),
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
    fn verdict(&self, solution: &Solution) -> Verdict {
        self.described(solution, verify(&self.problem, solution))
    }

    /// A solution and what the verifier found, written down.
    fn described(&self, solution: &Solution, Verification { violations, score }: Verification) -> Verdict {
        let document = SolutionDocument {
            score: Some(ScoreDocument::Wpm(score.clone())),
            ..solution.document(&self.problem, &self.instance.fingerprint)
        };
        let worth = violations.is_empty().then_some(score);
        let violations = violations.iter().map(|violation| ViolationDocument {
            rule: violation.rule().to_owned(),
            message: violation.to_string(),
        });
        Verdict {
            violations: violations.collect(),
            stages: worth.as_ref().map(|score| values(&self.problem.objective, score)).unwrap_or_default(),
            metrics: worth.as_ref().map(|_| metric_values(&solution.metrics(&self.problem))),
            score: worth.map(ScoreDocument::Wpm),
            solution: document,
        }
    }

    /// What the printed reading would have cost, where pinned workloads made migopt choose the exact-index reading.
    fn printed_reading(
        &self,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Option<PrintedReading>, SolveError> {
        let chosen_by_itself = options.formulation.is_none() && self.problem.has_pins_to_work_around();
        if !chosen_by_itself || control.is_interrupted() {
            return Ok(None);
        }
        let reading = |Score { gpus, pending, profit, .. }| PrintedReading { gpus, pending, profit };
        Ok(printed_reading(&self.problem, options, control)?.map(reading))
    }
}

impl Question for Posed<'_> {
    fn about(&self) -> About {
        About {
            model: Wpm.name(),
            instance: self.problem.cluster.name.clone(),
            objective: self.problem.objective.to_string(),
            use_case: Some(self.problem.use_case),
            costs: Some(CostsDocument::new(&self.problem)),
            residents: None,
            optimum: None,
            readings: None,
        }
    }

    fn formulation(&self, asked: Option<&'static FormulationEntry>) -> &'static FormulationEntry {
        formulation_for(&self.problem, asked)
    }

    fn check_exactness(&self) -> Result<(), InputError> {
        let source = &self.instance.source;
        Plan::new(&self.problem)
            .map(drop)
            .map_err(|error| source.error_at_key(&["wpm", "costs"], format!("{error}.")))
    }

    fn program(&self, formulation: &FormulationEntry) -> Result<Program, SolveError> {
        Ok(build(&self.problem, formulation.name)?.program().clone())
    }

    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError> {
        let deadline = options.time_limit.map(|limit| Instant::now() + limit);
        let mut solved = solve(&self.problem, options, control)?;
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let rest = SolveOptions { time_limit: left, ..options.clone() };
        let printed_reading = self.printed_reading(&rest, control)?;
        let best = solved.best.take().map(|(solution, score)| {
            self.described(&solution, Verification { violations: Vec::new(), score })
        });
        Ok(ResultDocument {
            printed_reading,
            ..ResultDocument::new(self.about(), options.solver, solved, best)
        })
    }

    fn propose(&self, heuristic: &str, seed: u64) -> Result<(Verdict, f64), String> {
        let heuristic = heuristic_named(heuristic)?;
        let began = Instant::now();
        let placement = heuristic.propose(&self.problem, seed);
        let solution = Solution::from_placement(&self.problem, reading_for(&self.problem), placement);
        let seconds = began.elapsed().as_secs_f64();
        Ok((self.verdict(&solution), seconds))
    }

    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError> {
        let solution = Solution::resolve(solution, &self.problem, &self.instance.fingerprint, source)?;
        Ok(self.verdict(&solution))
    }

    /// Solutions are comparable only under one reading; what was proved under another one proves nothing there.
    fn comparable(&self, solution: &SolutionDocument) -> Option<SolutionDocument> {
        let reading = Some(reading_for(&self.problem));
        let differs = solution.reading.is_some() && solution.reading != reading;
        differs.then(|| SolutionDocument { reading, repartitioned: None, ..solution.clone() })
    }

    fn document(&self, seed: u64) -> serde_json::Value {
        let question = QuestionDocument::new(&self.problem, &self.instance.fingerprint, seed);
        serde_json::to_value(question).expect("plain data serialises")
    }
}

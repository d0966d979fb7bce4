//! `migopt verify`.

use super::arguments::{Format, VerifyArguments};
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure};
use super::input::{Kind, read_answer, read_instance};
use super::output::{print, serialise};
use crate::cluster::{InputError, SourceText};
use crate::model::wpm::{self, Score, SolutionDocument};
use crate::model::{Instance, InstanceFile, ViolationDocument};
use serde::Serialize;

/// What `migopt verify --format json` prints.
#[derive(Serialize)]
struct VerdictDocument {
    valid: bool,
    violations: Vec<ViolationDocument>,
    score: Option<Score>,
}

pub fn run(task: &VerifyArguments) -> Result<u8, Failure> {
    let mut instance = read_instance(&task.instance)?;
    let source = SourceText::read(&task.solution)?;
    let document = read_solution(&source, &mut instance)?;
    let problem = instance.wpm_problem()?;
    let solution = document.resolve(&problem, &instance.fingerprint, &source)?;
    let verification = wpm::verify(&problem, &solution);
    let valid = verification.violations.is_empty();
    let verdict = VerdictDocument {
        valid,
        violations: verification.violations.iter().map(ViolationDocument::from).collect(),
        score: valid.then_some(verification.score),
    };
    print(&match task.format {
        Format::Text => text(&verdict),
        Format::Json | Format::Yaml => serialise(&verdict, task.format)?,
    })?;
    Ok(if valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

/// Reads a solution file, or the solution of a result or proposal together with the question that it answers.
fn read_solution(source: &SourceText, instance: &mut Instance) -> Result<SolutionDocument, InputError> {
    match Kind::of(source) {
        Kind::Solution => source.parse(),
        kind @ (Kind::Result | Kind::Proposal) => {
            let answer = read_answer(source, kind)?;
            instance.wpm.objective = answer.objective;
            instance.wpm.use_case = answer.use_case;
            Ok(answer.solution)
        }
        Kind::Instance => {
            let parsed = source.parse();
            if parsed.is_err() && source.parse::<InstanceFile>().is_ok() {
                return Err(source.error(
                    "this is an instance, not a solution. Give the instance first, then a solution of it.",
                ));
            }
            parsed
        }
    }
}

fn text(verdict: &VerdictDocument) -> String {
    let Some(score) = &verdict.score else {
        let lines = verdict
            .violations
            .iter()
            .map(|violation| format!("  {}: {}\n", violation.rule, violation.message));
        return format!(
            "not valid: {} rule(s) broken\n{}",
            verdict.violations.len(),
            lines.collect::<String>()
        );
    };
    format!(
        "valid\n  profit       {}\n  reward       {} ({} placed, {} waiting)\n  gpu cost     {} ({} GPUs)\n  migration    {} ({} \
         migrations, {} repartitions)\n  waste        {} ({} slices)\n",
        score.profit,
        score.reward,
        score.placed,
        score.pending,
        score.gpu_cost,
        score.gpus,
        score.migration_cost,
        score.migrations,
        score.repartitions,
        score.waste_cost,
        score.wasted_slices
    )
}

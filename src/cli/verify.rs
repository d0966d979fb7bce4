//! `migopt verify`.

use super::arguments::{Format, VerifyArguments};
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure};
use super::input::{Answer, Kind, model_of, read_answer, read_instance};
use super::output::{print, serialise};
use crate::cluster::{InputError, SourceText};
use crate::model::{InstanceFile, Model, Overrides, ScoreDocument, SolutionDocument, ViolationDocument};
use serde::Serialize;

/// What `migopt verify --format json` prints.
#[derive(Serialize)]
struct VerdictDocument {
    valid: bool,
    violations: Vec<ViolationDocument>,
    score: Option<ScoreDocument>,
}

pub fn run(task: &VerifyArguments) -> Result<u8, Failure> {
    let instance = read_instance(&task.instance)?;
    let source = SourceText::read(&task.solution)?;
    let Answer { model, overrides, solution } = read_solution(&source, task.model, instance.model)?;
    let instance = instance
        .under(model)
        .with_settings(&overrides)
        .map_err(|error| source.error_at_key(&[error.field], format!("`{}`: {error}", error.field)))?;
    let verdict = instance.question()?.judge(&solution, &source)?;
    let valid = verdict.violations.is_empty();
    let document = VerdictDocument { valid, violations: verdict.violations, score: verdict.score };
    print(&match task.format {
        Format::Text => text(model, &document),
        Format::Json | Format::Yaml => serialise(&document, task.format)?,
    })?;
    Ok(if valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

/// Reads a solution file, or the solution of a result or proposal together with the question that it answers.
fn read_solution(
    source: &SourceText,
    asked: Option<&'static dyn Model>,
    of_instance: &'static dyn Model,
) -> Result<Answer, InputError> {
    let by_default = asked.unwrap_or(of_instance);
    let answer = match Kind::of(source) {
        Kind::Solution => bare(source, by_default)?,
        kind @ (Kind::Result | Kind::Proposal) => read_answer(source, kind)?,
        Kind::Instance => bare(source, by_default).map_err(|error| match source.parse::<InstanceFile>() {
            Ok(_) => source.error(
                "this is an instance, not a solution. Give the instance first, then a solution of it.",
            ),
            Err(_) => error,
        })?,
    };
    match asked.filter(|asked| asked.name() != answer.model.name()) {
        Some(asked) => Err(source.error_at_key(
            &["model"],
            format!(
                "this is a solution under model {}, not {}. Leave out --model.",
                answer.model.name(),
                asked.name()
            ),
        )),
        None => Ok(answer),
    }
}

/// A solution alone, of a model that it may leave out; the question is the instance's.
fn bare(source: &SourceText, by_default: &'static dyn Model) -> Result<Answer, InputError> {
    let solution: SolutionDocument = source.parse()?;
    let model = match &solution.model {
        Some(name) => model_of(source, name)?,
        None => by_default,
    };
    Ok(Answer { model, overrides: Overrides::default(), solution })
}

fn text(model: &dyn Model, verdict: &VerdictDocument) -> String {
    match &verdict.score {
        Some(score) => {
            let lines = model.verdict_lines(score).into_iter().map(|line| line + "\n");
            format!("valid\n{}", lines.collect::<String>())
        }
        None => {
            let broken = verdict.violations.iter();
            let lines = broken.map(|violation| format!("  {}: {}\n", violation.rule, violation.message));
            format!("not valid: {} rule(s) broken\n{}", verdict.violations.len(), lines.collect::<String>())
        }
    }
}

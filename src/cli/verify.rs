//! `migopt verify`.

use super::arguments::VerifyArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure, until_exit};
use super::format::Format;
use super::input::{read_instance, tell_guess};
use super::output::{print, serialise};
use super::plan;
use super::summary::Summary;
use ground::SourceText;
use models::{AnswerFile, DocumentKind};

pub fn run(task: &VerifyArguments) -> Result<u8, Failure> {
    let instance = read_instance(&task.instance)?;
    let source = SourceText::read(&task.solution)?;
    if DocumentKind::of(&source) == DocumentKind::Plan {
        return plan::verify(&instance, &source, task.format);
    }
    let AnswerFile { model, overrides, solution } = until_exit(AnswerFile::parse(&source)?);
    let source = source.without_tree();
    if model.or(task.model).is_none() {
        tell_guess(&instance, task.format != Format::Text);
    }
    let model = model.or(task.model).unwrap_or(instance.model);
    if let Some(asked) = task.model.filter(|asked| asked.name() != model.name()) {
        let message =
            format!("this is a solution of model {}, not {}. Leave out --model.", model.name(), asked.name());
        return Err(source.error_at_key(&["model"], message).into());
    }
    let instance = instance
        .under(model)
        .with_settings(overrides)
        .map_err(|error| source.error_at_key(&[&error.field], format!("`{}`: {error}", error.field)))?;
    let instance = until_exit(instance);
    let question = instance.question()?;
    let verdict = question.judgement(solution, &source)?;
    let valid = verdict.valid;
    print(&match task.format {
        Format::Text => Summary::of_verdict(model, &question.about(), &verdict).text(),
        Format::Json | Format::Yaml => serialise(&verdict, task.format)?,
    })?;
    Ok(if valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

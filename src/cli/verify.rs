//! `migopt verify`.

use super::arguments::VerifyArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure, until_exit};
use super::format::Format;
use super::input::{read_instance, tell_guess};
use super::output::{print, serialise};
use super::plan;
use super::solve::check_has_certificates;
use super::summary::Summary;
use ground::SourceText;
use kit::VerdictDocument;
use models::{AnswerFile, DocumentKind};

pub fn run(task: &VerifyArguments) -> Result<u8, Failure> {
    let instance = read_instance(&task.instance)?;
    let source = SourceText::read(&task.solution)?;
    if DocumentKind::of(&source) == DocumentKind::Plan {
        return plan::verify(&instance, &source, task.format);
    }
    let answer = match task.certificate {
        Some(_) => AnswerFile::parse_whatever_is_found(&source)?,
        None => AnswerFile::parse(&source)?.or_none(),
    };
    let AnswerFile { model, overrides, solution } = until_exit(answer);
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
    let certificate = match &task.certificate {
        Some(path) => {
            check_has_certificates(model)?;
            let solution = solution.as_ref().map(|solution| (solution, &source));
            Some(question.check_certificate(SourceText::read(path)?.text(), solution)?)
        }
        None => None,
    };
    let is_refused = certificate.as_ref().is_some_and(|certificate| !certificate.accepted);
    let (valid, text) = match solution {
        Some(solution) => {
            let verdict = VerdictDocument { certificate, ..question.judgement(solution, &source)? };
            let text = match task.format {
                Format::Text => Summary::of_verdict(model, &question.about(), &verdict).text(),
                Format::Json | Format::Yaml => serialise(&verdict, task.format)?,
            };
            (verdict.valid, text)
        }
        None => {
            let certificate = certificate.expect("an answer without a solution is read for its certificate");
            let text = match task.format {
                Format::Text => Summary::of_certificate(model, &question.about(), &certificate).text(),
                Format::Json | Format::Yaml => serialise(&certificate, task.format)?,
            };
            (certificate.accepted, text)
        }
    };
    print(&text)?;
    Ok(if valid && !is_refused { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

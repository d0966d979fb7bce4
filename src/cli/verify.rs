//! `migopt verify`.

use super::answered::{Answered, read_answered};
use super::arguments::VerifyArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure, until_exit};
use super::format::Format;
use super::input::read_instance;
use super::output::{print, serialise};
use super::plan;
use super::summary::Summary;
use ground::SourceText;
use kit::VerdictDocument;
use models::DocumentKind;

pub fn run(task: &VerifyArguments) -> Result<u8, Failure> {
    let instance = read_instance(&task.instance)?;
    let source = SourceText::read(&task.solution)?;
    if DocumentKind::of(&source) == DocumentKind::Plan {
        return plan::verify(&instance, &source, task.format);
    }
    let is_quiet = task.format != Format::Text;
    let answered = read_answered(instance, task.model, source, task.certificate.is_some(), is_quiet)?;
    let Answered { instance, solution, source } = answered;
    let instance = until_exit(instance);
    let model = instance.model;
    let question = instance.question()?;
    let certificate = match &task.certificate {
        Some(path) => {
            let solution = solution.map(|solution| (solution, &source));
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

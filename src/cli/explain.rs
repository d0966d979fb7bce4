//! `migopt explain`.

use super::answered::{Answered, read_answered};
use super::arguments::ExplainArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure, until_exit};
use super::format::Format;
use super::input::{read_configured, read_instance};
use super::output::{print, serialise};
use super::progress;
use super::solve::solve_options;
use super::summary::Summary;
use ground::SourceText;
use kit::{CertificateDocument, ExplanationDocument, SolutionDocument, SolveOptions};
use models::Question;
use report::explanation_in_words;
use schemars::JsonSchema;
use serde::Serialize;
use solver::Control;

/// Why nothing is better than an answer.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "migopt explanation")]
pub struct Explained<'d> {
    /// The model.
    model: &'static str,
    /// Name of the instance.
    instance: &'d str,
    /// What the certificate of the answer comes to.
    certificate: CertificateDocument,
    /// What it says; null where it is no proof.
    explanation: Option<ExplanationDocument>,
}

pub fn run(task: &ExplainArguments) -> Result<u8, Failure> {
    let is_quiet = task.format != Format::Text;
    let (instance, answer) = match &task.answer {
        None => (read_configured(&task.instance, task.model, &task.settings.0, is_quiet)?, None),
        Some(path) => {
            let (instance, source) = (read_instance(&task.instance)?, SourceText::read(path)?);
            let Answered { instance, solution, source } =
                read_answered(instance, task.model, source, true, is_quiet)?;
            (instance, Some((solution, source)))
        }
    };
    let instance = until_exit(instance);
    let question = instance.question()?;
    let options = solve_options(instance.model, &task.solver)?;
    let (control, line) = progress::control(is_quiet);
    let proof = proof(task, question.as_ref(), answer, (&options, &control));
    line.finish_and_clear();
    let Proof { solution, source, certificate } = proof?;
    let best = solution.map(|solution| (solution, &source));
    let (checked, explanation) = explained(question.as_ref(), &certificate, best)?;
    let code = if checked.accepted { EXIT_PROVED } else { EXIT_INFEASIBLE };
    let about = question.about();
    let text = match task.format {
        Format::Text => {
            let words = explanation.as_ref().map(explanation_in_words).unwrap_or_default();
            Summary::of_explanation(instance.model, &about, &checked, words).text()
        }
        format => {
            let document = Explained {
                model: about.model,
                instance: &about.instance,
                certificate: checked,
                explanation,
            };
            serialise(&document, format)?
        }
    };
    print(&text)?;
    Ok(code)
}

/// What a certificate comes to, and what it says where it is a proof.
pub fn explained(
    question: &dyn Question,
    certificate: &str,
    best: Option<(&SolutionDocument, &SourceText)>,
) -> Result<(CertificateDocument, Option<ExplanationDocument>), Failure> {
    let checked = question.check_certificate(certificate, best)?;
    let explanation = checked.accepted.then(|| question.explain(certificate, best)).transpose()?;
    Ok((checked, explanation))
}

/// A solution with the certificate that it is the best, or without one that there is none.
struct Proof {
    solution: Option<&'static SolutionDocument>,
    source: SourceText,
    certificate: String,
}

/// The proof of an answer, or without one of that which is found.
fn proof(
    task: &ExplainArguments,
    question: &dyn Question,
    answer: Option<(Option<&'static SolutionDocument>, SourceText)>,
    (options, control): (&SolveOptions, &Control),
) -> Result<Proof, Failure> {
    let (solution, source) = match answer {
        Some(answer) => answer,
        None => (solved(question, (options, control))?, SourceText::new("the answer", "")),
    };
    let certificate = match &task.certificate {
        Some(path) => SourceText::read(path)?.text().to_owned(),
        None => question
            .certify_solution(solution, options, control)
            .map_err(|why| nothing_proved(&format!("the answer has no certificate, as {why}")))?
            .to_string(),
    };
    Ok(Proof { solution, source, certificate })
}

/// The best solution, which is proved, or nothing where it is proved that there is none.
fn solved(
    question: &dyn Question,
    (options, control): (&SolveOptions, &Control),
) -> Result<Option<&'static SolutionDocument>, Failure> {
    let refused = |error| Failure::of_solve(error, &question.about().instance);
    let result = until_exit(question.solve(options, control).map_err(refused)?);
    if !result.proved {
        return Err(nothing_proved("the limits came before the proof"));
    }
    Ok(result.solution.as_ref())
}

fn nothing_proved(why: &str) -> Failure {
    Failure::Unproved(format!("there is nothing to explain: {why}."))
}

//! From one line to its response.

use super::given::{Defaults, Given, Judged};
use super::lines::{Content, LONGEST_LINE, Line};
use super::request::{Fields, Task, keys};
use super::response::{Answer, ErrorDocument, GapDocument, ModelFrom, Response};
use crate::front::{self, Gap, Unscored, Unsolved};
use ground::{InputError, SourceText};
use kit::Verdict;
use mig::catalogue;
use solver::Control;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Reads what every request needs, so that the first one does not wait for it.
pub fn warm_up() {
    catalogue();
    keys();
}

/// Answers a line. An interruption stops its search with the best so far.
pub fn answer(line: Line, defaults: &Defaults, interrupted: &Arc<AtomicBool>) -> Response {
    let name = format!("line {}", line.number);
    let respond = |id, answered: Result<Answered, ErrorDocument>| {
        let Answered { answer, taken } = answered.unwrap_or_else(Answered::error);
        let (model, model_from) = taken.unzip();
        Response { line: line.number, id, answer, model, model_from }
    };
    let source = match text(name, line.content) {
        Ok(source) => source,
        Err(error) => return respond(None, Err(error.into())),
    };
    match Fields::of(&source) {
        Err(error) => respond(None, Err(error.into())),
        Ok(fields) => {
            let control = Control::new(Arc::clone(interrupted), None);
            respond(fields.id(), guard(&source, || fulfil(&source, &fields, defaults, &control)))
        }
    }
}

/// An answer, and the model that it took where none was named.
struct Answered {
    answer: Answer,
    taken: Option<(&'static str, ModelFrom)>,
}

impl Answered {
    fn error(error: ErrorDocument) -> Self {
        Answered { answer: Answer::Error(error), taken: None }
    }
}

/// The text of a line.
fn text(name: String, content: Content) -> Result<SourceText, InputError> {
    let refuse = |message: String| Err(SourceText::new(&name, "").error(message));
    match content {
        Content::Text(text) => Ok(SourceText::new(name, text)),
        Content::NotText => {
            refuse("this is not UTF-8 text. Requests are text in UTF-8; convert the line.".to_owned())
        }
        Content::TooLong => refuse(format!(
            "the line is longer than {} MiB. Write the instance to a file, and use `migopt solve`.",
            LONGEST_LINE >> 20
        )),
    }
}

/// Does something that may fail in any way, so that the lines after it are answered all the same.
fn guard(
    source: &SourceText,
    task: impl FnOnce() -> Result<Answered, ErrorDocument>,
) -> Result<Answered, ErrorDocument> {
    catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|panic| {
        Err(ErrorDocument::internal(&format!(
            "{}: migopt fails: {}",
            source.name(),
            words_of(panic.as_ref())
        )))
    })
}

/// What a panic says.
fn words_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

/// Does what the line asks for.
fn fulfil(
    source: &SourceText,
    fields: &Fields<'_>,
    defaults: &Defaults,
    control: &Control,
) -> Result<Answered, ErrorDocument> {
    let began = Instant::now();
    let request = fields.request()?;
    let given = Given::new(source, fields, &request, defaults);
    let seed = request.asked.seed.unwrap_or_default();
    let told = |error: Unsolved| given.tell(&error);
    let (asked, answer) = match request.task() {
        Task::Solve => {
            let (options, asked) = (given.options()?, given.instance()?);
            let mut result = front::answer(&asked.instance, &options, control).map_err(told)?;
            result.seconds.total = began.elapsed().as_secs_f64();
            (asked, Answer::Result(Box::new(result)))
        }
        Task::Verify => {
            let Judged { asked, verdict, .. } = given.judged()?;
            (asked, Answer::Verdict(Box::new(verdict.into())))
        }
        Task::Gap => {
            let options = given.options()?;
            let Judged { asked, solution, verdict } = given.judged()?;
            let compared = front::compare(&asked.instance, &solution, &options, control);
            (asked, Answer::Gap(Box::new(gap(compared, verdict).map_err(told)?)))
        }
        Task::Heuristic => {
            let (heuristic, asked) = (given.heuristic()?, given.instance()?);
            let proposal = front::propose(&asked.instance, heuristic, seed).map_err(told)?;
            (asked, Answer::Proposal(Box::new(proposal)))
        }
        Task::Question => {
            let asked = given.instance()?;
            let question = asked.instance.question()?.document(seed);
            (asked, Answer::Question(question))
        }
    };
    let taken = asked.from.map(|from| (asked.instance.model.name(), from));
    Ok(Answered { answer, taken })
}

/// How the comparison of a solution with the optimum ended. `verdict` is the judgement of the solution by itself.
fn gap(compared: Result<Gap, Unscored>, verdict: Verdict) -> Result<GapDocument, Unsolved> {
    match compared {
        Ok(gap) => Ok(gap.into()),
        Err(Unscored::Broken(violations)) => Ok(GapDocument::of_broken(violations)),
        Err(Unscored::Unsolved(Unsolved::Open(result))) => Ok(GapDocument::of_open(verdict, *result)),
        Err(Unscored::Unsolved(Unsolved::Infeasible(_))) => Err(Unsolved::Internal(
            "the verifier accepts the solution, but the solver proves that there is none".to_owned(),
        )),
        Err(Unscored::Unsolved(error)) => Err(error),
        Err(Unscored::BadInput(error)) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::response::ErrorKind;
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_of_its_line() {
        let source = SourceText::new("line 7", "{}");
        let failing: [fn() -> Result<Answered, ErrorDocument>; 2] =
            [|| panic!("a wall is missing"), || panic!("{} walls are missing", 2)];
        for (task, words) in failing.into_iter().zip(["a wall is missing", "2 walls are missing"]) {
            let error = guard(&source, task).err().unwrap();
            assert_eq!(error.kind, ErrorKind::Internal);
            assert!(
                error.message.starts_with(&format!("line 7: migopt fails: {words}.")),
                "{}",
                error.message
            );
        }
    }
}

//! Reading answers, with the questions that they answer.

use super::exit::{Failure, until_exit};
use super::input::tell_guess;
use ground::SourceText;
use kit::SolutionDocument;
use models::{AnswerFile, Instance, Model};

/// An answer, and the instance as it was asked.
pub struct Answered {
    pub instance: Instance,
    /// Nothing where the answer says that there is none.
    pub solution: Option<&'static SolutionDocument>,
    pub source: SourceText,
}

/// Reads an answer about an instance; `asked` is the model that the command line names. Whether it may hold no solution is for the
/// caller to say.
pub fn read_answered(
    instance: Instance,
    asked: Option<&'static dyn Model>,
    source: SourceText,
    may_hold_none: bool,
    is_quiet: bool,
) -> Result<Answered, Failure> {
    let answer = match may_hold_none {
        true => AnswerFile::parse_whatever_is_found(&source)?,
        false => AnswerFile::parse(&source)?.or_none(),
    };
    let AnswerFile { model, overrides, solution } = until_exit(answer);
    let source = source.without_tree();
    if model.or(asked).is_none() {
        tell_guess(&instance, is_quiet);
    }
    let model = model.or(asked).unwrap_or(instance.model);
    if let Some(asked) = asked.filter(|asked| asked.name() != model.name()) {
        let message =
            format!("this is a solution of model {}, not {}. Leave out --model.", model.name(), asked.name());
        return Err(source.error_at_key(&["model"], message).into());
    }
    let instance = instance
        .under(model)
        .with_settings(overrides)
        .map_err(|error| source.error_at_key(&[&error.field], format!("`{}`: {error}", error.field)))?;
    Ok(Answered { instance, solution: solution.as_ref(), source })
}

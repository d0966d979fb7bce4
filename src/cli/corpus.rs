//! `migopt corpus`.

use super::arguments::CorpusArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::output::print;
use crate::testing::{Truth, corpus};
use kit::StageDocument;
use serde::Serialize;
use serde_json::value::RawValue;

/// A line of the corpus: an instance and what is proved about it.
#[derive(Serialize)]
struct Line<'t> {
    model: &'static str,
    name: &'t str,
    family: &'t str,
    infeasible: bool,
    stages: &'t [StageDocument],
    instance: &'t RawValue,
}

pub fn run(task: &CorpusArguments) -> Result<u8, Failure> {
    let internal =
        |error: serde_json::Error| Failure::Internal(format!("the corpus cannot be written: {error}"));
    for truth in corpus(task.model.name()) {
        print(&(serde_json::to_string(&line(task, &truth).map_err(internal)?).map_err(internal)? + "\n"))?;
    }
    Ok(EXIT_PROVED)
}

fn line<'t>(task: &CorpusArguments, truth: &'t Truth) -> Result<Line<'t>, serde_json::Error> {
    Ok(Line {
        model: task.model.name(),
        name: &truth.name,
        family: &truth.family,
        infeasible: truth.optimum.is_none(),
        stages: truth.optimum.as_deref().unwrap_or_default(),
        instance: serde_json::from_str(truth.text)?,
    })
}

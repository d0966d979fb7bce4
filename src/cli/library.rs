//! `migopt library`, and the instances of the library for sweeps.

use super::arguments::LibraryArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::output::{Content, Printed, deliver};
use ground::{Amount, counted, grouped};
use itertools::Itertools;
use kit::StageDocument;
use models::{InstanceFile, LibraryInstance, MODELS, Model, library_instance};
use serde::Serialize;

/// An instance of the library, and its model.
pub type OfModel = (&'static dyn Model, LibraryInstance);

pub fn run(task: &LibraryArguments) -> Result<u8, Failure> {
    let file = Files::default().writing("--output", task.output.as_ref(), Kind::Document)?;
    let named: Vec<String> = task.name.iter().cloned().collect();
    let mut chosen = chosen(&named, task.model).map_err(Failure::Input)?;
    chosen.retain(|(_, instance)| !(task.open && instance.is_proved()));
    let entries: Vec<Entry> = chosen.iter().map(Entry::of).collect();
    let answer = Content::answer(&entries, || text(&entries));
    let printed = Printed { format: task.format, quiet: false };
    let made = file.is_some().then(|| make(&chosen[0])).transpose()?;
    let written = made.as_ref().map(|made| (file, Content::document(made)));
    deliver(&answer, printed, written)?;
    Ok(EXIT_PROVED)
}

/// The instances of these names, or all where none is named; of one model, if one is.
///
/// # Errors
/// When there is no instance of a name, or it is of another model.
pub fn chosen(names: &[String], model: Option<&'static dyn Model>) -> Result<Vec<OfModel>, String> {
    if names.is_empty() {
        let models = MODELS.iter().copied();
        let models = models.filter(|known| model.is_none_or(|model| model.name() == known.name()));
        let all = models.flat_map(|model| model.library().into_iter().map(move |instance| (model, instance)));
        return Ok(all.collect());
    }
    let named = names.iter().map(|name| {
        let found = library_instance(name)?;
        match model.filter(|model| model.name() != found.0.name()) {
            None => Ok(found),
            Some(model) => Err(format!(
                "{name} is of model {}, not {}. Leave --model out.",
                found.0.name(),
                model.name()
            )),
        }
    });
    named.collect()
}

/// Makes an instance.
pub fn make((model, instance): &OfModel) -> Result<InstanceFile, Failure> {
    instance.make(*model).map_err(Failure::Internal)
}

/// What is said of an instance.
#[derive(Serialize)]
struct Entry<'l> {
    model: &'static str,
    proved: bool,
    /// What makes the instance.
    command: String,
    #[serde(flatten)]
    instance: &'l LibraryInstance,
}

impl<'l> Entry<'l> {
    fn of((model, instance): &'l OfModel) -> Self {
        let command = instance.command(*model);
        Entry { model: model.name(), proved: instance.is_proved(), command, instance }
    }

    /// Status, objectives and origin in a line.
    fn about(&self) -> String {
        let status = if self.proved { "proved" } else { "open" };
        let goals = self.instance.stages.iter().map(goal).join(", ");
        format!("{status}: {goals}; {} s; {}", self.instance.seconds, self.command)
    }
}

/// An objective with its value, and its bound where that is another one.
fn goal(stage: &StageDocument) -> String {
    let words =
        |amount: Option<Amount>| amount.map_or("none".to_owned(), |amount| grouped(&amount.to_string()));
    let bound = match stage.bound {
        Some(bound) if Some(bound) != stage.value => format!(" (bound {})", words(Some(bound))),
        _ => String::new(),
    };
    format!("{} {}{bound}", stage.name, words(stage.value))
}

/// A list for each model.
fn text(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.instance.name.len()).max().unwrap_or_default();
    let lists = entries.chunk_by(|one, other| one.model == other.model).map(|list| {
        let proved = list.iter().filter(|entry| entry.proved).count();
        let title =
            format!("Library of {}: {}, {proved} proved\n", list[0].model, counted(list.len(), "instance"));
        let line = |entry: &Entry| format!("  {:<width$}  {}\n", entry.instance.name, entry.about());
        title + &list.iter().map(line).join("")
    });
    lists.collect_vec().join("\n")
}

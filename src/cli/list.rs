//! `migopt list`.

use super::arguments::{ListArguments, Topic};
use super::exit::{EXIT_PROVED, Failure};
use super::format::Format;
use super::output::{print, serialise};
use clap::ValueEnum;
use itertools::Itertools;
use kit::{ChoiceEntry, FormulationEntry, HeuristicEntry, MetricEntry, ParameterEntry};
use mig::{Confidence, catalogue};
use models::{MODELS, Model};
use serde::Serialize;
use solver::{Solver, SolverOption};
use solvers::solvers;

pub fn run(task: &ListArguments) -> Result<u8, Failure> {
    let topics = match task.topic {
        Some(topic) => vec![topic],
        None => Topic::value_variants().to_vec(),
    };
    let lists: Vec<List> = topics.into_iter().flat_map(lists).collect();
    print(&match task.format {
        Format::Text => lists.iter().map(List::to_string).join("\n"),
        Format::Json | Format::Yaml => serialise(&lists, task.format)?,
    })?;
    Ok(EXIT_PROVED)
}

/// Names with words about each.
#[derive(Serialize)]
struct List {
    #[serde(skip)]
    title: String,
    topic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'static str>,
    /// The solver, where the entries are its options.
    #[serde(skip_serializing_if = "Option::is_none")]
    solver: Option<&'static str>,
    entries: Vec<Entry>,
}

/// A name, words about it, and what can be chosen about it.
#[derive(Serialize)]
struct Entry {
    name: String,
    about: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Entry>,
}

impl Entry {
    fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Entry { name: name.into(), about: about.into(), parameters: Vec::new() }
    }
}

impl std::fmt::Display for List {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "{}", self.title)?;
        let line = |entry: &Entry| (entry.name.clone(), entry.about.clone());
        let below = |entry: &Entry| (format!("  :{}=", entry.name), entry.about.clone());
        let with_parameters =
            |entry: &Entry| [line(entry)].into_iter().chain(entry.parameters.iter().map(below)).collect_vec();
        let lines = self.entries.iter().flat_map(with_parameters).collect_vec();
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        lines.iter().try_for_each(|(name, about)| writeln!(formatter, "  {name:<width$}  {about}"))
    }
}

/// What there is to list on a topic; of each model a list for itself.
fn lists(topic: Topic) -> Vec<List> {
    let named = topic.to_possible_value().expect("no topic is hidden").get_name().to_owned();
    let one = |title: &str, entries| {
        vec![List { title: title.to_owned(), topic: named.clone(), model: None, solver: None, entries }]
    };
    let of_models = |title: &str, entries: fn(&dyn Model) -> Vec<Entry>| {
        let list = |model: &&'static dyn Model| List {
            title: format!("{title} {}", model.name()),
            topic: named.clone(),
            model: Some(model.name()),
            solver: None,
            entries: entries(*model),
        };
        MODELS.iter().map(list).collect()
    };
    match topic {
        Topic::Models => one("Models", models()),
        Topic::Formulations => of_models("Formulations of", formulations),
        Topic::Solvers => {
            let options = solvers().iter().map(|solver| List {
                title: format!("Options of {}", solver.name()),
                topic: named.clone(),
                model: None,
                solver: Some(solver.name()),
                entries: solver_options(*solver),
            });
            one("Solvers", solver_lines()).into_iter().chain(options).collect()
        }
        Topic::Heuristics => of_models("Heuristics for", heuristics),
        Topic::Metrics => of_models("Metrics of", metrics),
        Topic::Boards => one("Boards", boards()),
    }
}

fn models() -> Vec<Entry> {
    MODELS.iter().map(|model| Entry::new(model.name(), model.summary())).collect()
}

fn formulations(model: &dyn Model) -> Vec<Entry> {
    let line = |entry: &FormulationEntry| Entry::new(entry.name, entry.summary);
    model.formulations().iter().map(line).collect()
}

fn solver_lines() -> Vec<Entry> {
    let line = |solver: &&dyn Solver| {
        let origin = match (solver.unavailable(), solver.library()) {
            (Some(reason), _) => return Entry::new(solver.name(), reason),
            (None, Some(path)) => format!("shared library {}", path.display()),
            (None, None) => "part of this program".to_owned(),
        };
        Entry::new(solver.name(), format!("version {}, {origin}", solver.version()))
    };
    solvers().iter().map(line).collect()
}

/// What `--solver-option` may choose.
fn solver_options(solver: &dyn Solver) -> Vec<Entry> {
    let entry = |option: &SolverOption| {
        Entry::new(option.name, format!("{}: {}", option.help, option.values.words()))
    };
    solver.options().allowed.iter().map(entry).collect()
}

fn heuristics(model: &dyn Model) -> Vec<Entry> {
    let entry = |entry: HeuristicEntry| Entry {
        parameters: entry
            .parameters
            .iter()
            .map(|parameter| Entry::new(parameter.name, words(parameter)))
            .collect(),
        ..Entry::new(entry.name, format!("{} [{}]", entry.summary, entry.reference))
    };
    model.heuristics().into_iter().map(entry).collect()
}

/// What a parameter is, its values and its default.
fn words(parameter: &ParameterEntry) -> String {
    let value = |choice: &ChoiceEntry| match choice.help {
        "" => choice.name.to_owned(),
        help => format!("{} ({help})", choice.name),
    };
    let values = parameter.choices.iter().map(value).join(", ");
    let values = if values.is_empty() { values } else { format!(": {values}") };
    let default = parameter.default.iter().map(|default| format!("; {default} by default"));
    format!("{}{values}{}", parameter.summary, default.collect::<String>())
}

fn metrics(model: &dyn Model) -> Vec<Entry> {
    let line =
        |metric: &MetricEntry| Entry::new(metric.name, format!("[{}] {}", metric.unit, metric.definition));
    model.metrics().iter().map(line).collect()
}

fn boards() -> Vec<Entry> {
    let usable = catalogue().boards().iter().map(|board| {
        let profiles: Vec<&str> = board.profiles().iter().map(|profile| profile.name.as_str()).collect();
        let confidence = match board.provenance().map(|provenance| provenance.confidence) {
            Some(Confidence::Captured) => "captured from a driver",
            Some(Confidence::Family) => "from the board's family",
            Some(Confidence::NotConfirmed) => "not confirmed by a driver listing",
            None => "given",
        };
        let about = format!("{} slots, placements {confidence}; {}", board.slots(), profiles.join(" "));
        Entry::new(board.name(), about)
    });
    let refused = catalogue()
        .unavailable()
        .iter()
        .map(|board| Entry::new(board.name.clone(), format!("not usable: {}", board.reason)));
    usable.chain(refused).collect()
}

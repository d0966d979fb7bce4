//! `migopt list`.

use super::arguments::{ListArguments, Topic};
use super::exit::{EXIT_PROVED, Failure};
use super::output::print;
use clap::ValueEnum;
use itertools::Itertools;
use kit::{FormulationEntry, MetricEntry, ParameterEntry};
use mig::{Confidence, catalogue};
use models::{MODELS, Model};
use solver::{Solver, solvers};

pub fn run(task: &ListArguments) -> Result<u8, Failure> {
    let topics = match task.topic {
        Some(topic) => vec![topic],
        None => Topic::value_variants().to_vec(),
    };
    let lists: Vec<List> = topics.into_iter().flat_map(lists).collect();
    print(&lists.iter().map(List::to_string).join("\n"))?;
    Ok(EXIT_PROVED)
}

/// Names with words about each.
struct List {
    title: String,
    lines: Vec<(String, String)>,
}

impl std::fmt::Display for List {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "{}", self.title)?;
        let width = self.lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        self.lines.iter().try_for_each(|(name, about)| writeln!(formatter, "  {name:<width$}  {about}"))
    }
}

/// What there is to list on a topic; of each model a list for itself.
fn lists(topic: Topic) -> Vec<List> {
    let one = |title: &str, lines| vec![List { title: title.to_owned(), lines }];
    let of_models = |title: &str, lines: fn(&dyn Model) -> Vec<(String, String)>| {
        let list = |model: &&'static dyn Model| List {
            title: format!("{title} {}", model.name()),
            lines: lines(*model),
        };
        MODELS.iter().map(list).collect()
    };
    match topic {
        Topic::Models => one("Models", models()),
        Topic::Formulations => of_models("Formulations of", formulations),
        Topic::Solvers => one("Solvers", solver_lines()),
        Topic::Heuristics => of_models("Heuristics for", heuristics),
        Topic::Metrics => of_models("Metrics of", metrics),
        Topic::Boards => one("Boards", boards()),
    }
}

fn models() -> Vec<(String, String)> {
    MODELS.iter().map(|model| (model.name().to_owned(), model.summary().to_owned())).collect()
}

fn formulations(model: &dyn Model) -> Vec<(String, String)> {
    let line = |entry: &FormulationEntry| (entry.name.to_owned(), entry.summary.to_owned());
    model.formulations().iter().map(line).collect()
}

fn solver_lines() -> Vec<(String, String)> {
    let line = |solver: &&dyn Solver| {
        let origin = match solver.library() {
            Some(path) => format!("shared library {}", path.display()),
            None => "part of this program".to_owned(),
        };
        (solver.name().to_owned(), format!("version {}, {origin}", solver.version()))
    };
    solvers().iter().map(line).collect()
}

fn heuristics(model: &dyn Model) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for entry in model.heuristics() {
        lines.push((entry.name.to_owned(), format!("{} [{}]", entry.summary, entry.reference)));
        let parameters = entry.parameters.iter();
        lines.extend(parameters.map(|parameter| (format!("  :{}=", parameter.name), words(parameter))));
    }
    lines
}

/// What a parameter is, its values and its default.
fn words(parameter: &ParameterEntry) -> String {
    let values =
        parameter.choices.iter().map(|choice| format!("{} ({})", choice.name, choice.help)).join(", ");
    let values = if values.is_empty() { values } else { format!(": {values}") };
    let default = parameter.default.iter().map(|default| format!("; {default} by default"));
    format!("{}{values}{}", parameter.summary, default.collect::<String>())
}

fn metrics(model: &dyn Model) -> Vec<(String, String)> {
    let line =
        |metric: &MetricEntry| (metric.name.to_owned(), format!("[{}] {}", metric.unit, metric.definition));
    model.metrics().iter().map(line).collect()
}

fn boards() -> Vec<(String, String)> {
    let usable = catalogue().boards().iter().map(|board| {
        let profiles: Vec<&str> = board.profiles().iter().map(|profile| profile.name.as_str()).collect();
        let confidence = match board.provenance().map(|provenance| provenance.confidence) {
            Some(Confidence::Captured) => "captured from a driver",
            Some(Confidence::Family) => "from the board's family",
            Some(Confidence::NotConfirmed) => "not confirmed by a driver listing",
            None => "given",
        };
        let about = format!("{} slots, placements {confidence}; {}", board.slots(), profiles.join(" "));
        (board.name().to_owned(), about)
    });
    let refused = catalogue()
        .unavailable()
        .iter()
        .map(|board| (board.name.clone(), format!("not usable: {}", board.reason)));
    usable.chain(refused).collect()
}

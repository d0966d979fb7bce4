//! `migopt list`.

use super::arguments::{ListArguments, Topic};
use super::exit::{EXIT_PROVED, Failure};
use super::output::print;
use crate::cluster::METRICS;
use crate::mig::{Confidence, catalogue};
use crate::model::MODELS;
use crate::model::wpm::FORMULATIONS;
use crate::model::wpm::heuristic::HEURISTICS;
use crate::solver::solvers;
use clap::ValueEnum;
use std::fmt::Write;

pub fn run(task: &ListArguments) -> Result<u8, Failure> {
    let topics = match task.topic {
        Some(topic) => vec![topic],
        None => Topic::value_variants().to_vec(),
    };
    let mut text = String::new();
    for topic in topics {
        let (title, lines) = match topic {
            Topic::Models => ("Models", models()),
            Topic::Formulations => ("Formulations of wpm", formulations()),
            Topic::Solvers => ("Solvers", solver_lines()),
            Topic::Heuristics => ("Heuristics for wpm", heuristics()),
            Topic::Metrics => ("Metrics of wpm", metrics()),
            Topic::Boards => ("Boards", boards()),
        };
        let separator = if text.is_empty() { "" } else { "\n" };
        writeln!(text, "{separator}{title}").expect("writing to a string");
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        for (name, about) in lines {
            writeln!(text, "  {name:<width$}  {about}").expect("writing to a string");
        }
    }
    print(&text)?;
    Ok(EXIT_PROVED)
}

fn models() -> Vec<(String, String)> {
    MODELS.iter().map(|model| (model.name.to_owned(), model.summary.to_owned())).collect()
}

fn formulations() -> Vec<(String, String)> {
    FORMULATIONS.iter().map(|entry| (entry.name.to_owned(), entry.summary.to_owned())).collect()
}

fn solver_lines() -> Vec<(String, String)> {
    solvers()
        .iter()
        .map(|solver| (solver.name().to_owned(), format!("version {}", solver.version())))
        .collect()
}

fn heuristics() -> Vec<(String, String)> {
    HEURISTICS
        .iter()
        .map(|heuristic| {
            (heuristic.name().to_owned(), format!("{} [{}]", heuristic.summary(), heuristic.reference()))
        })
        .collect()
}

fn metrics() -> Vec<(String, String)> {
    METRICS
        .iter()
        .map(|metric| (metric.name.to_owned(), format!("[{}] {}", metric.unit, metric.definition)))
        .collect()
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

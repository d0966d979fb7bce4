//! Plans in words.

use cluster::{Cluster, Spot};
use ground::counted;
use itertools::Itertools;
use plan::{Bound, By, Kind, Move, MoveEntry, WayEntry};
use planner::{Found, Objective};
use std::fmt::Write;

/// A plan for readers: its rounds, what proves it, who has to step aside and why, and what is not touched.
pub fn text(found: &Found) -> String {
    let mut text = String::new();
    let (file, counts) = (&found.file, found.judgement.counts);
    let cluster = &found.transition.cluster;
    let state = if file.proved { "proved" } else { "not proved optimal" };
    let _ = writeln!(text, "{}: {} ({state})\n", cluster.name, summary(&counts));
    for (number, (round, entries)) in (1..).zip(found.plan.rounds.iter().zip(&file.rounds)) {
        let _ = writeln!(text, "round {number}");
        for (step, entry) in round.iter().zip(&entries.moves) {
            let _ = writeln!(text, "  {}", in_words(cluster, step, entry));
        }
    }
    if !file.rounds.is_empty() {
        text.push('\n');
    }
    let mut bounds = file.bounds.clone().unwrap_or_default();
    for name in &file.minimize {
        let Ok(objective) = Objective::named(name) else { continue };
        let Some(bound) = objective.bound(&mut bounds).take() else { continue };
        let value = objective.of(&counts);
        let _ = writeln!(text, "{name}: {value}, at least {} {}", bound.value, reason(objective, &bound));
        for line in certificate(&bound) {
            let _ = writeln!(text, "  {line}");
        }
    }
    let touched: Vec<&str> = file.expects.iter().map(|expected| expected.gpu.as_str()).collect();
    let rest = cluster.gpus.iter().filter(|gpu| !touched.contains(&gpu.name.as_str())).count();
    let _ = writeln!(text, "not touched: {} of {}", rest, counted(cluster.gpus.len(), "GPU"));
    for note in &file.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn summary(counts: &plan::Counts) -> String {
    if counts.rounds == 0 {
        return "nothing has to be done".to_owned();
    }
    let mut parts = vec![counted(counts.rounds, "round"), counted(counts.moves, "move")];
    parts.extend((counts.starts > 0).then(|| counted(counts.starts, "start")));
    parts.push(if counts.stops == 0 { "nothing stops".to_owned() } else { counted(counts.stops, "stop") });
    parts.extend((counts.bounces > 0).then(|| counted(counts.bounces, "temporary place")));
    parts.join(", ")
}

fn spot(spot: &Option<Spot>) -> String {
    spot.as_ref().map_or_else(String::new, |spot| format!("{} slot {}", spot.gpu, spot.start))
}

/// A move as a sentence.
fn in_words(cluster: &Cluster, step: &Move, entry: &MoveEntry) -> String {
    let about = &cluster.workloads[step.workload.index()];
    let profile = step
        .to
        .or(step.from)
        .map_or("", |place| cluster.board_of(place.gpu).profile(place.instance.profile).name.as_str());
    let (name, from, to) = (&entry.workload, spot(&entry.from), spot(&entry.to));
    let aside = if entry.via { ", a temporary place, so that others can pass" } else { "" };
    match entry.kind {
        Kind::Surge => format!("{name} ({profile}) moves from {from} to {to}{aside}"),
        Kind::Restart => format!("{name} ({profile}) restarts: from {from} to {to}{aside}"),
        Kind::Stop => format!("{name} ({profile}) stops at {from}"),
        Kind::Start if about.current.is_some() => format!("{name} ({profile}) starts again at {to}{aside}"),
        Kind::Start => format!("{name} ({profile}) starts at {to}"),
    }
}

fn reason(objective: Objective, bound: &Bound) -> &'static str {
    match (bound.by, objective) {
        (_, Objective::Stops | Objective::Downtime | Objective::Bounces) if bound.value == 0 => {
            "(nothing can be less)"
        }
        (By::Difference, Objective::Stops) => "(so many have to move by a restart)",
        (By::Difference, _) => "(the difference between the two placements)",
        (By::Chain, _) => "(each of these waits for the one before)",
        (By::Cycles, _) => "(in each circle, each waits for the next)",
        (By::Stuck, _) => "(no workload can move before one stops)",
        (By::Limits, _) => "(the limits on each round)",
        (By::Search, _) => "(by search)",
    }
}

/// The chain or the circles that prove a bound.
fn certificate(bound: &Bound) -> Vec<String> {
    let way = |entry: &WayEntry| match &entry.from {
        Some(from) => {
            format!("{} ({}:{} to {}:{})", entry.workload, from.gpu, from.start, entry.to.gpu, entry.to.start)
        }
        None => format!("{} (to {}:{})", entry.workload, entry.to.gpu, entry.to.start),
    };
    let chain =
        (bound.chain.len() > 1).then(|| format!("chain: {}", bound.chain.iter().map(way).join(", then ")));
    let cycles = bound.cycles.iter().map(|cycle| format!("circle: {}", cycle.iter().map(way).join(", ")));
    chain.into_iter().chain(cycles).collect()
}

/// What the verifier says of a plan.
pub fn verdict_text(name: &str, judgement: &plan::Judgement) -> String {
    let mut text = String::new();
    if judgement.findings.is_empty() {
        let _ = writeln!(text, "{name}: valid plan: {}", summary(&judgement.counts));
        for bound in &judgement.certified {
            let state = if bound.checked { "checked" } else { "found by search, not checked here" };
            let _ = writeln!(text, "  {}: at least {} ({state})", bound.objective, bound.value);
        }
    } else {
        let _ = writeln!(text, "{name}: not a valid plan");
        for finding in &judgement.findings {
            let _ = writeln!(text, "  {}: {}", finding.rule, finding.message);
        }
    }
    text
}

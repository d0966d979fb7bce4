//! Plans in words.

use cluster::Cluster;
use ground::counted;
use itertools::Itertools;
use plan::{Bound, By, Kind, Move, Place, WayEntry};
use planner::Objective;
use std::fmt::Write;

/// What a plan costs, in short.
pub(super) fn summary(counts: &plan::Counts) -> String {
    if counts.rounds == 0 {
        return "nothing has to be done".to_owned();
    }
    let mut parts = vec![counted(counts.rounds, "round"), counted(counts.moves, "move")];
    parts.extend((counts.starts > 0).then(|| counted(counts.starts, "start")));
    parts.push(if counts.stops == 0 { "nothing stops".to_owned() } else { counted(counts.stops, "stop") });
    parts.extend((counts.bounces > 0).then(|| counted(counts.bounces, "temporary place")));
    parts.join(", ")
}

fn spot(cluster: &Cluster, place: Option<Place>) -> String {
    let words = |place| {
        let spot = plan::spot(cluster, place);
        format!("{} slot {}", spot.gpu, spot.start)
    };
    place.map_or_else(String::new, words)
}

/// A move as a sentence.
pub(super) fn in_words(cluster: &Cluster, step: &Move) -> String {
    let about = &cluster.workloads[step.workload.index()];
    let profile = step
        .to
        .or(step.from)
        .map_or("", |place| cluster.board_of(place.gpu).profile(place.instance.profile).name.as_str());
    let (name, from, to) = (&about.name, spot(cluster, step.from), spot(cluster, step.to));
    let aside = if step.via { ", a temporary place, so that others can pass" } else { "" };
    match step.kind {
        Kind::Surge => format!("{name} ({profile}) moves from {from} to {to}{aside}"),
        Kind::Restart => format!("{name} ({profile}) restarts: from {from} to {to}{aside}"),
        Kind::Stop => format!("{name} ({profile}) stops at {from}"),
        Kind::Start if about.current.is_some() => format!("{name} ({profile}) starts again at {to}{aside}"),
        Kind::Start => format!("{name} ({profile}) starts at {to}"),
    }
}

/// Why no plan goes below a bound.
pub(super) fn reason(objective: Objective, bound: &Bound) -> &'static str {
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
pub(super) fn certificate(bound: &Bound) -> Vec<String> {
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
pub fn plan_verdict(name: &str, judgement: &plan::Judgement) -> String {
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

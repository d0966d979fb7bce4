//! A window of time drawn for a terminal: sparklines of requests and capability, and what the tasks of each model have.

use super::line::{Ink, Line, wrap};
use super::{ALARM, SHOW_ALL_OPTION, Screen};
use crate::palette::by_rank;
use crate::text::shorten;
use crate::timeline::{ModelTimeline, Timeline, allocation_name, columns, gpcs, mean, rounded, shortest};
use ground::counted;
use kit::{PlannedRetraining, PlannedRun};
use std::ops::Range;

/// Columns of the words before a line of time.
const WORDS: usize = 13;
/// Columns of time at least and at most.
const TIME: [usize; 2] = [10, 240];
/// Models that are drawn unless all are asked for.
const MOST_MODELS: usize = 12;
/// Columns between marks of the axis at least.
const MARK: usize = 10;
/// Levels of a sparkline.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the window in the columns of the screen, of many models the first ones.
pub(crate) fn draw(timeline: &Timeline, screen: Screen) -> String {
    paint(timeline, MOST_MODELS, screen)
}

/// Draws every model of the window.
pub(crate) fn draw_all(timeline: &Timeline, screen: Screen) -> String {
    paint(timeline, usize::MAX, screen)
}

fn paint(timeline: &Timeline, most: usize, screen: Screen) -> String {
    let width = screen.width;
    let time = width.saturating_sub(WORDS).clamp(TIME[0], TIME[1]);
    let mut lines = vec![Line::of(&timeline.title, Ink::Bold)];
    lines.extend(wrap("", &timeline.phrases(), width, Ink::Plain));
    for (rank, model) in timeline.models.iter().enumerate().take(most) {
        lines.push(Line::default());
        lines.extend(of_model(timeline, rank, model, time, width));
    }
    if !timeline.models.is_empty() && timeline.slots() > 0 {
        lines.push(axis(timeline, time));
    }
    let hidden = timeline.models.len().saturating_sub(most);
    if hidden > 0 {
        let words = format!("{} more not shown: {SHOW_ALL_OPTION} shows all", counted(hidden, "model"));
        lines.push(Line::of(&words, Ink::Bold));
    }
    if timeline.models.iter().take(most).any(|model| !model.runs.is_empty()) {
        let items = ["in short runs: GPCs".to_owned(), "▒ retraining".to_owned()];
        let items =
            &items[..if timeline.models.iter().any(|model| model.retraining.is_some()) { 2 } else { 1 }];
        lines.push(Line::default());
        lines.extend(wrap("", items, width, Ink::Dim));
    }
    lines.iter().map(|line| line.render(screen)).collect()
}

fn of_model(timeline: &Timeline, rank: usize, model: &ModelTimeline, time: usize, width: usize) -> Vec<Line> {
    let (_, colour) = by_rank(rank);
    let slots: Vec<Range<usize>> = columns(timeline.slots(), time).collect();
    let peak = timeline.peak(model) * timeline.basis();
    let mut name = Line::of(&shorten(&model.name, width / 2), Ink::Mark(colour));
    let mut facts = timeline.facts(model);
    if peak > 0.0 {
        facts.push(format!("█ {} per second", rounded(timeline.peak(model))));
    }
    let beside: String = facts.iter().map(|fact| format!("  {fact}")).collect();
    let mut lines = Vec::new();
    if name.length() + beside.chars().count() <= width {
        name.push(&beside, Ink::Plain);
        lines.push(name);
    } else {
        lines.push(name);
        lines.extend(wrap("  ", &facts, width, Ink::Plain));
    }
    let mut push = |words: &str, time: Line| {
        let mut line = Line::of(&format!("  {words}"), Ink::Dim);
        line.pad(WORDS + time.length());
        line.paste(WORDS, &time);
        lines.push(line);
    };
    if !model.requests.is_empty() {
        let lost = |slots: &Range<usize>| model.worst(slots).is_some();
        push(
            "requests",
            spark(
                &slots,
                peak,
                |slots| mean(&model.requests, slots),
                |slots| {
                    if lost(slots) { Ink::Colour(ALARM) } else { Ink::Colour(colour) }
                },
            ),
        );
    }
    if !model.capability.is_empty() {
        push("can serve", spark(&slots, peak, |slots| mean(&model.capability, slots), |_| Ink::Plain));
    }
    if model.worst(&(0..model.requests.len())).is_some() {
        let unserved = |slots: &Range<usize>| model.worst(slots).map(|(received, served)| received - served);
        push("not served", spark(&slots, peak, unserved, |_| Ink::Mark(ALARM)));
    }
    if !model.runs.is_empty() {
        push("inference", inference(&slots, &model.runs, colour));
    }
    if let Some(retraining) = &model.retraining {
        push("retraining", retrained(&slots, retraining, colour));
    }
    lines
}

/// A level for each column; a dot where there is nothing.
fn spark(
    columns: &[Range<usize>],
    peak: f64,
    value: impl Fn(&Range<usize>) -> Option<f64>,
    ink: impl Fn(&Range<usize>) -> Ink,
) -> Line {
    let mut line = Line::default();
    for slots in columns {
        match value(slots).filter(|&value| value > 0.0 && peak > 0.0) {
            Some(value) => {
                let level = (value / peak * LEVELS.len() as f64).ceil() as usize;
                let symbol = LEVELS[level.clamp(1, LEVELS.len()) - 1];
                line.push(&symbol.to_string(), ink(slots));
            }
            None => line.push("·", Ink::Dim),
        }
    }
    line
}

/// Allocations by name between bars where there is room, else by their GPCs.
fn inference(columns: &[Range<usize>], runs: &[PlannedRun], colour: u8) -> Line {
    let shown: Vec<Option<&PlannedRun>> = columns.iter().map(|slots| longest(runs, slots)).collect();
    let mut line = Line::default();
    let same = |one: &Option<&PlannedRun>, next: &Option<&PlannedRun>| match (one, next) {
        (Some(one), Some(next)) => one.instances == next.instances,
        (one, next) => one.is_none() && next.is_none(),
    };
    for stretch in shown.chunk_by(same) {
        let end = line.length() + stretch.len();
        let Some(run) = stretch[0] else {
            line.push(&"·".repeat(stretch.len()), Ink::Dim);
            continue;
        };
        let name = allocation_name(run);
        if name.chars().count() < stretch.len() {
            line.push("│", Ink::Dim);
            line.push(&name, Ink::Colour(colour));
            line.pad(end);
        } else {
            let all = run.instances.iter().map(|size| gpcs(size)).fold(0, u64::saturating_add);
            let digit = if all < 10 { all.to_string() } else { "+".to_owned() };
            line.push(&digit.repeat(stretch.len()), Ink::Colour(colour));
        }
    }
    line
}

/// The run that has most of some slots, the first of several.
fn longest<'r>(runs: &'r [PlannedRun], slots: &Range<usize>) -> Option<&'r PlannedRun> {
    let shared = |run: &PlannedRun| {
        (run.until as usize).min(slots.end).saturating_sub((run.from as usize).max(slots.start))
    };
    runs.iter().rev().filter(|run| shared(run) > 0).max_by_key(|run| shared(run))
}

fn retrained(columns: &[Range<usize>], retraining: &PlannedRetraining, colour: u8) -> Line {
    let runs = |slots: &&Range<usize>| {
        slots.start < retraining.until as usize && (retraining.from as usize) < slots.end
    };
    let before = columns.iter().take_while(|slots| !runs(slots)).count();
    let during = columns.iter().filter(runs).count();
    let mut line = Line::of(&"·".repeat(before), Ink::Dim);
    line.push(&"▒".repeat(during), Ink::Colour(colour));
    line.push(&"·".repeat(columns.len() - before - during), Ink::Dim);
    if retraining.instance.chars().count() + 2 <= during {
        line.put(before + 1, &retraining.instance, Ink::Colour(colour));
    }
    line
}

/// Seconds below the columns at which they begin.
fn axis(timeline: &Timeline, time: usize) -> Line {
    let step = timeline.step(time / MARK);
    let whole = f64::from(timeline.slots()) * timeline.basis();
    let mut line = Line::default();
    let mut mark = 0.0;
    while mark < whole {
        let at = WORDS + (mark / whole * time as f64).round() as usize;
        let words = format!("{} s", shortest(mark));
        let fits = at + words.len() <= WORDS + time && at >= line.length() + usize::from(mark > 0.0);
        if fits {
            line.pad(at);
            line.push(&words, Ink::Dim);
        }
        mark += step;
    }
    line
}

//! A window of time drawn as SVG: a panel of requests and capability per model, and one of the GPU's memory slots.

mod boxes;
mod gpu;
mod series;

use ::svg::node::element::{Definitions, Group, Rectangle};

use super::flow::{Flow, sample};
use super::layout::MARGIN;
use super::style::{CHARACTER, label, path, round};
use super::{framed, hatching, heading};
use crate::palette::{by_rank, by_rank_and_share};
use crate::text::shorten;
use crate::timeline::{ModelTimeline, Timeline, allocation_name, gpcs};
use boxes::{Bar, bars};
use kit::PlannedRun;

/// Room for the numbers beside a panel, and width of a panel: a column of pixels shows several slots if need be.
const LEFT: f64 = 64.0;
const PLOT: f64 = 1000.0;
const COLUMNS: usize = 1000;
/// Height of the title and the counts below it.
const TITLE: f64 = 56.0;
/// Height of a panel's heading, of its series, of a band below them, and room between panels.
const HEADING: f64 = 20.0;
const SERIES: f64 = 84.0;
const BAND: f64 = 16.0;
const SPACE: f64 = 20.0;
/// Marks of the axis at most, and height of its numbers.
const MARKS: usize = 12;
const AXIS: f64 = 18.0;
/// Width of a character of a model's name, and characters of the longest one.
const NAME_CHARACTER: f64 = 6.7;
const LONGEST_NAME: usize = 40;
/// Parts of the bands of all models that are told apart; narrower ones are drawn together.
const MOST_RUNS: usize = 240;

/// Draws the window as a self-contained SVG document; hovering an instance tells everything about it.
pub(crate) fn svg(timeline: &Timeline) -> String {
    let scene = Scene { timeline, slots: f64::from(timeline.slots()).max(1.0), x: MARGIN + LEFT };
    let width = (scene.x + PLOT + MARGIN).ceil();
    let room = |character: f64| ((width - 2.0 * MARGIN) / character) as usize;
    let mut body = heading(Group::new(), &timeline.title, &timeline.phrases(), room);
    let mut y = TITLE;
    for (rank, model) in timeline.models.iter().enumerate() {
        (body, y) = scene.model(body, y, rank, model);
    }
    if timeline.memory_slots() > 0 && !timeline.instances.is_empty() {
        (body, y) = gpu::panel(&scene, body, y);
    }
    let mut flow = Flow::new(body, y + 4.0, width - MARGIN);
    for (class, meaning) in legend(timeline) {
        flow.entry(meaning, |group, x, y| match class {
            "capability" => group.add(path("capability", format!("M{x} {}h22", y + 6.5))),
            "reconfigured" => group.add(path("reconfigured", format!("M{} {y}v13", x + 11.0))),
            "requests" | "ahead" => {
                let (fill, _) = by_rank(0);
                group.add(sample(&format!("{class} key"), x, y).set("fill", fill))
            }
            "retrains" => {
                let (fill, _) = by_rank(0);
                group.add(sample("key", x, y).set("fill", fill)).add(sample("retrains", x, y))
            }
            _ => group.add(sample(&format!("{class} key"), x, y)),
        });
    }
    flow.new_line();
    let (body, bottom) = flow.end();
    framed(body, Definitions::new().add(hatching("migopt-retrains", "hatch")), width, bottom + MARGIN)
}

/// The classes that occur, and what they mean.
fn legend(timeline: &Timeline) -> Vec<(&'static str, &'static str)> {
    let any = |test: fn(&ModelTimeline) -> bool| timeline.models.iter().any(test);
    let is_unserved = |model: &ModelTimeline| model.worst(&(0..model.requests.len())).is_some();
    let entries = [
        (any(|model| !model.requests.is_empty()), ("requests", "requests per second")),
        (any(|model| !model.capability.is_empty()), ("capability", "requests that can be served")),
        (any(is_unserved), ("unserved", "not served in time")),
        (any(|model| model.retraining.is_some()), ("retrains", "retraining")),
        (
            timeline.instances.iter().any(|instance| instance.prepared_seconds.to_f64() > 0.0),
            ("ahead", "created ahead on free memory"),
        ),
        (
            timeline.changes.iter().any(|change| !change.reconfigured.is_empty()),
            ("reconfigured", "reconfiguration"),
        ),
    ];
    entries.into_iter().filter(|entry| entry.0).map(|(_, entry)| entry).collect()
}

/// What all panels need to know.
struct Scene<'t> {
    timeline: &'t Timeline,
    /// Slots of the window, at least one.
    slots: f64,
    /// Left end of the panels.
    x: f64,
}

impl Scene<'_> {
    /// Where a moment is, counted in slots.
    fn at(&self, slots: f64) -> f64 {
        self.x + PLOT * (slots / self.slots).clamp(0.0, 1.0)
    }

    /// A panel on its ground with the marks of the axis, and its frame to be drawn last.
    fn ground(&self, body: Group, y: f64, height: f64) -> Group {
        let ground = Rectangle::new().set("class", "plot").set("x", self.x).set("y", round(y));
        let ground = ground.set("width", PLOT).set("height", round(height));
        let lines: String =
            self.marks().map(|(x, _)| format!("M{} {}v{}", round(x), round(y), round(height))).collect();
        let body = body.add(ground);
        if lines.is_empty() { body } else { body.add(path("grid", lines)) }
    }

    fn frame(&self, body: Group, y: f64, height: f64) -> Group {
        body.add(path("frame", format!("M{} {}h{PLOT}v{}h-{PLOT}z", self.x, round(y), round(height))))
    }

    /// Seconds below a panel.
    fn seconds(&self, mut body: Group, y: f64) -> Group {
        for (x, text) in self.marks() {
            body = body.add(label(x, y + 12.0, "second", &text));
        }
        body
    }

    /// Marks of the axis: where they are, and their seconds.
    fn marks(&self) -> impl Iterator<Item = (f64, String)> {
        let step = self.timeline.step(MARKS);
        let basis = self.timeline.basis();
        let digits = if step < 1.0 { (-step.log10()).ceil().min(6.0) as usize } else { 0 };
        let whole = self.slots * basis;
        (0..=MARKS)
            .map(move |mark| mark as f64 * step)
            .take_while(move |mark| *mark <= whole * 1.000_001)
            .map(move |mark| {
                let unit = if mark == 0.0 { " s" } else { "" };
                (self.at(mark / basis), format!("{mark:.digits$}{unit}"))
            })
    }

    /// The panel of a model: its series, and bands of what its tasks have.
    fn model(&self, body: Group, y: f64, rank: usize, model: &ModelTimeline) -> (Group, f64) {
        let (fill, _) = by_rank(rank);
        let name = shorten(&model.name, LONGEST_NAME);
        let swatch = sample("key", MARGIN, y + 2.0).set("fill", fill.as_str());
        let facts = self.timeline.facts(model).join(" · ");
        let facts_at = self.x + (name.chars().count() as f64) * NAME_CHARACTER + 12.0;
        let room = ((self.x + PLOT - facts_at) / NAME_CHARACTER) as usize;
        let body = body.add(swatch).add(label(self.x, y + 13.0, "name", &name)).add(label(
            facts_at,
            y + 13.0,
            "fact",
            &shorten(&facts, room),
        ));
        let mut y = y + HEADING;
        let mut body = body;
        if !model.requests.is_empty() || !model.capability.is_empty() {
            body = self.ground(body, y, SERIES);
            body = series::panel(self, body, y, &fill, model);
            body = self.frame(body, y, SERIES);
            y += SERIES;
        }
        let ticks = ticks(self, &self.timeline.reconfigurations(&model.name), y - 6.0, 6.0);
        if !ticks.is_empty() {
            body = body.add(path("reconfigured", ticks));
        }
        if !model.runs.is_empty() {
            y += 3.0;
            body = body.add(label(self.x - 6.0, y + 11.0, "digits", "inference"));
            body = bars(body, self.runs(y, rank, model), MOST_RUNS / self.timeline.models.len().max(1));
            y += BAND;
        }
        if let Some(retraining) = &model.retraining {
            y += 3.0;
            let [from, until] = [retraining.from, retraining.until];
            let seconds = |slot| self.timeline.seconds(slot);
            let bar = Bar {
                x: self.at(f64::from(from)),
                y,
                width: self.at(f64::from(until)) - self.at(f64::from(from)),
                height: BAND,
                fill: fill.clone(),
                retrains: true,
                words: vec![retraining.instance.clone()],
                tip: format!(
                    "{} · retraining on {} · from {} until {}",
                    model.name,
                    retraining.instance,
                    seconds(from),
                    seconds(until)
                ),
            };
            body = body.add(label(self.x - 6.0, y + 11.0, "digits", "retraining"));
            body = bars(body, vec![bar], 1);
            y += BAND;
        }
        (self.seconds(body, y), y + AXIS + SPACE)
    }

    /// What the inference task of a model has, the more GPCs the darker.
    fn runs(&self, y: f64, rank: usize, model: &ModelTimeline) -> Vec<Bar> {
        let all_gpcs =
            |run: &PlannedRun| run.instances.iter().map(|size| gpcs(size)).fold(0, u64::saturating_add);
        let most = model.runs.iter().map(all_gpcs).max().unwrap_or(0).max(1) as f64;
        let bar = |run: &PlannedRun| {
            let (from, until) = (self.at(f64::from(run.from)), self.at(f64::from(run.until)));
            let name = allocation_name(run);
            let tip = format!(
                "{} · inference on {name} · from {} until {}",
                model.name,
                self.timeline.seconds(run.from),
                self.timeline.seconds(run.until)
            );
            Bar {
                x: from,
                y,
                width: until - from,
                height: BAND,
                fill: by_rank_and_share(rank, all_gpcs(run) as f64 / most),
                retrains: false,
                words: vec![name],
                tip,
            }
        };
        model.runs.iter().map(bar).collect()
    }
}

/// Vertical ticks at some slots; those within half a pixel are one.
fn ticks(scene: &Scene, slots: &[u32], y: f64, height: f64) -> String {
    let mut places: Vec<i64> =
        slots.iter().map(|&slot| (2.0 * scene.at(f64::from(slot))).round() as i64).collect();
    places.dedup();
    places.iter().map(|&place| format!("M{} {}v{height}", place as f64 / 2.0, round(y))).collect()
}

/// The words with the most characters that fit into a width.
fn fitting(words: &[String], width: f64) -> Option<&String> {
    words.iter().find(|words| words.chars().count() as f64 * CHARACTER + 8.0 <= width)
}

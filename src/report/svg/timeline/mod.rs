//! A window of time drawn as SVG: a panel of requests and capability per model, and one of the GPU's memory slots.

mod boxes;
mod gpu;
mod scene;
mod series;

use ::svg::node::element::{Definitions, Group};

use super::flow::{Flow, sample};
use super::layout::MARGIN;
use super::style::{label, path};
use super::{framed, hatching, heading};
use crate::palette::{by_rank, by_rank_and_share};
use crate::text::shorten;
use crate::timeline::{ModelTimeline, Timeline, allocation_name, gpcs};
use boxes::{Bar, bars};
use kit::PlannedRun;
use scene::{AXIS, HEADING, PLOT, Scene, ticks};
use series::SERIES;

/// Room for the numbers beside a panel.
const LEFT: f64 = 64.0;
/// Height of the title and the counts below it.
const TITLE: f64 = 56.0;
/// Height of a band below a series, and room between panels.
const BAND: f64 = 16.0;
const SPACE: f64 = 20.0;
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

impl Scene<'_> {
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

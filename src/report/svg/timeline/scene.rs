//! What all panels share: the axis of time, their ground and their frame.

use ::svg::node::element::{Group, Rectangle};

use super::super::style::{label, path, round};
use crate::timeline::Timeline;

/// Width of a panel: a column of pixels shows several slots if need be.
pub(super) const PLOT: f64 = 1000.0;
/// Height of a panel's heading, and of the numbers of its axis.
pub(super) const HEADING: f64 = 20.0;
pub(super) const AXIS: f64 = 18.0;
/// Marks of the axis at most.
const MARKS: usize = 12;

/// What all panels need to know.
pub(super) struct Scene<'t> {
    pub timeline: &'t Timeline,
    /// Slots of the window, at least one.
    pub slots: f64,
    /// Left end of the panels.
    pub x: f64,
}

impl Scene<'_> {
    /// Where a moment is, counted in slots.
    pub fn at(&self, slots: f64) -> f64 {
        self.x + PLOT * (slots / self.slots).clamp(0.0, 1.0)
    }

    /// A panel on its ground with the marks of the axis, and its frame to be drawn last.
    pub fn ground(&self, body: Group, y: f64, height: f64) -> Group {
        let ground = Rectangle::new().set("class", "plot").set("x", self.x).set("y", round(y));
        let ground = ground.set("width", PLOT).set("height", round(height));
        let lines: String =
            self.marks().map(|(x, _)| format!("M{} {}v{}", round(x), round(y), round(height))).collect();
        let body = body.add(ground);
        if lines.is_empty() { body } else { body.add(path("grid", lines)) }
    }

    pub fn frame(&self, body: Group, y: f64, height: f64) -> Group {
        body.add(path("frame", format!("M{} {}h{PLOT}v{}h-{PLOT}z", self.x, round(y), round(height))))
    }

    /// Seconds below a panel.
    pub fn seconds(&self, mut body: Group, y: f64) -> Group {
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
}

/// Vertical ticks at some slots; those within half a pixel are one.
pub(super) fn ticks(scene: &Scene, slots: &[u32], y: f64, height: f64) -> String {
    let mut places: Vec<i64> =
        slots.iter().map(|&slot| (2.0 * scene.at(f64::from(slot))).round() as i64).collect();
    places.dedup();
    places.iter().map(|&place| format!("M{} {}v{height}", place as f64 / 2.0, round(y))).collect()
}

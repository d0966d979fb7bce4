//! Requests, capability and what is not served, as steps of time.

use ::svg::node::element::Group;

use super::super::style::{label, path, round};
use super::scene::{PLOT, Scene};
use crate::timeline::{ModelTimeline, columns, extent, rounded};

/// Height of the series of a model.
pub(super) const SERIES: f64 = 84.0;
/// Columns of pixels at most.
const COLUMNS: usize = 1000;

/// A part of a column of the panel between two heights.
struct Stretch {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Adds the series of a model to its panel.
pub(super) fn panel(scene: &Scene, body: Group, y: f64, fill: &str, model: &ModelTimeline) -> Group {
    let slots = scene.timeline.slots();
    let number = COLUMNS.min(slots as usize);
    let width = PLOT / number.max(1) as f64;
    let peak = scene.timeline.peak(model);
    let basis = scene.timeline.basis();
    let several = slots as usize > number;
    // Whole pixels where a column shows several slots.
    let height = |requests: f64| {
        let share = if peak > 0.0 { requests / basis / peak } else { 0.0 };
        let height = (SERIES - 4.0) * share.clamp(0.0, 1.0);
        y + SERIES - if several { height.round() } else { height }
    };
    let (mut area, mut requests, mut capability, mut unserved) = (vec![], vec![], vec![], vec![]);
    for (column, here) in columns(slots, number).enumerate() {
        let (left, right) = (scene.x + column as f64 * width, scene.x + (column + 1) as f64 * width);
        let stretch = |top: f64, bottom: f64| Stretch { left, right, top, bottom };
        if let Some(extent) = extent(&model.requests, &here) {
            area.push(stretch(height(extent.high), y + SERIES));
            requests.push(stretch(height(extent.high), height(extent.low)));
        }
        if let Some(extent) = extent(&model.capability, &here) {
            capability.push(stretch(height(extent.high), height(extent.low)));
        }
        if let Some((received, served)) = model.worst(&here) {
            unserved.push(stretch(height(received), height(served)));
        }
    }
    let mut body = body;
    if !area.is_empty() {
        body = body.add(path("requests", outlines(&area)).set("fill", fill));
        body = body.add(if several {
            path("requests", outlines(&requests)).set("fill", fill).set("stroke", fill)
        } else {
            path("requests", steps(&requests)).set("fill", "none").set("stroke", fill)
        });
    }
    if !unserved.is_empty() {
        body = body.add(path("unserved", outlines(&unserved)));
    }
    if !capability.is_empty() {
        body = body.add(if several {
            path("capability range", outlines(&capability))
        } else {
            path("capability", steps(&capability))
        });
    }
    let numbers = [(y + 10.0, peak), (y + SERIES, 0.0)];
    numbers
        .into_iter()
        .fold(body, |body, (y, number)| body.add(label(scene.x - 6.0, y, "digits", &rounded(number))))
}

/// The upper ends as a line of steps.
fn steps(stretches: &[Stretch]) -> String {
    runs(stretches)
        .map(|run| format!("M{} {}{}", round(run[0].left), round(run[0].top), forward(run)))
        .collect()
}

/// The stretches as areas.
fn outlines(stretches: &[Stretch]) -> String {
    let outline = |run: &[Stretch]| {
        let last = &run[run.len() - 1];
        let mut pen = Pen { x: round(last.right), y: round(last.top), path: String::new() };
        for stretch in run.iter().rev() {
            pen.step(stretch.right, stretch.bottom);
        }
        pen.across(run[0].left);
        format!("M{} {}{}{}z", round(run[0].left), round(run[0].top), forward(run), pen.path)
    };
    runs(stretches).map(outline).collect()
}

/// Steps along the upper ends, from the first one on.
fn forward(run: &[Stretch]) -> String {
    let mut pen = Pen { x: round(run[0].left), y: round(run[0].top), path: String::new() };
    for stretch in run {
        pen.step(stretch.left, stretch.top);
    }
    pen.across(run[run.len() - 1].right);
    pen.path
}

/// Draws by distances between rounded places, which takes the fewest characters and does not drift.
struct Pen {
    x: f64,
    y: f64,
    path: String,
}

impl Pen {
    /// Goes across to a place and there up or down to a height, if it is not at that height.
    fn step(&mut self, x: f64, y: f64) {
        let distance = round(round(y) - self.y);
        if distance != 0.0 {
            self.across(x);
            self.path.push_str(&format!("v{distance}"));
            self.y = round(y);
        }
    }

    fn across(&mut self, x: f64) {
        let distance = round(round(x) - self.x);
        if distance != 0.0 {
            self.path.push_str(&format!("h{distance}"));
            self.x = round(x);
        }
    }
}

/// Maximal runs of stretches that touch.
fn runs(stretches: &[Stretch]) -> impl Iterator<Item = &[Stretch]> {
    stretches.chunk_by(|one, next| next.left - one.right < 1e-6)
}

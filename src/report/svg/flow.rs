//! The part below a drawing: entries of a legend from left to right, then line by line, and what is pending.

use ::svg::node::element::{Group, Rectangle};
use ground::counted;

use super::layout::MARGIN;
use super::style::{label, round};
use crate::picture::Waiting;
use crate::summary::pending;
use crate::text::list;

const LINE: f64 = 20.0;
/// Width of a character of the text.
const CHARACTER: f64 = 7.3;
/// Size of a sample.
pub(super) const SAMPLE: f64 = 22.0;
pub(super) const SAMPLE_HEIGHT: f64 = 13.0;

/// Entries from left to right, then line by line.
pub(super) struct Flow {
    body: Group,
    x: f64,
    y: f64,
    right: f64,
}

impl Flow {
    /// Begins at the left margin, `y` from above, and ends `right` at the latest.
    pub fn new(body: Group, y: f64, right: f64) -> Self {
        Flow { body, x: MARGIN, y, right }
    }

    /// Adds a symbol and what it means.
    pub fn entry(&mut self, text: &str, symbol: impl FnOnce(Group, f64, f64) -> Group) {
        let width = SAMPLE + 6.0 + text.chars().count() as f64 * CHARACTER + 16.0;
        if self.x > MARGIN && self.x + width > self.right {
            self.new_line();
        }
        let body = symbol(std::mem::take(&mut self.body), round(self.x), round(self.y));
        self.body = body.add(label(self.x + SAMPLE + 6.0, self.y + 11.0, "text", text));
        self.x += width;
    }

    /// Goes on below.
    pub fn new_line(&mut self) {
        self.x = MARGIN;
        self.y += LINE;
    }

    /// Lists what is pending by profile or type, counted by a noun.
    pub fn waiting(&mut self, waiting: &[Waiting], noun: &str) {
        let groups = pending(waiting);
        if groups.is_empty() {
            return;
        }
        self.y += 6.0;
        self.text("heading", &format!("{} pending", counted(waiting.len(), noun)));
        for (profile, names) in groups {
            let of = if profile.is_empty() { String::new() } else { format!(" of {profile}") };
            let heading = format!("{}{of}: ", names.len());
            let room = ((self.right - MARGIN) / CHARACTER) as usize;
            let names = list(names.into_iter(), room.saturating_sub(heading.chars().count()));
            self.text("text", &format!("{heading}{names}"));
        }
    }

    fn text(&mut self, class: &str, text: &str) {
        self.body = std::mem::take(&mut self.body).add(label(MARGIN, self.y + 11.0, class, text));
        self.y += LINE;
    }

    /// The drawing so far, and its lower end.
    pub fn end(self) -> (Group, f64) {
        (self.body, self.y)
    }
}

/// The sample of a colour with its upper left corner at (`x`, `y`).
pub(super) fn sample(class: &str, x: f64, y: f64) -> Rectangle {
    Rectangle::new()
        .set("class", class)
        .set("x", round(x))
        .set("y", round(y))
        .set("width", SAMPLE)
        .set("height", SAMPLE_HEIGHT)
        .set("rx", 2)
}

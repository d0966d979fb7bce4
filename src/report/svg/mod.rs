//! A placement drawn as SVG: a row per GPU, before the change on the left and after it on the right.

mod flow;
mod layout;
mod legend;
mod migration;
mod piece;
mod row;
mod scene;
pub(super) mod servers;
mod style;
pub(super) mod timeline;

use ::svg::Document;
use ::svg::node::element::{Definitions, Group, Pattern, Rectangle, Style};

use super::palette::Palette;
use super::picture::Picture;
use super::rows::{Alike, sections};
use super::summary::phrases;
use super::text::shorten;
use layout::{Layout, MARGIN};
use scene::Scene;
use style::{CSS, label, path};

/// With more GPUs than this, those that look alike share a row.
const MOST_SINGLE_GPUS: usize = 200;
/// With more migrations than this, they are marked on the pieces instead of drawn as lines.
const MOST_LINES: usize = 60;

/// Draws a picture as a self-contained SVG document, legible on light and dark backgrounds.
///
/// Pieces are coloured by profile; hovering one tells everything about it. Up to 60 migrations are drawn as lines from
/// where a workload was to where it goes. Among many GPUs those that look alike before and after share a row.
pub fn svg(picture: &Picture) -> String {
    let alike = if picture.gpus.len() > MOST_SINGLE_GPUS { Alike::BeforeAndAfter } else { Alike::Never };
    let sections = sections(picture, alike);
    let migrations = picture.migrations();
    let lines = (1..=MOST_LINES).contains(&migrations.len());
    let layout = Layout::of(&sections, picture.is_change(), lines);
    let scene = Scene { palette: Palette::of(picture), migrations, lines };

    let mut body = heading(Group::new(), &picture.title, &phrases(picture), |width| layout.characters(width));
    for header in &layout.headers {
        body = row::header(body, header, &layout);
    }
    for place in &layout.rows {
        body = row::row(body, place, &layout, &scene);
    }
    if lines {
        body = migration::lines(body, &layout, &scene);
    }
    let (body, bottom) = legend::legend(body, picture, &scene, &layout);
    framed(body, patterns(), layout.width, bottom + MARGIN)
}

/// A drawing with its style sheet on paper of its size.
fn framed(body: Group, definitions: Definitions, width: f64, height: f64) -> String {
    Document::new()
        .set("class", "placement")
        .set("viewBox", (0.0, 0.0, width, height))
        .set("width", width)
        .set("height", height)
        .add(Style::new(CSS))
        .add(definitions)
        .add(Rectangle::new().set("class", "paper").set("width", width).set("height", height))
        .add(body)
        .to_string()
}

/// The title of a drawing and what it amounts to, in the room for so many characters of a width.
fn heading(body: Group, title: &str, phrases: &[String], room: impl Fn(f64) -> usize) -> Group {
    let title = label(MARGIN, MARGIN + 12.0, "title", &shorten(title, room(9.6)));
    let amounts = label(MARGIN, MARGIN + 31.0, "text", &shorten(&phrases.join(" · "), room(7.3)));
    body.add(title).add(amounts)
}

/// Hatching for waste.
fn patterns() -> Definitions {
    Definitions::new().add(hatching("migopt-waste", "hatch"))
}

/// Slanted lines of a class as a pattern to fill with.
fn hatching(id: &str, class: &str) -> Pattern {
    Pattern::new()
        .set("id", id)
        .set("width", 5)
        .set("height", 5)
        .set("patternUnits", "userSpaceOnUse")
        .set("patternTransform", "rotate(45)")
        .add(path(class, "M0 0V5"))
}

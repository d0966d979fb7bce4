//! A placement drawn as SVG: a row per GPU, before the change on the left and after it on the right.

mod layout;
mod legend;
mod migration;
mod piece;
mod row;
mod scene;
mod style;

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

    let mut body = Group::new();
    body = body.add(label(MARGIN, MARGIN + 12.0, "title", &shorten(&picture.title, layout.characters(9.6))));
    body = body.add(label(
        MARGIN,
        MARGIN + 31.0,
        "text",
        &shorten(&phrases(picture).join(" · "), layout.characters(7.3)),
    ));
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
    let height = bottom + MARGIN;
    Document::new()
        .set("class", "placement")
        .set("viewBox", (0.0, 0.0, layout.width, height))
        .set("width", layout.width)
        .set("height", height)
        .add(Style::new(CSS))
        .add(patterns())
        .add(Rectangle::new().set("class", "paper").set("width", layout.width).set("height", height))
        .add(body)
        .to_string()
}

/// Hatching for waste.
fn patterns() -> Definitions {
    let hatching = Pattern::new()
        .set("id", "migopt-waste")
        .set("width", 5)
        .set("height", 5)
        .set("patternUnits", "userSpaceOnUse")
        .set("patternTransform", "rotate(45)")
        .add(path("hatch", "M0 0V5"));
    Definitions::new().add(hatching)
}

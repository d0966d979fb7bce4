//! Bars with words in them, of which only the widest are told apart.

use ::svg::node::element::{Group, Rectangle, Title};
use std::collections::{BTreeMap, BTreeSet};

use super::super::style::{CHARACTER, allowed, label, path, round};

/// Narrower bars have no edge.
const NARROW: f64 = 3.0;

/// A bar along the axis of time.
pub(super) struct Bar {
    /// Upper left corner.
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Its colour.
    pub fill: String,
    /// Whether it is hatched.
    pub retrains: bool,
    /// What is written into it: the first of these that fits.
    pub words: Vec<String>,
    /// What hovering it tells.
    pub tip: String,
}

/// Adds bars; of more than so many the narrowest are drawn together, without words.
pub(super) fn bars(body: Group, bars: Vec<Bar>, most: usize) -> Group {
    let mut ranked: Vec<usize> = (0..bars.len()).collect();
    ranked.sort_by(|&one, &other| bars[other].width.total_cmp(&bars[one].width));
    let told_apart: BTreeSet<usize> = ranked.into_iter().take(most).collect();
    let mut together: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut body = body;
    for (index, bar) in bars.into_iter().enumerate() {
        if told_apart.contains(&index) {
            body = body.add(alone(bar));
        } else {
            // Those of less than a pixel fill the pixel, once.
            let (x, width) =
                if bar.width < 1.0 { (bar.x.floor(), 1.0) } else { (round(bar.x), round(bar.width)) };
            let data = format!("M{x} {}h{width}v{}h-{width}z", round(bar.y), round(bar.height));
            together.entry(bar.fill).or_default().insert(data);
        }
    }
    together.into_iter().fold(body, |body, (fill, data)| {
        let data: String = data.into_iter().collect();
        body.add(path("together", data).set("fill", fill))
    })
}

fn alone(bar: Bar) -> Group {
    let rectangle = |class: &str| {
        Rectangle::new()
            .set("class", class)
            .set("x", round(bar.x))
            .set("y", round(bar.y))
            .set("width", round(bar.width).max(0.2))
            .set("height", round(bar.height))
    };
    let class = if bar.width < NARROW { "together" } else { "piece" };
    let filled = rectangle(class).set("fill", bar.fill.as_str());
    let mut group = Group::new().add(Title::new(allowed(&bar.tip))).add(filled);
    if bar.retrains {
        group = group.add(rectangle("retrains"));
    }
    if let Some(words) = fitting(&bar.words, bar.width) {
        let class = if bar.retrains { "workload" } else { "inside" };
        let text = label(bar.x + 4.0, bar.y + bar.height / 2.0 + 3.5, class, words);
        group = group.add(if bar.retrains { text.set("stroke", bar.fill.as_str()) } else { text });
    }
    group
}

/// The words with the most characters that fit into a width.
fn fitting(words: &[String], width: f64) -> Option<&String> {
    words.iter().find(|words| words.chars().count() as f64 * CHARACTER + 8.0 <= width)
}

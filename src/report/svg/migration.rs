//! Lines from where a workload was to where it goes.

use std::collections::BTreeMap;

use ::svg::node::element::{Group, Title};

use super::layout::{BAR_HEIGHT, BAR_WIDTH, Layout, slot_offset};
use super::scene::Scene;
use super::style::{allowed, path, round, trail};
use crate::picture::{GpuRow, Piece};

/// Lines side by side below a row.
const TRACKS: usize = 3;
const TRACK_DISTANCE: f64 = 1.7;

/// Draws all migrations. A line leaves its piece downwards, runs below the row to the gap between the bars, crosses it in
/// a curve and reaches the other piece from below, so that it never runs through a label.
pub(super) fn lines(mut body: Group, layout: &Layout, scene: &Scene) -> Group {
    let mut tracks = Tracks::default();
    for (workload, migration) in &scene.migrations {
        let colour = trail(migration.rank);
        let source = Foot::of(layout, migration.from, false, &mut tracks);
        let target = Foot::of(layout, migration.to, true, &mut tracks);
        let data = format!(
            "M{} {}V{}H{}C{} {} {} {} {} {}H{}V{}",
            source.x,
            source.y,
            source.track,
            source.gate,
            round((source.gate + target.gate) / 2.0),
            source.track,
            round((source.gate + target.gate) / 2.0),
            target.track,
            target.gate,
            target.track,
            target.x,
            target.y,
        );
        let hint = format!("{workload}: {} to {}", migration.from.0.name, migration.to.0.name);
        let line = path("migration", data).set("stroke", colour).add(Title::new(allowed(&hint)));
        let head = format!("M{} {}l-3.6 5.4h7.2z", target.x, round(target.y - 3.4));
        let tail = format!("M{} {}h5v3h-5z", round(source.x - 2.5), round(source.y - 1.5));
        body = body
            .add(line)
            .add(path("head", head).set("fill", colour))
            .add(path("tail", tail).set("fill", colour));
    }
    body
}

/// How many lines run below each bar so far.
type Tracks = BTreeMap<(usize, usize, bool), usize>;

/// The end of a line at a piece.
struct Foot {
    /// Middle of the piece.
    x: f64,
    /// Lower end of the piece.
    y: f64,
    /// Height of the line below the row.
    track: f64,
    /// Where the bar meets the gap.
    gate: f64,
}

impl Foot {
    fn of(layout: &Layout, (gpu, piece): (&GpuRow, &Piece), after: bool, tracks: &mut Tracks) -> Self {
        let place = layout.place_of(&gpu.name);
        let bar = if after { layout.after(place.x) } else { layout.before(place.x) };
        let span = piece.span(gpu.slots);
        let middle = (slot_offset(span.start, gpu.slots) + slot_offset(span.end, gpu.slots)) / 2.0;
        let used = tracks.entry((place.x as usize, place.y as usize, after)).or_insert(0);
        let track = place.y + BAR_HEIGHT + 1.4 + (*used % TRACKS) as f64 * TRACK_DISTANCE;
        *used += 1;
        let gate = if after { bar - 4.0 } else { bar + BAR_WIDTH + 4.0 };
        Self { x: round(bar + middle), y: place.y + BAR_HEIGHT, track: round(track), gate: round(gate) }
    }
}

//! A GPU's row and the header above rows.

use ::svg::node::element::{Group, Rectangle, Title};
use cluster::Maintenance;

use super::layout::{BAR_HEIGHT, BAR_WIDTH, HeaderPlace, Layout, RowPlace, row_name, slot_offset};
use super::piece::piece;
use super::scene::Scene;
use super::style::{allowed, label, path, round};
use crate::picture::Piece;
use crate::rows::Row;
use crate::text::{list, shorten};

/// Rows with more slots than this have no lines between them.
const MOST_TICKS: u32 = 128;
/// Least distance of slot numbers.
const NUMBER_DISTANCE: f64 = 16.0;

/// Draws the name of a board and its slot numbers.
pub(super) fn header(mut body: Group, place: &HeaderPlace, layout: &Layout) -> Group {
    let baseline = place.y + BAR_HEIGHT - 2.0;
    body = body.add(label(place.x, baseline, "heading", &shorten(place.board, layout.name_length)));
    let bars = [(layout.before(place.x), "before"), (layout.after(place.x), "after")];
    for (bar, side) in &bars[usize::from(!layout.change)..] {
        if layout.change && place.y == layout.headers[0].y {
            body = body.add(label(*bar, place.y - 1.0, "heading", side));
        }
        let step = (NUMBER_DISTANCE / slot_offset(1, place.slots)).ceil().max(1.0) as usize;
        for slot in (0..place.slots).step_by(step) {
            let middle = (slot_offset(slot, place.slots) + slot_offset(slot + 1, place.slots)) / 2.0;
            body = body.add(label(bar + middle, baseline, "number", &slot.to_string()));
        }
    }
    body
}

/// Draws a GPU, or one of several that look alike.
pub(super) fn row(mut body: Group, place: &RowPlace, layout: &Layout, scene: &Scene) -> Group {
    let gpu = place.row.gpu();
    let baseline = place.y + BAR_HEIGHT - 5.0;
    let name = label(place.x, baseline, "name", &shorten(&row_name(place.row), layout.name_length));
    let names = list(place.row.gpus.iter().map(|gpu| gpu.name.as_ref()), 400);
    body = body.add(Group::new().add(Title::new(allowed(&names))).add(name));
    if gpu.repartitioned {
        body = body.add(repartitioned(layout.before(place.x) - 9.0, place.y + BAR_HEIGHT / 2.0));
    } else if let Some(service) = gpu.service() {
        let sign = label(layout.before(place.x) - 9.0, baseline, "mark", service_sign(gpu.maintenance));
        body = body.add(Group::new().add(Title::new(service)).add(sign));
    }
    if layout.change {
        body = bar(body, place.row, &gpu.before, layout.before(place.x), place.y, scene);
    }
    let (x, y) = (layout.after(place.x), place.y);
    if gpu.is_freed() {
        let middle = label(x + BAR_WIDTH / 2.0, y + BAR_HEIGHT - 5.0, "freed-text", "freed");
        return body.add(background("bar freed", x, y)).add(middle);
    }
    bar(body, place.row, gpu.shown(), x, y, scene)
}

/// Draws the slots of a GPU before or after the change.
fn bar(mut body: Group, row: &Row, pieces: &[Piece], x: f64, y: f64, scene: &Scene) -> Group {
    body = body.add(background("bar", x, y));
    let slots = row.gpu().slots;
    let tick = |slot| format!("M{} {y}v{BAR_HEIGHT}", round(x + slot_offset(slot, slots)));
    if (2..MOST_TICKS).contains(&slots) {
        body = body.add(path("ticks", (1..slots).map(tick).collect::<String>()));
    }
    for each in pieces {
        body = piece(body, row, each, x, y, scene);
    }
    body
}

fn background(class: &str, x: f64, y: f64) -> Rectangle {
    Rectangle::new()
        .set("class", class)
        .set("x", round(x))
        .set("y", y)
        .set("width", BAR_WIDTH)
        .set("height", BAR_HEIGHT)
        .set("rx", 2)
}

/// The sign of GPUs that are cordoned, or to be drained.
pub(super) fn service_sign(maintenance: Maintenance) -> &'static str {
    match maintenance {
        Maintenance::InService => "",
        Maintenance::Cordoned => "⊘",
        Maintenance::Draining => "⇣",
    }
}

/// An open circle of two arrows around a middle.
pub(super) fn repartitioned(x: f64, y: f64) -> Group {
    let (x, y) = (round(x), round(y));
    Group::new()
        .add(path("turn", format!("M{} {y}a4 4 0 0 1 7-2.6M{} {y}a4 4 0 0 1-7 2.6", x - 4.0, x + 4.0)))
        .add(path(
            "repartitioned",
            format!("M{} {}l0.4-4.4-4 1.6zM{} {}l-0.4 4.4 4-1.6z", x + 4.0, y - 1.2, x - 4.0, y + 1.2),
        ))
        .add(Title::new("repartitioned"))
}

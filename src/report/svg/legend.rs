//! What colours and marks mean, and what is pending.

use ::svg::node::element::Group;
use cluster::Maintenance;

use super::flow::{Flow, SAMPLE, SAMPLE_HEIGHT, sample};
use super::layout::{Layout, MARGIN};
use super::piece::Sign;
use super::row::{repartitioned, service_sign};
use super::scene::Scene;
use super::style::{label, path};
use crate::picture::{Picture, Piece, PieceChange};

/// Draws the legend below the rows and the pending workloads below it; also gives the lower end.
pub(super) fn legend(body: Group, picture: &Picture, scene: &Scene, layout: &Layout) -> (Group, f64) {
    let mut flow = Flow::new(body, layout.bottom + 10.0, layout.width - MARGIN);
    for profile in scene.palette.profiles() {
        let fill = scene.palette.fill(profile);
        flow.entry(profile, |group, x, y| group.add(sample("key", x, y).set("fill", fill)));
    }
    if !scene.palette.profiles().is_empty() {
        flow.new_line();
    }
    for (class, mark, meaning) in marks(picture, scene) {
        flow.entry(meaning, |group, x, y| symbol(group, class, mark, x, y));
    }
    flow.new_line();
    flow.waiting(&picture.pending, "workload");
    flow.end()
}

/// The marks that occur: class of the sample, mark on it, meaning.
fn marks(picture: &Picture, scene: &Scene) -> Vec<(&'static str, &'static str, &'static str)> {
    let change = |change| picture.pieces().any(|piece| piece.change == change);
    let evicted = picture.gpus.iter().flat_map(|gpu| &gpu.before).any(|piece| {
        piece.change == PieceChange::Leaves
            && !piece.interrupted
            && !scene.migrations.contains_key(piece.workload.as_ref())
    });
    let stopped = picture.gpus.iter().flat_map(|gpu| &gpu.before).any(Piece::stops);
    let moved = if scene.lines || scene.migrations.is_empty() {
        "moved"
    } else {
        "moved (same border on both sides)"
    };
    let service = |maintenance| picture.gpus.iter().any(|gpu| gpu.maintenance == maintenance);
    let entries = [
        (change(PieceChange::Migrates), "key changed", "→", moved),
        (!scene.migrations.is_empty(), "key leaves changed", "→", "moves away"),
        (evicted, "key leaves changed", "×", "evicted"),
        (stopped, "key leaves changed", "×", "stopped"),
        (change(PieceChange::Shifts), "key changed", "↔", "shifted"),
        (change(PieceChange::Starts), "key changed", "+", "started"),
        (picture.pieces().any(|piece| piece.pinned), "key", "lock", "pinned"),
        (picture.pieces().any(|piece| piece.temporary), "key", "ring", "temporary place"),
        (picture.pieces().any(|piece| piece.interrupted), "key", "square", "interrupted"),
        (picture.pieces().any(|piece| piece.wasted > 0), "key", "waste", "wasted"),
        (picture.gpus.iter().any(|gpu| gpu.repartitioned), "", "turn", "repartitioned"),
        (service(Maintenance::Cordoned), "key", service_sign(Maintenance::Cordoned), "cordoned"),
        (service(Maintenance::Draining), "key", service_sign(Maintenance::Draining), "to be drained"),
        (picture.gpus.iter().any(|gpu| gpu.is_freed()), "bar freed", "", "freed"),
    ];
    entries
        .into_iter()
        .filter(|entry| entry.0)
        .map(|(_, class, mark, meaning)| (class, mark, meaning))
        .collect()
}

fn symbol(group: Group, class: &str, mark: &str, x: f64, y: f64) -> Group {
    let plain = |class| {
        let rectangle = sample(class, x, y);
        if class.starts_with("bar") { rectangle } else { rectangle.set("fill", "#dfe3e8") }
    };
    match mark {
        "lock" => Sign::Pinned.draw(group.add(plain(class)), x + 7.5, y + 2.0),
        "ring" => Sign::Temporary.draw(group.add(plain(class)), x + 8.0, y + 1.0),
        "square" => Sign::Interrupted.draw(group.add(plain(class)), x + 8.0, y + 1.0),
        "waste" => {
            let area = format!("M{x} {y}h{SAMPLE}v{SAMPLE_HEIGHT}H{x}z");
            group.add(plain(class)).add(path("waste", area))
        }
        "turn" => group.add(repartitioned(x + SAMPLE / 2.0, y + SAMPLE_HEIGHT / 2.0)),
        _ => group.add(plain(class)).add(label(x + SAMPLE / 2.0, y + 11.0, "mark", mark)),
    }
}

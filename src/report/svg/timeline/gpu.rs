//! The memory slots of the GPU, and the instances on them.

use ::svg::node::element::Group;

use super::super::style::{allowed, label, path, round};
use super::boxes::{Bar, bars};
use super::scene::{AXIS, HEADING, PLOT, Scene, ticks};
use crate::palette::by_rank;
use ground::Amount;
use kit::{PlannedInstance, TaskKind};
use std::collections::BTreeMap;

/// Height of a memory slot.
const SLOT: f64 = 20.0;
/// Instances that are told apart; narrower ones are drawn together.
const MOST: usize = 320;

/// Adds the panel, and says where it ends.
pub(super) fn panel(scene: &Scene, body: Group, y: f64) -> (Group, f64) {
    let timeline = scene.timeline;
    let slots = timeline.memory_slots();
    let height = SLOT * f64::from(slots);
    let board = timeline.window.as_ref().map_or("", |window| window.board.as_str());
    let mut body = body.add(label(scene.x, y + 11.0, "name", &format!("memory slots of the GPU, {board}")));
    let y = y + HEADING;
    body = scene.ground(body, y, height);
    for slot in 0..slots {
        let middle = y + (f64::from(slot) + 0.5) * SLOT;
        body = body.add(label(scene.x - 6.0, middle + 3.5, "digits", &slot.to_string()));
    }
    let between: String =
        (1..slots).map(|slot| format!("M{} {}h{PLOT}", scene.x, round(y + f64::from(slot) * SLOT))).collect();
    if !between.is_empty() {
        body = body.add(path("grid", between));
    }
    let ranks = timeline.ranks();
    for (rank, data) in ahead(scene, &ranks, y) {
        let (fill, _) = by_rank(rank);
        body = body.add(path("ahead", data).set("fill", fill.as_str()).set("stroke", fill));
    }
    let instances = timeline.instances.iter().filter_map(|instance| bar(scene, &ranks, instance, y));
    body = bars(body, instances.collect(), MOST);
    body = scene.frame(body, y, height);
    let mut reconfigured: Vec<u32> = timeline
        .changes
        .iter()
        .filter(|change| !change.reconfigured.is_empty())
        .map(|change| change.slot)
        .collect();
    reconfigured.sort_unstable();
    let ticks = ticks(scene, &reconfigured, y - 6.0, 6.0);
    if !ticks.is_empty() {
        body = body.add(path("reconfigured", ticks));
    }
    let bottom = y + height;
    (scene.seconds(body, bottom), bottom + AXIS + 6.0)
}

/// The upper end and the height of an instance; none if it is not on the GPU.
fn rows(scene: &Scene, instance: &PlannedInstance, y: f64) -> Option<(f64, f64)> {
    let slots = scene.timeline.memory_slots();
    let end = instance.start.saturating_add(instance.size).min(slots);
    let size = end.checked_sub(instance.start).filter(|&size| size > 0)?;
    Some((y + f64::from(instance.start) * SLOT, f64::from(size) * SLOT))
}

fn bar(scene: &Scene, ranks: &BTreeMap<&str, usize>, instance: &PlannedInstance, y: f64) -> Option<Bar> {
    let (top, height) = rows(scene, instance, y)?;
    let (from, until) = (scene.at(f64::from(instance.from)), scene.at(f64::from(instance.until)));
    let PlannedInstance { model, task, instance: size, .. } = instance;
    let (fill, _) = by_rank(ranks.get(model.as_str()).copied().unwrap_or(ranks.len()));
    let kind = match task {
        TaskKind::Inference => "inference",
        TaskKind::Retraining => "retraining",
    };
    let mut tip = format!(
        "{model} · {kind} on {size} · memory slots {} to {} · from {} until {}",
        instance.start,
        instance.start.saturating_add(instance.size).saturating_sub(1),
        scene.timeline.seconds(instance.from),
        scene.timeline.seconds(instance.until)
    );
    if instance.prepared_seconds > Amount::ZERO {
        tip.push_str(&format!(" · created {} s ahead", instance.prepared_seconds));
    }
    let words = [format!("{size} {model}"), size.clone()];
    Some(Bar {
        x: from,
        y: top,
        width: (until - from).max(0.0),
        height,
        fill,
        retrains: *task == TaskKind::Retraining,
        words: words.iter().map(|words| allowed(words)).collect(),
        tip,
    })
}

/// The seconds in which instances are created ahead, by the rank of their model.
fn ahead(scene: &Scene, ranks: &BTreeMap<&str, usize>, y: f64) -> BTreeMap<usize, String> {
    let mut ahead: BTreeMap<usize, String> = BTreeMap::new();
    for instance in scene.timeline.instances.iter().filter(|one| one.prepared_seconds > Amount::ZERO) {
        let Some((top, height)) = rows(scene, instance, y) else { continue };
        let from = f64::from(instance.from);
        let begin = scene.at(from - instance.prepared_seconds.to_f64() / scene.timeline.basis());
        let (x, width) = (round(begin), round(scene.at(from)) - round(begin));
        if width >= 0.2 {
            let rank = ranks.get(instance.model.as_str()).copied().unwrap_or(ranks.len());
            let width = round(width);
            let data = format!("M{x} {}h{width}v{}h-{width}z", round(top), round(height));
            ahead.entry(rank).or_default().push_str(&data);
        }
    }
    ahead
}

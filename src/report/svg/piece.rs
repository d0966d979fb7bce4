//! A GPU instance: a coloured rectangle with marks, the workload's name and the profile's.

use ::svg::node::element::{Group, Rectangle, Title};
use ground::counted;

use super::layout::{BAR_HEIGHT, slot_offset};
use super::scene::Scene;
use super::style::{CHARACTER, allowed, label, path, round, trail};
use crate::picture::{Migration, Piece, PieceChange};
use crate::rows::Row;
use crate::text::{shorten, shorten_profile};

/// Room for a mark or a lock.
const MARK: f64 = 11.0;
/// A profile is not cut below this many characters, `1g`.
const LEAST_PROFILE: usize = 2;
/// Room at either end of a label.
const PADDING: f64 = 4.0;

/// Draws a piece of the bar whose upper left corner is at (`x`, `y`). A piece beyond the bar's slots is left out.
pub(super) fn piece(body: Group, row: &Row, piece: &Piece, x: f64, y: f64, scene: &Scene) -> Group {
    let slots = row.gpu().slots;
    let span = piece.span(slots);
    if span.is_empty() {
        return body;
    }
    let left = x + slot_offset(span.start, slots) + 0.8;
    let right = x + slot_offset(span.end, slots) - 0.8;
    let wasted = piece.wasted.min(span.end - span.start);
    let solid = if wasted > 0 { left.max(x + slot_offset(span.end - wasted, slots)) } else { right };
    let fill = scene.palette.fill(&piece.profile);
    let mut outline = Rectangle::new()
        .set("class", class(piece.change))
        .set("x", round(left))
        .set("y", y)
        .set("width", round(right - left))
        .set("height", BAR_HEIGHT)
        .set("rx", 2)
        .set("fill", fill.as_str());
    let migration = scene.migrations.get(piece.workload.as_ref());
    let alone = row.gpus.len() == 1;
    if let Some(migration) = migration.filter(|_| alone && !scene.lines) {
        outline = outline.set("style", format!("stroke:{};stroke-width:2.6", trail(migration.rank)));
    }
    let hint = hover(row, piece, migration);
    let mut group = Group::new().add(Title::new(allowed(&hint))).add(outline);
    if wasted > 0 {
        group = group.add(path("waste", format!("M{} {y}H{}v{BAR_HEIGHT}H{0}z", round(solid), round(right))));
    }
    let mark = mark(piece.change, migration.is_some());
    let workload = if alone { allowed(&piece.workload) } else { String::new() };
    let names = Names { piece, workload, mark, fill: &fill, left, solid, right };
    body.add(names.draw(group, y + BAR_HEIGHT - 5.0))
}

/// What is written on a piece: a mark, the workload, the profile and a lock, as far as there is room.
struct Names<'p> {
    piece: &'p Piece<'p>,
    /// Empty if the piece stands for those of several GPUs.
    workload: String,
    mark: &'p str,
    fill: &'p str,
    left: f64,
    /// Where the hatching begins.
    solid: f64,
    right: f64,
}

impl Names<'_> {
    fn draw(&self, mut group: Group, baseline: f64) -> Group {
        let (mut from, mut solid, mut right) =
            (self.left + PADDING, self.solid - PADDING, self.right - PADDING);
        if !self.mark.is_empty() {
            group = group.add(label(self.left + 1.0 + MARK / 2.0, baseline + 0.7, "mark", self.mark));
            from += MARK - 2.0;
        }
        for sign in Sign::of(self.piece) {
            if right - from >= MARK {
                let end = if solid - from >= MARK { solid } else { right };
                group = sign.draw(group, end - 7.0, baseline - 8.0);
                (solid, right) = (solid - MARK, if end == right { right - MARK } else { right });
            }
        }
        let length = self.workload.chars().count();
        let room = characters(solid - from);
        if length == 0 {
            let end = if room >= LEAST_PROFILE { solid } else { right };
            let profile = shorten_profile(&self.piece.profile, characters(end - from));
            return group.add(label(from, baseline, "workload", &profile));
        }
        if length <= room {
            let profile = shorten_profile(&self.piece.profile, room.saturating_sub(length + 1));
            if profile.chars().count() >= LEAST_PROFILE {
                group = group.add(label(solid, baseline, "profile", &profile));
            }
            return group.add(label(from, baseline, "workload", &self.workload));
        }
        let across = if Sign::of(self.piece).next().is_some() && solid > from { solid } else { right };
        let name = label(from, baseline, "workload", &shorten(&self.workload, characters(across - from)));
        group.add(if self.piece.wasted > 0 { name.set("stroke", self.fill) } else { name })
    }
}

fn characters(room: f64) -> usize {
    (room / CHARACTER).max(0.0) as usize
}

fn class(change: PieceChange) -> &'static str {
    match change {
        PieceChange::Stays => "piece",
        PieceChange::Shifts | PieceChange::Migrates | PieceChange::Starts => "piece changed",
        PieceChange::Leaves => "piece leaves changed",
    }
}

fn mark(change: PieceChange, migrates: bool) -> &'static str {
    match change {
        PieceChange::Stays => "",
        PieceChange::Shifts => "↔",
        PieceChange::Migrates => "→",
        PieceChange::Starts => "+",
        PieceChange::Leaves if migrates => "→",
        PieceChange::Leaves => "×",
    }
}

/// What stands at the end of a piece.
#[derive(Copy, Clone)]
pub(super) enum Sign {
    /// A padlock.
    Pinned,
    /// A ring.
    Temporary,
    /// A filled square.
    Interrupted,
}

impl Sign {
    fn of(piece: &Piece) -> impl Iterator<Item = Sign> + use<> {
        let signs = [
            (piece.pinned, Sign::Pinned),
            (piece.temporary, Sign::Temporary),
            (piece.interrupted, Sign::Interrupted),
        ];
        signs.into_iter().filter(|(has, _)| *has).map(|(_, sign)| sign)
    }

    /// Draws it with its upper left corner at (`x`, `y`).
    pub fn draw(self, group: Group, x: f64, y: f64) -> Group {
        let (x, y) = (round(x), round(y));
        match self {
            Sign::Pinned => group
                .add(path("shackle", format!("M{} {}v-2a2 2 0 0 1 4 0v2", round(x + 1.5), y + 4.0)))
                .add(path("lock", format!("M{x} {}h7v5.5h-7z", y + 4.0))),
            Sign::Temporary => {
                group.add(path("shackle", format!("M{x} {}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", y + 5.5)))
            }
            Sign::Interrupted => group.add(path("lock", format!("M{x} {}h6v6h-6z", y + 2.5))),
        }
    }
}

/// Everything about a piece, or what the pieces of several GPUs share.
fn hover(row: &Row, piece: &Piece, migration: Option<&Migration>) -> String {
    let last = piece.start.saturating_add(piece.size).saturating_sub(1);
    let slots =
        if piece.size == 1 { format!("slot {last}") } else { format!("slots {}-{last}", piece.start) };
    let migration = migration.filter(|_| row.gpus.len() == 1);
    let change = match (piece.change, migration) {
        (PieceChange::Stays, _) => String::new(),
        (PieceChange::Shifts, _) => "shifted to another start".to_owned(),
        (PieceChange::Starts, _) => "started".to_owned(),
        (PieceChange::Migrates, Some(Migration { from: (gpu, piece), .. })) => {
            format!("moved from {} slot {}", gpu.name, piece.start)
        }
        (PieceChange::Leaves, Some(Migration { to: (gpu, piece), .. })) => {
            format!("moves to {} slot {}", gpu.name, piece.start)
        }
        (PieceChange::Migrates, None) => "moved".to_owned(),
        (PieceChange::Leaves, None) => "leaves".to_owned(),
    };
    let (workload, gpu) = match row.gpus.as_slice() {
        [gpu] => (piece.workload.to_string(), gpu.name.to_string()),
        gpus => (String::new(), format!("on {}", counted(gpus.len(), "GPU"))),
    };
    let wasted = if piece.wasted > 0 {
        format!("{} wasted", counted(piece.wasted as usize, "slice"))
    } else {
        String::new()
    };
    let pinned = if piece.pinned { "pinned" } else { "" }.to_owned();
    let temporary = if piece.temporary { "a temporary place" } else { "" }.to_owned();
    let interrupted = if piece.interrupted { "interrupted" } else { "" }.to_owned();
    let place = format!("{gpu} {slots}");
    let facts = [workload, piece.profile.to_string(), place, change, wasted, pinned, temporary, interrupted];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · ")
}

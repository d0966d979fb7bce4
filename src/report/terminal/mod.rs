//! A placement drawn for a terminal: a line per GPU, a cell per memory slot.

mod line;
mod screen;
pub(super) mod servers;
pub(super) mod timeline;

use ground::counted;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::palette::Palette;
use super::picture::{GpuRow, Picture, Piece, PieceChange, Waiting};
use super::rows::{Alike, Row, Section, sections};
use super::summary::{pending, phrases};
use super::text::{list, shorten, shorten_profile};
use line::{Ink, Line, wrap};
pub use screen::Screen;

/// The command-line option that asks for everything to be drawn; drawings that leave something out name it.
pub const SHOW_ALL_OPTION: &str = "--all";

/// With more GPUs than this, those that look alike share a line.
const MOST_SINGLE_GPUS: usize = 40;
/// At most this many lines of GPUs are drawn.
const MOST_LINES: usize = 60;
/// As many of them are kept for GPUs that do not change.
const LINES_FOR_STEADY: usize = 20;
/// Room for the names of workloads or GPUs below which they are left out.
const LEAST_NAMES: usize = 8;
/// At most this many columns per slot.
const WIDEST_CELL: usize = 8;
/// Red, for waste and what is pending or freed.
const ALARM: u8 = 203;

/// Draws the final state, or the current one if the picture shows no change, in the columns of the screen.
///
/// Every character is one column wide; without `color` the text has no escape sequences. Among many GPUs those that look
/// alike share a line, and the number of lines is limited: most of them go to changed GPUs, and frequent looks go first.
pub fn draw(picture: &Picture, screen: Screen) -> String {
    if picture.gpus.len() <= MOST_SINGLE_GPUS {
        return draw_all(picture, screen);
    }
    let mut sections = sections(picture, Alike::Shown);
    let hidden = hide(&mut sections);
    paint(picture, &sections, hidden, screen)
}

/// Draws like [`draw`], but every GPU on a line of its own.
pub fn draw_all(picture: &Picture, screen: Screen) -> String {
    paint(picture, &sections(picture, Alike::Never), None, screen)
}

fn paint(picture: &Picture, sections: &[Section], hidden: Option<String>, screen: Screen) -> String {
    let width = screen.width;
    let palette = Palette::of(picture);
    let grid = Grid::of(sections, width);
    let mut lines = vec![Line::of(&picture.title, Ink::Bold)];
    lines.extend(wrap("", &phrases(picture), width, Ink::Plain));
    for section in sections {
        lines.push(Line::default());
        lines.push(grid.header(section));
        lines.extend(section.rows.iter().map(|row| grid.row(row, &palette)));
    }
    lines.extend(hidden.map(|text| Line::of(&text, Ink::Bold)));
    lines.push(Line::default());
    lines.extend(legend(picture, width));
    lines.extend(waiting(picture, width));
    lines.iter().map(|line| line.render(screen)).collect()
}

/// Removes the rows beyond the limit and says what is gone.
fn hide(sections: &mut Vec<Section>) -> Option<String> {
    let rows = sections.iter().flat_map(|section| &section.rows);
    let mut ranked: Vec<_> = rows.enumerate().collect();
    ranked.sort_by_key(|(_, row)| Reverse(row.gpus.len()));
    let (changed, steady): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|(_, row)| row.gpu().is_changed());
    let most_changed = MOST_LINES - steady.len().min(LINES_FOR_STEADY);
    let most_steady = MOST_LINES - changed.len().min(most_changed);
    let hidden = changed.iter().skip(most_changed).chain(steady.iter().skip(most_steady));
    let hidden: BTreeSet<usize> = hidden.map(|(index, _)| *index).collect();
    let (mut index, mut gpus) = (0, 0);
    for section in sections.iter_mut() {
        section.rows.retain(|row| {
            let gone = hidden.contains(&index);
            index += 1;
            gpus += if gone { row.gpus.len() } else { 0 };
            !gone
        });
    }
    sections.retain(|section| !section.rows.is_empty());
    (gpus > 0).then(|| format!("{} more not shown: {SHOW_ALL_OPTION} shows all", counted(gpus, "GPU")))
}

/// Where things stand in a line: a mark, the name, the slots, and names of workloads or GPUs.
struct Grid {
    name: usize,
    bar: usize,
    width: usize,
}

impl Grid {
    fn of(sections: &[Section], width: usize) -> Self {
        let rows = || sections.iter().flat_map(|section| &section.rows);
        let boards = sections.iter().map(|section| section.board.chars().count());
        let longest = rows().map(|row| row_name(row).chars().count()).chain(boards).max().unwrap_or(0);
        let name = longest.min((width / 4).max(6));
        let room = width.saturating_sub(name + 3);
        let slots =
            sections.iter().map(|section| section.slots as usize).max().unwrap_or(1).clamp(1, width.max(1));
        let cell = (room * 2 / 3 / slots).clamp(3, WIDEST_CELL).min((room / slots).max(2));
        Self { name, bar: slots * cell, width }
    }

    /// The slots of a row that there is any room for, and the columns of one of them, the bar before it included.
    fn cells(&self, slots: u32) -> (usize, usize) {
        let slots = (slots as usize).min(self.bar / 2);
        (slots, (self.bar / slots.max(1)).min(WIDEST_CELL))
    }

    fn header(&self, section: &Section) -> Line {
        let mut line = Line::of(" ", Ink::Dim);
        line.push(&shorten(section.board, self.name), Ink::Dim);
        line.pad(2 + self.name + self.bar + 1);
        let (slots, cell) = self.cells(section.slots);
        for slot in 0..slots {
            let number = slot.to_string();
            if number.len() < cell || slot.is_multiple_of(5) {
                line.put(2 + self.name + slot * cell + cell / 2, &number, Ink::Dim);
            }
        }
        line
    }

    fn row(&self, row: &Row, palette: &Palette) -> Line {
        let gpu = row.gpu();
        let mut line = Line::of(if gpu.repartitioned { "↻" } else { " " }, Ink::Mark(ALARM));
        let ink = if gpu.is_freed() { Ink::Dim } else { Ink::Plain };
        line.push(&shorten(&row_name(row), self.name), ink);
        line.pad(2 + self.name);
        self.bar(&mut line, gpu, palette);
        line.pad(2 + self.name + self.bar + 2);
        if gpu.is_freed() {
            line.push("freed ", Ink::Colour(ALARM));
        }
        let service = gpu.service().unwrap_or_default();
        let joint = if service.is_empty() { "" } else { ": " };
        let room = self.width.saturating_sub(line.length() + service.len() + joint.len());
        let names = if room >= LEAST_NAMES { row_text(row, room) } else { String::new() };
        line.push(service, Ink::Colour(ALARM));
        line.push(if names.is_empty() { "" } else { joint }, Ink::Colour(ALARM));
        line.push(&names, Ink::Plain);
        line
    }

    /// The slots of a GPU: pieces between bars, free slots as dots.
    fn bar(&self, line: &mut Line, gpu: &GpuRow, palette: &Palette) {
        let left = line.length();
        let (slots, cell) = self.cells(gpu.slots);
        line.pad(left + slots * cell + 1);
        for slot in 0..slots {
            line.put(left + slot * cell + cell / 2, "·", Ink::Dim);
        }
        line.put(left, "│", Ink::Dim);
        line.put(left + slots * cell, "│", Ink::Dim);
        for piece in gpu.shown() {
            let span = piece.span(slots as u32);
            if !span.is_empty() {
                let (from, to) = (left + span.start as usize * cell, left + span.end as usize * cell);
                line.put(from, "│", Ink::Dim);
                line.put(to, "│", Ink::Dim);
                let inner = inside(piece, to - from - 1, cell, palette.terminal(&piece.profile));
                line.paste(from + 1, &inner);
            }
        }
    }
}

/// What stands between the bars of a piece: marks, the profile, and waste at the end.
fn inside(piece: &Piece, room: usize, cell: usize, colour: u8) -> Line {
    let signs = [(piece.pinned, '▪'), (piece.temporary, '◦'), (piece.interrupted, '■')];
    let signs = signs.into_iter().filter(|(has, _)| *has).map(|(_, sign)| Some(sign));
    let marks = std::iter::once(change_mark(piece.change)).chain(signs);
    let marks: String = marks.flatten().take(room).collect();
    let left = room - marks.chars().count();
    let label = shorten_profile(&piece.profile, left - usize::from(piece.wasted > 0 && left > 1));
    let mut line = Line::of(&marks, Ink::Mark(colour));
    line.push(&label, Ink::Colour(colour));
    let waste = (piece.wasted.min(piece.size) as usize * cell).saturating_sub(1).min(room - line.length());
    line.pad(room - waste);
    line.push(&"░".repeat(waste), Ink::Colour(ALARM));
    line
}

/// The mark of a change. What leaves is only drawn in a current state.
fn change_mark(change: PieceChange) -> Option<char> {
    match change {
        PieceChange::Stays => None,
        PieceChange::Shifts => Some('↔'),
        PieceChange::Migrates => Some('→'),
        PieceChange::Starts => Some('+'),
        PieceChange::Leaves => Some('×'),
    }
}

fn row_name(row: &Row) -> String {
    if row.gpus.len() == 1 { row.gpu().name.to_string() } else { counted(row.gpus.len(), "GPU") }
}

/// The workloads of a GPU in the order of their slots, or the names of the GPUs that look alike.
fn row_text(row: &Row, room: usize) -> String {
    if row.gpus.len() > 1 {
        let names = list(row.gpus.iter().map(|gpu| gpu.name.as_ref()), room - "alike: ".len());
        return format!("alike: {names}");
    }
    let mut pieces: Vec<&Piece> = row.gpu().shown().iter().collect();
    pieces.sort_by_key(|piece| piece.start);
    list(pieces.iter().map(|piece| piece.workload.as_ref()), room)
}

/// The marks that occur, and what they mean.
fn legend(picture: &Picture, width: usize) -> Vec<Line> {
    let shown = || picture.gpus.iter().flat_map(|gpu| gpu.shown());
    let changes = |change| shown().any(|piece| piece.change == change);
    let free = |gpu: &GpuRow| {
        gpu.shown().iter().map(|piece| u64::from(piece.size)).sum::<u64>() < u64::from(gpu.slots)
    };
    let entries = [
        (changes(PieceChange::Migrates), "→ moved here"),
        (changes(PieceChange::Shifts), "↔ shifted"),
        (changes(PieceChange::Starts), "+ started"),
        (changes(PieceChange::Leaves), "× leaves"),
        (shown().any(|piece| piece.pinned), "▪ pinned"),
        (shown().any(|piece| piece.temporary), "◦ temporary place"),
        (shown().any(|piece| piece.interrupted), "■ interrupted"),
        (picture.gpus.iter().any(|gpu| gpu.repartitioned), "↻ repartitioned"),
        (shown().any(|piece| piece.wasted > 0), "░ wasted"),
        (picture.gpus.iter().any(free), "· free"),
    ];
    let items: Vec<String> =
        entries.iter().filter(|(occurs, _)| *occurs).map(|(_, text)| text.to_string()).collect();
    if items.is_empty() { Vec::new() } else { wrap("", &items, width, Ink::Dim) }
}

/// The pending workloads, a line per profile.
fn waiting(picture: &Picture, width: usize) -> Vec<Line> {
    pending_lines(&picture.pending, "workload", width)
}

/// What is pending by profile or type, under a heading that counts it by a noun.
fn pending_lines(waiting: &[Waiting], noun: &str, width: usize) -> Vec<Line> {
    let groups = pending(waiting);
    if groups.is_empty() {
        return Vec::new();
    }
    let heading = format!("{} pending:", counted(waiting.len(), noun));
    let mut lines = vec![Line::default(), Line::of(&heading, Ink::Mark(ALARM))];
    let most = groups.values().map(Vec::len).max().unwrap_or(0).to_string().len();
    for (profile, workloads) in groups {
        let of = if profile.is_empty() { String::new() } else { format!(" of {profile}") };
        let mut line = Line::of(&format!("  {:>most$}{of}: ", workloads.len()), Ink::Plain);
        let room = width.saturating_sub(line.length());
        if room >= LEAST_NAMES {
            line.push(&list(workloads.into_iter(), room), Ink::Plain);
        }
        lines.push(line);
    }
    lines
}

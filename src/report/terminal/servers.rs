//! Servers drawn for a terminal: a line per server, bars for what is used of its resources.

use super::line::{Ink, Line, wrap};
use super::{
    LEAST_NAMES, MOST_LINES, MOST_SINGLE_GPUS as MOST_SINGLE, SHOW_ALL_OPTION, Screen, pending_lines,
};
use crate::memory_unit::MemoryUnit;
use crate::server_picture::{
    AlikeServers, ServerPicture, ServerRow, has_pages, private_pages, share, used_of,
};
use crate::text::{list, shorten};
use ground::counted;
use kit::{ResourceLoad, ServerLoad};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Colours of private and shared pages and of other resources among a terminal's 256: those of drawings as SVG.
const PRIVATE: u8 = 74;
const SHARED: u8 = 178;
const OTHER: u8 = 110;
/// Most columns of a resource's bar.
const RESOURCE_BAR: usize = 8;
/// Least and most columns of the bar of the memory.
const MEMORY_BAR: [usize; 2] = [10, 40];
/// Columns that the names of virtual machines get before bars grow.
const ROOM_FOR_NAMES: usize = 24;

/// Draws the servers in the columns of the screen. Empty servers that are equally large share a line, and of many servers
/// those that are equally full too; the number of lines is limited.
pub(crate) fn draw(picture: &ServerPicture, screen: Screen) -> String {
    let many = picture.servers.len() > MOST_SINGLE;
    let mut rows = picture.rows(if many { AlikeServers::All } else { AlikeServers::Empty });
    let hidden = hide(&mut rows);
    paint(picture, &rows, hidden, screen)
}

/// Draws every server on a line of its own.
pub(crate) fn draw_all(picture: &ServerPicture, screen: Screen) -> String {
    paint(picture, &picture.rows(AlikeServers::Never), None, screen)
}

/// Removes the rows beyond the limit, those of the fewest servers and of these the last first, and says what is gone.
fn hide(rows: &mut Vec<ServerRow>) -> Option<String> {
    let mut ranked: Vec<usize> = (0..rows.len()).collect();
    ranked.sort_by_key(|&index| Reverse(rows[index].servers.len()));
    let hidden: BTreeSet<usize> = ranked.into_iter().skip(MOST_LINES).collect();
    let servers: usize = hidden.iter().map(|&index| rows[index].servers.len()).sum();
    let mut index = 0;
    rows.retain(|_| {
        index += 1;
        !hidden.contains(&(index - 1))
    });
    (servers > 0)
        .then(|| format!("{} more not shown: {SHOW_ALL_OPTION} shows all", counted(servers, "server")))
}

fn paint(picture: &ServerPicture, rows: &[ServerRow], hidden: Option<String>, screen: Screen) -> String {
    let width = screen.width;
    let grid = Grid::of(picture, rows, width);
    let mut lines = vec![Line::of(&picture.title, Ink::Bold)];
    lines.extend(wrap("", &picture.phrases(), width, Ink::Plain));
    if !rows.is_empty() {
        lines.push(Line::default());
        lines.push(grid.header());
        lines.extend(rows.iter().map(|row| grid.row(row)));
    }
    lines.extend(hidden.map(|text| Line::of(&text, Ink::Bold)));
    lines.extend(legend(picture, width));
    lines.extend(pending_lines(&picture.pending, "virtual machine", width));
    lines.iter().map(|line| line.render(screen)).collect()
}

/// Where things stand in a line: name, group, resources, memory, what is saved, and names.
struct Grid<'p> {
    name: usize,
    group: usize,
    /// Each resource with the columns of its digits.
    resources: Vec<(&'p str, usize)>,
    /// Columns of the bars of resources; 0 where there is no room for any.
    bar: usize,
    /// Columns of the bar of the memory; 0 where no server counts pages.
    memory: usize,
    /// Columns of the digits of the memory and of what is saved.
    digits: [usize; 2],
    /// Unit of the memory.
    unit: MemoryUnit,
    width: usize,
}

impl<'p> Grid<'p> {
    fn of(picture: &'p ServerPicture, rows: &[ServerRow], width: usize) -> Self {
        let longest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let name = longest(&mut rows.iter().map(ServerRow::name)).max("server".len()).min((width / 5).max(6));
        let group = longest(&mut rows.iter().map(|row| row.group().to_owned())).min((width / 8).max(5));
        let group = if group > 0 { group.max("group".len()) } else { 0 };
        let loads = || rows.iter().filter_map(|row| row.server().load.as_ref());
        let resources: Vec<(&str, usize)> = picture
            .resources()
            .into_iter()
            .map(|resource| {
                let digits =
                    longest(&mut loads().filter_map(|load| load.resources.get(resource)).map(digits_of));
                (resource, digits)
            })
            .collect();
        let unit = picture.memory_unit();
        let digits = [
            longest(&mut loads().map(|load| unit.used(load))),
            longest(&mut loads().map(|load| unit.of_pages(load, load.saved_pages))).max("saved".len()),
        ];
        let mut grid = Grid { name, group, resources, bar: 0, memory: 0, digits, unit, width };
        if loads().next().is_some() {
            let has_memory = loads().any(has_pages);
            grid.memory = if has_memory { MEMORY_BAR[0] } else { 0 };
            let fixed = grid.names_from();
            let room = width.saturating_sub(fixed + ROOM_FOR_NAMES);
            let bars = grid.resources.len();
            // A bar needs a blank behind it.
            if bars > 0 && room >= bars * 5 {
                grid.bar = (room / 2 / bars).clamp(4, RESOURCE_BAR);
            }
            if has_memory {
                let room = width.saturating_sub(grid.names_from() + ROOM_FOR_NAMES);
                grid.memory = (MEMORY_BAR[0] + room).min(MEMORY_BAR[1]);
            }
        }
        grid
    }

    /// Columns of a resource: the bar, a blank, digits, as wide as its name.
    fn resource_width(&self, resource: &str, digits: usize) -> usize {
        let bar = if self.bar > 0 { self.bar + 1 } else { 0 };
        (bar + digits).max(resource.chars().count())
    }

    fn memory_from(&self) -> usize {
        let resources: usize =
            self.resources.iter().map(|(resource, digits)| self.resource_width(resource, *digits) + 2).sum();
        1 + self.name + 2 + if self.group > 0 { self.group + 2 } else { 0 } + resources
    }

    fn saved_from(&self) -> usize {
        self.memory_from() + self.memory + 1 + self.digits[0] + 2
    }

    fn names_from(&self) -> usize {
        if self.memory == 0 { self.memory_from() } else { self.saved_from() + self.digits[1] + 2 }
    }

    fn header(&self) -> Line {
        let mut line = Line::of(" server", Ink::Dim);
        let mut at = 1 + self.name + 2;
        let push = |line: &mut Line, at: usize, text: &str| {
            line.pad(at);
            line.push(text, Ink::Dim);
        };
        if self.group > 0 {
            push(&mut line, at, "group");
            at += self.group + 2;
        }
        for (resource, digits) in &self.resources {
            push(&mut line, at, resource);
            at += self.resource_width(resource, *digits) + 2;
        }
        if self.memory > 0 {
            push(&mut line, self.memory_from(), &format!("memory in {}", self.unit.name));
            push(&mut line, self.saved_from(), "saved");
        }
        if self.names_from() + LEAST_NAMES <= self.width {
            push(&mut line, self.names_from(), "virtual machines");
        }
        line
    }

    fn row(&self, row: &ServerRow) -> Line {
        let server = row.server();
        let mut line = Line::of(" ", Ink::Plain);
        let ink = if server.vms.is_empty() { Ink::Dim } else { Ink::Plain };
        line.push(&shorten(&row.name(), self.name), ink);
        let mut at = 1 + self.name + 2;
        if self.group > 0 {
            line.pad(at);
            line.push(&shorten(row.group(), self.group), Ink::Dim);
            at += self.group + 2;
        }
        if let Some(load) = &server.load {
            for (resource, digits) in &self.resources {
                line.pad(at);
                if let Some(amounts) = load.resources.get(*resource) {
                    self.resource(&mut line, amounts, self.resource_width(resource, *digits));
                }
                at += self.resource_width(resource, *digits) + 2;
            }
        }
        if let Some(load) = server.load.as_ref().filter(|_| self.memory > 0) {
            line.pad(self.memory_from());
            self.memory(&mut line, load);
            line.pad(self.memory_from() + self.memory + 1);
            line.push(&format!("{:>1$}", self.unit.used(load), self.digits[0]), Ink::Plain);
            line.pad(self.saved_from());
            let saved = Some(load.saved_pages).filter(|&saved| saved > 0);
            let saved = saved.map_or_else(String::new, |saved| self.unit.of_pages(load, saved));
            line.push(&format!("{saved:>0$}", self.digits[1]), Ink::Colour(SHARED));
        }
        line.pad(self.names_from());
        let room = self.width.saturating_sub(line.length());
        if room >= LEAST_NAMES {
            line.push(&names(row, room), Ink::Plain);
        }
        line
    }

    /// The bar where there is something to fill, and digits at the right end of so many columns.
    fn resource(&self, line: &mut Line, amounts: &ResourceLoad, columns: usize) {
        let end = line.length() + columns;
        if let Some(capacity) = amounts.capacity {
            let filled = cells(share(amounts.used.to_f64(), capacity.to_f64()), self.bar);
            line.push(&"█".repeat(filled), Ink::Colour(OTHER));
            line.push(&"·".repeat(self.bar - filled), Ink::Dim);
        }
        let digits = digits_of(amounts);
        line.pad(end.saturating_sub(digits.chars().count()));
        line.push(&digits, Ink::Plain);
    }

    /// Private pages, then shared ones, then what is free.
    fn memory(&self, line: &mut Line, load: &ServerLoad) {
        let capacity = load.capacity_pages as f64;
        let used = cells(share(load.pages as f64, capacity), self.memory);
        let private = cells(share(private_pages(load) as f64, capacity), self.memory).min(used);
        // Neither kind hides the other where there are cells for both.
        let both = load.shared_pages > 0 && private_pages(load) > 0 && used > 1;
        let private = if both { private.clamp(1, used - 1) } else { private };
        let private = if load.shared_pages == 0 { used } else { private };
        line.push(&"█".repeat(private), Ink::Colour(PRIVATE));
        line.push(&"▒".repeat(used - private), Ink::Colour(SHARED));
        line.push(&"·".repeat(self.memory - used), Ink::Dim);
    }
}

/// Cells of a bar for a share: all only for all, none only for nothing.
fn cells(share: f64, bar: usize) -> usize {
    let cells = (share * bar as f64).round() as usize;
    match share {
        _ if share <= 0.0 || bar < 2 => cells.min(bar),
        _ if share < 1.0 => cells.clamp(1, bar - 1),
        _ => bar,
    }
}

fn digits_of(amounts: &ResourceLoad) -> String {
    used_of(amounts.used, amounts.capacity)
}

/// The virtual machines of a server, or the names of the servers that look alike.
fn names(row: &ServerRow, room: usize) -> String {
    if row.servers.len() > 1 {
        let names = list(
            row.servers.iter().map(|server| server.server.as_str()),
            room.saturating_sub("alike: ".len()),
        );
        return format!("alike: {names}");
    }
    let vms = &row.server().vms;
    let names = list(vms.iter().map(String::as_str), room.saturating_sub(vms.len().to_string().len() + 2));
    if vms.is_empty() { String::new() } else { format!("{}: {names}", vms.len()) }
}

/// What the symbols of the memory mean, as far as they occur.
fn legend(picture: &ServerPicture, width: usize) -> Vec<Line> {
    let occurs = |test: fn(&ServerLoad) -> bool| picture.loads().any(test);
    let entries = [
        (occurs(|load| private_pages(load) > 0), "█ memory of one virtual machine"),
        (occurs(|load| load.shared_pages > 0), "▒ shared by several, counted once"),
        (occurs(|load| load.pages < load.capacity_pages), "· free"),
        (occurs(|load| load.saved_pages > 0), "saved: what they would need in addition without sharing"),
    ];
    let items: Vec<String> =
        entries.iter().filter(|(occurs, _)| *occurs).map(|(_, text)| (*text).to_owned()).collect();
    if items.is_empty() {
        return Vec::new();
    }
    [Line::default()].into_iter().chain(wrap("", &items, width, Ink::Dim)).collect()
}

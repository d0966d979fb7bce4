//! Servers drawn as SVG: a row per server, bars for what is used of its resources and for the parts of its memory.

use ::svg::node::element::{Definitions, Group, Rectangle, Title};

use super::flow::{Flow, sample};
use super::layout::{BAR_HEIGHT, MARGIN, PITCH};
use super::style::{CHARACTER, allowed, label, round};
use super::{framed, hatching, heading};
use crate::memory_unit::MemoryUnit;
use crate::server_picture::{
    AlikeServers, ServerPicture, ServerRow, has_pages, private_pages, share, used_of,
};
use crate::text::{list, shorten};
use kit::{ResourceLoad, ServerLoad};

/// With more servers than this, those that are equally full share a row.
const MOST_SINGLE: usize = 400;
/// A column of rows is broken when it is longer than this, into three columns at most.
const LONG_COLUMN: usize = 60;
const MOST_COLUMNS: usize = 3;
/// Room between columns of rows, and between the parts of a row.
const GUTTER: f64 = 40.0;
const SPACE: f64 = 14.0;
/// Height of the title and the counts below it.
const TITLE: f64 = 58.0;
/// Width of the bar of a resource, and of that of the memory.
const RESOURCE: f64 = 80.0;
const MEMORY: f64 = 320.0;
/// A memory that would be needed without sharing is drawn up to so many times what there is.
const FARTHEST: f64 = 1.5;
/// Characters of a server's name, of a group and of the names of virtual machines.
const LONGEST_NAME: usize = 22;
const LONGEST_GROUP: usize = 14;
const NAMES: usize = 48;
/// Width of a character of a name.
const NAME_CHARACTER: f64 = 6.7;

/// Draws the servers as a self-contained SVG document; hovering a row tells everything about it.
pub(crate) fn svg(picture: &ServerPicture) -> String {
    let many = picture.servers.len() > MOST_SINGLE;
    let rows = picture.rows(if many { AlikeServers::All } else { AlikeServers::Empty });
    let columns = rows.len().div_ceil(LONG_COLUMN).clamp(1, MOST_COLUMNS);
    let per_column = rows.len().div_ceil(columns).max(1);
    let layout = Layout::of(picture, &rows);
    let width = (2.0 * MARGIN + columns as f64 * (layout.width + GUTTER) - GUTTER).ceil();
    let room = |character: f64| ((width - 2.0 * MARGIN) / character) as usize;
    let mut body = heading(Group::new(), &picture.title, &picture.phrases(), room);
    for (rank, column) in rows.chunks(per_column).enumerate() {
        let x = MARGIN + rank as f64 * (layout.width + GUTTER);
        body = layout.header(body, x, TITLE);
        for (place, row) in column.iter().enumerate() {
            body = layout.row(body, row, x, TITLE + (place + 1) as f64 * PITCH);
        }
    }
    let rows_end = TITLE + if rows.is_empty() { 0.0 } else { (per_column + 1) as f64 * PITCH };
    let mut flow = Flow::new(body, rows_end + 10.0, width - MARGIN);
    for (class, meaning) in legend(picture) {
        flow.entry(meaning, |group, x, y| group.add(sample(&format!("{class} key"), x, y)));
    }
    flow.new_line();
    flow.waiting(&picture.pending, "virtual machine");
    let (body, bottom) = flow.end();
    framed(body, Definitions::new().add(hatching("migopt-saved", "ghost")), width, bottom + MARGIN)
}

/// The classes that occur, and what they mean.
fn legend(picture: &ServerPicture) -> Vec<(&'static str, &'static str)> {
    let occurs = |test: fn(&ServerLoad) -> bool| picture.loads().any(test);
    let has_memory = occurs(has_pages);
    let entries = [
        (occurs(|load| private_pages(load) > 0), ("private", "memory of one virtual machine")),
        (occurs(|load| load.shared_pages > 0), ("shared", "shared by several, counted once")),
        (occurs(|load| load.saved_pages > 0), ("saved", "saved: needed in addition without sharing")),
        (
            occurs(|load| load.resources.values().any(|amounts| amounts.capacity.is_some())),
            ("other", if has_memory { "other resources in use" } else { "in use" }),
        ),
        (occurs(|load| load.pages < load.capacity_pages), ("bar", "free")),
    ];
    entries.into_iter().filter(|entry| entry.0).map(|(_, entry)| entry).collect()
}

/// Where the parts of a row are, from its left end.
struct Layout<'p> {
    name_length: usize,
    group: f64,
    group_length: usize,
    /// Each resource with the left end of its part and the right end of its digits.
    resources: Vec<(&'p str, f64, f64)>,
    /// Left end of the bar of the memory, and how many times its width there may be needed without sharing.
    memory: Option<(f64, f64)>,
    /// Right ends of the digits of the memory and of what is saved.
    digits: [f64; 2],
    /// Unit of the memory.
    unit: MemoryUnit,
    names: f64,
    width: f64,
}

impl<'p> Layout<'p> {
    fn of(picture: &'p ServerPicture, rows: &[ServerRow]) -> Self {
        let longest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let name_length = longest(&mut rows.iter().map(ServerRow::name)).clamp(6, LONGEST_NAME);
        let group_length = longest(&mut rows.iter().map(|row| row.group().to_owned())).min(LONGEST_GROUP);
        let group = name_length as f64 * NAME_CHARACTER + SPACE;
        let mut x = group;
        if group_length > 0 {
            x += group_length.max("group".len()) as f64 * NAME_CHARACTER + SPACE;
        }
        let loads = || rows.iter().filter_map(|row| row.server().load.as_ref());
        let mut resources = Vec::new();
        for resource in picture.resources() {
            let amounts = || loads().filter_map(|load| load.resources.get(resource));
            let digits = longest(&mut amounts().map(digits_of)) as f64 * CHARACTER;
            let bar = if amounts().any(|amounts| amounts.capacity.is_some()) { RESOURCE + 6.0 } else { 0.0 };
            let end = x + (bar + digits).max(resource.chars().count() as f64 * NAME_CHARACTER);
            resources.push((resource, x, end));
            x = end + SPACE;
        }
        let unit = picture.memory_unit();
        let mut digits = [x; 2];
        let memory = loads().any(has_pages).then(|| {
            let needed = |load: &ServerLoad| {
                load.pages.saturating_add(load.saved_pages) as f64 / (load.capacity_pages as f64).max(1.0)
            };
            let times = loads().map(needed).fold(1.0, f64::max).min(FARTHEST);
            let left = x;
            x += MEMORY * times
                + 8.0
                + longest(&mut loads().map(|load| memory_digits(load, unit))) as f64 * CHARACTER;
            digits[0] = x;
            x += SPACE + 6.0 * CHARACTER;
            digits[1] = x;
            x += SPACE;
            (left, times)
        });
        Layout {
            name_length,
            group,
            group_length,
            resources,
            memory,
            digits,
            unit,
            names: x,
            width: x + NAMES as f64 * NAME_CHARACTER,
        }
    }

    fn header(&self, mut body: Group, x: f64, y: f64) -> Group {
        let baseline = y + BAR_HEIGHT - 4.0;
        let mut put = |at: f64, text: &str| {
            body = std::mem::take(&mut body).add(label(x + at, baseline, "heading", text));
        };
        put(0.0, "server");
        if self.group_length > 0 {
            put(self.group, "group");
        }
        for (resource, left, _) in &self.resources {
            put(*left, resource);
        }
        if let Some((left, _)) = self.memory {
            put(left, "memory");
            put(self.digits[1] - 5.0 * NAME_CHARACTER, "saved");
        }
        put(self.names, "virtual machines");
        body
    }

    fn row(&self, body: Group, row: &ServerRow, x: f64, y: f64) -> Group {
        let server = row.server();
        let baseline = y + BAR_HEIGHT - 5.0;
        let mut group = Group::new().add(Title::new(allowed(&hover(row, self.unit))));
        group = group.add(label(x, baseline, "name", &shorten(&row.name(), self.name_length)));
        if let Some(load) = &server.load {
            let name = shorten(&load.group, self.group_length);
            group = group.add(label(x + self.group, baseline, "name", &name));
            for (resource, left, end) in &self.resources {
                let Some(amounts) = load.resources.get(*resource) else { continue };
                if let Some(capacity) = amounts.capacity {
                    let used = share(amounts.used.to_f64(), capacity.to_f64());
                    group = group.add(rectangle("bar", x + left, y, RESOURCE));
                    group = filled(group, "other", x + left, y, RESOURCE * used);
                }
                group = group.add(label(x + end, baseline, "digits", &digits_of(amounts)));
            }
            if let Some((left, times)) = self.memory {
                group = memory(group, load, x + left, y, times);
                group =
                    group.add(label(x + self.digits[0], baseline, "digits", &memory_digits(load, self.unit)));
                if load.saved_pages > 0 {
                    let saved = self.unit.of_pages(load, load.saved_pages);
                    group = group.add(label(x + self.digits[1], baseline, "digits", &saved));
                }
            }
        }
        body.add(group.add(label(x + self.names, baseline, "name", &names(row))))
    }
}

/// Private pages, shared pages, and hatched what would be needed without sharing, beyond the end of the bar if need be.
fn memory(mut group: Group, load: &ServerLoad, x: f64, y: f64, times: f64) -> Group {
    let at = |pages: u64| x + MEMORY * (pages as f64 / (load.capacity_pages as f64).max(1.0)).min(times);
    let (private, used, without) =
        (at(private_pages(load)), at(load.pages), at(load.pages.saturating_add(load.saved_pages)));
    group = group.add(rectangle("bar", x, y, MEMORY));
    group = filled(group, "saved", used, y, without - used);
    group = filled(group, "private", x, y, private - x);
    filled(group, "shared", private, y, used - private)
}

/// Adds a part of a bar, if it has any width.
fn filled(group: Group, class: &str, x: f64, y: f64, width: f64) -> Group {
    if round(width) > 0.0 { group.add(rectangle(class, x, y, width)) } else { group }
}

fn rectangle(class: &str, x: f64, y: f64, width: f64) -> Rectangle {
    Rectangle::new()
        .set("class", class)
        .set("x", round(x))
        .set("y", round(y))
        .set("width", round(width))
        .set("height", BAR_HEIGHT)
}

fn digits_of(amounts: &ResourceLoad) -> String {
    used_of(amounts.used, amounts.capacity)
}

fn memory_digits(load: &ServerLoad, unit: MemoryUnit) -> String {
    format!("{} {}", unit.used(load), unit.name)
}

/// The virtual machines of a server, or the names of the servers that look alike.
fn names(row: &ServerRow) -> String {
    if row.servers.len() > 1 {
        return list(row.servers.iter().map(|server| server.server.as_str()), NAMES);
    }
    list(row.server().vms.iter().map(String::as_str), NAMES)
}

/// Everything about a server, or what several have in common.
fn hover(row: &ServerRow, unit: MemoryUnit) -> String {
    let server = row.server();
    let mut facts = vec![list(row.servers.iter().map(|server| server.server.as_str()), 400)];
    if let Some(load) = &server.load {
        if !load.group.is_empty() {
            facts.push(format!("group {}", load.group));
        }
        facts.extend(load.resources.iter().map(|(name, amounts)| format!("{name} {}", digits_of(amounts))));
    }
    if let Some(load) = server.load.as_ref().filter(|load| has_pages(load)) {
        let amount = |pages: u64| format!("{} {}", unit.of_pages(load, pages), unit.name);
        facts.push(format!("memory {}", memory_digits(load, unit)));
        facts.push(format!("{} of one virtual machine", amount(private_pages(load))));
        facts.push(format!("{} shared", amount(load.shared_pages)));
        facts.push(format!("{} saved", amount(load.saved_pages)));
    }
    if row.servers.len() == 1 && !server.vms.is_empty() {
        facts.push(format!("{}: {}", server.vms.len(), list(server.vms.iter().map(String::as_str), 1000)));
    }
    facts.join(" · ")
}

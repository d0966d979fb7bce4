//! A packing of servers as plain data, ready to be drawn.

use super::memory_unit::MemoryUnit;
use super::picture::Waiting;
use ground::{Amount, counted};
use kit::{PackedServer, ServerLoad, SolutionDocument};
use std::collections::BTreeMap;

/// Servers and the virtual machines on them.
#[derive(Clone, Debug)]
pub struct ServerPicture {
    /// Heading.
    pub title: String,
    /// Servers in the order of the instance; those without a load are drawn without bars.
    pub servers: Vec<PackedServer>,
    /// Virtual machines without a server; their profile is the type.
    pub pending: Vec<Waiting<'static>>,
}

/// Servers that share a line of a drawing: one, or several that look alike.
pub(super) struct ServerRow<'p> {
    /// At least one server.
    pub servers: Vec<&'p PackedServer>,
}

/// Which servers share a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AlikeServers {
    /// None.
    Never,
    /// Those that are empty and equally large.
    Empty,
    /// Those that are equally full too.
    All,
}

impl ServerPicture {
    /// The picture of a solution; none if it packs no servers.
    pub fn of(solution: &SolutionDocument) -> Option<Self> {
        let servers = solution.packing.clone()?;
        let pending = solution.pending.iter().map(|pending| Waiting {
            workload: pending.workload.clone().into(),
            profile: pending.details.profile.clone().unwrap_or_default().into(),
        });
        Some(ServerPicture { title: solution.instance.name.clone(), servers, pending: pending.collect() })
    }

    /// The rows of a drawing, in the order in which their servers first occur.
    pub(super) fn rows(&self, alike: AlikeServers) -> Vec<ServerRow<'_>> {
        let mut rows: Vec<ServerRow> = Vec::new();
        let mut row_of = BTreeMap::new();
        for (index, server) in self.servers.iter().enumerate() {
            let together = match alike {
                AlikeServers::Never => false,
                AlikeServers::Empty => server.vms.is_empty(),
                AlikeServers::All => true,
            };
            // Debug text tells all fields apart, and is in order.
            let look = if together {
                (0, format!("{:?} {}", server.load, server.vms.len()))
            } else {
                (1 + index, String::new())
            };
            let row = *row_of.entry(look).or_insert_with(|| {
                rows.push(ServerRow { servers: Vec::new() });
                rows.len() - 1
            });
            rows[row].servers.push(server);
        }
        rows
    }

    /// Names of all resources but memory, ascending.
    pub(super) fn resources(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.loads().flat_map(|load| load.resources.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The unit in which memory is told.
    pub(super) fn memory_unit(&self) -> MemoryUnit {
        MemoryUnit::of(self.loads())
    }

    /// The loads of all servers that have one.
    pub(super) fn loads(&self) -> impl Iterator<Item = &ServerLoad> {
        self.servers.iter().filter_map(|server| server.load.as_ref())
    }

    /// What it amounts to: servers, virtual machines, memory in use and saved.
    pub(super) fn phrases(&self) -> Vec<String> {
        let used = self.servers.iter().filter(|server| !server.vms.is_empty()).count();
        let vms: usize = self.servers.iter().map(|server| server.vms.len()).sum();
        let mut phrases = if used == self.servers.len() {
            vec![format!("{} in use", counted(used, "server"))]
        } else {
            vec![counted(self.servers.len(), "server"), format!("{used} in use")]
        };
        phrases.push(format!("{} placed", counted(vms, "virtual machine")));
        if !self.pending.is_empty() {
            phrases.push(format!("{} pending", self.pending.len()));
        }
        let in_use = || {
            self.servers
                .iter()
                .filter(|server| !server.vms.is_empty())
                .filter_map(|server| server.load.as_ref())
        };
        let unit = self.memory_unit();
        let sum = |of: fn(&ServerLoad) -> u64| in_use().map(|load| unit.amount(load, of(load))).sum::<f64>();
        let (pages, capacity, saved) =
            (sum(|load| load.pages), sum(|load| load.capacity_pages), sum(|load| load.saved_pages));
        if capacity > 0.0 {
            phrases.push(format!("memory {} of {} {}", unit.digits(pages), unit.digits(capacity), unit.name));
            let without = pages + saved;
            let percent = if without > 0.0 { 100.0 * saved / without } else { 0.0 };
            phrases.push(format!("{} {} ({percent:.1} %) saved by sharing", unit.digits(saved), unit.name));
        }
        phrases
    }
}

impl<'p> ServerRow<'p> {
    /// The server to draw.
    pub fn server(&self) -> &'p PackedServer {
        self.servers[0]
    }

    /// The name of a server, or how many look alike.
    pub fn name(&self) -> String {
        if self.servers.len() == 1 {
            self.server().server.clone()
        } else {
            counted(self.servers.len(), "server")
        }
    }

    /// Its capacity group; nothing where it is not known.
    pub fn group(&self) -> &'p str {
        self.server().load.as_ref().map_or("", |load| &load.group)
    }
}

/// Whether the memory of a server is counted in pages.
pub(super) fn has_pages(load: &ServerLoad) -> bool {
    load.page_kib > 0
}

/// The pages that one virtual machine alone needs.
pub(super) fn private_pages(load: &ServerLoad) -> u64 {
    load.pages.saturating_sub(load.shared_pages)
}

/// A part of a whole between 0 and 1; all of nothing is 1.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { f64::from(u8::from(part > 0.0)) }
}

/// What is used of what there is, in digits.
pub(super) fn used_of(used: Amount, capacity: Option<Amount>) -> String {
    capacity.map_or_else(|| used.grouped(), |capacity| format!("{}/{}", used.grouped(), capacity.grouped()))
}

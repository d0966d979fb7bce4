//! The unit in which the memory of servers is told.

use kit::ServerLoad;

/// A unit of memory, the same for all servers of a drawing.
#[derive(Clone, Copy)]
pub(super) struct MemoryUnit {
    /// Its name.
    pub name: &'static str,
    kib: f64,
    /// Digits after the point.
    places: usize,
}

/// The units, the largest first.
const UNITS: [MemoryUnit; 3] = [
    MemoryUnit { name: "GiB", kib: 1024.0 * 1024.0, places: 1 },
    MemoryUnit { name: "MiB", kib: 1024.0, places: 1 },
    MemoryUnit { name: "KiB", kib: 1.0, places: 0 },
];

impl MemoryUnit {
    /// The largest unit of which the largest server has one.
    pub fn of<'l>(loads: impl Iterator<Item = &'l ServerLoad>) -> Self {
        let largest = loads.map(|load| kib(load, load.capacity_pages)).fold(0.0, f64::max);
        let fitting = UNITS.into_iter().find(|unit| largest >= unit.kib);
        // Of nothing there are 0.0 GiB.
        fitting.unwrap_or(UNITS[0])
    }

    /// So many pages in the unit.
    pub fn amount(self, load: &ServerLoad, pages: u64) -> f64 {
        kib(load, pages) / self.kib
    }

    /// An amount in digits.
    pub fn digits(self, amount: f64) -> String {
        format!("{amount:.*}", self.places)
    }

    /// So many pages in digits.
    pub fn of_pages(self, load: &ServerLoad, pages: u64) -> String {
        self.digits(self.amount(load, pages))
    }

    /// What is used of what there is, in digits.
    pub fn used(self, load: &ServerLoad) -> String {
        format!("{}/{}", self.of_pages(load, load.pages), self.of_pages(load, load.capacity_pages))
    }
}

fn kib(load: &ServerLoad, pages: u64) -> f64 {
    pages as f64 * load.page_kib as f64
}

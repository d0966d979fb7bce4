//! The reports on replays: what each policy accepted of what the trace allowed, and with how much hardware.
//!
//! A [`ReplayReport`] is about one folder, a [`CollectionReport`] about several readings of a trace and about [`Claims`] that
//! a publication made of it. [`policies`], [`profiles`] and [`bound`] write the tables and say what their columns mean, [`series`] and
//! [`plots`] draw, [`single`] and [`collection`] put everything in order for a [page](super::page).

mod bound;
mod claims;
mod collection;
mod csv;
mod named;
mod plots;
mod policies;
mod profiles;
mod reading;
mod series;
mod single;
mod thin;
mod verdicts;

pub use claims::Claims;
pub use reading::in_words as reading_in_words;

use super::page::{numbers, table};
use named::Named;
use replay::ReplayFolder;

/// The report on one replay.
pub struct ReplayReport<'r> {
    replay: Named<'r>,
}

/// The report on several replays, usually of one trace read in several ways.
pub struct CollectionReport<'r> {
    name: &'r str,
    replays: Vec<Named<'r>>,
    claims: Option<&'r Claims>,
}

impl<'r> ReplayReport<'r> {
    /// The report on a folder of that name.
    pub fn of(name: &'r str, folder: &'r ReplayFolder) -> Self {
        ReplayReport { replay: Named { name, folder } }
    }

    /// One HTML file with tables, plots and everything that they need.
    pub fn html(&self) -> String {
        single::document(&self.replay).html()
    }

    /// The same tables as Markdown, without plots.
    pub fn markdown(&self) -> String {
        single::document(&self.replay).markdown()
    }

    /// A line of CSV for each policy and interval.
    pub fn csv(&self) -> String {
        csv::table(std::slice::from_ref(&self.replay))
    }
}

impl<'r> CollectionReport<'r> {
    /// The report on replays by name, in their order, and on what is claimed of them.
    pub fn of(name: &'r str, replays: &'r [(String, ReplayFolder)], claims: Option<&'r Claims>) -> Self {
        let replays = replays.iter().map(|(name, folder)| Named { name, folder }).collect();
        CollectionReport { name, replays, claims }
    }

    /// One HTML file with tables, plots and everything that they need.
    pub fn html(&self) -> String {
        collection::document(self.name, &self.replays, self.claims).html()
    }

    /// The same tables as Markdown, without plots.
    pub fn markdown(&self) -> String {
        collection::document(self.name, &self.replays, self.claims).markdown()
    }

    /// A line of CSV for each replay, policy and interval.
    pub fn csv(&self) -> String {
        csv::table(&self.replays)
    }
}

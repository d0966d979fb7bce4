//! The report on a sweep: how far each method is from the optimum, and how long it takes.
//!
//! Rows go through four steps. [`group`] sorts them into groups that may be compared and measures each row against the
//! [`reference`](reference::Reference) of its instance; [`tables`] and [`curves`] count and average; [`document`] puts
//! them in order for a [page](super::page), [`scoreboard`] ranks the heuristics, and [`csv`](self::csv) writes rows down as data. The same rows in any order give the same
//! bytes.

mod axis;
mod box_plot;
mod csv;
mod curves;
mod document;
mod extent;
mod group;
mod heat_map;
mod interval;
mod link;
mod means;
mod plots;
mod reference;
mod scoreboard;
mod searches;
mod significance;
mod statistics;
mod tables;

pub use link::Link;

use super::page::{numbers, table, terminal};
use bench::{Record, SweepFolder};
use extent::Extent;
use group::Group;

/// The rows of a sweep, measured against the best that they know together.
pub struct SweepReport<'r> {
    groups: Vec<Group<'r>>,
    extent: Extent,
}

impl<'r> SweepReport<'r> {
    /// Measures rows of which no two have the same instance, model, method and seed, and those of one instance the same
    /// objectives, as [`read_rows`](bench::read_rows) ensures.
    pub fn of(rows: &'r [Record]) -> Self {
        SweepReport { groups: Group::all(rows), extent: Extent::default() }
    }

    /// Measures the rows of the last command that wrote to a folder.
    pub fn of_folder(folder: &'r SweepFolder) -> Self {
        let extent = Extent { asked: folder.asked, left_out: folder.left_out.clone() };
        SweepReport { extent, ..SweepReport::of(&folder.rows) }
    }

    /// What all instances together say of each method, for a terminal.
    pub fn verdict(&self) -> String {
        let table = terminal::table(&tables::verdict::table(&self.groups));
        format!("{table}\n{}\n", tables::verdict::sentences(&self.groups))
    }

    /// One HTML file with tables, plots and everything that they need.
    pub fn html(&self, name: &str, link: &Link) -> String {
        document::of(&self.groups, &self.extent, name, link).html()
    }

    /// The same tables as Markdown, without plots.
    pub fn markdown(&self, name: &str, link: &Link) -> String {
        document::of(&self.groups, &self.extent, name, link).markdown()
    }

    /// The heuristics in their order, as one HTML file.
    pub fn scoreboard_html(&self, name: &str) -> String {
        scoreboard::of(&self.groups, name).html()
    }

    /// The heuristics in their order, as Markdown.
    pub fn scoreboard_markdown(&self, name: &str) -> String {
        scoreboard::of(&self.groups, name).markdown()
    }

    /// A line of CSV for each row.
    pub fn csv(&self) -> String {
        csv::table(&self.groups)
    }
}

//! The report on a sweep: how far each method is from the optimum, and how long it takes.
//!
//! Rows go through four steps. [`group`] sorts them into groups that may be compared and measures each row against the
//! [`reference`](reference::Reference) of its instance; [`tables`] and [`curves`] count and average; [`document`] puts
//! them in order; [`html`], [`markdown`] and [`csv`](self::csv) write them down. The same rows in any order give the same
//! bytes.

mod axis;
mod csv;
mod curves;
mod document;
mod group;
mod html;
mod interval;
mod markdown;
mod numbers;
mod plots;
mod reference;
mod statistics;
mod table;
mod tables;

use crate::bench::Record;
use document::Document;
use group::Group;

/// Where the file of a row's instance is to be found from the report, as a relative reference; none if there is no telling.
pub type Link<'l> = dyn Fn(&Record) -> Option<String> + 'l;

/// The rows of a sweep, measured against the best that they know together.
pub struct SweepReport<'r> {
    groups: Vec<Group<'r>>,
}

impl<'r> SweepReport<'r> {
    /// Measures rows of which no two have the same key, and those of one instance the same objectives, as
    /// [`read_rows`](crate::bench::read_rows) ensures.
    pub fn of(rows: &'r [Record]) -> Self {
        SweepReport { groups: Group::all(rows) }
    }

    /// One HTML file with tables, plots and everything that they need.
    pub fn html(&self, name: &str, link: &Link) -> String {
        html::page(&Document::new(&self.groups, name, link))
    }

    /// The same tables as Markdown, without plots.
    pub fn markdown(&self, name: &str, link: &Link) -> String {
        markdown::page(&Document::new(&self.groups, name, link))
    }

    /// A line of CSV for each row.
    pub fn csv(&self) -> String {
        csv::table(&self.groups)
    }
}

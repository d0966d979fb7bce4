//! Pages for readers, as HTML and as Markdown; tables and numbers in them.

mod document;
mod html;
mod markdown;
pub(super) mod numbers;
pub(super) mod table;
pub(super) mod terminal;

pub(crate) use document::{Block, Document, Figure, Picture, Section, Step, Steps};

impl Document {
    /// One HTML file with tables, plots and everything that they need.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The same tables as Markdown, without plots.
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }
}

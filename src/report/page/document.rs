//! A report before it is HTML or Markdown: what is said, in which order.

use super::table::Table;

/// A whole report.
pub(crate) struct Document {
    /// Its heading.
    pub title: String,
    /// What it is about, in short.
    pub introduction: Vec<String>,
    /// What comes before everything else, the table of contents included.
    pub verdict: Vec<Block>,
    /// Its sections; a table of contents leads to them where there are more than two.
    pub sections: Vec<Section>,
}

/// A section of a report.
pub(crate) struct Section {
    /// Its heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
pub(crate) enum Block {
    /// A heading below the section's.
    Heading(&'static str),
    /// Sentences.
    Paragraph(String),
    /// Something that readers must not miss.
    Warning(String),
    /// A list.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A plot and the numbers in it.
    Figure(Figure),
}

/// A plot and the numbers in it.
pub(crate) struct Figure {
    /// The drawing.
    pub svg: String,
    /// Whether it is drawn over the width of the page, as long series are.
    pub wide: bool,
    /// What it shows.
    pub caption: String,
    /// What it shows, as numbers.
    pub numbers: Table,
    /// Whether the numbers stand in Markdown too, which has no plots: for tables of which each line says something.
    pub listed: bool,
}

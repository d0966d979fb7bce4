//! A report before it is HTML or Markdown: what is said, in which order.

use super::table::Table;

/// A whole report.
pub(crate) struct Document {
    /// Its heading.
    pub title: String,
    /// What it is about, in short; the first paragraph says what there is to know if no more is read.
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
    /// A drawing of a solution.
    Picture(Picture),
    /// Steps, one after the other, and what is to be seen beside each of them.
    Steps(Steps),
}

impl Block {
    /// Whether it has room beside another one on a wide page.
    pub fn stands_beside(&self, other: &Block) -> bool {
        match (self, other) {
            (Block::Table(_), Block::Table(_)) => true,
            (Block::Figure(one), Block::Figure(other)) => !one.wide && !other.wide,
            _ => false,
        }
    }
}

/// Steps, one after the other. Where the page can be worked, one is shown at a time; else all, one below the other.
pub(crate) struct Steps {
    /// What a step is called.
    pub noun: &'static str,
    /// The steps.
    pub steps: Vec<Step>,
    /// What is to be seen beside each of them.
    pub beside: Vec<Block>,
}

/// One of several steps.
pub(crate) struct Step {
    /// Its heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// A drawing of a solution, as large as the page allows.
pub(crate) struct Picture {
    /// The drawing, with its size.
    pub svg: String,
    /// What it shows, for those who do not see it.
    pub title: String,
}

impl Picture {
    /// Its width in pixels where it is neither enlarged nor reduced.
    pub fn natural_width(&self) -> f64 {
        let number = |(_, rest): (&str, &str)| rest.split('"').next().and_then(|number| number.parse().ok());
        self.svg.split_once(" width=\"").and_then(number).unwrap_or(1000.0)
    }
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

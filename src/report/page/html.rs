//! The report as one HTML file that needs nothing else.

use super::document::{Block, Document, Figure, Picture, Section, Step, Steps};
use super::table::{Cell, Column, Table};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The document as a page.
pub(crate) fn page(document: &Document) -> String {
    let contents = document.sections.len() > 2;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (document.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (document.title) }
                    @for (rank, paragraph) in document.introduction.iter().enumerate() {
                        p class=[(rank == 0).then_some("lead")] { (paragraph) }
                    }
                    @for block in &document.verdict { (render(block)) }
                    @if contents { (table_of_contents(&document.sections)) }
                    @for (rank, part) in document.sections.iter().enumerate() { (section(part, rank)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn table_of_contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for (rank, section) in sections.iter().enumerate() {
                    li { a href=(format!("#section-{rank}")) { (section.title) } }
                }
            }
        }
    }
}

fn section(section: &Section, rank: usize) -> Markup {
    html! {
        section id=(format!("section-{rank}")) {
            h2 { (section.title) }
            @for blocks in section.blocks.chunk_by(Block::stands_beside) {
                @match blocks {
                    [block] => (render(block)),
                    several => div class="beside" { @for block in several { (render(block)) } },
                }
            }
        }
    }
}

fn render(block: &Block) -> Markup {
    match block {
        Block::Heading(words) => html! { h3 { (words) } },
        Block::Paragraph(words) => html! { p class="note" { (words) } },
        Block::Warning(words) => html! { p class="warning" role="note" { strong { "Warning: " } (words) } },
        Block::List(items) => html! { ul { @for item in items { li { (item) } } } },
        Block::Table(content) => table(content),
        Block::Figure(content) => figure(content),
        Block::Picture(content) => picture(content),
        Block::Steps(content) => steps(content),
    }
}

fn steps(content: &Steps) -> Markup {
    html! {
        div class="walk" {
            div class="steps" data-noun=(content.noun) { @for part in &content.steps { (step(part)) } }
            aside { @for block in &content.beside { (render(block)) } }
        }
    }
}

fn step(step: &Step) -> Markup {
    html! {
        section class="step" aria-label=(step.title) {
            h3 { (step.title) }
            @for block in &step.blocks { (render(block)) }
        }
    }
}

fn picture(picture: &Picture) -> Markup {
    let width = format!("--natural: {}px", picture.natural_width());
    html! {
        figure class="picture" style=(width) {
            div class="scroll" role="region" aria-label=(picture.title) tabindex="0" { (PreEscaped(&picture.svg)) }
        }
    }
}

fn figure(figure: &Figure) -> Markup {
    html! {
        figure class=[figure.wide.then_some("wide")] {
            strong { (figure.numbers.caption) }
            @if figure.wide {
                div class="scroll" role="region" aria-label=(figure.numbers.caption) tabindex="0" { (PreEscaped(&figure.svg)) }
            } @else {
                (PreEscaped(&figure.svg))
            }
            figcaption { (figure.caption) }
            details {
                summary { "The numbers behind this plot" }
                (table(&figure.numbers))
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let grouped = table.columns.iter().any(|column| column.group.is_some());
    html! {
        div class="box" role="region" aria-label=(table.caption) tabindex="0" {
            table class="sortable" {
                caption { (table.caption) }
                thead {
                    @if grouped { tr { (groups(&table.columns)) } }
                    tr { @for column in &table.columns { (heading(column)) } }
                }
                tbody {
                    @for line in &table.lines {
                        tr { @for (cell, column) in line.iter().zip(&table.columns) { (data(cell, column)) } }
                    }
                }
            }
        }
    }
}

/// The upper line of a head: what neighbouring columns have in common.
fn groups(columns: &[Column]) -> Markup {
    html! {
        @for group in columns.chunk_by(|one, other| one.group == other.group) {
            @match &group[0].group {
                Some(name) => th class="group" scope="colgroup" colspan=(group.len()) { (name) },
                None => td colspan=(group.len()) {},
            }
        }
    }
}

fn heading(column: &Column) -> Markup {
    let kind = if column.numeric { "number" } else { "words" };
    html! { th scope="col" class=(kind) { button type="button" { (column.title) } } }
}

fn data(cell: &Cell, column: &Column) -> Markup {
    let class = column.numeric.then_some("number");
    // A number that reads as itself needs no second copy.
    let sort = cell.number.filter(|number| cell.text.parse() != Ok(*number));
    html! {
        td class=[class] data-sort=[sort] {
            @match &cell.link {
                Some(link) => a href=(link) { (cell.text) },
                None => (cell.text),
            }
        }
    }
}

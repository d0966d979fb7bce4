//! The report as Markdown: the same tables, without plots.

use super::document::{Block, Document};
use super::table::{Cell, Column, Table};

/// The document as GitHub-flavoured Markdown.
pub(crate) fn page(document: &Document) -> String {
    let mut paragraphs = vec![format!("# {}", escaped(&document.title))];
    paragraphs.extend(document.introduction.iter().map(|words| escaped(words)));
    paragraphs.extend(document.verdict.iter().filter_map(render));
    for section in &document.sections {
        let blocks: Vec<String> = section.blocks.iter().filter_map(render).collect();
        if blocks.is_empty() {
            continue;
        }
        paragraphs.push(format!("## {}", escaped(&section.title)));
        paragraphs.extend(blocks);
    }
    paragraphs.join("\n\n") + "\n"
}

fn render(block: &Block) -> Option<String> {
    match block {
        Block::Heading(words) => Some(format!("### {words}")),
        Block::Paragraph(words) => Some(escaped(words)),
        Block::Warning(words) => Some(format!("> **Warning:** {}", escaped(words))),
        Block::List(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("- {}", escaped(item))).collect();
            Some(items.join("\n"))
        }
        Block::Table(content) => Some(table(content)),
        Block::Picture(_) => None,
        Block::Steps(content) => {
            let mut paragraphs = Vec::new();
            for step in &content.steps {
                paragraphs.push(format!("### {}", escaped(&step.title)));
                paragraphs.extend(step.blocks.iter().filter_map(render));
            }
            paragraphs.extend(content.beside.iter().filter_map(render));
            Some(paragraphs.join("\n\n"))
        }
        Block::Figure(figure) => {
            let numbers = &figure.numbers;
            figure.listed.then(|| format!("{}:\n\n{}", escaped(&numbers.caption), table(numbers)))
        }
    }
}

fn table(table: &Table) -> String {
    let titles: Vec<String> = table.columns.iter().map(title).collect();
    let rules: Vec<&str> =
        table.columns.iter().map(|column| if column.numeric { "---:" } else { "---" }).collect();
    let mut lines = vec![format!("| {} |", titles.join(" | ")), format!("| {} |", rules.join(" | "))];
    lines.extend(table.lines.iter().map(|line| {
        let cells: Vec<String> = line.iter().map(cell).collect();
        format!("| {} |", cells.join(" | "))
    }));
    lines.join("\n")
}

fn title(column: &Column) -> String {
    match &column.group {
        Some(group) => escaped(&format!("{group}: {}", column.title)),
        None => escaped(&column.title),
    }
}

fn cell(cell: &Cell) -> String {
    match &cell.link {
        Some(link) => format!("[{}]({link})", escaped(&cell.text)),
        None => escaped(&cell.text),
    }
}

/// The words without what Markdown would take for layout.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for symbol in words.chars() {
        match symbol {
            '|' | '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' => text.extend(['\\', symbol]),
            _ if symbol.is_control() => text.push(' '),
            _ => text.push(symbol),
        }
    }
    text
}

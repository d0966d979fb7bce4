//! Why nothing is better, as a section of a page.

use super::words::{costly, head, in_short, short, signed, silence, slots, standing, suppositions, told};
use crate::page::table::{Cell, Column, Table};
use crate::page::{Block, Section};
use ground::{Amount, capitalised, counted};
use kit::{CaseDocument, CertificateDocument, ClaimDocument, ExplanationDocument, SpanDocument};
use std::cmp::Reverse;

/// The most lines of a table.
const MOST_LINES: usize = 40;

/// The section, with what the checker said of the certificate.
pub fn section(certificate: &CertificateDocument, explanation: Option<&ExplanationDocument>) -> Section {
    let mut blocks = Vec::new();
    match explanation {
        None => blocks.push(Block::Warning(format!("The certificate is refused: {}", certificate.message))),
        Some(explanation) => {
            blocks.push(Block::Paragraph(
                "A checker without a solver accepted the certificate of this answer. Its numbers say how far nothing goes beyond, and \
                 what would change that. They are bounds, not forecasts, and hold for one change at a time."
                    .to_owned(),
            ));
            for (number, claim) in explanation.claims.iter().enumerate() {
                blocks.extend(of_claim(number, claim, explanation));
            }
            let trusted = certificate.trusted.iter().map(|trusted| format!(" To be trusted: {trusted}."));
            let message = capitalised(&certificate.message);
            blocks.push(Block::Paragraph(format!("{message}.{}", trusted.collect::<String>())));
        }
    }
    Section { title: "Why nothing is better".to_owned(), blocks }
}

fn of_claim(number: usize, claim: &ClaimDocument, explanation: &ExplanationDocument) -> Vec<Block> {
    let head = capitalised(&head(number, claim));
    match claim.cases.as_slice() {
        [case] => of_case(&format!("{head}: {}.", in_short(case, claim)), case, explanation),
        cases => {
            let of_cases = cases.iter().enumerate().flat_map(|(number, case)| {
                let words = format!("{}: {}.", suppositions(number, case), in_short(case, claim));
                of_case(&capitalised(&words), case, explanation)
            });
            std::iter::once(Block::Paragraph(format!("{head}."))).chain(of_cases).collect()
        }
    }
}

fn of_case(words: &str, case: &CaseDocument, explanation: &ExplanationDocument) -> Vec<Block> {
    let silence = silence(case, explanation.parts).map(|words| format!(" {}.", capitalised(&words)));
    let mut blocks = vec![Block::Paragraph(format!("{words}{}", silence.unwrap_or_default()))];
    let changes = changes(case, explanation);
    blocks.extend((!changes.lines.is_empty()).then_some(Block::Table(changes)));
    blocks.extend(prices(&costly(case)).map(Block::Table));
    blocks
}

/// What changes the bound, the greatest changes first.
fn changes(case: &CaseDocument, explanation: &ExplanationDocument) -> Table {
    let ExplanationDocument { items, parts, .. } = explanation;
    let mut lines: Vec<(Amount, [String; 3])> = Vec::new();
    for item in &case.items {
        let number = format!("{} of them", item.number.grouped());
        lines.push((item.change, [format!("without one {items} {}", item.name), number, String::new()]));
    }
    for place in &case.places {
        let number = format!("{} of them", place.number.grouped());
        lines.push((
            place.change,
            [format!("with a place more for one {items} {}", place.name), number, String::new()],
        ));
    }
    for limit in &case.limits {
        let number = limit.number.grouped();
        lines.push((
            limit.change,
            [format!("with limit {} loosened by one", limit.name), number, String::new()],
        ));
    }
    for part in told(case) {
        let number = format!("{} of them", part.number.grouped());
        let standing = standing(part).unwrap_or_default();
        lines.push((part.change, [format!("with one more {parts} like {}", part.like), number, standing]));
    }
    lines.sort_by_key(|(change, _)| Reverse(change.millionths().abs()));
    let left_out = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    let note = match left_out {
        0 => String::new(),
        _ => format!("; {} by less", counted(left_out, "further change")),
    };
    let has_standing = lines.iter().any(|(_, [.., standing])| !standing.is_empty());
    let line = |(change, [what, number, standing]): (Amount, [String; 3])| {
        let mut cells =
            vec![Cell::words(what), Cell::number(change.to_f64(), signed(change)), Cell::words(number)];
        cells.extend(has_standing.then(|| Cell::words(standing)));
        cells
    };
    let mut columns =
        vec![Column::words("with or without"), Column::numbers("it changes by"), Column::words("there are")];
    columns.extend(has_standing.then(|| Column::words("in this answer")));
    let what = if case.bound.is_some() { "the bound" } else { "what is possible" };
    Table {
        caption: format!("What changes {what}{note}"),
        columns,
        lines: lines.into_iter().map(line).collect(),
    }
}

/// What instances cost in spans of time.
fn prices(spans: &[&SpanDocument]) -> Option<Table> {
    let sizes = spans.first()?.prices.iter().map(|price| Column::numbers(price.name.clone()));
    let line = |span: &&SpanDocument| {
        let prices = span.prices.iter().map(|price| Cell::number(price.price.to_f64(), short(price.price)));
        std::iter::once(Cell::words(slots(span))).chain(prices).collect()
    };
    let note = if spans.len() > MOST_LINES {
        format!(", the first {MOST_LINES} spans of {}", spans.len())
    } else {
        String::new()
    };
    Some(Table {
        caption: format!("Prices of an instance in a slot{note}"),
        columns: std::iter::once(Column::words("slots")).chain(sizes).collect(),
        lines: spans.iter().take(MOST_LINES).map(line).collect(),
    })
}

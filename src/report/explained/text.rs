//! Why nothing is better, as text for a terminal.

use super::words::{
    costly, head, in_short, kinds, short, signed, silence, slots, standing, suppositions, told, what_changes,
};
use ground::{Amount, counted};
use kit::{CaseDocument, ClaimDocument, ExplanationDocument, PartDocument, PricedDocument, SpanDocument};
use std::cmp::Reverse;

/// The most lines about things of a sort; documents have all.
const MOST_LINES: usize = 12;

/// What is told of a thing: what it is, how the bound changes, and how many there are.
type Line = [String; 3];

/// The claims, a paragraph or several each.
pub fn paragraphs(explanation: &ExplanationDocument) -> Vec<Vec<String>> {
    let claims = explanation.claims.iter().enumerate();
    claims.flat_map(|(number, claim)| of_claim(number, claim, explanation)).collect()
}

fn of_claim(number: usize, claim: &ClaimDocument, explanation: &ExplanationDocument) -> Vec<Vec<String>> {
    let mut head = vec![head(number, claim)];
    match claim.cases.as_slice() {
        [case] => {
            head.extend(of_case(case, claim, explanation));
            vec![head]
        }
        cases => {
            let of_cases = cases.iter().enumerate().map(|(number, case)| {
                let mut lines = vec![format!("  {}", suppositions(number, case))];
                lines.extend(of_case(case, claim, explanation));
                lines
            });
            std::iter::once(head).chain(of_cases).collect()
        }
    }
}

fn of_case(case: &CaseDocument, claim: &ClaimDocument, explanation: &ExplanationDocument) -> Vec<String> {
    let (items, parts, what) = (explanation.items, explanation.parts, what_changes(case));
    let mut lines = vec![format!("  {}", in_short(case, claim))];
    let table = |heading: String, of: &str, list: Vec<(Amount, Line)>| table(&heading, of, list);
    let of_items = |list: &[PricedDocument]| list.iter().map(|item| priced(items, item)).collect();
    lines.extend(table(format!("without one of these, {what} changes by"), items, of_items(&case.items)));
    let limits = case.limits.iter().map(|limit| priced("limit", limit)).collect();
    lines.extend(table(format!("loosened by one, these change {what} by"), "limit", limits));
    lines.extend(table(
        format!("with a place more for one of these, {what} changes by"),
        items,
        of_items(&case.places),
    ));
    let told = told(case).into_iter().map(|part| of_part(parts, part)).collect();
    lines.extend(table(format!("with one more of these, {what} changes by"), parts, told));
    lines.extend(silence(case, parts).map(|words| format!("  {words}")));
    lines.extend(in_time(&costly(case)));
    lines
}

/// Lines about things of a sort under a heading, those first that matter most.
fn table(heading: &str, what: &str, mut list: Vec<(Amount, Line)>) -> Vec<String> {
    list.sort_by_key(|(change, _)| Reverse(change.millionths().abs()));
    let left_out = list.len().saturating_sub(MOST_LINES);
    list.truncate(MOST_LINES);
    let mut lines: Vec<String> = (!list.is_empty()).then(|| format!("  {heading}")).into_iter().collect();
    lines.extend(aligned(&list.into_iter().map(|(_, line)| line).collect::<Vec<_>>()));
    lines.extend(
        (left_out > 0).then(|| format!("    and {}, which --format json names", kinds(left_out, what))),
    );
    lines
}

/// What instances cost in spans of time.
fn in_time(spans: &[&SpanDocument]) -> Vec<String> {
    let of_span = |span: &&SpanDocument| {
        let prices = span.prices.iter().map(|price| format!("{} {}", price.name, short(price.price)));
        format!("    {}: {}", slots(span), prices.collect::<Vec<_>>().join(", "))
    };
    let heading = "  at these prices of an instance in a slot";
    let mut lines: Vec<String> = (!spans.is_empty()).then(|| heading.to_owned()).into_iter().collect();
    lines.extend(spans.iter().take(MOST_LINES).map(of_span));
    let left_out = spans.len().saturating_sub(MOST_LINES);
    lines.extend(
        (left_out > 0)
            .then(|| format!("    and in {}, which --format json names", counted(left_out, "further span"))),
    );
    lines
}

fn priced(what: &str, priced: &PricedDocument) -> (Amount, Line) {
    let number = match what {
        "limit" => format!("which is {}", priced.number.grouped()),
        _ => format!("{} of them", priced.number.grouped()),
    };
    (priced.change, [format!("{what} {}", priced.name), signed(priced.change), number])
}

fn of_part(what: &str, part: &PartDocument) -> (Amount, Line) {
    let standing = match standing(part) {
        None => String::new(),
        Some(words) if words.starts_with("below") => format!("; {words}"),
        Some(words) => format!(", {words}"),
    };
    let number = format!("{} of them{standing}", part.number.grouped());
    (part.change, [format!("{what} like {}", part.like), signed(part.change), number])
}

/// Columns that begin below each other; numbers end there.
fn aligned(table: &[Line]) -> Vec<String> {
    let width =
        |column: usize| table.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let (first, second) = (width(0), width(1));
    let line = |[what, change, number]: &Line| format!("    {what:<first$}  {change:>second$}  {number}");
    table.iter().map(line).collect()
}

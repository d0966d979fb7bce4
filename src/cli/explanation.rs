//! Why nothing is better, as text for a terminal.

use ground::{Amount, counted};
use kit::{
    CaseDocument, ClaimDocument, ExplanationDocument, PartDocument, PricedDocument, SenseName,
    SupposedDocument,
};
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
    let mut head = vec![match (&claim.goal, claim.value, claim.sense) {
        (Some(goal), Some(value), Some(sense)) => {
            let extreme = if sense == SenseName::Maximize { "greatest" } else { "least" };
            let given = if number == 0 { "" } else { ", with the values above" };
            format!("{goal} {} is the {extreme}{given}", value.grouped())
        }
        _ => "no solution obeys all rules".to_owned(),
    }];
    match claim.cases.as_slice() {
        [case] => {
            head.extend(of_case(case, claim, explanation));
            vec![head]
        }
        cases => {
            head[0] += &format!(", in each of {}", counted(cases.len(), "case"));
            let of_cases = cases.iter().enumerate().map(|(number, case)| {
                let supposed: Vec<String> = case.supposed.iter().map(supposed).collect();
                let mut lines = vec![format!("  case {}: {}", number + 1, supposed.join(", "))];
                lines.extend(of_case(case, claim, explanation));
                lines
            });
            std::iter::once(head).chain(of_cases.collect::<Vec<_>>()).collect()
        }
    }
}

fn supposed(supposed: &SupposedDocument) -> String {
    let SupposedDocument { total, least, greatest } = supposed;
    match least == greatest {
        true => format!("{total} {}", least.grouped()),
        false => format!("{total} from {} to {}", least.grouped(), greatest.grouped()),
    }
}

fn of_case(case: &CaseDocument, claim: &ClaimDocument, explanation: &ExplanationDocument) -> Vec<String> {
    let mut lines = vec![in_short(case, claim)];
    let items = case.items.iter().map(|item| priced(explanation.items, item));
    let limits = case.limits.iter().map(|limit| priced("limit", limit));
    let told = case.parts.iter().filter(|part| part.change != Amount::ZERO || !missing(part).is_empty());
    let parts: Vec<(Amount, Line)> = told.map(|part| of_part(explanation.parts, part)).collect();
    let silent = case.parts.len() - parts.len();
    let what = if case.bound.is_some() { "that" } else { "what is possible" };
    lines.extend(table(
        &format!("without one of these, {what} changes by"),
        explanation.items,
        items.collect(),
    ));
    lines.extend(table(&format!("loosened by one, these change {what} by"), "limit", limits.collect()));
    lines.extend(table(&format!("with one more of these, {what} changes by"), explanation.parts, parts));
    lines.extend(
        (silent > 0).then(|| format!("  one more of {} changes nothing", kinds(silent, explanation.parts))),
    );
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

/// What is proved of a case.
fn in_short(case: &CaseDocument, claim: &ClaimDocument) -> String {
    let (Some(bound), Some(next)) = (case.bound, claim.next) else {
        let [needed, possible] = [case.needed, case.possible].map(Amount::grouped);
        return format!("  {needed} points would be needed, and {possible} are possible");
    };
    let beyond = if claim.sense == Some(SenseName::Maximize) { "more" } else { "less" };
    format!("  nothing is {beyond} than {}; the next better value would be {}", short(bound), next.grouped())
}

fn kinds(number: usize, what: &str) -> String {
    format!("{} of {what}", counted(number, "kind"))
}

fn priced(what: &str, priced: &PricedDocument) -> (Amount, Line) {
    let number = match what {
        "limit" => format!("which is {}", priced.number.grouped()),
        _ => format!("{} of them", priced.number.grouped()),
    };
    (priced.change, [format!("{what} {}", priced.name), signed(priced.change), number])
}

fn of_part(what: &str, part: &PartDocument) -> (Amount, Line) {
    let number = part.number.grouped();
    let below = missing(part);
    let standing = match &part.below {
        None => String::new(),
        Some(_) if below.is_empty() && part.number == Amount::ONE => ", at its best".to_owned(),
        Some(_) if below.is_empty() => ", all at their best".to_owned(),
        Some(_) => format!("; below its best by: {}", below.join(", ")),
    };
    (
        part.change,
        [format!("{what} like {}", part.like), signed(part.change), format!("{number} of them{standing}")],
    )
}

/// The parts that are not at their best, in words.
fn missing(part: &PartDocument) -> Vec<String> {
    let below = part.below.iter().flatten();
    below.map(|below| format!("{} {}", below.name, short(below.by))).collect()
}

/// Columns that begin below each other; numbers end there.
fn aligned(table: &[Line]) -> Vec<String> {
    let width =
        |column: usize| table.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let (first, second) = (width(0), width(1));
    let line = |[what, change, number]: &Line| format!("    {what:<first$}  {change:>second$}  {number}");
    table.iter().map(line).collect()
}

/// With its sign.
fn signed(amount: Amount) -> String {
    let text = short(amount);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// With three digits after the point at most.
fn short(amount: Amount) -> String {
    const STEP: i128 = 1_000;
    let rounded = (amount.millionths() + STEP / 2).div_euclid(STEP) * STEP;
    Amount::from_millionths(rounded).grouped()
}

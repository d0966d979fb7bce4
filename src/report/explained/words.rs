//! What claims say, in the words of terminals and pages alike.

use ground::{Amount, counted};
use kit::{CaseDocument, ClaimDocument, PartDocument, SenseName, SpanDocument, SupposedDocument};

/// What is the best, as a heading.
pub fn head(number: usize, claim: &ClaimDocument) -> String {
    let head = match (&claim.goal, claim.value, claim.sense) {
        (Some(goal), Some(value), Some(sense)) => {
            let extreme = if sense == SenseName::Maximize { "greatest" } else { "least" };
            let given = if number == 0 { "" } else { ", with the values above" };
            format!("{goal} {} is the {extreme}{given}", value.grouped())
        }
        _ => "no solution obeys all rules".to_owned(),
    };
    match claim.cases.len() {
        1 => head,
        cases => format!("{head}, in each of {}", counted(cases, "case")),
    }
}

/// What is supposed in a case.
pub fn suppositions(number: usize, case: &CaseDocument) -> String {
    let supposed: Vec<String> = case.supposed.iter().map(supposed).collect();
    format!("case {}: {}", number + 1, supposed.join(", "))
}

fn supposed(supposed: &SupposedDocument) -> String {
    let SupposedDocument { total, least, greatest } = supposed;
    match least == greatest {
        true => format!("{total} {}", least.grouped()),
        false => format!("{total} from {} to {}", least.grouped(), greatest.grouped()),
    }
}

/// What is proved of a case.
pub fn in_short(case: &CaseDocument, claim: &ClaimDocument) -> String {
    let (Some(bound), Some(next)) = (case.bound, claim.next) else {
        let [needed, possible] = [case.needed, case.possible].map(Amount::grouped);
        return format!("{needed} points would be needed, and {possible} are possible");
    };
    let beyond = if claim.sense == Some(SenseName::Maximize) { "more" } else { "less" };
    format!("nothing is {beyond} than {}; the next better value would be {}", short(bound), next.grouped())
}

/// What changes are changes of.
pub fn what_changes(case: &CaseDocument) -> &'static str {
    if case.bound.is_some() { "that" } else { "what is possible" }
}

/// The parts of which there is something to tell: one more of them changes something, or some are not at their best.
pub fn told(case: &CaseDocument) -> Vec<&PartDocument> {
    case.parts.iter().filter(|part| part.change != Amount::ZERO || !missing(part).is_empty()).collect()
}

/// What one more of all others comes to.
pub fn silence(case: &CaseDocument, what: &str) -> Option<String> {
    let silent = case.parts.len() - told(case).len();
    (silent > 0).then(|| format!("one more of {} changes nothing", kinds(silent, what)))
}

/// Whether all of them are at their best, or which are not.
pub fn standing(part: &PartDocument) -> Option<String> {
    let below = missing(part);
    part.below.as_ref()?;
    Some(match below.is_empty() {
        true if part.number == Amount::ONE => "at its best".to_owned(),
        true => "all at their best".to_owned(),
        false => format!("below its best by: {}", below.join(", ")),
    })
}

/// The parts that are not at their best, in words.
fn missing(part: &PartDocument) -> Vec<String> {
    let below = part.below.iter().flatten();
    below.map(|below| format!("{} {}", below.name, short(below.by))).collect()
}

/// The spans of time in which instances cost something.
pub fn costly(case: &CaseDocument) -> Vec<&SpanDocument> {
    let costs = |span: &&SpanDocument| span.prices.iter().any(|price| price.price != Amount::ZERO);
    case.spans.iter().filter(costs).collect()
}

/// The slots of a span.
pub fn slots(span: &SpanDocument) -> String {
    let last = span.until - 1;
    match span.from == last {
        true => format!("slot {last}"),
        false => format!("slots {} to {last}", span.from),
    }
}

/// So many kinds of something.
pub fn kinds(number: usize, what: &str) -> String {
    format!("{} of {what}", counted(number, "kind"))
}

/// With its sign.
pub fn signed(amount: Amount) -> String {
    let text = short(amount);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// With three digits after the point at most.
pub fn short(amount: Amount) -> String {
    const STEP: i128 = 1_000;
    let rounded = (amount.millionths() + STEP / 2).div_euclid(STEP) * STEP;
    Amount::from_millionths(rounded).grouped()
}

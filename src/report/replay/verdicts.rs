//! Which claims follow from which replay.

use super::claims::{Claim, Claims, Expression};
use super::named::Named;
use super::numbers;
use super::table::{Cell, Column, Table};
use crate::page::{Block, Section};
use itertools::Itertools;
use replay::PolicyRun;

/// A number comes near a printed one within this share of the printed one.
const NEAR: f64 = 0.05;

/// How a number of ours stands to a printed one.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    /// It rounds to it.
    Follows,
    /// It is within [`NEAR`].
    Near,
    /// It is farther away.
    Differs,
}

/// What is printed, what the replays give, and whether the one follows from the other.
pub(super) fn section(claims: &Claims, replays: &[Named]) -> Section {
    let stated = claims.stated.as_str();
    let in_order = || {
        let (first, others): (Vec<_>, Vec<_>) = replays.iter().partition(|replay| replay.name == stated);
        first.into_iter().chain(others)
    };
    let mut columns = vec![Column::words("claim"), Column::words("where"), Column::numbers("printed")];
    columns.extend(in_order().map(|replay| {
        let is_stated = replay.name == stated;
        Column::numbers(if is_stated { format!("{} (stated)", replay.name) } else { replay.name.to_owned() })
    }));
    columns.push(Column::words("verdict on the stated set-up"));
    let (mut lines, mut verdicts, mut followed, mut all) = (Vec::new(), Vec::new(), 0, 0);
    for claim in claims.all() {
        let ours: Vec<(&str, Option<f64>)> =
            in_order().map(|replay| (replay.name, value(&claim.value, replay))).collect();
        let on_stated = ours.first().and_then(|(_, value)| *value).map(|value| judge(value, claim));
        all += 1;
        followed += usize::from(on_stated == Some(Verdict::Follows));
        let mut cells = vec![Cell::words(&claim.claim), Cell::words(&claim.source), printed(claim)];
        cells.extend(ours.iter().map(|(_, value)| value.map_or(Cell::none(), |value| shown(value, claim))));
        cells.push(Cell::words(match on_stated {
            Some(Verdict::Follows) => "follows",
            Some(_) => "does not follow",
            None => "cannot be checked",
        }));
        lines.push(cells);
        verdicts.push(sentence(claim, &ours, stated));
    }
    let title = "What the paper prints, and what follows from its stated set-up";
    Section {
        title: title.to_owned(),
        blocks: vec![
            Block::Paragraph(format!(
                "{} Of {} {} from its stated set-up, which is the replay {stated}.",
                ended(&claims.paper),
                numbers::counted(all, "claim"),
                if followed == 1 { "1 follows".to_owned() } else { format!("{} follow", numbers::whole(followed)) }
            )),
            Block::List(vec![
                "printed: the number with as many digits after the point as the paper prints.".to_owned(),
                "a replay: our number with one digit more. It follows where it rounds to the printed one at the printed digits; \
                 else it does not follow. A dash: the replay has no such number."
                    .to_owned(),
                format!("near: within {} % of the printed number.", numbers::decimal(100.0 * NEAR)),
            ]),
            Block::Table(Table { caption: "Claims".to_owned(), columns, lines }),
            Block::Heading("Verdicts"),
            Block::List(verdicts),
        ],
    }
}

/// Words that end with a full stop.
fn ended(words: &str) -> String {
    let stop = if words.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{words}{stop}")
}

fn printed(claim: &Claim) -> Cell {
    let number = claim.printed.to_f64();
    Cell::number(number, numbers::fixed(number, claim.decimals.into()))
}

/// A number of ours, with one digit more than is printed where it is not whole.
fn digits(value: f64, claim: &Claim) -> String {
    let places = if value.fract() == 0.0 { claim.decimals } else { claim.decimals + 1 };
    numbers::fixed(value, places.into())
}

fn shown(value: f64, claim: &Claim) -> Cell {
    let follows = judge(value, claim) == Verdict::Follows;
    let words = if follows { "follows" } else { "does not follow" };
    Cell::number(value, format!("{}, {words}", digits(value, claim)))
}

fn judge(value: f64, claim: &Claim) -> Verdict {
    let scale = 10f64.powi(claim.decimals.into());
    let number = claim.printed.to_f64();
    if (value * scale).round() == (number * scale).round() {
        Verdict::Follows
    } else if (value - number).abs() <= NEAR * number.abs() {
        Verdict::Near
    } else {
        Verdict::Differs
    }
}

/// The verdict on a claim: the stated set-up first, then who else reproduces it or comes near.
fn sentence(claim: &Claim, ours: &[(&str, Option<f64>)], stated: &str) -> String {
    let value_on_stated = ours.iter().find(|(name, _)| *name == stated).and_then(|(_, value)| *value);
    let verdict = match value_on_stated {
        None => format!("cannot be checked, as {stated} has no such number"),
        Some(value) if judge(value, claim) == Verdict::Follows => format!("follows from {stated}"),
        Some(value) => format!(
            "does not follow from {stated}, which gives {} instead of {}",
            digits(value, claim),
            numbers::fixed(claim.printed.to_f64(), claim.decimals.into())
        ),
    };
    let others = |wanted: Verdict| {
        let mut found = ours.iter().filter_map(|(name, value)| {
            let value = value.filter(|value| *name != stated && judge(*value, claim) == wanted)?;
            Some(format!("{name} ({})", digits(value, claim)))
        });
        found.join(", ")
    };
    let mut words = format!("{}: {verdict}.", claim.claim.trim_end_matches('.'));
    let (reproduce, near) = (others(Verdict::Follows), others(Verdict::Near));
    if !reproduce.is_empty() {
        words += &format!(" Reproduced by {reproduce}.");
    }
    if !near.is_empty() {
        words += &format!(" Near: {near}.");
    }
    if reproduce.is_empty() && near.is_empty() && ours.len() > 1 {
        words += " No other replay reproduces it or comes near.";
    }
    if let Some(note) = &claim.note {
        words += &format!(" {}", ended(note));
    }
    words
}

/// The number of an expression in a replay, if the replay has all that it is about, and does not divide by nothing.
fn value(expression: &Expression, replay: &Named) -> Option<f64> {
    let of = |policy: &str| run_of(replay, policy);
    let trace = &replay.folder.conditions.trace;
    let both = |pair: &(Expression, Expression)| Some((value(&pair.0, replay)?, value(&pair.1, replay)?));
    let ratio = |pair| both(pair).filter(|(_, divisor)| *divisor != 0.0).map(|(one, other)| one / other);
    Some(match expression {
        Expression::VirtualMachines => trace.virtual_machines() as f64,
        Expression::Hosts => trace.hosts as f64,
        Expression::Gpus => trace.gpus as f64,
        Expression::Accepted(policy) => of(policy)?.totals.accepted as f64,
        Expression::Share(policy) => {
            let totals = &of(policy)?.totals;
            numbers::percent(totals.accepted, totals.arrived)?.0
        }
        Expression::AcceptedOf(both) => {
            let mut counts = of(&both.policy)?.totals.profiles.iter();
            counts.find(|count| count.profile == both.profile)?.accepted as f64
        }
        Expression::Migrations(policy) => of(policy)?.totals.migrations as f64,
        Expression::AreaPlain(policy) => replay.areas(of(policy)?)[0],
        Expression::AreaStrict(policy) => replay.areas(of(policy)?)[1],
        Expression::Sum(terms) => {
            let terms: Option<Vec<f64>> = terms.iter().map(|term| value(term, replay)).collect();
            terms?.iter().sum()
        }
        Expression::Ratio(pair) => ratio(pair)?,
        Expression::Difference(pair) => {
            let (one, other) = both(pair)?;
            one - other
        }
        Expression::Percent(pair) => 100.0 * ratio(pair)?,
        Expression::PercentMore(pair) => 100.0 * ratio(pair)? - 100.0,
        Expression::PercentLess(pair) => 100.0 - 100.0 * ratio(pair)?,
    })
}

/// The policy of that text, or the only one of that name.
fn run_of<'r>(replay: &Named<'r>, policy: &str) -> Option<&'r PolicyRun> {
    let policies = &replay.folder.policies;
    let whole = policies.iter().find(|run| run.totals.policy == policy);
    let named = policies.iter().filter(|run| run.totals.policy.split(':').next() == Some(policy));
    whole.or_else(|| named.exactly_one().ok())
}

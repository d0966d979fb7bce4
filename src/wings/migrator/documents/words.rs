//! The model's scores in words.

use crate::rules::Score;
use ground::Amount;

/// What a result's goal consists of.
pub fn score_lines(score: &Score) -> Vec<String> {
    in_words(score).into_iter().map(|line| format!("    {line}")).collect()
}

/// What a valid plan is worth.
pub fn verdict_lines(score: &Score) -> Vec<String> {
    in_words(score).into_iter().map(|line| format!("  {line}")).collect()
}

fn in_words(score: &Score) -> Vec<String> {
    let percent = |part: Amount, whole: Amount| {
        let share = if whole == Amount::ZERO { 0.0 } else { part.to_f64() / whole.to_f64() };
        format!("{:.2} %", 100.0 * share)
    };
    let mut lines = vec![format!(
        "{} of {} requests served in time ({}), {} of them correctly: a goodput of {}",
        tenths(score.served),
        tenths(score.received),
        percent(score.served, score.received),
        percent(score.goodput, score.served),
        percent(score.goodput, score.received)
    )];
    lines.extend(score.models.iter().map(|of_model| {
        format!(
            "{}: {} in time, {} correct, retrained from slot {} on, reconfigured {} times",
            of_model.model,
            percent(of_model.served, of_model.received),
            percent(of_model.goodput, of_model.served),
            of_model.retrained_from,
            of_model.reconfigurations
        )
    }));
    lines
}

/// The amount with one digit after the point.
fn tenths(amount: Amount) -> String {
    let tenths = (amount.millionths() + 50_000).div_euclid(100_000);
    Amount::from_millionths(tenths * 100_000).grouped()
}

//! The model's scores in words.

use crate::rules::Score;
use ground::{Amount, counted};
use kit::WorthLine;

/// What the goodput consists of, and the share of each model.
pub fn worth(score: &Score) -> Vec<WorthLine> {
    let percent = |part: Amount, whole: Amount| {
        let share = if whole == Amount::ZERO { 0.0 } else { part.to_f64() / whole.to_f64() };
        format!("{:.2} %", 100.0 * share)
    };
    let mut lines = vec![WorthLine::amount(
        "served in time",
        tenths(score.served),
        format!(
            "{} of {} requests; {} of them correctly: a goodput of {}",
            percent(score.served, score.received),
            tenths(score.received).grouped(),
            percent(score.goodput, score.served),
            percent(score.goodput, score.received)
        ),
    )];
    lines.extend(score.models.iter().map(|of_model| {
        let words = format!(
            "{} in time, {} correct, retrained from slot {} on, {}",
            percent(of_model.served, of_model.received),
            percent(of_model.goodput, of_model.served),
            of_model.retrained_from,
            counted(of_model.reconfigurations, "reconfiguration")
        );
        WorthLine::words(&of_model.model, words)
    }));
    lines
}

/// The amount with one digit after the point.
fn tenths(amount: Amount) -> Amount {
    Amount::from_millionths((amount.millionths() + 50_000).div_euclid(100_000) * 100_000)
}

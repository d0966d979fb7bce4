//! The model's scores in words.

use crate::rules::Score;
use ground::{Amount, grouped};
use kit::WorthLine;

/// What a packing costs, and what sharing saves.
pub fn worth(score: &Score) -> Vec<WorthLine> {
    let saved = score.requested_pages - score.pages;
    let share =
        if score.requested_pages == 0 { 0.0 } else { 100.0 * saved as f64 / score.requested_pages as f64 };
    vec![
        WorthLine::amount(
            "servers in use",
            Amount::whole(score.active_servers.into()),
            format!(
                "cost {}, the last one at position {} of the order",
                score.cost.grouped(),
                grouped(&score.reach.to_string())
            ),
        ),
        WorthLine::amount(
            "pages in use",
            Amount::whole(score.pages.into()),
            format!("without sharing {} more, {share:.1} % of those requested", grouped(&saved.to_string())),
        ),
    ]
}

//! The model's scores in words.

use crate::rules::Score;
use ground::grouped;

/// What a result's goals consist of.
pub fn score_lines(score: &Score) -> Vec<String> {
    in_words(score).map(|line| format!("    {line}")).to_vec()
}

/// What a valid packing is worth.
pub fn verdict_lines(score: &Score) -> Vec<String> {
    in_words(score).map(|line| format!("  {line}")).to_vec()
}

fn in_words(score: &Score) -> [String; 2] {
    let saved = score.requested_pages - score.pages;
    let share =
        if score.requested_pages == 0 { 0.0 } else { 100.0 * saved as f64 / score.requested_pages as f64 };
    [
        format!(
            "{} in use at a cost of {}, the last one at position {} of the order",
            match score.active_servers {
                1 => "1 server".to_owned(),
                several => format!("{several} servers"),
            },
            score.cost.grouped(),
            score.reach
        ),
        format!(
            "{} pages in use; {} more ({share:.1} % of those requested) without sharing",
            grouped(&score.pages.to_string()),
            grouped(&saved.to_string())
        ),
    ]
}

//! Every heuristic against every other one.

use super::super::significance::{LEVEL, holm, sign_test};
use super::super::table::{Cell, Column, Table};
use super::contest::Contest;
use itertools::Itertools;

/// What the cells mean, for readers.
pub(super) const EXPLANATION: &str = "On how many instances the heuristic of the line answered better, and on how many worse, than that of the \
    line with the column's number; on all others both are alike. A star marks pairs whose difference is more than chance: the \
    exact two-sided sign test, adjusted by Holm's method so that the chance of any wrong star in the table is at most 5 %. The sign test \
    is used because gaps in different objectives have no common scale by which tests of signed ranks could order them.";

/// A line and a column for each heuristic; nothing where there is but one.
pub(super) fn table(contest: &Contest) -> Option<Table> {
    let count = contest.methods.len();
    if count < 2 {
        return None;
    }
    let pairs: Vec<(usize, usize)> = (0..count).tuple_combinations().collect();
    let scores: Vec<(usize, usize)> = pairs.iter().map(|&(one, other)| contest.score(one, other)).collect();
    let chances: Vec<f64> = scores.iter().map(|&(better, worse)| sign_test(better, worse)).collect();
    let adjusted = holm(&chances);
    let mut cells = vec![vec![Cell::none(); count]; count];
    for ((&(one, other), &(better, worse)), &chance) in pairs.iter().zip(&scores).zip(&adjusted) {
        let star = if chance <= LEVEL { " ★" } else { "" };
        let cell = |better: usize, worse: usize| {
            Cell::number(better as f64 - worse as f64, format!("{better}–{worse}{star}"))
        };
        cells[one][other] = cell(better, worse);
        cells[other][one] = cell(worse, better);
    }
    let mut columns = vec![Column::words("heuristic")];
    columns.extend((1..=count).map(|number| Column::numbers(number.to_string())));
    let named = |(number, cells): (usize, Vec<Cell>)| {
        [Cell::words(format!("{} {}", number + 1, contest.methods[number]))]
            .into_iter()
            .chain(cells)
            .collect()
    };
    let lines = cells.into_iter().enumerate().map(named).collect();
    Some(Table { caption: format!("Pairs of heuristics of model {}", contest.model), columns, lines })
}

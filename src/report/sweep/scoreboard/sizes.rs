//! Gaps and times by the size of instances.

use super::super::numbers;
use super::super::statistics::{Quartiles, Spread};
use super::super::table::{Cell, Column, Table};
use super::contest::{Contest, Round};
use super::ranking::percent;

/// What the columns are, for readers.
pub(super) const EXPLANATION: &str = "The size of an instance is its number of workloads or virtual machines; of model migrator, its number of \
    models. Each column has the median over the instances of that size, whose number is in parentheses.";

/// The greatest sizes of all classes but the last.
const CLASSES: [u64; 3] = [10, 100, 1000];

/// Median gap and seconds by size; nothing where all instances are of one class.
pub(super) fn table(contest: &Contest) -> Option<Table> {
    let classes: Vec<Vec<&Round>> = (0..=CLASSES.len()).map(|class| of_class(contest, class)).collect();
    let present: Vec<usize> = (0..classes.len()).filter(|&class| !classes[class].is_empty()).collect();
    if present.len() < 2 {
        return None;
    }
    let mut columns = vec![Column::words("heuristic")];
    for group in ["median gap to the optimum", "median seconds"] {
        let title = |class: &usize| format!("{} ({})", name(*class), classes[*class].len());
        columns.extend(present.iter().map(|class| Column::numbers(title(class)).under(group)));
    }
    let line = |method: usize| {
        let gaps = present.iter().map(|&class| median_gap(&classes[class], method));
        let seconds = present.iter().map(|&class| median_seconds(&classes[class], method));
        [Cell::words(contest.methods[method])].into_iter().chain(gaps).chain(seconds).collect()
    };
    let lines = (0..contest.methods.len()).map(line).collect();
    Some(Table { caption: format!("Heuristics of model {} by size", contest.model), columns, lines })
}

fn of_class<'c, 'g, 'r>(contest: &'c Contest<'g, 'r>, class: usize) -> Vec<&'c Round<'g, 'r>> {
    let class_of = |round: &&Round| {
        let size = round.instance.rows[0].record.workloads;
        CLASSES.iter().filter(|&&most| size > most).count()
    };
    contest.rounds.iter().filter(|round| class_of(round) == class).collect()
}

/// The sizes of a class.
fn name(class: usize) -> String {
    let words = |size: u64| numbers::whole(size as usize);
    match class.checked_sub(1).map(|before| CLASSES[before]) {
        None => format!("up to {}", words(CLASSES[0])),
        Some(before) if class == CLASSES.len() => format!("more than {}", words(before)),
        Some(before) => format!("{} to {}", words(before + 1), words(CLASSES[class])),
    }
}

fn median_gap(rounds: &[&Round], method: usize) -> Cell {
    let gaps: Vec<_> = rounds.iter().map(|round| round.gap(method)).collect();
    Spread::of_intervals(&gaps).map_or(Cell::none(), |spread| percent(spread.median))
}

fn median_seconds(rounds: &[&Round], method: usize) -> Cell {
    let answered = rounds.iter().map(|round| round.answers[method]).filter(|row| !row.failed());
    let seconds = Quartiles::of(answered.map(|row| row.record.seconds).collect());
    seconds.map_or(Cell::none(), |seconds| Cell::number(seconds.median, numbers::decimal(seconds.median)))
}

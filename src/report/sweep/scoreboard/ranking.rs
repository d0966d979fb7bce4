//! The heuristics of a model in their order.

use super::super::interval::Interval;
use super::super::numbers;
use super::super::reference::State;
use super::super::significance::{around_the_median, sign_test};
use super::super::statistics::{Quartiles, Spread};
use super::super::table::{Cell, Column, Table};
use super::contest::Contest;

/// What the columns mean, for readers.
pub(super) const EXPLANATION: &str = "On each instance the answers are ranked by the objectives in their order, exactly as the verifier counted \
    them: 1 is the best answer of all heuristics, those that are alike share the mean of their ranks, and no answer is the worst. The heuristic \
    with the least mean rank comes first. Ranks need no optimum, and nothing is added up that has different scales, but they depend on who takes \
    part. The gap is |optimum - value| / |optimum| in the first objective in which an answer differs from the optimum; where the optimum is not \
    proved, it lies between the gap to the best value known and that to the proved bound. No answer is an infinite gap. The 95 % interval \
    holds the median of all instances of which these could be a random sample (order statistics, exact for any distribution; from six \
    instances on). Seconds are wall-clock seconds of single runs. Of several seeds the middle run counts.";

/// A line for each heuristic.
pub(super) fn table(contest: &Contest) -> Table {
    let failures: Vec<usize> = (0..contest.methods.len()).map(|method| failures(contest, method)).collect();
    let with_failures = failures.iter().any(|&number| number > 0);
    let mut columns =
        vec![Column::numbers("place"), Column::words("heuristic"), Column::numbers("mean rank")];
    columns.extend(
        ["median", "95 % interval", "worst"].map(|title| Column::numbers(title).under("gap to the optimum")),
    );
    columns.push(Column::numbers("at the optimum"));
    columns.extend(with_failures.then(|| Column::numbers("no answer")));
    columns.extend(["median", "longest"].map(|title| Column::numbers(title).under("seconds")));
    columns.extend(["better", "worse", "p"].map(|title| Column::numbers(title).under("than the next")));
    let lines = (0..contest.methods.len()).map(|method| {
        let failures = with_failures.then(|| failures[method]);
        line(contest, method, failures)
    });
    Table { caption: format!("Heuristics of model {}", contest.model), columns, lines: lines.collect() }
}

fn line(contest: &Contest, method: usize, failures: Option<usize>) -> Vec<Cell> {
    let mut cells = vec![Cell::count(place(contest, method)), Cell::words(contest.methods[method])];
    let mean = contest.doubled_ranks(method) as f64 / (2 * contest.rounds.len()) as f64;
    cells.push(Cell::number(mean, numbers::fixed(mean, 2)));
    let gaps = contest.gaps(method);
    let spread = Spread::of_intervals(&gaps);
    cells.push(spread.as_ref().map_or(Cell::none(), |spread| percent(spread.median)));
    cells.push(median_interval(&gaps).map_or(Cell::none(), percent));
    cells.push(spread.as_ref().map_or(Cell::none(), |spread| percent(spread.worst)));
    cells.push(at_the_optimum(contest, method));
    cells.extend(failures.map(Cell::count));
    cells.extend(seconds(contest, method));
    cells.extend(against_the_next(contest, method));
    cells
}

/// The place of a heuristic, which those of the same mean rank share.
fn place(contest: &Contest, method: usize) -> usize {
    let ranks = contest.doubled_ranks(method);
    1 + (0..method).filter(|&other| contest.doubled_ranks(other) < ranks).count()
}

/// Where the median of all instances lies of which these could be a sample.
fn median_interval(gaps: &[Interval]) -> Option<Interval> {
    let (least, greatest) = around_the_median(gaps.len())?;
    let sorted = |end: fn(&Interval) -> f64| {
        let mut ends: Vec<f64> = gaps.iter().map(end).collect();
        ends.sort_by(f64::total_cmp);
        ends
    };
    Some(Interval { low: sorted(|gap| gap.low)[least], high: sorted(|gap| gap.high)[greatest] })
}

/// A gap in percent.
pub(super) fn percent(gap: Interval) -> Cell {
    let text = if gap.low == f64::INFINITY { "no answer".to_owned() } else { gap.percent() };
    Cell::number(gap.sort_key(), text)
}

fn at_the_optimum(contest: &Contest, method: usize) -> Cell {
    let proved = || contest.rounds.iter().filter(|round| round.instance.reference.state == State::Proved);
    let optimal =
        proved().filter(|round| round.answers[method].gap.is_some_and(|gap| gap.is_optimal())).count();
    match proved().count() {
        0 => Cell::none(),
        all => Cell::number(optimal as f64 / all as f64, numbers::share(optimal, all)),
    }
}

fn failures(contest: &Contest, method: usize) -> usize {
    contest.rounds.iter().filter(|round| !round.answers[method].record.has_solution()).count()
}

fn seconds(contest: &Contest, method: usize) -> [Cell; 2] {
    let answered = contest.rounds.iter().map(|round| round.answers[method]).filter(|row| !row.failed());
    let spread = Quartiles::of(answered.map(|row| row.record.seconds).collect());
    let cell = |part: fn(&Quartiles) -> f64| {
        spread
            .as_ref()
            .map_or(Cell::none(), |spread| Cell::number(part(spread), numbers::decimal(part(spread))))
    };
    [cell(|seconds| seconds.median), cell(|seconds| seconds.greatest)]
}

fn against_the_next(contest: &Contest, method: usize) -> [Cell; 3] {
    if method + 1 == contest.methods.len() {
        return std::array::from_fn(|_| Cell::default());
    }
    let (better, worse) = contest.score(method, method + 1);
    let chance = sign_test(better, worse);
    [Cell::count(better), Cell::count(worse), Cell::number(chance, chance_in_words(chance))]
}

/// A chance of error for readers.
fn chance_in_words(chance: f64) -> String {
    if chance < 0.0001 { "< 0.0001".to_owned() } else { numbers::fixed(chance, 4) }
}

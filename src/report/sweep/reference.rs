//! The reference of an instance: the best that any row of the sweep knows about it.

use super::interval::Interval;
use bench::{OPTIMUM, Outcome, Record};
use ground::Amount;
use kit::{SenseName, StageDocument, compare_stages, relative_to_optimum};
use std::cmp::Ordering;

/// How much is known about an instance's optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// A verified solution meets the proved bound in every objective.
    Proved,
    /// The optimum lies between the best verified solution and a proved bound.
    Bounded,
    /// There are solutions, but no bound.
    Open,
    /// Neither a solution nor a proof that there is none.
    Unsolved,
    /// Proved to have no solution.
    Infeasible,
    /// Rows contradict each other: a verified value is better than a proved bound.
    Contradictory,
}

impl State {
    /// All states, in the order in which reports list them.
    pub const ALL: [State; 6] = [
        State::Proved,
        State::Bounded,
        State::Open,
        State::Unsolved,
        State::Infeasible,
        State::Contradictory,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            State::Proved => "proved",
            State::Bounded => "bounded",
            State::Open => "no bound",
            State::Unsolved => "unsolved",
            State::Infeasible => "infeasible",
            State::Contradictory => "contradictory",
        }
    }
}

/// The best solution and the tightest bounds that the rows of one instance hold.
#[derive(Debug)]
pub(super) struct Reference<'r> {
    /// What is known of the optimum.
    pub state: State,
    /// The row with the best solution: a proved one if there is any, then `optimum`, then by name of the method and seed.
    pub best: Option<&'r Record>,
    /// The tightest proved bound of each objective; none behind an objective that is not proved, as such bounds only hold
    /// given the values before.
    pub bounds: Vec<Option<Amount>>,
    /// Rows with a solution.
    solutions: usize,
}

/// How far a solution is from the optimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gap<'r> {
    /// The objective in which it is measured: the first that differs from its proved optimum or is not proved; none if
    /// the solution is proved optimal.
    pub stage: Option<&'r str>,
    /// Difference to the optimum over the optimum's magnitude.
    pub relative: Interval,
    /// Difference of profit over the cost of one GPU.
    pub gpus: Option<Interval>,
}

impl Gap<'_> {
    /// Whether the solution is worth as much as a proved optimum.
    pub fn is_optimal(&self) -> bool {
        self.stage.is_none()
    }
}

impl<'r> Reference<'r> {
    /// Gathers the reference from all rows of an instance.
    pub fn of(rows: &[&'r Record]) -> Self {
        let solved = || rows.iter().copied().filter(|row| row.has_solution());
        let best = solved().min_by(|one, other| compare(one, other));
        let infeasible = rows.iter().any(|row| row.outcome == Outcome::Infeasible);
        let mut reference =
            Reference { state: State::Unsolved, best, bounds: Vec::new(), solutions: solved().count() };
        reference.state = match best {
            Some(_) if infeasible => State::Contradictory,
            Some(best) => reference.tighten(best, rows),
            None if infeasible => State::Infeasible,
            None => State::Unsolved,
        };
        reference
    }

    /// Finds the bounds and says what they make of the best solution.
    fn tighten(&mut self, best: &Record, rows: &[&Record]) -> State {
        for (rank, stage) in best.stages.iter().enumerate() {
            let Some(value) = stage.value else { return State::Unsolved };
            let bound = tightest_bound(best, rows, rank);
            self.bounds.push(bound);
            match bound {
                None => return self.unproved(best, State::Open),
                Some(bound) if stage.sense.prefers(value, bound) => {
                    return self.unproved(best, State::Contradictory);
                }
                Some(bound) if bound != value => return self.unproved(best, State::Bounded),
                Some(_) => {}
            }
        }
        State::Proved
    }

    fn unproved(&mut self, best: &Record, state: State) -> State {
        self.bounds.resize(best.stages.len(), None);
        state
    }

    /// The gap of a row of this instance, where it has a solution and anything is known to compare with.
    pub fn gap(&self, row: &'r Record) -> Option<Gap<'r>> {
        let best = self.best?;
        let nothing_to_compare = self.state == State::Open && self.solutions == 1;
        if !row.has_solution() || self.state == State::Contradictory || nothing_to_compare {
            return None;
        }
        for ((stage, reference), &bound) in row.stages.iter().zip(&best.stages).zip(&self.bounds) {
            let (value, incumbent) = (stage.value?, reference.value?);
            if bound == Some(incumbent) && value == incumbent {
                continue;
            }
            return Some(Gap {
                stage: Some(&stage.name),
                relative: relative(value, incumbent, bound),
                gpus: in_gpus(row, stage, incumbent, bound),
            });
        }
        let gpus = gpu_cost(row).map(|_| Interval::exact(0.0));
        Some(Gap { stage: None, relative: Interval::exact(0.0), gpus })
    }
}

/// The better solution first; of equally good ones the proved, then `optimum`, then by name and seed.
fn compare(one: &Record, other: &Record) -> Ordering {
    let preference = |row: &Record| (row.outcome != Outcome::Optimal, row.method != OPTIMUM);
    compare_stages(&one.stages, &other.stages)
        .then_with(|| preference(one).cmp(&preference(other)))
        .then_with(|| (&one.method, one.seed).cmp(&(&other.method, other.seed)))
}

/// The tightest bound of an objective among the rows that equal the best solution in all objectives before it.
fn tightest_bound(best: &Record, rows: &[&Record], rank: usize) -> Option<Amount> {
    let before = |row: &Record| {
        let values = row.stages.iter().map(|stage| stage.value).take(rank);
        values.eq(best.stages.iter().map(|stage| stage.value).take(rank))
    };
    let bounds = rows.iter().filter(|row| before(row)).filter_map(|row| {
        let stage = row.stages.get(rank)?;
        if row.outcome == Outcome::Optimal { stage.value } else { stage.bound }
    });
    match best.stages[rank].sense {
        SenseName::Maximize => bounds.min(),
        SenseName::Minimize => bounds.max(),
    }
}

/// The relative gap of a value: to the best value known on one end, to the bound on the other.
///
/// Between the two the gap runs one way, except where the optimum may be 0: there it can be as large as that of 0.
fn relative(value: Amount, incumbent: Amount, bound: Option<Amount>) -> Interval {
    let to = |optimum: Amount| relative_to_optimum(value, optimum);
    let Some(bound) = bound else {
        // A profit below 0 may have any optimum above 0, far beyond which the gap falls to 1. What is to be small is never
        // below 0 in any model.
        let low = if incumbent.is_negative() { to(incumbent).min(1.0) } else { to(incumbent) };
        return Interval { low, high: f64::INFINITY };
    };
    let (one, other) = (to(incumbent), to(bound));
    let through_zero = incumbent.min(bound) < Amount::ZERO && Amount::ZERO < incumbent.max(bound);
    let worst = if through_zero { to(Amount::ZERO) } else { 0.0 };
    Interval { low: one.min(other), high: one.max(other).max(worst) }
}

/// The gap in GPUs, where the only objective has a price for GPUs.
fn in_gpus(
    row: &Record,
    stage: &StageDocument,
    incumbent: Amount,
    bound: Option<Amount>,
) -> Option<Interval> {
    let value = stage.value.filter(|_| row.stages.len() == 1)?;
    let cost = gpu_cost(row)?;
    let high = bound.map_or(f64::INFINITY, |bound| distance(value, bound) / cost);
    Some(Interval { low: distance(value, incumbent) / cost, high })
}

fn gpu_cost(row: &Record) -> Option<f64> {
    row.gpu_cost.filter(|&cost| cost > Amount::ZERO).map(Amount::to_f64)
}

fn distance(one: Amount, other: Amount) -> f64 {
    (one - other).to_f64().abs()
}

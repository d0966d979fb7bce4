//! Small random programs, and their best values by trying all points.

use crate::{Claim, Goal, Limits, Tree, Unproved, WholeColumn, WholeProgram, WholeRow, prove};
use milp::Sense;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::{Control, Effort};
use solvers::solvers;

/// A program of up to five columns and rows.
pub fn program(seed: u64) -> (WholeProgram, Sense, Vec<(usize, i64)>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let count = random.random_range(1..=5);
    let columns = (0..count).map(|number| {
        let lower = random.random_range(-2..=1);
        WholeColumn { name: format!("x[{number}]"), lower, upper: lower + random.random_range(0..=3) }
    });
    let columns: Vec<WholeColumn> = columns.collect();
    let rows = (0..random.random_range(0..=5)).map(|number| {
        let terms: Vec<(usize, i64)> = terms(&mut random, count, 7);
        let lower = random.random_bool(0.6).then(|| random.random_range(-9..=6));
        let upper = random.random_bool(0.5).then(|| lower.unwrap_or(-3) + random.random_range(0..=6));
        WholeRow { label: format!("row {number}%"), lower, upper, terms }
    });
    let rows = rows.collect();
    let sense = if random.random_bool(0.5) { Sense::Minimize } else { Sense::Maximize };
    let goal = terms(&mut random, count, 9);
    (WholeProgram { columns, rows, totals: (0..count / 2).collect() }, sense, goal)
}

fn terms(random: &mut ChaCha8Rng, columns: usize, greatest: i64) -> Vec<(usize, i64)> {
    let terms = (0..columns).map(|column| (column, random.random_range(-greatest..=greatest)));
    terms.filter(|(_, coefficient)| *coefficient != 0).collect()
}

/// The best point of a program.
pub fn best(program: &WholeProgram, sense: Sense, goal: &[(usize, i64)]) -> Option<(i64, Vec<i64>)> {
    let mut points = vec![Vec::new()];
    for column in &program.columns {
        let longer = |point: Vec<i64>| {
            (column.lower..=column.upper).map(move |value| [point.as_slice(), &[value]].concat())
        };
        points = points.into_iter().flat_map(longer).collect();
    }
    let value = |terms: &[(usize, i64)], point: &[i64]| {
        terms.iter().map(|&(column, c)| c * point[column]).sum::<i64>()
    };
    points.retain(|point| {
        program.rows.iter().all(|row| {
            let value = value(&row.terms, point);
            row.lower.is_none_or(|lower| value >= lower) && row.upper.is_none_or(|upper| value <= upper)
        })
    });
    let valued = points.into_iter().map(|point| (value(goal, &point), point));
    match sense {
        Sense::Minimize => valued.min(),
        Sense::Maximize => valued.max(),
    }
}

/// The claim that is true of a random program.
pub fn claim(seed: u64) -> Claim {
    let (program, sense, terms) = program(seed);
    let best = best(&program, sense, &terms);
    let goal = best.as_ref().map(|(value, _)| Goal { sense, terms, value: *value });
    Claim { program, goal, point: best.map(|(_, point)| point) }
}

/// The claim about a value that is better by so much, without a point.
pub fn better_by(claim: &Claim, amount: i64) -> Claim {
    let goal = claim.goal.clone().expect("there is a best point");
    let value = if goal.sense == Sense::Minimize { goal.value - amount } else { goal.value + amount };
    Claim { goal: Some(Goal { value, ..goal }), point: None, ..claim.clone() }
}

/// A proof with the first solver.
pub fn proof(claim: &Claim) -> Result<Tree, Unproved> {
    let (effort, control) = (Effort::exact(solvers()[0]), Control::silent());
    prove(claim, &Limits { effort: &effort, deadline: None, control: &control })
}

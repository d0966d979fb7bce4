//! Distributions as step curves: which share of a method's runs stays within which value.

use super::group::{Group, Instance, Row};
use itertools::Itertools;

/// Steps of a curve that are kept, about: more cannot be told apart.
const STEPS: usize = 100;

/// Times below a microsecond are taken as one, as clocks tell no less.
const SHORTEST_SECONDS: f64 = 1e-6;

/// The share of a method's runs that stay within a value, as steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve<'r> {
    /// The method.
    pub method: &'r str,
    /// Its rank among all methods, which chooses its colour.
    pub rank: usize,
    /// Whether it shows what is certain only (gaps to the proved bound) where the truth may be better.
    pub pessimistic: bool,
    /// Value and share of each step, both growing.
    pub steps: Vec<(f64, f64)>,
}

/// The share of runs with a gap of at most so much, for each method: to the best solution known, and to the proved bound
/// where that is another curve. Failed runs and unknown gaps never count as reached; infeasible instances do not count at all.
pub(super) fn gap_distribution<'r>(group: &Group<'r>) -> Vec<Curve<'r>> {
    let mut curves = Vec::new();
    for (rank, &method) in group.methods.iter().enumerate() {
        let runs: Vec<_> = feasible_runs(group, method).map(|(_, row)| row.gap).collect();
        let ends = |end: fn(&super::interval::Interval) -> f64| {
            steps(runs.iter().flatten().map(|gap| end(&gap.relative)).collect(), runs.len())
        };
        let (optimistic, pessimistic) = (ends(|gap| gap.low), ends(|gap| gap.high));
        let differ = optimistic != pessimistic;
        curves.push(Curve { method, rank, pessimistic: false, steps: optimistic });
        if differ {
            curves.push(Curve { method, rank, pessimistic: true, steps: pessimistic });
        }
    }
    curves
}

/// The performance profile of Dolan and Moré: the share of runs that answered within so many times the time of the
/// fastest answer to the instance. Methods that seek a proof answer by proving, all others by a valid solution.
pub(super) fn performance_profile<'r>(group: &Group<'r>) -> Vec<Curve<'r>> {
    let provers: Vec<&str> =
        group.methods.iter().copied().filter(|method| group.seeks_proof(method)).collect();
    let answered = |row: &Row| {
        if provers.contains(&row.record.method.as_str()) {
            row.record.is_proved() && row.record.has_solution()
        } else {
            row.record.has_solution()
        }
    };
    let time = |row: &Row| row.record.seconds.max(SHORTEST_SECONDS);
    let fastest = |instance: &Instance| {
        let times = instance.rows.iter().filter(|row| answered(row)).map(time);
        times.min_by(f64::total_cmp)
    };
    let fastest: Vec<Option<f64>> = group.instances.iter().map(fastest).collect();
    let curve = |(rank, &method): (usize, &&'r str)| {
        let mut runs = 0;
        let mut ratios = Vec::new();
        for (instance, fastest) in group.instances.iter().zip(&fastest) {
            if !instance.may_be_feasible() {
                continue;
            }
            for row in instance.rows.iter().filter(|row| row.record.method == method) {
                runs += 1;
                ratios.extend(fastest.filter(|_| answered(row)).map(|fastest| time(row) / fastest));
            }
        }
        Curve { method, rank, pessimistic: false, steps: steps(ratios, runs) }
    };
    group.methods.iter().enumerate().map(curve).collect()
}

fn feasible_runs<'g, 'r>(
    group: &'g Group<'r>,
    method: &'g str,
) -> impl Iterator<Item = (&'g Instance<'r>, &'g Row<'r>)> {
    group.rows_of(method).filter(|(instance, _)| instance.may_be_feasible())
}

/// The steps of the distribution of some values among `all` runs; infinite values never arrive.
fn steps(mut values: Vec<f64>, all: usize) -> Vec<(f64, f64)> {
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let mut arrived = 0;
    let counts = values.chunk_by(|one, other| one == other).map(|equal| {
        arrived += equal.len();
        (equal[0], arrived)
    });
    let counts = counts.collect_vec();
    let last = counts.len().saturating_sub(1);
    let mut percent_before = None;
    let kept = counts.into_iter().enumerate().filter(|&(rank, (_, arrived))| {
        let percent = arrived * STEPS / all;
        rank == 0 || rank == last || percent_before.replace(percent) != Some(percent)
    });
    kept.map(|(_, (value, arrived))| (value, arrived as f64 / all as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_count_what_arrives_among_all() {
        assert_eq!(steps(vec![2.0, 1.0, 1.0, f64::INFINITY], 5), [(1.0, 0.4), (2.0, 0.6)]);
        assert_eq!(steps(Vec::new(), 3), []);
    }

    #[test]
    fn long_curves_are_thinned_but_end_where_they_end() {
        let steps = steps((0..10_000).map(f64::from).collect(), 10_000);
        assert!(steps.len() <= STEPS + 2, "{}", steps.len());
        assert_eq!((steps[0], steps[steps.len() - 1]), ((0.0, 0.0001), (9_999.0, 1.0)));
    }
}

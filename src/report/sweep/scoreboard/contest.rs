//! Who takes part, on which instances, and who answered better.

use super::super::group::{Group, Instance, Row, is_heuristic};
use super::super::interval::Interval;
use super::super::reference::State;
use itertools::Itertools;
use kit::compare_stages;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The heuristics of a model on the instances to which all of them have a run.
pub(super) struct Contest<'g, 'r> {
    /// The model.
    pub model: &'r str,
    /// The heuristics, the best first.
    pub methods: Vec<&'r str>,
    /// The instances.
    pub rounds: Vec<Round<'g, 'r>>,
    /// Instances that do not count: not all heuristics have a run, there is no solution, or rows contradict each other.
    pub left_out: usize,
}

/// An instance with an answer of each heuristic, in their order.
pub(super) struct Round<'g, 'r> {
    /// The instance.
    pub instance: &'g Instance<'r>,
    /// The run that counts: of several seeds the middle one, of an even number the worse of the two.
    pub answers: Vec<&'g Row<'r>>,
}

impl<'g, 'r> Contest<'g, 'r> {
    /// A contest for each model with heuristics.
    pub fn all(groups: &'g [Group<'r>]) -> Vec<Self> {
        let models = groups.iter().map(|group| group.model).unique();
        models.map(|model| Contest::of(groups, model)).filter(|contest| !contest.methods.is_empty()).collect()
    }

    fn of(groups: &'g [Group<'r>], model: &'r str) -> Self {
        let of_model = || groups.iter().filter(move |group| group.model == model);
        let methods: BTreeSet<&str> = of_model().flat_map(|group| group.methods.iter().copied()).collect();
        let methods: Vec<&str> =
            methods.into_iter().filter(|method| is_heuristic(of_model(), method)).collect();
        let instances = || of_model().flat_map(|group| &group.instances);
        let rounds: Vec<Round> = instances().filter_map(|instance| Round::of(instance, &methods)).collect();
        let left_out = instances().count() - rounds.len();
        let mut contest = Contest { model, methods, rounds, left_out };
        contest.sort();
        contest
    }

    /// Puts the best heuristic first, and those that are alike by name.
    fn sort(&mut self) {
        let order: Vec<usize> =
            (0..self.methods.len()).sorted_by_key(|&method| (self.doubled_ranks(method), method)).collect();
        self.methods = order.iter().map(|&method| self.methods[method]).collect();
        for round in &mut self.rounds {
            round.answers = order.iter().map(|&method| round.answers[method]).collect();
        }
    }

    /// The sum of a heuristic's ranks in all rounds, times two: whole, as those that are alike share the mean of their ranks.
    pub fn doubled_ranks(&self, method: usize) -> usize {
        self.rounds.iter().map(|round| round.doubled_rank(method)).sum()
    }

    /// In how many rounds a heuristic answered better than another one, and in how many worse.
    pub fn score(&self, one: usize, other: usize) -> (usize, usize) {
        let orders = || self.rounds.iter().map(|round| round.compare(one, other));
        let count = |wanted: Ordering| orders().filter(|&order| order == wanted).count();
        (count(Ordering::Less), count(Ordering::Greater))
    }

    /// The gaps of a heuristic, round by round.
    pub fn gaps(&self, method: usize) -> Vec<Interval> {
        self.rounds.iter().map(|round| round.gap(method)).collect()
    }
}

impl<'g, 'r> Round<'g, 'r> {
    /// The round on an instance, if it counts.
    fn of(instance: &'g Instance<'r>, methods: &[&str]) -> Option<Self> {
        if matches!(instance.reference.state, State::Infeasible | State::Contradictory) {
            return None;
        }
        let answers: Option<Vec<&Row>> = methods.iter().map(|method| middle_run(instance, method)).collect();
        Some(Round { instance, answers: answers? })
    }

    /// The better answer first.
    fn compare(&self, one: usize, other: usize) -> Ordering {
        compare(self.answers[one], self.answers[other])
    }

    fn doubled_rank(&self, method: usize) -> usize {
        let orders = || (0..self.answers.len()).map(|other| self.compare(other, method));
        let better = orders().filter(|order| order.is_lt()).count();
        let alike = orders().filter(|order| order.is_eq()).count();
        2 * better + alike + 1
    }

    /// How far an answer is from the optimum; infinitely far where there is none.
    pub fn gap(&self, method: usize) -> Interval {
        let row = self.answers[method];
        match row.gap {
            Some(gap) => gap.relative,
            None if row.record.has_solution() => Interval { low: 0.0, high: f64::INFINITY },
            None => Interval::exact(f64::INFINITY),
        }
    }
}

/// The run of a method on an instance that counts.
fn middle_run<'g, 'r>(instance: &'g Instance<'r>, method: &str) -> Option<&'g Row<'r>> {
    let runs = instance.rows.iter().filter(|row| row.record.method == method);
    let runs: Vec<&Row> = runs.sorted_by(|one, other| compare(one, other)).collect();
    runs.get(runs.len() / 2).copied()
}

/// The better answer first: any before none, then by the objectives in their order.
fn compare(one: &Row, other: &Row) -> Ordering {
    let lacks = |row: &Row| !row.record.has_solution();
    let by_answer = lacks(one).cmp(&lacks(other));
    by_answer.then_with(|| compare_stages(&one.record.stages, &other.record.stages))
}

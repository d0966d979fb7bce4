//! Finds certificates: the prices are dual values of linear relaxations, made whole; what they leave open is split by totals.
//!
//! A solver is only asked for advice here. What is written was accepted by the checker.

use super::plain::{plain, values};
use crate::instance::Problem;
use crate::programs::{Case, Duals, Relaxations, StagePlan, compact, exact_index};
use crate::rules::{Reading, Score};
use crate::section::Goal;
use certificate::wpm::{Checker, Question, Stage, Term, Total};
use certificate::{Certificate, Claim, Claimed, LARGEST_MULTIPLIER, Leaf, Multipliers, Range, Refutes, Step};
use ground::Amount;
use kit::{Choices, SolveOptions, read_back};
use solver::Control;
use std::collections::BTreeMap;
use std::time::Instant;

/// What dual values are multiplied by before they are made whole, one after the other.
const SCALES: [i64; 16] =
    [1, 2, 3, 4, 6, 8, 12, 24, 60, 120, 840, 1 << 14, 1 << 20, 1 << 26, 1 << 30, 1 << 34];

/// The most splits and leaves of the proof of a goal.
const MOST_STEPS: usize = 128;

/// How far from a whole number a total has to be to be split.
const FRACTIONAL: f64 = 1e-6;

/// A certificate that the best solution is optimal, or that there is none.
///
/// # Errors
/// Why there is no certificate, in words.
pub fn make(
    problem: &Problem,
    fingerprint: &str,
    reading: Reading,
    best: Option<&Score>,
    (options, control): (&SolveOptions, &Control),
) -> Result<Certificate, String> {
    let question = plain(problem, reading);
    let checker = Checker::new(&question).map_err(|refusal| refusal.to_string())?;
    let plan = StagePlan::new(problem).map_err(|error| error.to_string())?;
    let lattice = match reading {
        Reading::Printed => compact(problem, plan.clone()),
        Reading::ExactIndex => exact_index(problem, plan.clone()),
    };
    let deadline = options.effort.time_limit.map(|limit| Instant::now() + limit);
    let relaxations = Relaxations::new(&lattice, &checker, (options, control, deadline));
    let maker = Maker { problem, question: &question, checker: &checker, plan: &plan, relaxations };
    let claims = match best {
        None => vec![maker.claim(&[], Claimed::Infeasible)?],
        Some(score) => {
            let values = values(&question, score);
            let claim = |(number, stage): (usize, &Stage)| {
                let claimed = Claimed::Best { stage: stage.name().to_owned(), value: values[number] };
                maker.claim(&values[..=number], claimed)
            };
            question.stages.iter().enumerate().map(claim).collect::<Result<_, _>>()?
        }
    };
    let instance = problem.cluster.name.clone();
    let certificate = Certificate {
        model: "wpm".to_owned(),
        fingerprint: fingerprint.to_owned(),
        instance,
        reading: Some(reading.name().to_owned()),
        claims,
    };
    read_back(&checker, &certificate)
}

struct Maker<'m, 'p> {
    problem: &'m Problem,
    question: &'m Question<'m>,
    checker: &'m Checker<'m>,
    plan: &'m StagePlan,
    relaxations: Relaxations<'m, 'p>,
}

/// A proof under construction.
struct Proof<'v> {
    /// The values of the goals up to the one that is proved.
    values: &'v [Amount],
    steps: Vec<Step>,
}

impl Maker<'_, '_> {
    /// A claim with its proof, given the values of the goals up to it.
    fn claim(&self, values: &[Amount], claimed: Claimed) -> Result<Claim, String> {
        let mut proof = Proof { values, steps: Vec::new() };
        let what = match &claimed {
            Claimed::Infeasible => "that there is no solution".to_owned(),
            Claimed::Best { stage, .. } => format!("the value of goal `{stage}`"),
        };
        self.prove(&mut Vec::new(), &mut proof)
            .map_err(|why| format!("{what} has no proof by prices: {why}"))?;
        Ok(Claim { line: 0, claimed, proof: proof.steps })
    }

    /// Proves a case: by a leaf, or by two cases.
    fn prove(&self, case: &mut Vec<(Total, Range)>, proof: &mut Proof<'_>) -> Result<(), String> {
        if proof.steps.len() >= MOST_STEPS {
            return Err(format!("it takes more than {MOST_STEPS} steps"));
        }
        let mut point = None;
        for is_elastic in [false, true] {
            let Some(duals) = self.duals(case, proof.values, is_elastic) else { continue };
            if let Some(leaf) = self.leaf(&duals, case, proof.values) {
                proof.steps.push(Step::Leaf(leaf));
                return Ok(());
            }
            point.get_or_insert(duals.columns);
        }
        let point = point.ok_or("the solver has no dual values")?;
        let (total, at) = self.fractional(&point, case).ok_or("no total is left to be split")?;
        let name = self.checker.name(total).ok_or("a total has no name")?.to_owned();
        proof.steps.push(Step::Split { line: 0, total: name, at });
        for range in self.checker.split(total, i128::from(at), case) {
            case.push((total, range));
            let proved = self.prove(case, proof);
            case.pop();
            proved?;
        }
        Ok(())
    }

    /// The dual values of a case.
    fn duals(&self, case: &[(Total, Range)], values: &[Amount], is_elastic: bool) -> Option<Duals> {
        let in_units = |(value, &stage): (&Amount, &Stage)| {
            let unit = match stage {
                Stage::Of(term) => self.plan.unit(goal_of(term)),
                Stage::Profit => self.plan.unit_of_stage(stage.name()),
            };
            value.in_units_of(unit).map(|units| units as f64)
        };
        let values = values.iter().zip(&self.question.stages).map(in_units).collect::<Option<Vec<f64>>>()?;
        let totals: Vec<_> = latest(case)
            .into_iter()
            .map(|(total, range)| (total, range.least as f64, range.greatest as f64))
            .collect();
        let (worse, values) =
            values.split_last().map_or((None, &[][..]), |(worse, values)| (Some(*worse), values));
        self.relaxations.duals(&Case { values, worse, totals: &totals }, is_elastic)
    }

    /// The leaf that the checker accepts, if the dual values, multiplied and made whole, are one.
    fn leaf(&self, duals: &Duals, case: &[(Total, Range)], values: &[Amount]) -> Option<Leaf> {
        let leaves = SCALES.iter().filter_map(|&scale| self.whole(duals, case, scale));
        leaves.into_iter().find(|leaf| self.checker.refute(leaf, values, case).is_ok())
    }

    fn whole(&self, duals: &Duals, case: &[(Total, Range)], scale: i64) -> Option<Leaf> {
        let whole = |value: f64| {
            let scaled = (value * scale as f64).round();
            (scaled.abs() < LARGEST_MULTIPLIER as f64).then_some(scaled as i64)
        };
        let mut leaf = Leaf::default();
        let mut totals: BTreeMap<Total, i64> = BTreeMap::new();
        let prices: BTreeMap<usize, f64> = duals.prices.iter().copied().collect();
        for (total, &multiplier) in latest(case).into_keys().zip(&duals.totals) {
            // What a place is worth has a price already, to which the case adds nothing.
            if !matches!(total, Total::Placed(_)) {
                totals.insert(total, whole(multiplier)?);
            }
        }
        *totals.entry(Total::Migrations).or_default() += whole(duals.migrations)?;
        for (pool, name) in self.checker.pool_names().enumerate() {
            push(&mut leaf.prices, name, whole(prices.get(&pool).copied().unwrap_or_default())?);
        }
        for (stage, &multiplier) in self.question.stages.iter().zip(&duals.goals) {
            push(&mut leaf.goals, stage.name(), whole(multiplier)?);
        }
        for (total, multiplier) in totals {
            push(&mut leaf.totals, self.checker.name(total)?, multiplier);
        }
        Some(leaf)
    }

    /// A total of a case that is fractional at a point, and the whole number below it, at which both sides are smaller.
    fn fractional(&self, point: &[f64], case: &[(Total, Range)]) -> Option<(Total, i64)> {
        let boards = (0..self.problem.cluster.boards.len()).map(cluster::BoardIndex::at);
        let pools = (0..self.checker.pool_names().count()).map(Total::Placed);
        let totals = std::iter::once(Total::Gpus)
            .chain(boards.map(Total::GpusOf))
            .chain([Total::Repartitions])
            .chain(pools)
            .chain(self.relaxations.kinds().map(Total::Stays))
            // At least so many migrations are seldom refuted: no price may make a migration a gain.
            .chain([Total::Migrations]);
        totals.into_iter().find_map(|total| {
            let value = self.relaxations.value_of(total, point);
            let (at, range) = (value.floor() as i64, self.checker.range(total, case));
            let splits = range.least <= i128::from(at) && i128::from(at) < range.greatest;
            (splits && (value - value.round()).abs() > FRACTIONAL).then_some((total, at))
        })
    }
}

/// Adds a multiplier that is not 0.
fn push(multipliers: &mut Multipliers, name: &str, multiplier: i64) {
    if multiplier != 0 {
        multipliers.push((name.to_owned(), multiplier));
    }
}

/// The last range of every total.
fn latest(case: &[(Total, Range)]) -> BTreeMap<Total, Range> {
    case.iter().copied().collect()
}

fn goal_of(term: Term) -> Goal {
    match term {
        Term::Reward => Goal::Reward,
        Term::Gpus => Goal::Gpus,
        Term::Migrations => Goal::Migrations,
        Term::Waste => Goal::Waste,
    }
}

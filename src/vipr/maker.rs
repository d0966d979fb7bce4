//! Finds proofs: dual values of relaxations make leaves; what they leave open is split, totals first.

use super::check::{check, check_point};
use super::claim::Claim;
use super::combination::Range;
use super::guide::{Advice, Guide};
use super::limits::{Limits, MOST_DEPTH, MOST_LEAVES};
use super::multipliers::leaf;
use super::tree::Tree;
use super::unproved::Unproved;
use std::time::Instant;

/// How far from a whole number a column has to be to be split.
const FRACTIONAL: f64 = 1e-6;

/// The most columns whose splits are tried, and how many in a row may be no better than the best one.
const MOST_TRIED: usize = 10;
const MOST_WORSE: usize = 5;

/// Gains below this are as good as none.
const LEAST_GAIN: f64 = 1e-6;

/// A proof of a claim, which the checker accepted.
///
/// # Errors
/// Why there is none.
pub fn prove(claim: &Claim, limits: &Limits<'_>) -> Result<Tree, Unproved> {
    let guide = Guide::open(claim, limits)?;
    let gains = vec![[Gains::default(); 2]; claim.program.columns.len()];
    let mut maker = Maker { claim, limits, guide, ranges: Range::all(claim), leaves: 0, gains };
    let tree = maker.node(0)?;
    check(claim, &tree).map_err(Unproved::Refused)?;
    Ok(tree)
}

/// What splits of a column have gained on one side.
#[derive(Clone, Copy, Default)]
struct Gains {
    sum: f64,
    count: f64,
}

impl Gains {
    fn mean(self) -> f64 {
        (self.sum / self.count).max(LEAST_GAIN)
    }
}

struct Maker<'a> {
    claim: &'a Claim,
    limits: &'a Limits<'a>,
    guide: Guide<'a>,
    /// The present box.
    ranges: Vec<Range>,
    leaves: usize,
    /// By column: below and above.
    gains: Vec<[Gains; 2]>,
}

impl Maker<'_> {
    fn node(&mut self, depth: usize) -> Result<Tree, Unproved> {
        self.check_limits(depth)?;
        let advice = self.guide.advice()?;
        let found = match &advice {
            Advice::Value { value, duals, .. }
                if self.least_refuted().is_some_and(|least| *value > least - 1.0) =>
            {
                leaf(self.claim, duals, &self.ranges)
            }
            _ => None,
        };
        let found = match found {
            None if self.is_refuted(&advice) => {
                let duals = self.guide.duals_of_violation(&self.ranges)?;
                leaf(self.claim, &duals, &self.ranges)
            }
            found => found,
        };
        if let Some(leaf) = found {
            self.leaves += 1;
            return Ok(Tree::Leaf(leaf));
        }
        let Advice::Value { value, point, .. } = advice else { return Err(Unproved::Open) };
        let Some((column, at)) = self.split(value, &point)? else {
            return Err(if self.is_better(&point) { Unproved::Better } else { Unproved::Open });
        };
        let range = self.ranges[column];
        let mut sides = Vec::with_capacity(2);
        for side in sides_of(range, at) {
            self.set_range(column, side);
            sides.push(Box::new(self.node(depth + 1)?));
        }
        self.set_range(column, range);
        let [below, above] = <[Box<Tree>; 2]>::try_from(sides).expect("a split has two sides");
        Ok(Tree::Split { column, at, below, above })
    }

    fn check_limits(&self, depth: usize) -> Result<(), Unproved> {
        match () {
            () if self.limits.control.is_interrupted() => Err(Unproved::Interrupted),
            () if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                Err(Unproved::Time)
            }
            () if self.leaves >= MOST_LEAVES => Err(Unproved::Leaves),
            () if depth > MOST_DEPTH => Err(Unproved::Depth),
            () => Ok(()),
        }
    }

    /// The value of the goal from which on, when it is minimised, nothing is better.
    fn least_refuted(&self) -> Option<f64> {
        self.claim.goal.as_ref().map(|goal| (goal.sign() * goal.value) as f64)
    }

    /// Whether the solver says that nothing better is in the box.
    fn is_refuted(&self, advice: &Advice) -> bool {
        match advice {
            Advice::Nothing => true,
            Advice::Value { value, .. } => {
                self.least_refuted().is_some_and(|least| *value > least - 1.0 + FRACTIONAL)
            }
        }
    }

    /// Whether a point is one of the program that is better than the claim.
    fn is_better(&self, point: &[f64]) -> bool {
        let point: Vec<i64> = point.iter().map(|value| value.round() as i64).collect();
        let without_goal = Claim { goal: None, ..self.claim.clone() };
        let Some(goal) = &self.claim.goal else { return check_point(&without_goal, &point).is_ok() };
        let value: i128 = goal
            .terms
            .iter()
            .map(|&(column, coefficient)| i128::from(coefficient) * i128::from(point[column]))
            .sum();
        let sign = i128::from(goal.sign());
        sign * value < sign * i128::from(goal.value) && check_point(&without_goal, &point).is_ok()
    }

    fn set_range(&mut self, column: usize, range: Range) {
        self.ranges[column] = range;
        self.guide.set_range(column, range);
    }

    /// The column whose split gains most, and the whole number below its value. Where totals are fractional, one of these.
    fn split(&mut self, value: f64, point: &[f64]) -> Result<Option<(usize, i64)>, Unproved> {
        let is_fractional = |column: &usize| (point[*column] - point[*column].round()).abs() > FRACTIONAL;
        let totals: Vec<usize> = self.claim.program.totals.iter().copied().filter(is_fractional).collect();
        let mut columns = match totals.is_empty() {
            true => (0..point.len()).filter(is_fractional).collect(),
            false => totals,
        };
        columns.sort_by(|one, other| self.promise(*other, point).total_cmp(&self.promise(*one, point)));
        let at = |column: usize| (column, point[column].floor() as i64);
        if columns.len() < 2 {
            return Ok(columns.first().map(|&column| at(column)));
        }
        let (mut best, mut chosen, mut worse) = (f64::NEG_INFINITY, None, 0);
        for &column in columns.iter().take(MOST_TRIED) {
            let gain = self.try_split(value, at(column))?;
            if gain > best {
                (best, chosen, worse) = (gain, Some(column), 0);
            } else {
                worse += 1;
            }
            if worse >= MOST_WORSE {
                break;
            }
        }
        Ok(chosen.map(at))
    }

    /// Columns that were tried before come first, by what they gained; the others by how fractional they are.
    fn promise(&self, column: usize, point: &[f64]) -> f64 {
        let [below, above] = self.gains[column];
        match below.count > 0.0 {
            true => 1.0 + below.mean() * above.mean(),
            false => (point[column] - point[column].round()).abs(),
        }
    }

    /// What a split gains: the product of what both sides do.
    fn try_split(&mut self, value: f64, (column, at): (usize, i64)) -> Result<f64, Unproved> {
        let range = self.ranges[column];
        // Beyond the value that is to be refuted nothing counts.
        let most = self.least_refuted().map_or(1.0, |least| (least - value).max(LEAST_GAIN)) * 1.001;
        let mut product = 1.0;
        for (number, side) in sides_of(range, at).into_iter().enumerate() {
            self.guide.set_range(column, side);
            let gain = match self.guide.advice()? {
                Advice::Nothing => most,
                Advice::Value { value: after, .. } => (after - value).clamp(0.0, most),
            };
            let gains = &mut self.gains[column][number];
            *gains = Gains { sum: gains.sum + gain, count: gains.count + 1.0 };
            product *= gain.max(LEAST_GAIN);
        }
        self.guide.set_range(column, range);
        Ok(product)
    }
}

fn sides_of(range: Range, at: i64) -> [Range; 2] {
    [Range { upper: at, ..range }, Range { lower: at + 1, ..range }]
}

//! What is to be proved, as costs and totals of machines, and from prices to leaves.

use certificate::siavashi::{Checker, Held, Question, Stage, Term, Total};
use certificate::{Leaf, Multipliers, Range, Refutes};
use ground::Amount;
use prices::{Column, ONE, Split};

/// The greatest number that costs may add up to.
const MOST_COST: i128 = 1 << 44;

/// With more pairs of types and kinds than this, what is placed of a type on a kind is not followed.
const MOST_PAIRS: usize = 4_000;

/// A case of a claim: that nothing in it is better than what is known.
pub struct Aim<'a> {
    /// The checker.
    pub checker: &'a Checker<'a>,
    question: &'a Question<'a>,
    /// What a unit of every term costs, with the opposite sign for acceptance; nothing where there is to be no placement.
    costs: [i64; 3],
    /// The cost than which nothing is to be less.
    pub known: i64,
    /// The totals that are followed.
    pub totals: Vec<Total>,
    /// The earlier goals, with their values in units, by machines.
    before: Vec<(Term, i64)>,
    /// The name of the last goal.
    last: Option<&'static str>,
}

impl<'a> Aim<'a> {
    /// The aim of a claim, given the values of the goals up to it.
    ///
    /// # Errors
    /// When its numbers are too great.
    pub fn new(
        checker: &'a Checker<'a>,
        question: &'a Question<'a>,
        values: &[Amount],
    ) -> Result<Self, String> {
        let too_great = || "its numbers are too great".to_owned();
        let moderate = |number: i128| i64::try_from(number).ok().filter(|_| number.abs() < MOST_COST);
        let pinned = checker.pinned_acceptance();
        let mut aim = Aim {
            checker,
            question,
            costs: [0; 3],
            known: 1,
            totals: Vec::new(),
            before: Vec::new(),
            last: None,
        };
        for (goal, (value, &stage)) in values.iter().zip(&question.stages).enumerate() {
            let (unit, steps) = checker.unit(goal);
            let units = value.in_units_of(unit).ok_or_else(too_great)?;
            if goal + 1 < values.len() {
                let Stage::Of(term) = stage else {
                    return Err("a weighted sum is not the last goal".to_owned());
                };
                let units = if term == Term::Acceptance { units - pinned } else { units };
                aim.before.push((term, moderate(units).ok_or_else(too_great)?));
                continue;
            }
            let is_cost = matches!(stage, Stage::Of(Term::Hardware | Term::Migrations));
            let cost = if is_cost { units } else { steps[0] * pinned - units };
            aim.known = moderate(cost).ok_or_else(too_great)?;
            for (cost, step) in aim.costs.iter_mut().zip(steps) {
                *cost = moderate(step).ok_or_else(too_great)?;
            }
            aim.last = Some(stage.name());
        }
        aim.totals = vec![Total::Machines, Total::Gpus];
        if aim.tells_kinds_apart() {
            aim.totals.extend((0..checker.kinds()).map(Total::MachinesOf));
            aim.totals.extend((0..checker.kinds()).map(Total::GpusOf));
        }
        aim.totals.push(Total::Moved);
        aim.totals.extend((0..checker.types()).map(Total::Placed));
        if aim.tells_kinds_apart() && checker.types() * checker.kinds() <= MOST_PAIRS {
            let pairs = (0..checker.types())
                .flat_map(|of_type| (0..checker.kinds()).map(move |kind| (of_type, kind)));
            aim.totals.extend(pairs.map(|(of_type, kind)| Total::PlacedOn(of_type, kind)));
        }
        Ok(aim)
    }

    /// Whether it matters where workloads run now.
    fn knows_places(&self) -> bool {
        let before = self.before.iter().any(|&(term, _)| term == Term::Migrations);
        before || self.costs[Term::Migrations as usize] != 0 || self.question.max_migrations.is_some()
    }

    /// Whether kinds are parts by themselves; else those are one that are alike where it does not matter what runs where.
    pub fn tells_kinds_apart(&self) -> bool {
        self.knows_places() || self.checker.kinds() <= FEW_KINDS
    }

    /// What a machine of a kind costs and adds to the totals with what it holds.
    pub fn column(&self, kind: usize, held: &Held) -> Column {
        let is_used = i128::from(held.gpus > 0);
        let (weight, gpu_weight) = self.checker.weights(kind);
        let (residents, charged) = self.checker.at_home(kind);
        let accepted =
            held.placed.iter().map(|(&of_type, &number)| self.checker.acceptance(of_type) * number);
        let terms = [accepted.sum(), is_used * weight + held.gpus * gpu_weight, charged - held.spared];
        let [acceptance, hardware, migrations] =
            terms.map(|amount| i64::try_from(amount).unwrap_or(i64::MAX / 2));
        let of_term = |term: Term| [acceptance, hardware, migrations][term as usize];
        let cost = self.costs[1] * hardware + self.costs[2] * migrations - self.costs[0] * acceptance;
        let amount = |total: &Total| -> i128 {
            match *total {
                Total::Machines => is_used,
                Total::Gpus => held.gpus,
                Total::MachinesOf(of) => {
                    if of == kind {
                        is_used
                    } else {
                        0
                    }
                }
                Total::GpusOf(of) => {
                    if of == kind {
                        held.gpus
                    } else {
                        0
                    }
                }
                Total::Moved => residents - held.stay,
                Total::Placed(of_type) => held.placed.get(&of_type).copied().unwrap_or(0),
                Total::PlacedOn(of_type, on) if on == kind => held.placed.get(&of_type).copied().unwrap_or(0),
                Total::PlacedOn(..) => 0,
            }
        };
        let totals = self.totals.iter().map(|total| amount(total) as i64);
        let goals = self.before.iter().map(|&(term, _)| of_term(term));
        let terms = totals.chain(goals).enumerate().filter(|&(_, amount)| amount != 0).collect();
        Column { cost, terms }
    }

    /// The totals with their bounds in a case, and after them the earlier goals, which are not to be worse.
    pub fn totals(&self, case: &[(Total, Range)]) -> Vec<prices::Total> {
        let named = |name: String, least: Option<i64>, most: Option<i64>| prices::Total {
            name,
            least,
            most,
            excess_cost: None,
            split: Split::Never,
        };
        let of_total = |(number, &total): (usize, &Total)| {
            let (all, range) = (self.checker.range_in_all(total), self.checker.range(total, case));
            let is_priced = matches!(total, Total::Placed(_) | Total::Moved);
            let least =
                (range.least > all.least || is_priced && range.least > 0).then_some(range.least as i64);
            let most = (range.greatest < all.greatest || is_priced).then_some(range.greatest as i64);
            named(format!("total-{number}"), least, most)
        };
        let of_goal = |&(term, value): &(Term, i64)| {
            let name = Stage::Of(term).name().to_owned();
            match term {
                Term::Acceptance => named(name, Some(value), None),
                Term::Hardware | Term::Migrations => named(name, None, Some(value)),
            }
        };
        self.totals.iter().enumerate().map(of_total).chain(self.before.iter().map(of_goal)).collect()
    }

    /// What prices of the totals and earlier goals are as multipliers, times a scale and made whole.
    pub fn leaf(&self, prices: &[i64], scale: i64) -> Leaf {
        let whole = |price: i64| {
            let scaled = i128::from(price) * i128::from(scale) + i128::from(ONE) / 2;
            scaled.div_euclid(i128::from(ONE)) as i64
        };
        let mut leaf = Leaf::default();
        let push = |multipliers: &mut Multipliers, name: String, multiplier: i64| {
            if multiplier != 0 {
                multipliers.push((name, multiplier));
            }
        };
        for (&total, &price) in self.totals.iter().zip(prices) {
            let name = self.checker.name(total);
            match total {
                Total::Placed(_) => {
                    push(&mut leaf.prices, name["placed:".len()..].to_owned(), whole(-price));
                }
                _ => push(&mut leaf.totals, name, whole(-price)),
            }
        }
        for (&(term, _), &price) in self.before.iter().zip(&prices[self.totals.len()..]) {
            let multiplier = if term == Term::Acceptance { whole(price) } else { whole(-price) };
            push(&mut leaf.goals, Stage::Of(term).name().to_owned(), multiplier);
        }
        leaf.goals.extend(self.last.map(|name| (name.to_owned(), scale)));
        leaf
    }

    /// What a workload, a machine with one GPU or a move costs at most.
    pub fn confines(&self) -> f64 {
        let of_type = |of_type: usize| {
            self.costs[0] as f64 * self.checker.acceptance(of_type) as f64
                + self.costs[2] as f64 * self.checker.charged(of_type) as f64
        };
        let of_kind = |kind: usize| {
            let (weight, gpu_weight) = self.checker.weights(kind);
            self.costs[1] as f64 * (weight + gpu_weight) as f64
        };
        let most = (0..self.checker.types()).map(of_type).chain((0..self.checker.kinds()).map(of_kind));
        most.fold(1.0, f64::max)
    }
}

/// Up to so many kinds of machines are told apart where it does not matter what runs where.
const FEW_KINDS: usize = 12;

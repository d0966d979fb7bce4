//! Dives: solutions by fixing what the linear program of contents likes best, one content after the other.
//!
//! After each one the totals and parts that are left are a smaller problem of the same kind, for which new contents are priced. A dive
//! ends where the smaller problem has a whole solution, or where nothing can cost as little as wanted any more.

use super::chosen::Chosen;
use super::outer::Outer;
use super::part::Part;
use super::pool::Entry;
use super::pricing::{Pricing, Shared, Thoroughness};
use super::selection::{Listed, Selection, Taken};
use super::total::Bounds;
use super::whole::{WHOLE, is_whole};
use milp::StopReason;
use solver::{Request, Settings, Solver};
use std::ops::Range;

/// From so many contents on a dive reads their shares from the program of prices: a program of its own takes longer.
const MANY_CONTENTS: usize = 2_000;

/// Dives in a part of the search.
pub struct Dives<'d, P: Part> {
    /// What is shared with the search.
    pub shared: Shared<'d, P>,
    /// The bounds of the totals in this part of the search.
    pub bounds: &'d Bounds,
    /// Solves the linear programs.
    pub solver: &'d dyn Solver,
    /// Its settings.
    pub settings: &'d Settings,
    /// What a price of a total is at first, at most.
    pub confines: f64,
    /// What a solution is to cost at most.
    pub wanted: i64,
    /// When rounds of prices in them end.
    pub thoroughness: Thoroughness,
}

/// A content that has been fixed for some of the parts that are alike: its position in the pool, and for how many.
type Fixed = Taken;

/// A solution, and what it costs.
pub type Dived<C> = (i64, Vec<Chosen<C>>);

/// What is left of a problem.
struct Rest {
    bounds: Bounds,
    numbers: Vec<u32>,
    /// What may still be spent.
    wanted: i64,
    fixed: Vec<Fixed>,
}

/// What the linear program of contents says.
enum Point {
    /// No solution of what is met costs as little as wanted.
    Nothing,
    /// A whole solution, and what it costs.
    Whole(i64, Vec<Fixed>),
    /// Values that are not zero, by position in the pool; not all of them are whole.
    Fractional(Vec<(usize, f64)>),
}

impl<P: Part> Dives<'_, P> {
    /// Dives of these numbers; what a solution that costs no more than wanted consists of, if one is found. The dives begin at some prices,
    /// and each of them with other contents.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn run(&mut self, dives: Range<usize>, prices: &[i64]) -> Result<Option<Dived<P::Content>>, String> {
        let mut outer = Outer::new(
            self.shared.totals,
            self.bounds,
            self.shared.numbers,
            self.confines,
            self.solver,
            self.settings,
        )?;
        for dive in dives {
            let found = self.dive(&mut outer, prices, dive)?;
            if found.is_some() || self.shared.limits.stop().is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn dive(
        &mut self,
        outer: &mut Outer<'_>,
        prices: &[i64],
        dive: usize,
    ) -> Result<Option<Dived<P::Content>>, String> {
        let mut rest = Rest {
            bounds: self.bounds.clone(),
            numbers: self.shared.numbers.to_vec(),
            wanted: self.wanted,
            fixed: Vec::new(),
        };
        let mut prices = prices.to_vec();
        // By depth, how many contents are passed over: the digits of the dive's number, each counted in as many as there are contents.
        let mut later = dive;
        loop {
            outer.aim(&rest.bounds, &rest.numbers);
            let mut pricing = Pricing {
                shared: &mut self.shared,
                bounds: &rest.bounds,
                numbers: &rest.numbers,
                known: rest.wanted + 1,
                thoroughness: self.thoroughness,
            };
            let (proved, stop) = pricing.run(outer, Some(&prices));
            match stop {
                Some(StopReason::SolverError(words)) => return Err(words),
                Some(_) => return Ok(None),
                None => {}
            }
            if let Some(proved) = proved {
                prices = proved.prices;
            }
            let point = match self.shared.pool.entries.len() > MANY_CONTENTS {
                true => self.point_of_prices(&rest, outer),
                false => None,
            };
            let point = match point {
                Some(point) => point,
                None => self.point(&rest)?,
            };
            match point {
                Point::Nothing => return Ok(None),
                Point::Whole(cost, whole) => {
                    rest.fixed.extend(whole);
                    let cost = self.wanted - rest.wanted + cost;
                    return Ok(Some((cost, self.chosen(&rest.fixed))));
                }
                Point::Fractional(values) => {
                    let next = self.next(&values, &mut later);
                    if next.is_empty() {
                        return Ok(None);
                    }
                    for (position, number) in next {
                        rest.fix(position, &self.shared.pool.entries[position], number);
                    }
                }
            }
        }
    }

    /// The linear program of what is met, as the program of prices tells it; none where its solver does not say.
    fn point_of_prices(&mut self, rest: &Rest, outer: &mut Outer<'_>) -> Option<Point> {
        let proposal = outer.best(self.shared.limits, &mut self.shared.counters.work)?;
        let shares = outer.shares()?;
        if proposal.value > rest.wanted as f64 + WHOLE {
            return Some(Point::Nothing);
        }
        let values: Vec<(usize, f64)> =
            shares.into_iter().enumerate().filter(|(_, share)| *share > WHOLE).collect();
        if !values.iter().all(|&(_, share)| is_whole(share)) {
            return Some(Point::Fractional(values));
        }
        let whole: Vec<Fixed> =
            values.into_iter().map(|(position, share)| (position, share.round() as u32)).collect();
        let listed = self.listed();
        let cost = self.selection(rest, &listed).cost(&whole);
        Some(
            cost.filter(|&cost| cost <= rest.wanted).map_or(Point::Nothing, |cost| Point::Whole(cost, whole)),
        )
    }

    /// The linear program of what is met.
    fn point(&mut self, rest: &Rest) -> Result<Point, String> {
        let listed = self.listed();
        let program = self.selection(rest, &listed).program(rest.wanted + 1);
        let mut session = self.solver.open(&program, self.settings).map_err(|failure| failure.to_string())?;
        session.set_objective(&program.stages[0]);
        let outcome =
            session.solve(&Request::relaxation(self.shared.limits.deadline, self.shared.limits.control));
        self.shared.counters.work += outcome.work;
        let (Some(columns), Some(cost)) = (outcome.columns, outcome.primal) else {
            return Ok(Point::Nothing);
        };
        if cost > rest.wanted as f64 + WHOLE {
            return Ok(Point::Nothing);
        }
        let values: Vec<(usize, f64)> = columns[..self.shared.pool.entries.len()]
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, value)| *value > WHOLE)
            .collect();
        if columns.iter().all(|&value| is_whole(value)) {
            let whole = values.into_iter().map(|(position, value)| (position, value.round() as u32));
            return Ok(Point::Whole(cost.round() as i64, whole.collect()));
        }
        Ok(Point::Fractional(values))
    }

    fn listed(&self) -> Vec<Listed<'_>> {
        self.shared.pool.entries.iter().map(Listed::from).collect()
    }

    /// What is left to choose from.
    fn selection<'s>(&'s self, rest: &'s Rest, listed: &'s [Listed<'s>]) -> Selection<'s> {
        Selection { totals: self.shared.totals, bounds: &rest.bounds, numbers: &rest.numbers, listed }
    }

    /// What is fixed next: what is whole already, but for plain contents; where there is none, the content with the greatest value, or one
    /// that comes so many later.
    fn next(&self, values: &[(usize, f64)], later: &mut usize) -> Vec<Fixed> {
        let plain = |position: usize| {
            let entry = &self.shared.pool.entries[position];
            entry.column.cost == 0 && entry.column.terms.is_empty()
        };
        let mut values: Vec<(usize, f64)> =
            values.iter().copied().filter(|&(position, _)| !plain(position)).collect();
        let whole = values.iter().filter(|(_, value)| *value > 1.0 - WHOLE);
        let whole: Vec<Fixed> =
            whole.map(|&(position, value)| (position, (value + WHOLE).floor() as u32)).collect();
        if !whole.is_empty() && *later == 0 {
            return whole;
        }
        values.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let choices = values.len().max(1);
        let place = *later % choices;
        *later /= choices;
        // Plain contents alone are no choice.
        values.get(place).map(|&(position, _)| (position, 1)).into_iter().collect()
    }

    fn chosen(&self, fixed: &[Fixed]) -> Vec<Chosen<P::Content>> {
        let chosen = fixed.iter().map(|&(position, number)| {
            let entry = &self.shared.pool.entries[position];
            Chosen { part: entry.part, content: entry.content.clone(), number }
        });
        chosen.collect()
    }
}

impl Rest {
    fn fix<C>(&mut self, position: usize, entry: &Entry<C>, number: u32) {
        let number = number.min(self.numbers[entry.part]);
        self.numbers[entry.part] -= number;
        self.wanted -= entry.column.cost * i64::from(number);
        self.bounds.spend(&entry.column, number);
        self.fixed.push((position, number));
    }
}

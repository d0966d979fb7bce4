//! Fewer contents to choose from, by prices of their own.
//!
//! The contents that are listed for a cost are those that some prices cannot rule out. The linear program of these contents alone has prices
//! of its own, and a bound that is often greater: it knows of no others, and none of the others is part of a solution of that cost. Its
//! prices rule out more, and so on. All that is ruled out is so by whole numbers: the linear program only proposes prices.

use super::ONE;
use super::effort::Limits;
use super::pricing::cost_of;
use super::selection::{Listed, Selection};
use milp::{Program, Work};
use solver::{Request, Session, Settings, Solver};

/// Prices are asked for again while the share of the contents that they leave is less than this.
const HARDLY_FEWER: f64 = 0.8;

/// The linear program of a selection, of whose contents some are ruled out.
pub struct Narrowed<'n> {
    selection: Selection<'n>,
    session: Box<dyn Session + 'n>,
    limits: &'n Limits<'n>,
    /// Whether the session may take each content.
    is_open: Vec<bool>,
    /// What the linear programs took.
    pub work: Work,
}

/// What is left of a selection.
pub enum Left {
    /// No choice costs as little as asked for.
    Nothing,
    /// Some contents may be part of one.
    Some(Remaining),
}

/// Contents that may be part of a choice of some cost.
#[derive(Clone)]
pub struct Remaining {
    /// Their positions in the selection, ascending.
    pub positions: Vec<usize>,
    /// The shares that the linear program takes of them.
    pub shares: Vec<f64>,
    /// By how much each is worth less than the best one of its part, at the prices of the linear program.
    pub slack: Vec<i64>,
    /// No choice among them costs less.
    pub bound: i64,
}

impl Remaining {
    /// The positions of those that the linear program takes, and of others that are worth most: so many in all, ascending.
    pub fn best(&self, number: usize) -> Vec<usize> {
        let mut best: Vec<usize> = (0..self.positions.len()).collect();
        best.sort_by_key(|&nth| (self.shares[nth] == 0.0, self.slack[nth]));
        best.truncate(number);
        best.sort_unstable();
        best.into_iter().map(|nth| self.positions[nth]).collect()
    }
}

impl<'n> Narrowed<'n> {
    /// Loads the program of a selection.
    ///
    /// # Errors
    /// When the solver refuses it.
    pub fn open(
        selection: Selection<'n>,
        program: &Program,
        solver: &'n dyn Solver,
        settings: &Settings,
        limits: &'n Limits<'n>,
    ) -> Result<Self, String> {
        let mut session = solver.open(program, settings).map_err(|failure| failure.to_string())?;
        session.set_objective(&program.stages[0]);
        let is_open = vec![true; selection.listed.len()];
        Ok(Narrowed { selection, session, limits, is_open, work: Work::default() })
    }

    /// Rules out some of these contents for choices that cost no more than `most`; none where the solver tells no prices, or time is up.
    pub fn narrow(&mut self, mut positions: Vec<usize>, most: i64) -> Option<Left> {
        loop {
            self.admit(&positions);
            let outcome = self.session.solve(&Request::relaxation(self.limits.deadline, self.limits.control));
            self.work += outcome.work;
            let shares = outcome.columns?;
            let duals = self.session.row_duals()?;
            let (bound, slack) = self.bound(&positions, &duals);
            if cost_of(bound) > most {
                return Some(Left::Nothing);
            }
            let gap = i128::from(most) * i128::from(ONE) - bound;
            let before = positions.len();
            let is_left = positions.iter().zip(slack).filter(|&(_, slack)| i128::from(slack) <= gap);
            let (left, slack): (Vec<usize>, Vec<i64>) =
                is_left.map(|(&position, slack)| (position, slack)).unzip();
            positions = left;
            if positions.len() as f64 >= HARDLY_FEWER * before as f64 {
                let shares = positions.iter().map(|&position| shares[position]).collect();
                return Some(Left::Some(Remaining { positions, shares, slack, bound: cost_of(bound) }));
            }
        }
    }

    /// Lets the session take these contents and no others.
    fn admit(&mut self, positions: &[usize]) {
        let mut is_open = vec![false; self.is_open.len()];
        positions.iter().for_each(|&position| is_open[position] = true);
        for (position, (now, before)) in is_open.iter().zip(&self.is_open).enumerate() {
            if now != before {
                let number = self.selection.numbers[self.selection.listed[position].part];
                self.session.set_column_bounds(position, 0.0, if *now { f64::from(number) } else { 0.0 });
            }
        }
        self.is_open = is_open;
    }

    /// What choices among some contents cost at least, in units of price, by the prices nearest to the dual values of the totals; and by how
    /// much each content is worth less than the best one of its part.
    fn bound(&self, positions: &[usize], duals: &[f64]) -> (i128, Vec<i64>) {
        let Selection { totals, bounds, numbers, listed } = self.selection;
        let mut prices: Vec<i64> =
            duals[..totals.len()].iter().map(|dual| (dual * ONE as f64).round() as i64).collect();
        bounds.clip(totals, &mut prices);
        let worths: Vec<i64> =
            positions.iter().map(|&position| listed[position].column.worth(&prices)).collect();
        let mut most: Vec<Option<i64>> = vec![None; numbers.len()];
        let part = |&position: &usize| {
            let Listed { part, .. } = listed[position];
            part
        };
        for (part, &worth) in positions.iter().map(part).zip(&worths) {
            most[part] = most[part].max(Some(worth));
        }
        let of_part =
            |(&number, most): (&u32, &Option<i64>)| i128::from(number) * i128::from(most.unwrap_or(0));
        let bound = bounds.earned(&prices) - numbers.iter().zip(&most).map(of_part).sum::<i128>();
        let slack =
            positions.iter().map(part).zip(&worths).map(|(part, worth)| most[part].unwrap_or(0) - worth);
        (bound, slack.collect())
    }
}

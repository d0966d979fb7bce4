//! The linear program of prices.
//!
//! It is the dual of the program that chooses among the contents met so far: columns for the price of each total, and one for what each
//! part costs at least; no content may be cheaper for its part. A row for each content is added when the content is met, so that any
//! solver resumes from its last basis. Prices of totals that have to be met are confined at first, as what is met so far may miss them.

use super::part::Column;
use super::total::{Bounds, Total};
use milp::{Program, Row, Search, Sense, Stage, Work};
use solver::{Request, Session, Settings, Solver};

use super::effort::Limits;

/// By what the confines grow, and the most that they do together.
const GROWTH: f64 = 3.0;
const MOST_GROWTH: f64 = 1000.0;

/// How near to its confines a price counts as confined.
const NEAR: f64 = 1e-6;

/// By what the value of the program may be too great.
const NEARLY: f64 = 1e-6;

/// The linear program of prices in a part of the search.
pub struct Outer<'s> {
    session: Box<dyn Session + 's>,
    /// The columns that make up the price of each total, with their signs.
    signed: Vec<Vec<(usize, f64)>>,
    /// The columns that are confined, and by what.
    confined: Vec<(usize, f64)>,
    /// What they were confined by at first.
    confines: f64,
    /// The column of the first part.
    first_part: usize,
    /// How many contents it has.
    pub contents: usize,
}

/// The best prices for the contents met so far.
pub struct Proposal {
    /// What would be proved if there were no other contents, in units of the costs.
    pub value: f64,
    /// By total, in units of the costs.
    pub prices: Vec<f64>,
    /// What each part costs at least.
    costs: Vec<f64>,
    /// Whether a price is at its confines: what is met so far may miss a total.
    pub is_confined: bool,
}

impl<'s> Outer<'s> {
    /// A program without contents.
    pub fn new(
        totals: &[Total],
        bounds: &Bounds,
        numbers: &[u32],
        confines: f64,
        solver: &'s dyn Solver,
        settings: &Settings,
    ) -> Result<Self, String> {
        let mut columns: Vec<milp::Column> = Vec::new();
        let mut confined = Vec::new();
        let mut signed = Vec::new();
        let mut add = |name: String, lower: f64, upper: f64| {
            columns.push(milp::Column { name, lower, upper, integer: false });
            columns.len() - 1
        };
        for (total, &(least, most)) in totals.iter().zip(&bounds.0) {
            let mut of_total = Vec::new();
            if least.is_some() {
                let column = add(format!("up[{}]", total.name), 0.0, confines);
                confined.push((column, confines));
                of_total.push((column, 1.0));
            }
            if most.is_some() {
                let cost = total.excess_cost.map(|cost| cost as f64);
                let upper = cost.unwrap_or(confines);
                let column = add(format!("down[{}]", total.name), 0.0, upper);
                if cost.is_none() {
                    confined.push((column, confines));
                }
                of_total.push((column, -1.0));
            }
            signed.push(of_total);
        }
        let first_part = signed.iter().map(Vec::len).sum::<usize>();
        for part in 0..numbers.len() {
            add(format!("part[{part}]"), f64::NEG_INFINITY, f64::INFINITY);
        }
        let stage = objective(bounds, numbers);
        let program = Program {
            name: "prices".to_owned(),
            columns,
            rows: Vec::new(),
            stages: vec![stage],
            guide: None,
            search: Search::default(),
        };
        let mut session = solver.open(&program, settings).map_err(|failure| failure.to_string())?;
        session.set_objective(&program.stages[0]);
        Ok(Outer { session, signed, confined, confines, first_part, contents: 0 })
    }

    /// Goes on with other bounds of totals, of which none has come or gone, and other numbers of parts.
    pub fn aim(&mut self, bounds: &Bounds, numbers: &[u32]) {
        self.session.set_objective(&objective(bounds, numbers));
    }

    /// No content may be cheaper for its part than the part costs.
    pub fn add(&mut self, part: usize, column: &Column) {
        let mut terms: Vec<(usize, f64)> = column
            .terms
            .iter()
            .flat_map(|&(total, amount)| {
                self.signed[total].iter().map(move |&(column, sign)| (column, sign * amount as f64))
            })
            .collect();
        terms.push((self.first_part + part, 1.0));
        let upper = column.cost as f64;
        self.session.add_row(&Row { label: "content".to_owned(), lower: f64::NEG_INFINITY, upper, terms });
        self.contents += 1;
    }

    /// The best prices; none when time is up or the solver fails.
    pub fn best(&mut self, limits: &Limits<'_>, work: &mut Work) -> Option<Proposal> {
        let request = Request::relaxation(limits.deadline, limits.control);
        let outcome = self.session.solve(&request);
        *work += outcome.work;
        let columns = outcome.columns?;
        let price =
            |signed: &Vec<(usize, f64)>| signed.iter().map(|&(column, sign)| sign * columns[column]).sum();
        Some(Proposal {
            value: outcome.primal?,
            prices: self.signed.iter().map(price).collect(),
            is_confined: self.confined.iter().any(|&(column, confines)| columns[column] > confines - NEAR),
            costs: columns[self.first_part..].to_vec(),
        })
    }

    /// How many parts take each of the contents, in the order in which these were added, in the linear program whose best prices have been
    /// found last: the dual values of the rows. None where the solver does not tell.
    pub fn shares(&mut self) -> Option<Vec<f64>> {
        let duals = self.session.row_duals()?;
        // None is negative; which sign the rows of a maximum have is up to the solver.
        Some(duals.into_iter().map(f64::abs).collect())
    }

    /// Gives confined prices more room; whether there is more to give.
    pub fn grow(&mut self) -> bool {
        let most = self.confines * MOST_GROWTH;
        let mut grows = false;
        for (column, confines) in &mut self.confined {
            if *confines < most {
                *confines *= GROWTH;
                self.session.set_column_bounds(*column, 0.0, *confines);
                grows = true;
            }
        }
        grows
    }
}

/// What prices prove with what parts cost at least. Columns are in the order of the bounds, and then of the parts.
fn objective(bounds: &Bounds, numbers: &[u32]) -> Stage {
    let of_bounds = bounds.0.iter().flat_map(|&(least, most)| {
        let up = least.map(|least| least as f64);
        up.into_iter().chain(most.map(|most| -(most as f64)))
    });
    let of_parts = numbers.iter().map(|&number| f64::from(number));
    let terms = of_bounds.chain(of_parts).enumerate().filter(|&(_, worth)| worth != 0.0).collect();
    Stage { name: "bound".to_owned(), sense: Sense::Maximize, terms, constant: 0.0, step: None }
}

impl Proposal {
    /// The least cost that it allows: no choice of the contents met costs less.
    pub fn least_cost(&self) -> i64 {
        (self.value - NEARLY).ceil() as i64
    }

    /// By how much a content is cheaper than its part costs.
    pub fn saving(&self, part: usize, column: &Column) -> f64 {
        let earned: f64 =
            column.terms.iter().map(|&(total, amount)| self.prices[total] * amount as f64).sum();
        self.costs[part] + earned - column.cost as f64
    }
}

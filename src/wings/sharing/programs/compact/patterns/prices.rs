//! The linear program of prices.

use super::pattern::Pattern;
use super::price::{PRICE_OF_ONE, in_units};
use super::types::Types;
use good_lp::{Expression, variable};
use milp::{ProgramBuilder, Row, Sense, Work};
use solver::{Control, Request, Session, Settings, Solver};
use std::collections::BTreeMap;
use std::time::Instant;

/// A column for the price of each type of virtual machine, and one for each kind of server for what one more of its servers would
/// save. All virtual machines are to be worth as much as possible, although no pattern may be worth more than its server costs and
/// would save.
pub struct Prices<'s> {
    session: Box<dyn Session + 's>,
    types: usize,
}

/// The best prices for the patterns met so far.
pub struct Outer {
    /// What the patterns would prove if there were no others, in units of the costs.
    pub value: f64,
    /// By type of virtual machine, in units of the cost over [`PRICE_OF_ONE`].
    pub prices: Vec<i64>,
    /// By kind of server, in units of the cost.
    savings: Vec<f64>,
}

impl<'s> Prices<'s> {
    pub fn new(types: &Types<'_>, solver: &'s dyn Solver, settings: &Settings) -> Result<Self, String> {
        let mut builder = ProgramBuilder::new("sharing-prices");
        let mut total = Expression::default();
        for vm_type in 0..types.vms.len() {
            let price = builder.column(format!("price[{vm_type}]"), variable().min(0));
            total.add_mul(f64::from(types.number(vm_type)), price);
        }
        for (kind, (_, servers)) in types.kinds.iter().enumerate() {
            let saving = builder.column(format!("saving[{kind}]"), variable().min(0));
            total.add_mul(-(servers.len() as f64), saving);
        }
        builder.stage("bound", Sense::Maximize, total, None);
        let program = builder.build();
        let mut session = solver.open(&program, settings).map_err(|failure| failure.to_string())?;
        session.set_objective(&program.stages[0]);
        Ok(Prices { session, types: types.vms.len() })
    }

    /// A pattern is worth no more than its server costs and would save.
    pub fn add(&mut self, types: &Types<'_>, pattern: &Pattern) {
        let mut terms: BTreeMap<usize, f64> =
            pattern.held.iter().map(|&(vm_type, count)| (vm_type, f64::from(count))).collect();
        terms.insert(self.types + pattern.kind, -1.0);
        let upper = types.cost(pattern.kind) as f64;
        let terms = terms.into_iter().collect();
        self.session.add_row(&Row { label: "pattern".to_owned(), lower: f64::NEG_INFINITY, upper, terms });
    }

    /// The best prices; none when time is up.
    pub fn best(&mut self, deadline: Option<Instant>, control: &Control, work: &mut Work) -> Option<Outer> {
        let request = Request::relaxation(deadline, control);
        let outcome = self.session.solve(&request);
        *work += outcome.work;
        let columns = outcome.columns?;
        let price = |column: &f64| (column.max(0.0) * PRICE_OF_ONE as f64).round() as i64;
        Some(Outer {
            value: outcome.primal?,
            prices: columns[..self.types].iter().map(price).collect(),
            savings: columns[self.types..].to_vec(),
        })
    }
}

impl Outer {
    /// What a server of each kind costs and would save, in units of the cost.
    pub fn limits(&self, types: &Types<'_>) -> Vec<f64> {
        self.savings.iter().enumerate().map(|(kind, saving)| types.cost(kind) as f64 + saving).collect()
    }

    /// By how much a pattern is worth more than the program of prices knows, in units of the cost.
    pub fn excess(&self, types: &Types<'_>, pattern: &Pattern) -> f64 {
        in_units(types.value(pattern, &self.prices))
            - types.cost(pattern.kind) as f64
            - self.savings[pattern.kind]
    }
}

//! Bounds and packings from patterns: sets of virtual machines that one server can host.
//!
//! The servers of each kind are parts of a search by [`prices`], patterns are their contents, and each type of virtual machines is a total
//! over all servers: all of its virtual machines are to be hosted. This folder makes up the most valuable patterns, and lists all that are
//! valuable.

mod exchange;
mod load;
mod nowhere;
mod pattern;
mod proof;
mod relaxation;
mod search;
mod server;
#[cfg(test)]
mod tests;
mod tree;
mod types;

pub use proof::{Case, Prices, prices_of};
pub use search::Search;

use crate::instance::{Problem, ServerIndex};
use crate::rules::Packing;
use ground::Amount;
use milp::Work;
use prices::{Limits, Looking, Question, Split, Total, search as by_prices};
use server::Servers;
use types::Types;

/// How often the search dives for a packing of each cost.
const DIVES: usize = 8;

/// What is known in the end.
pub struct Found {
    /// No packing costs less, in units of the costs.
    pub bound: Amount,
    /// A packing cheaper than the known one.
    pub packing: Option<Packing>,
    /// The effort.
    pub work: Work,
}

/// Bounds the cost of packing all virtual machines on servers of the pool, and looks for a packing cheaper than the known one.
///
/// # Errors
/// When the solver refuses a program.
pub fn price_patterns(
    problem: &Problem,
    pool: &[ServerIndex],
    known: &Packing,
    search: &Search<'_>,
) -> Result<Found, String> {
    let types = Types::of(problem, pool);
    let of_known = types.patterns_of(known);
    let cost = of_known.iter().map(|&(kind, _)| types.cost(kind)).sum::<i64>();
    let limits = Limits { deadline: search.deadline, control: search.control };
    let mut totals = types.hosted();
    let several = types.kinds.len() > 1;
    let mut servers: Vec<Servers<'_>> = Vec::new();
    for (kind, (_, of_kind)) in types.kinds.iter().enumerate() {
        let in_use = several.then_some(totals.len());
        if several {
            let (name, most) = (format!("servers-{kind}"), Some(of_kind.len() as i64));
            totals.push(Total { name, least: None, most, excess_cost: None, split: Split::Early });
        }
        let cost = types.cost(kind);
        servers.push(Servers::new(&types, kind, cost, in_use, &limits));
    }
    let question = Question {
        totals,
        start: of_known.into_iter().chain(types.alone()).collect(),
        known: cost,
        confines: types.confines(),
        relative_gap: search.relative_gap,
        looking: Some(Looking { early_dives: DIVES, sparing: true, ..Looking::with_dives(DIVES) }),
        most_asked: None,
    };
    let found = by_prices(&mut servers, question, search.solver, search.settings, &limits)?;
    let mut work = found.counters.work;
    work.nodes += servers.iter().map(|servers| servers.nodes).sum::<u64>();
    Ok(Found {
        bound: types.amount(i128::from(found.bound).max(0)),
        packing: found.chosen.map(|chosen| types.lay_out(&chosen)),
        work,
    })
}

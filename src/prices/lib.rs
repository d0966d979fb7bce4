//! Exact bounds and optima of problems that fall into parts, by prices of what the parts share.
//!
//! Each [`Part`] takes one of its contents (or as many as there are like parts); a content has a cost and adds to [`Total`]s over all
//! parts, each of which has to stay between bounds. The least cost is asked for.
//!
//! Give every total a price. A content then has a worth: what its terms earn at these prices, less its cost. Whatever is chosen, each
//! part's content is worth at most what the part's best content is, and what the terms earn together is at least what the bounds of the
//! totals say. The difference is a lower bound on the cost (Lagrange) for *any* prices of the right signs. Prices are whole
//! multiples of 1/[`ONE`] of the unit of costs, costs and terms are whole numbers, and parts tell the worth of their best content
//! exactly, so that the bound is a sum of integers: a linear program only proposes prices, and none of its tolerances enters.
//!
//! The same sum says what may still be part of something cheap: a solution costs the bound plus, for each part, by how much its
//! content is worth less than the best one, plus other terms that are not negative. Of a solution that costs at most `v` every content is
//! therefore worth at most `v` less the bound less than the best of its part. [`search`] lists these contents, rules out more of them by prices of
//! their own, and leaves the choice among the others to an exact solver of integer programs; it branches on totals first where that raises the bound.

mod activities;
mod branching;
mod choosing;
mod chosen;
mod dive;
mod effort;
mod looking;
mod narrowed;
mod neighbourhoods;
mod node;
mod outer;
mod part;
mod pool;
mod pricing;
mod proof;
mod question;
mod search;
mod searcher;
mod selection;
#[cfg(test)]
mod tests;
mod total;
mod whole;

pub use chosen::Chosen;
pub use effort::{Counters, Limits};
pub use part::{BEAM, Column, Effort, Part, Priced};
pub use proof::{Inquiry, Proof, prove};
pub use question::{Looking, Question};
pub use search::{Found, search};
pub use total::{Split, Total};

/// What prices are counted in: the cost of one is so many units of price.
pub const ONE: i64 = 1 << 12;

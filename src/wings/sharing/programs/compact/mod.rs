//! The compact formulation: a program over page classes, and the search that proves most packings without it.

mod bound;
mod patterns;
mod pool;
mod program;
mod rows;
mod scope;
mod search;
mod symmetry;
mod units;

pub use bound::least_cost;
pub use patterns::{Case, Prices, Search as PatternSearch, prices_of};
pub use pool::Dominance;
pub use program::Compact;
pub use scope::Scope;
pub use search::Search;
pub use units::Units;

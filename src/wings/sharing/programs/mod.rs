//! Ways of writing a problem as a program, and from there to a proved, verified answer.

mod compact;
mod encoding;
mod formulations;
mod known;
mod printed;
mod proof;
mod solve;
mod to_the_page;
mod way;

pub use compact::{Case, Compact, Dominance, PatternSearch, Prices, Scope, Units, least_cost, prices_of};
pub use encoding::Encoding;
pub use formulations::{COMPACT, FORMULATIONS, PRINTED};
pub use printed::{CommonPages, Printed, TooManySets, multilinear, power_set};
pub use solve::{Solved, solve};
pub use way::Way;

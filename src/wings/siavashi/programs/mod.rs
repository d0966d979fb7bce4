//! Ways of writing a problem as a program, and from there to a proved, verified answer.

mod cluster_rules;
mod compact;
mod encoding;
mod formulations;
mod frontier;
mod in_use;
mod known;
mod priced;
mod printed;
mod search;
mod slots;
mod solve;
mod stage_plan;
mod staged;

pub use compact::{Compact, NotCompact};
pub use encoding::{Decoder, Encoding, Preliminary};
pub use formulations::{
    COMPACT, COMPACT_BY_PRICES, COMPACT_BY_PROGRAMS, COMPACT_BY_TIGHT_MACHINES, FORMULATIONS, PRINTED, SLOTS,
    suitable,
};
pub use priced::{PriceTask, PricedStage, Prices};
pub use printed::{NotPrinted, Printed};
pub use slots::Slots;
pub use solve::{Solved, solve_from};
pub use stage_plan::StagePlan;
pub use staged::Staged;

//! Placement policies of the systems that people run, request by request on a [`fleet::Fleet`]. What each does, where that is written, and
//! what its source leaves open is told in `docs/guides/schedulers.md`.
//!
//! Nothing here knows a model: a wing wraps a [`Scheduler`] as one of its heuristics.

mod blocked;
mod dra;
mod fgd;
mod geometries;
mod halves;
mod hami;
mod hosts;
mod instaslice;
mod kai;
mod least_growth;
mod nos;
mod open_sets;
mod safe_fit;
mod scheduler;
mod spread_then_pack;
mod starts;
mod walk;

#[cfg(test)]
mod tests;

pub use dra::{Allocation, Dra};
pub use fgd::{Fgd, Typical};
pub use hami::{Hami, Packing, Starts};
pub use instaslice::{Instaslice, Nodes};
pub use kai::{Geometry, Kai, Order};
pub use least_growth::LeastGrowth;
pub use nos::Nos;
pub use safe_fit::SafeFit;
pub use scheduler::Scheduler;
pub use spread_then_pack::SpreadThenPack;

/// A slice of references to all schedulers, in the order in which they are listed, each in a wing's wrapper, after the wing's own heuristics.
#[macro_export]
macro_rules! with_schedulers {
    ($wrapper:ident $(, $own:expr)* $(,)?) => {
        &[
            $(&$own,)*
            &$wrapper($crate::Dra::DEFAULT),
            &$wrapper($crate::Instaslice::DEFAULT),
            &$wrapper($crate::Hami::DEFAULT),
            &$wrapper($crate::Nos::DEFAULT),
            &$wrapper($crate::Kai::DEFAULT),
            &$wrapper($crate::Fgd::DEFAULT),
            &$wrapper($crate::LeastGrowth),
            &$wrapper($crate::SpreadThenPack::DEFAULT),
            &$wrapper($crate::SafeFit::FIRST),
            &$wrapper($crate::SafeFit::BEST),
        ]
    };
}

//! What every solver must do.

mod contract;
mod limits;
mod random;
mod registry;
mod second_opinion;
mod sums;

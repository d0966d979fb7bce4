//! The tables of a report, each computed from a group in one file.

pub(super) mod counterparts;
pub(super) mod families;
pub(super) mod gaps;
pub(super) mod indices;
pub(super) mod instances;
pub(super) mod metrics;
pub(super) mod outcomes;
pub(super) mod runtimes;
pub(super) mod verdict;

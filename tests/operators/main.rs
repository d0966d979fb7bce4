//! What people who run MIG clusters do: the files of their tools, checks of configurations, plans.

mod check;
mod export;
mod import;
mod plan;
mod repack;
mod whatif;

//! What people who run MIG clusters do: plans, and the files of their tools.

mod plan;

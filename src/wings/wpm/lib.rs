#![doc = include_str!("../../../models/wpm.md")]

mod certificates;
mod documents;
mod generator;
mod heuristics;
mod instance;
mod metrics;
mod programs;
mod rules;
mod section;
mod wing;

pub use certificates::plain;
pub use documents::{
    CostsDocument, PrintedReading, QuestionBoard, QuestionDocument, QuestionGpu, QuestionWorkload, UnitCost,
    UnitCosts,
};
pub use generator::{GeneratorOptions, Mix, generate};
pub use heuristics::{FirstFit, HEURISTICS, LoadBalanced, RuleBased};
pub use instance::{Costs, GpuRole, Limits, PerBoard, Problem, Role};
pub use metrics::METRICS;
pub use programs::{
    BinViewFails, COMPACT, EXACT_INDEX, Encoding, FORMULATIONS, Lattice, PRINTED, Printed, Solved, StagePlan,
    Whole, compact, exact_index, printed_reading, solve, suitable,
};
pub use rules::{Reading, Score, Solution, Verification, Violation, reading_for, verify};
pub use section::{BoardCosts, CostSettings, Goal, Objective, Settings, Shifts, UseCase};

/// Placement and migration of MIG workloads (Turkkan et al.).
pub struct Wpm;

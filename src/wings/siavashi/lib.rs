#![doc = include_str!("../../../models/siavashi.md")]

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
    About, GoalWeights, QuestionBoard, QuestionDocument, QuestionGpu, QuestionMachine, QuestionWorkload,
};
pub use generator::{GeneratorOptions, Mix, generate};
pub use heuristics::{
    BasketComparison, BestFit, FirstFit, Grmu, LookBack, MaxCapability, MaxExpectedCapability, Online,
    POLICIES, SCHEDULERS, heuristics, policies, policy_named,
};
pub use instance::{Extent, Limits, Machine, MachineIndex, NotExact, Problem, Values, WeightedSum};
pub use metrics::{Figures, METRICS};
pub use programs::{
    COMPACT, COMPACT_BY_PRICES, COMPACT_BY_PROGRAMS, COMPACT_BY_TIGHT_MACHINES, Compact, Decoder, Encoding,
    FORMULATIONS, NotCompact, NotPrinted, PRINTED, Preliminary, PriceTask, PricedStage, Prices, Printed,
    SLOTS, Slots, Solved, StagePlan, Staged, solve_from, suitable,
};
pub use rules::{Score, Verification, Violation, WEIGHTED, verify};
pub use section::{ActiveGpus, Goal, MigrationCosts, Objective, Residents, Settings, Weights};

/// Multi-objective placement of virtual machines on GPUs (Siavashi & Momtazpour).
pub struct Siavashi;

#![doc = include_str!("../../../models/wpm.md")]

mod aggregate;
mod aggregated;
mod compact;
mod costs;
mod disaggregate;
mod document;
mod exact_index;
mod formulation;
mod generate;
pub mod heuristic;
mod instance;
mod lattice;
mod objective;
mod printed;
mod question;
mod roles;
mod settings;
mod solution;
mod solve;
mod start_slots;
mod states;
mod verify;

pub use compact::compact;
pub use costs::{Costs, PerBoard};
pub use document::{
    GpuEntry, InstanceDetails, InstanceReference, PendingWorkload, PlacedWorkload, SolutionDocument,
};
pub use exact_index::exact_index;
pub use formulation::Formulation;
pub use generate::{GeneratorOptions, generate};
pub use instance::Problem;
pub use lattice::Lattice;
pub use objective::{Plan, WeightsTooFine};
pub use printed::{BinViewFails, Printed};
pub use question::{
    QuestionBoard, QuestionDocument, QuestionGpu, QuestionLimit, QuestionProfile, QuestionWorkload,
};
pub use roles::{GpuRole, Role};
pub use settings::{BoardCosts, CostSettings, Goal, Objective, Settings, UseCase};
pub use solution::{Change, Reading, Solution};
pub use solve::{
    FORMULATIONS, FormulationEntry, SolveError, SolveOptions, Solved, StageAnswer, Status, build,
    formulation_for, proposal, reading_for, solve,
};
pub use verify::{Score, Verification, Violation, verify};

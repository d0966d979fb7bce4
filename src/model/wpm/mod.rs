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
mod generator;
pub mod heuristic;
mod instance;
mod lattice;
mod metrics;
mod model;
mod objective;
mod printed;
mod question;
mod reader;
mod roles;
mod settings;
mod solution;
mod solve;
mod start_slots;
mod states;
mod verify;
mod words;

pub use compact::compact;
pub use costs::{Costs, PerBoard};
pub use document::{CostsDocument, PrintedReading};
pub use exact_index::exact_index;
pub use formulation::Formulation;
pub use generate::{GeneratorOptions, generate};
pub use instance::Problem;
pub use lattice::Lattice;
pub use metrics::{METRICS, metric_values};
pub use model::Wpm;
pub use objective::Plan;
pub use printed::{BinViewFails, Printed};
pub use question::{
    QuestionBoard, QuestionDocument, QuestionGpu, QuestionLimit, QuestionProfile, QuestionWorkload,
};
pub use reader::Solved;
pub use roles::{GpuRole, Role};
pub use settings::{BoardCosts, CostSettings, Goal, Objective, Settings, UseCase};
pub use solution::{Reading, Solution};
pub use solve::{FORMULATIONS, build, formulation_for, printed_reading, proposal, reading_for, solve};
pub use verify::{Score, Verification, Violation, verify};

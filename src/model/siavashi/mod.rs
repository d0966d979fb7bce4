#![doc = include_str!("../../../models/siavashi.md")]

mod bins;
mod compact;
mod formulation;
mod frame;
mod generate;
mod generator;
pub mod heuristic;
mod instance;
mod kinds;
mod lift;
mod machine_level;
mod metrics;
mod model;
mod objective;
mod pools;
mod printed;
mod question;
mod settings;
mod slots;
mod solve;
mod units;
mod verify;
mod words;

pub use compact::{Compact, NotCompact};
pub use formulation::{Decoder, Formulation, Preliminary};
pub use generate::{GeneratorOptions, Mix, generate};
pub use instance::{Machine, MachineIndex, Problem, Values};
pub use model::Siavashi;
pub use objective::{Extent, GoalExpressions, NotExact, Objective, Plan, WEIGHTED, Weights};
pub use printed::{NotPrinted, Printed};
pub use question::{QuestionBoard, QuestionDocument, QuestionGpu, QuestionMachine, QuestionWorkload};
pub use settings::{ActiveGpus, Goal, MigrationCosts, Residents, Settings};
pub use slots::Slots;
pub use solve::{FORMULATIONS, Solved, build, formulation_for, solve};
pub use verify::{Score, Verification, Violation, verify};

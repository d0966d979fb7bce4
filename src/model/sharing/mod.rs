#![doc = include_str!("../../../models/sharing.md")]

mod bound;
mod build;
mod compact;
mod document;
mod formulation;
mod generate;
mod generator;
mod goal;
pub mod heuristic;
mod impossible;
mod instance;
mod known;
mod metrics;
mod model;
mod packing;
mod patterns;
mod pool;
mod page_classes;
mod question;
mod search;
mod section;
mod server_groups;
mod sigma;
mod software;
mod solve;
mod units;
mod verify;
mod vm_types;
mod words;

pub use bound::least_cost;
pub use build::build;
pub use compact::{Compact, Scope};
pub use formulation::Formulation;
pub use generate::{Family, GeneratorOptions, ServerCost, generate};
pub use goal::Goal;
pub use impossible::impossible;
pub use instance::{
    Component, ComponentIndex, KindIndex, PageRange, Problem, Server, ServerIndex, ServerKind, Vm, VmIndex,
};
pub use model::Sharing;
pub use packing::Packing;
pub use page_classes::{PageClass, PageClasses};
pub use question::{QuestionDocument, QuestionPageClass, QuestionServer, QuestionVm};
pub use section::{Optimum, Section, ServerSection, SharedPages, VmSection};
pub use sigma::{Inconsistent, SigmaTable};
pub use pool::Dominance;
pub use software::Detail;
pub use solve::{FORMULATIONS, Solved, formulation, solve};
pub use units::Units;
pub use verify::{Score, Verification, Violation, pages_of, verify};

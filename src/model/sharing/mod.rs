#![doc = include_str!("../../../models/sharing.md")]

mod build;
mod document;
mod formulation;
mod generate;
mod generator;
mod goal;
pub mod heuristic;
mod impossible;
mod instance;
mod metrics;
mod model;
mod packing;
mod page_classes;
mod question;
mod section;
mod server_groups;
mod sigma;
mod software;
mod solve;
mod verify;
mod vm_types;
mod words;

pub use build::build;
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
pub use software::Detail;
pub use solve::{FORMULATIONS, Solved, formulation, solve};
pub use verify::{Score, Verification, Violation, pages_of, verify};

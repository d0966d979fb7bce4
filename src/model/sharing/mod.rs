#![doc = include_str!("../../../models/sharing.md")]

mod build;
mod document;
mod formulation;
mod generator;
mod goal;
pub mod heuristic;
mod impossible;
mod instance;
mod metrics;
mod model;
mod multilinear;
mod opening;
mod packing;
mod page_classes;
mod power_set;
mod printed;
mod question;
mod section;
mod sigma;
mod solve;
mod verify;
mod words;

pub use build::build;
pub use formulation::Formulation;
pub use goal::Goal;
pub use impossible::impossible;
pub use instance::{
    Component, ComponentIndex, KindIndex, PageRange, Problem, Server, ServerIndex, ServerKind, Vm, VmIndex,
};
pub use model::Sharing;
pub use multilinear::multilinear;
pub use packing::Packing;
pub use page_classes::{PageClass, PageClasses};
pub use power_set::{CommonPages, TooManySets, power_set};
pub use printed::Printed;
pub use question::{QuestionDocument, QuestionPageClass, QuestionServer, QuestionVm};
pub use section::{Optimum, Section, ServerSection, SharedPages, VmSection};
pub use sigma::{Inconsistent, SigmaTable};
pub use solve::{FORMULATIONS, Solved, formulation, solve};
pub use verify::{Score, Verification, Violation, pages_of, verify};

#![doc = include_str!("../../../models/sharing.md")]

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
pub use documents::{About, QuestionDocument, QuestionPageClass, QuestionServer, QuestionVm};
pub use generator::{Detail, Family, GeneratorOptions, ServerCost, generate};
pub use heuristics::{
    Fit, HEURISTICS, Offline, OfflineOptions, Online, Operator, Order, PageUnit, Scan, pack_offline,
};
pub use instance::{
    Component, ComponentIndex, Inconsistent, KindIndex, PageClass, PageClasses, PageRange, Problem, Server,
    ServerIndex, ServerKind, SigmaTable, Vm, VmIndex, build,
};
pub use metrics::{Figures, METRICS};
pub use programs::{
    COMPACT, CommonPages, Compact, Dominance, Encoding, FORMULATIONS, PRINTED, Printed, Scope, Solved,
    TooManySets, Units, Way, least_cost, multilinear, power_set, solve,
};
pub use rules::{Goal, Packing, Score, Verification, Violation, impossible, pages_of, verify};
pub use section::{Optimum, Section, ServerSection, SharedPages, VmSection};

/// Sharing-aware packing of virtual machines (Rampersaud & Grosu).
pub struct Sharing;

//! The problem that an instance poses, and what it is made of.

mod page_classes;
mod parts;
mod problem;
mod reader;
mod settings;
mod sigma;

pub use page_classes::{PageClass, PageClasses};
pub use parts::{
    Component, ComponentIndex, KindIndex, PageRange, Server, ServerIndex, ServerKind, Vm, VmIndex,
};
pub use problem::Problem;
pub use reader::build;
pub use settings::{Given, SETTINGS};
pub use sigma::{Inconsistent, SigmaTable};

//! Random instances as in section 6 of the paper.

mod drawing;
mod family;
mod naming;
mod options;
mod parameters;
mod server_groups;
mod software;
mod vm_types;

pub use drawing::generate;
pub use family::Family;
pub use options::{GeneratorOptions, ServerCost};
pub use parameters::GENERATOR;
pub use software::Detail;

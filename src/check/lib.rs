//! Configurations of mig-parted, before they are applied.
//!
//! mig-parted, and `nvidia-smi mig -cgi` without start indices, create GPU instances one after the other and leave their starts to the
//! driver, whose rule is not documented. [`judge`] decides for a multiset of profiles whether that succeeds whatever the driver does.
//! [`ConfigurationFile`] reads what mig-parted reads, [`check`] judges it for boards or for a [`State`], with remarks on what a
//! configuration does beside what it says, and with what an apply would do to each GPU ([`DryRun`]).

mod apply;
mod checking;
mod configuration;
mod demand;
mod document;
mod impossible;
mod lattice;
mod lints;
mod selection;
mod state;
mod text;
mod verdict;

#[cfg(test)]
mod tests;

pub use apply::{Action, DryRun, Effect};
pub use checking::{Fleet, check};
pub use configuration::{Configuration, ConfigurationFile, Devices, Entry, Filter, MigDevices, ProfileName};
pub use document::{
    CheckDocument, ConfigurationDocument, EffectDocument, ImpossibleDocument, LayoutDocument, LintDocument,
    PlaceDocument, ReasonDocument, TrapDocument, VerdictName,
};
pub use impossible::{Impossible, Reason};
pub use lints::{Level, Lint, Strategy};
pub use state::{Gpu, Instance, Node, State};
pub use text::{Tone, text};
pub use verdict::{Trap, Verdict, judge, succeeds_in_order};

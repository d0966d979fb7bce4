//! What a packing can break.

use ground::Amount;
use kit::Rule;

/// A rule that a packing breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Row (6): a virtual machine has no server.
    Unplaced { vm: String },
    /// Row (7): a resource of a server does not suffice.
    OverCapacity { server: String, resource: String, used: Amount, capacity: Amount },
    /// Row (8): the memory of a server does not suffice.
    OverMemory { server: String, pages: u64, capacity: u64 },
}

impl Rule for Violation {
    fn rule(&self) -> &'static str {
        match self {
            Violation::Unplaced { .. } => "unplaced",
            Violation::OverCapacity { .. } => "over-capacity",
            Violation::OverMemory { .. } => "over-memory",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Unplaced { vm } => write!(formatter, "`{vm}` has no server"),
            Violation::OverCapacity { server, resource, used, capacity } => {
                write!(formatter, "`{server}` has {capacity} of {resource}, but {used} is requested")
            }
            Violation::OverMemory { server, pages, capacity } => {
                write!(formatter, "`{server}` has {capacity} pages, but {pages} are needed")
            }
        }
    }
}

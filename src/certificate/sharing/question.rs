//! What is asked, in plain terms: servers in their order, virtual machines, the pages that they have in common, and the goals.

use ground::Amount;

/// A question of model sharing.
pub struct Question<'q> {
    /// Names of the resources other than memory.
    pub resources: &'q [String],
    /// Servers in their order.
    pub servers: Vec<Server<'q>>,
    /// Virtual machines, each of which needs a server.
    pub vms: Vec<Vm<'q>>,
    /// Pages by class: a server that hosts any of its members holds them, once.
    pub classes: Vec<u64>,
    /// The goals, one after the other.
    pub stages: Vec<Stage>,
}

/// A server.
pub struct Server<'q> {
    /// Its name.
    pub name: &'q str,
    /// What it has of each resource; `None` where it is not limited.
    pub capacity: &'q [Option<Amount>],
    /// Memory in pages.
    pub pages: u64,
    /// What it costs when it is in use.
    pub cost: Amount,
}

/// A virtual machine.
pub struct Vm<'q> {
    /// Its name.
    pub name: &'q str,
    /// What it requests of each resource.
    pub request: &'q [Amount],
    /// Pages that it alone needs.
    pub private: u64,
    /// The classes that it is in.
    pub classes: &'q [usize],
}

/// A goal, which is to be as small as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The position, from 1, of the last server in use.
    Reach,
    /// Costs of the servers in use.
    Servers,
}

impl Stage {
    /// Its name in certificates and answers.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Reach => "reach",
            Stage::Servers => "servers",
        }
    }
}

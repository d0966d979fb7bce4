//! GPUs, their instances and users, as far as files tell of them.

use formats::Place;
use mig::{Board, GpuInstance};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where a fact comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub file: usize,
    pub place: Place,
}

/// Whether MIG is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mig {
    /// No file tells.
    #[default]
    NotTold,
    /// It is on.
    On,
    /// It is off.
    Off,
    /// It will change with the next reset.
    ResetDue,
}

/// A GPU.
#[derive(Clone, Debug, Default)]
pub struct Gpu {
    /// Its node.
    pub node: String,
    /// Its index on the node.
    pub index: Option<u32>,
    /// Its UUID.
    pub uuid: Option<String>,
    /// Its minor number.
    pub minor: Option<u32>,
    /// Its PCI address, as `nvidia-smi` writes it.
    pub pci: Option<String>,
    /// Name of its product.
    pub product: Option<String>,
    /// Its board.
    pub board: Option<Arc<Board>>,
    /// Whether MIG is on.
    pub mig: Mig,
    /// Whether all its instances are known.
    pub(crate) has_layout: bool,
    /// Its instances in the order of their slots.
    pub instances: Vec<Instance>,
    /// Whether it gets no new pods.
    pub is_cordoned: bool,
    /// Who has all of it.
    pub(crate) given_whole: Option<String>,
    /// The files that tell of it.
    pub(crate) files: BTreeSet<usize>,
    pub(crate) origin: Option<Origin>,
}

impl Gpu {
    /// Node and index.
    pub fn name(&self) -> String {
        match (self.index, self.minor) {
            (Some(index), _) => format!("{}/{index}", self.node),
            (None, Some(minor)) => format!("{}/minor-{minor}", self.node),
            (None, None) => format!("{}/{}", self.node, self.uuid.as_deref().unwrap_or("?")),
        }
    }
}

/// A GPU instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Profile and start on the GPU's board.
    pub instance: GpuInstance,
    /// Its id on its GPU.
    pub id: Option<u32>,
    /// Its compute instances: id and UUID of the MIG device.
    pub computes: Vec<(Option<u32>, Option<String>)>,
    /// Whether it has a compute instance, where a file tells.
    pub(crate) has_compute: Option<bool>,
    /// Who uses it.
    pub users: Vec<User>,
    /// Whether some file tells who uses it, be it nobody.
    pub(crate) is_told: bool,
    pub(crate) origin: Origin,
}

impl Instance {
    /// What is known of its use.
    pub fn state(&self) -> State {
        match () {
            () if !self.users.is_empty() => State::InUse,
            () if self.has_compute == Some(false) => State::NoComputeInstance,
            () if self.is_told => State::Idle,
            () => State::Unknown,
        }
    }

    pub(crate) fn add_user(&mut self, user: User) {
        self.is_told = true;
        if !self.users.contains(&user) {
            self.users.push(user);
        }
    }
}

/// Whether an instance is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has a user.
    InUse,
    /// It has none.
    Idle,
    /// It has none, and cannot have any.
    NoComputeInstance,
    /// No file tells.
    Unknown,
}

impl State {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            State::InUse => "in use",
            State::Idle => "idle",
            State::NoComputeInstance => "no compute instance",
            State::Unknown => "unknown",
        }
    }
}

/// Who uses an instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum User {
    /// A pod.
    Pod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// A pod of which only the UID is known.
    PodUid(String),
    /// A job of Slurm.
    Job {
        /// Its number.
        id: u64,
        /// Its name.
        name: String,
    },
    /// A process.
    Process {
        /// Its number.
        pid: u32,
        /// Its node.
        node: String,
    },
}

impl std::fmt::Display for User {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            User::Pod { namespace, name } => write!(formatter, "{namespace}/{name}"),
            User::PodUid(uid) => write!(formatter, "pod-{uid}"),
            User::Job { id, name } => write!(formatter, "job-{id}/{name}"),
            User::Process { pid, node } => write!(formatter, "pid-{pid}@{node}"),
        }
    }
}

/// What no file tells, and what would.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unknown {
    /// The GPU or the node.
    pub of: String,
    /// What is not known.
    pub what: String,
    /// The command whose answer would tell.
    pub command: String,
}

/// What is said beside the facts.
pub(crate) struct Told {
    pub unknown: Vec<Unknown>,
    pub remarks: Vec<String>,
}

impl Told {
    pub fn unknown(&mut self, of: impl Into<String>, what: impl Into<String>, command: &str) {
        self.unknown.push(Unknown { of: of.into(), what: what.into(), command: command.to_owned() });
    }
}

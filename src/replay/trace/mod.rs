//! The trace as it is in memory, and how it comes there.

mod arrivals;
mod document;
mod files;
mod fingerprint;
mod fleet;
mod hosts;
mod nodes;
mod outliers;
mod pods;
mod statistics;
mod table;
mod times;

pub use document::TraceDocument;
pub use files::{TraceFiles, TraceForm};
pub use hosts::HostChoice;
pub use pods::{KeepOrDrop, PodReading};
pub use statistics::{HostKind, Lifetimes, LookBack, PeakLoad, TraceStatistics};

pub(super) use fleet::with_fleet;

use super::moment::Moment;
use cluster::Cluster;

/// A fleet of GPUs, and virtual machines that arrive and leave.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Hosts, GPUs and, as workloads, the virtual machines in the order of their arrival, those that arrive at one moment in the
    /// order of the file. None of them has a place yet. The requests are the profiles of the trace, in the order in which
    /// tables list them; every one of them may be asked for by no virtual machine. Main memory is counted in the unit of the
    /// source.
    pub cluster: Cluster,
    /// When each workload of the cluster comes and goes.
    pub visits: Vec<Visit>,
}

/// When a virtual machine comes and goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// When it arrives.
    pub arrival: Moment,
    /// When it leaves if it is accepted, not before its arrival; `None` if it stays for good. One that leaves when it arrives is
    /// there for a moment that counts.
    pub departure: Option<Moment>,
}

//! What can be chosen about generated instances.

use super::family::Family;
use super::software::Detail;
use crate::section::Optimum;
use kit::{Choice, Choices};

/// Thousandths of low requests in a stream of the paper.
const USUAL_LOW: u32 = 850;

/// What a server counts in row (4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerCost {
    /// 1, as in the paper.
    Unit,
    /// Half a point for each 12 CPUs and for each 64 GiB of memory: from 1 for (12, 64) to 4 for (48, 256).
    Capacity,
}

impl Choices for ServerCost {
    const ALL: &'static [Choice<ServerCost>] = &[
        Choice { name: "unit", help: "1, as in the paper", value: ServerCost::Unit },
        Choice {
            name: "capacity",
            help: "half a point for each 12 CPUs and for each 64 GiB of memory: from 1 for (12, 64) to 4 for (48, 256)",
            value: ServerCost::Capacity,
        },
    ];
}

/// What the generated instances look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Which virtual machines there are, and on which servers.
    pub family: Family,
    /// Virtual machines; by default as many as the family has in the paper.
    pub vms: Option<u32>,
    /// Servers; by default as many as in the paper.
    pub servers: Option<u32>,
    /// Thousandths of the virtual machines of a stream that are of a type with low requests; by default as in the paper.
    pub low_thousandths: Option<u32>,
    /// Which pages of the software count as common.
    pub sharing: Detail,
    /// 0 for the order in which the virtual machines are drawn; each other number shuffles the same ones in its own way.
    pub shuffle: u32,
    /// Size of a page in KiB: a power of two of at most 2048.
    pub page_kib: u64,
    /// What a server counts.
    pub cost: ServerCost,
    /// Setting `optimum`.
    pub optimum: Optimum,
    /// Seed; the same options and seed give the same instance.
    pub seed: u64,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        GeneratorOptions {
            family: Family::Paper,
            vms: None,
            servers: None,
            low_thousandths: None,
            sharing: Detail::Lean,
            shuffle: 0,
            page_kib: 1024,
            cost: ServerCost::Unit,
            optimum: Optimum::AnyServers,
            seed: 1,
        }
    }
}

impl GeneratorOptions {
    /// Number of virtual machines.
    pub fn vms(&self) -> u32 {
        self.vms.unwrap_or(self.family.usual_vms())
    }

    /// Number of servers.
    pub fn servers(&self) -> u32 {
        self.servers.unwrap_or(self.family.usual_servers(self.vms()))
    }

    /// Thousandths of the virtual machines of a stream that are of a type with low requests.
    pub fn low_thousandths(&self) -> u32 {
        self.low_thousandths.unwrap_or(USUAL_LOW)
    }
}

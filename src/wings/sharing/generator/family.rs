//! Families of instances: which virtual machines there are, and on which servers.

use super::server_groups::SERVER_GROUPS;
use super::vm_types::VM_TYPES;
use kit::{Choice, Choices};

/// Which virtual machines there are, and on which servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The small instances of section 6.3: all types of Table 2 alike, all eight server groups.
    Paper,
    /// Types with much memory for each CPU on the three smallest server groups, so that memory decides.
    MemoryBound,
    /// Small virtual machines with desktop systems on servers of (24, 32) alone, so that sharing decides.
    Desktops,
    /// The streams of section 6.1: a share of low requests, servers mixed as in Google's cell.
    Stream,
}

impl Choices for Family {
    const ALL: &'static [Choice<Family>] = &[
        Choice {
            name: "paper",
            help: "the small instances of section 6.3: all types of Table 2 alike, all eight server groups",
            value: Family::Paper,
        },
        Choice {
            name: "memory-bound",
            help: "types with much memory for each CPU on the three smallest server groups, so that memory decides",
            value: Family::MemoryBound,
        },
        Choice {
            name: "desktops",
            help: "small virtual machines with desktop systems on servers of (24, 32) alone, so that sharing decides",
            value: Family::Desktops,
        },
        Choice {
            name: "stream",
            help: "the streams of section 6.1: a share of low requests, servers mixed as in Google's cell",
            value: Family::Stream,
        },
    ];
}

impl Family {
    /// How often each type is asked for, in the order of Table 2, where that does not depend on a share of low requests.
    pub fn frequencies(self) -> [u32; VM_TYPES.len()] {
        match self {
            Family::Paper | Family::Stream => [1; VM_TYPES.len()],
            Family::MemoryBound => [2, 2, 0, 2, 0, 0, 1, 1, 0, 0, 0, 0],
            Family::Desktops => [2, 2, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0],
        }
    }

    /// How many servers of each group there are for one another, smallest group first.
    pub fn server_shares(self) -> [u32; SERVER_GROUPS.len()] {
        match self {
            Family::Paper => [2, 2, 3, 4, 1, 1, 1, 1],
            Family::MemoryBound => [4, 5, 6, 0, 0, 0, 0, 0],
            Family::Desktops => [0, 1, 0, 0, 0, 0, 0, 0],
            Family::Stream => SERVER_GROUPS.map(|group| group.machines),
        }
    }

    /// The virtual machines of the paper.
    pub fn usual_vms(self) -> u32 {
        if self == Family::Stream { 500 } else { 20 }
    }

    /// As many servers as in the paper: one for each virtual machine of a stream; else 15 for 20 virtual machines and in
    /// proportion for more, for fewer one each up to 15.
    pub fn usual_servers(self, vms: u32) -> u32 {
        if self == Family::Stream { vms } else { vms.min(15).max((3 * vms).div_ceil(4)) }
    }
}

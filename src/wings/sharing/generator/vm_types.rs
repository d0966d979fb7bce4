//! Virtual machine types: Table 2 of the paper.

use ground::Amount;

/// A type of Google Compute Engine's n1 series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmType {
    /// Name.
    pub name: &'static str,
    /// CPUs.
    pub cpus: u32,
    /// Memory in thousandths of a GiB; the table's GB are taken for GiB.
    pub memory_thousandths: u32,
    /// Whether the paper counts it among the low requests.
    pub is_low: bool,
    /// Whether it is too small for server software: one of n1s1, n1c2 and n1c4.
    pub is_tiny: bool,
}

impl VmType {
    /// Memory in GiB.
    pub fn memory_gib(&self) -> Amount {
        Amount::from_millionths(1000 * i128::from(self.memory_thousandths))
    }

    /// Memory in MiB, rounded down.
    pub fn memory_mib(&self) -> u32 {
        (u64::from(self.memory_thousandths) * 1024 / 1000) as u32
    }
}

const fn low(name: &'static str, cpus: u32, memory_thousandths: u32, is_tiny: bool) -> VmType {
    VmType { name, cpus, memory_thousandths, is_low: true, is_tiny }
}

const fn high(name: &'static str, cpus: u32, memory_thousandths: u32) -> VmType {
    VmType { name, cpus, memory_thousandths, is_low: false, is_tiny: false }
}

/// All types, in the order of the table.
pub const VM_TYPES: [VmType; 12] = [
    low("n1s1", 1, 3_750, true),
    low("n1s2", 2, 7_500, false),
    low("n1c2", 2, 1_800, true),
    low("n1m2", 2, 13_000, false),
    low("n1c4", 4, 3_600, true),
    low("n1c8", 8, 7_200, false),
    high("n1s4", 4, 15_000),
    high("n1m4", 4, 26_000),
    high("n1s8", 8, 30_000),
    high("n1m8", 8, 52_000),
    high("n1s16", 16, 60_000),
    high("n1c16", 16, 14_400),
];

//! Boards as NVIDIA's tables of placements have them.

use super::Counts;
use std::collections::BTreeSet;

/// A board.
#[derive(Debug, PartialEq, Eq)]
pub struct TestBoard {
    /// Its name in the catalogue.
    pub name: &'static str,
    /// GPCs of each size of instances.
    pub gpcs: &'static [u32],
    /// Memory slots of each size.
    pub memory: &'static [u32],
    /// First memory slots of each size.
    pub starts: &'static [&'static [u32]],
    /// GPCs of the board.
    pub compute: u32,
}

pub const A100: TestBoard = TestBoard {
    name: "A100-40GB",
    gpcs: &[1, 2, 3, 4, 7],
    memory: &[1, 2, 4, 4, 8],
    starts: &[&[0, 1, 2, 3, 4, 5, 6], &[0, 2, 4], &[0, 4], &[0], &[0]],
    compute: 7,
};

pub const A30: TestBoard = TestBoard {
    name: "A30-24GB",
    gpcs: &[1, 2, 4],
    memory: &[1, 2, 4],
    starts: &[&[0, 1, 2, 3], &[0, 2], &[0]],
    compute: 4,
};

pub const RTX_PRO_6000: TestBoard = TestBoard {
    name: "RTX PRO 6000 Blackwell 96GB",
    gpcs: &[1, 2, 4],
    memory: &[3, 6, 12],
    starts: &[&[0, 3, 6, 9], &[0, 6], &[0]],
    compute: 4,
};

/// All boards that can be used: the larger memories since the A100 have as many slots as its own.
pub static BOARDS: [TestBoard; 11] = [
    A30,
    A100,
    TestBoard { name: "A100-80GB", ..A100 },
    TestBoard { name: "H100-80GB", ..A100 },
    TestBoard { name: "H100-94GB", ..A100 },
    TestBoard { name: "H100-96GB / GH200-96GB", ..A100 },
    TestBoard { name: "GH200-144GB", ..A100 },
    TestBoard { name: "H200-141GB", ..A100 },
    TestBoard { name: "B200-180GB", ..A100 },
    TestBoard { name: "GB200-186GB", ..A100 },
    RTX_PRO_6000,
];

impl TestBoard {
    /// How many sizes there are.
    pub fn sizes(&self) -> usize {
        self.gpcs.len()
    }

    /// The name of a size.
    pub fn size_name(&self, size: usize) -> String {
        format!("{}g", self.gpcs[size])
    }

    /// GPCs of some instances.
    pub fn gpcs_of(&self, counts: &[u8]) -> u32 {
        self.gpcs.iter().zip(counts).map(|(gpcs, &count)| gpcs * u32::from(count)).sum()
    }

    /// Everything that fits, nothing included.
    pub fn everything_that_fits(&self) -> BTreeSet<Counts> {
        let nothing = vec![0; self.sizes()];
        let mut open = vec![nothing.clone()];
        let mut found = BTreeSet::from([nothing]);
        while let Some(counts) = open.pop() {
            for size in 0..self.sizes() {
                let mut more = counts.clone();
                more[size] += 1;
                if self.fits(&more) && found.insert(more.clone()) {
                    open.push(more);
                }
            }
        }
        found
    }

    /// Whether instances have places on the board.
    fn fits(&self, counts: &[u8]) -> bool {
        self.gpcs_of(counts) <= self.compute && self.have_places(&mut counts.to_vec(), 0)
    }

    fn have_places(&self, left: &mut Counts, occupied: u32) -> bool {
        let Some(size) = left.iter().rposition(|&count| count > 0) else { return true };
        left[size] -= 1;
        let places = self.starts[size].iter().map(|start| ((1 << self.memory[size]) - 1) << start);
        let mut free = places.filter(|place| place & occupied == 0);
        let found = free.any(|place| self.have_places(left, occupied | place));
        left[size] += 1;
        found
    }
}

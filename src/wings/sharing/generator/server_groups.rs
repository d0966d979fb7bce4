//! Server capacity groups of section 6.1.2 of the paper, and how many servers of each there are.

use ground::Amount;

/// Servers of one capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerGroup {
    /// CPUs.
    pub cpus: u32,
    /// Memory in GiB.
    pub memory_gib: u32,
    /// Machines of this group in Google's cell, by which the servers of streams are mixed.
    pub machines: u32,
}

impl ServerGroup {
    /// A cost that follows capacity: half a point for each 12 CPUs and for each 64 GiB, so that the smallest group costs 1 and
    /// the largest 4.
    pub fn capacity_cost(&self) -> Amount {
        let halves = |number: u32, unit: i128| Amount::whole(i128::from(number)).millionths() / (2 * unit);
        Amount::from_millionths(halves(self.cpus, 12) + halves(self.memory_gib, 64))
    }
}

const fn group(cpus: u32, memory_gib: u32, machines: u32) -> ServerGroup {
    ServerGroup { cpus, memory_gib, machines }
}

/// The eight groups in the paper's order, smallest first.
///
/// The paper takes their shares from Liu & Cho, whose table it does not repeat. These are the machines of the same cell as
/// Reiss et al. (Heterogeneity and dynamicity of clouds at scale, SoCC 2012, Table 1) list them: 3,863 of them are (24, 64), 31 %
/// as in the paper. The six machines with less memory than any of the eight groups are left out.
pub const SERVER_GROUPS: [ServerGroup; 8] = [
    group(12, 64, 126),
    group(24, 32, 52),
    group(24, 64, 3_863),
    group(24, 128, 6_732),
    group(24, 196, 1_001),
    group(24, 256, 5),
    group(48, 128, 3),
    group(48, 256, 795),
];

/// `number` divided in proportion to the shares, each at least 1 as long as there are enough; shares of 0 get none.
pub fn apportioned(shares: &[u32], number: u32) -> Vec<u32> {
    let whole: i64 = shares.iter().copied().map(i64::from).sum();
    let quota = |share: u32| i64::from(number) * i64::from(share);
    let mut counts: Vec<i64> =
        shares.iter().map(|&share| (quota(share) / whole).max(i64::from(share > 0))).collect();
    // How far each stays below its exact proportion, in parts of the whole.
    let below = |counts: &[i64], position: usize| quota(shares[position]) - counts[position] * whole;
    while counts.iter().sum::<i64>() > i64::from(number) {
        let has_some = (0..shares.len()).filter(|&position| counts[position] > 0);
        let Some(position) = has_some.min_by_key(|&position| below(&counts, position)) else { break };
        counts[position] -= 1;
    }
    while counts.iter().sum::<i64>() < i64::from(number) {
        let wanted = (0..shares.len()).filter(|&position| shares[position] > 0);
        let Some(position) = wanted.max_by_key(|&position| below(&counts, position)) else { break };
        counts[position] += 1;
    }
    counts.into_iter().map(|count| count as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_servers_are_mixed_as_in_the_cell() {
        let machines = SERVER_GROUPS.map(|group| group.machines);
        assert_eq!(apportioned(&machines, 1000), [10, 4, 307, 535, 79, 1, 1, 63]);
        assert_eq!(apportioned(&machines, 1), [0, 0, 0, 1, 0, 0, 0, 0]);
        for number in 1..200 {
            assert_eq!(apportioned(&machines, number).iter().sum::<u32>(), number);
        }
    }

    #[test]
    fn whole_proportions_are_kept() {
        assert_eq!(apportioned(&[2, 0, 3, 1], 12), [4, 0, 6, 2]);
    }

    #[test]
    fn costs_follow_capacity() {
        let costs = SERVER_GROUPS.map(|group| group.capacity_cost().to_string());
        assert_eq!(costs, ["1", "1.25", "1.5", "2", "2.53125", "3", "3", "4"]);
    }
}

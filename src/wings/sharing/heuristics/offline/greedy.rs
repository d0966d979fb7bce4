//! A randomised greedy packing.

use super::shares::{Row, Shares};
use crate::heuristics::state::State;
use crate::instance::{ServerIndex, VmIndex};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// How a greedy packing goes about it.
pub struct Greedy {
    way: Way,
    /// By dimension, what the order of the servers is by.
    pub server_weights: Row,
    /// By dimension, what the size of virtual machines is by.
    vm_weights: Row,
    /// What a page that need not be held again is worth, in shares of the memory of an average server.
    sharing: f64,
    /// By how much sizes are changed at random.
    noise: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Largest virtual machine first, to the first server with room.
    FirstFit,
    /// Largest virtual machine first, to the server in use on which least is left once pages shared have been rewarded.
    BestFit,
    /// Server by server, the one most worth it of those that fit until none does.
    Fill,
}

impl Greedy {
    /// The plan of a number; the first ones are the usual greedy packings, without noise.
    pub fn draw(shares: &Shares, number: u32, random: &mut ChaCha8Rng) -> Self {
        let way = [Way::FirstFit, Way::Fill, Way::BestFit][number as usize % 3];
        let dimensions = shares.dimensions();
        let single = |only: usize| -> Row {
            let small = shares.scarcity.iter().map(|weight| weight / 1000.0);
            small
                .enumerate()
                .map(|(dimension, weight)| if dimension == only { 1.0 } else { weight })
                .collect()
        };
        let round = number as usize / 3;
        let server_weights = match round {
            0 => shares.scarcity.clone(),
            _ => single(round % dimensions),
        };
        let mixed: Row = shares.scarcity.iter().map(|weight| weight * random.random::<f64>()).collect();
        let vm_weights = match round {
            0 => shares.scarcity.clone(),
            _ if round <= dimensions => single(round - 1),
            _ => mixed,
        };
        let noise = if round <= dimensions { 0.0 } else { [0.02, 0.1, 0.3][random.random_range(0..3)] };
        let sharing = if round == 0 { 1.0 } else { [0.5, 1.0, 2.0, 4.0][random.random_range(0..4)] };
        Greedy { way, server_weights, vm_weights, sharing, noise }
    }

    /// Packs as many as it can onto servers, opened in this order, and returns the others.
    pub fn pack(
        &self,
        state: &mut State<'_>,
        servers: &[ServerIndex],
        vms: &[VmIndex],
        shares: &Shares,
        random: &mut ChaCha8Rng,
    ) -> Vec<VmIndex> {
        let mut sized: Vec<(f64, VmIndex)> = vms
            .iter()
            .map(|&vm| (shares.size(vm, &self.vm_weights) * (1.0 + self.noise * random.random::<f64>()), vm))
            .collect();
        sized.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        match self.way {
            Way::Fill => self.fill(state, servers, sized, shares),
            _ => self.one_by_one(state, servers, &sized, shares),
        }
    }

    fn one_by_one(
        &self,
        state: &mut State<'_>,
        servers: &[ServerIndex],
        sized: &[(f64, VmIndex)],
        shares: &Shares,
    ) -> Vec<VmIndex> {
        let mut unplaced = Vec::new();
        let mut opened = 0;
        for &(_, vm) in sized {
            let fitting = servers[..opened].iter().copied().filter(|&server| state.fits(server, vm));
            let chosen = match self.way {
                Way::FirstFit => fitting.into_iter().next(),
                _ => fitting
                    .map(|server| (self.left(state, server, vm, shares), server))
                    .min_by(|(one, _), (other, _)| one.total_cmp(other))
                    .map(|(_, server)| server),
            };
            // A server that was passed over is opened later for one that fits there.
            let chosen = chosen.or_else(|| {
                let further = servers[opened..].iter().position(|&server| state.fits(server, vm))?;
                opened += further + 1;
                Some(servers[opened - 1])
            });
            match chosen {
                Some(server) => state.put(server, vm),
                None => unplaced.push(vm),
            }
        }
        unplaced
    }

    /// What is left of a server once a virtual machine is there, less what it shares.
    fn left(&self, state: &State<'_>, server: ServerIndex, vm: VmIndex, shares: &Shares) -> f64 {
        let problem = state.problem();
        let kind = problem.servers[server.index()].kind.index();
        let memory = shares.dimensions() - 1;
        let mut left = 0.0;
        for (resource, rest) in state.resources(server).iter().enumerate() {
            if let (Some(rest), Some(capacity)) = (rest, problem.kinds[kind].capacity[resource]) {
                let share = rest.to_f64() / capacity.to_f64().max(f64::MIN_POSITIVE);
                left += self.vm_weights[resource] * share * shares.capacities[kind][resource];
            }
        }
        let page = shares.capacities[kind][memory] / (problem.kinds[kind].pages as f64).max(1.0);
        let shared = state.shared(server, vm) as f64;
        left + self.vm_weights[memory] * page * (state.pages(server) as f64 - self.sharing * shared)
    }

    fn fill(
        &self,
        state: &mut State<'_>,
        servers: &[ServerIndex],
        mut sized: Vec<(f64, VmIndex)>,
        shares: &Shares,
    ) -> Vec<VmIndex> {
        let memory = shares.dimensions() - 1;
        for &server in servers {
            let kind = state.problem().servers[server.index()].kind.index();
            let pages = state.problem().kinds[kind].pages as f64;
            let page = shares.capacities[kind][memory] / pages.max(1.0);
            let mut candidates: Vec<usize> = (0..sized.len()).collect();
            let mut gone = vec![false; sized.len()];
            loop {
                // A VM that does not fit now will fit only if more of its pages come; that chance is let go.
                candidates.retain(|&position| !gone[position] && state.fits(server, sized[position].1));
                let worth = |position: usize| {
                    let (size, vm) = sized[position];
                    let shared = state.shared(server, vm) as f64 * page;
                    size + self.sharing * self.vm_weights[memory] * shared
                };
                let best = candidates
                    .iter()
                    .map(|&position| (worth(position), position))
                    .reduce(|best, next| if next.0 > best.0 { next } else { best });
                let Some((_, position)) = best else { break };
                state.put(server, sized[position].1);
                gone[position] = true;
            }
            let mut position = 0;
            sized.retain(|_| {
                position += 1;
                !gone[position - 1]
            });
            if sized.is_empty() {
                break;
            }
        }
        sized.into_iter().map(|(_, vm)| vm).collect()
    }
}

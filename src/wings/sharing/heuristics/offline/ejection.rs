//! Packing the VMs that are left by ejecting others, as Nagata & Bräysy empty routes of vehicles.
//!
//! VMs without a server wait in a pool. The last of it is put where it fits; where it fits nowhere, those leave whose departure
//! makes room at the least weight, and wait in turn. A VM that could not be placed weighs more from then on. In between virtual
//! machines are moved and swapped at random, mostly so that fewer pages are needed.

use super::shares::Shares;
use crate::heuristics::state::State;
use crate::instance::{ServerIndex, VmIndex};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Random moves after an ejection for each virtual machine of the problem, and at most.
const MOVES: usize = 3;
const MOST_MOVES: usize = 500;

/// One in so many random moves may need more pages than before.
const WILLING: u32 = 50;

/// Tests of whether a VM fits that so many tries are worth.
pub fn effort(vms: usize, tries: u32) -> u64 {
    let vms = vms as u64;
    u64::from(tries) * vms * (100 + vms.min(200))
}

/// A search for a packing onto given servers.
pub struct Ejection<'s, 'p> {
    state: State<'p>,
    servers: &'s [ServerIndex],
    random: &'s mut ChaCha8Rng,
    /// By virtual machine, what it weighs in the choice of those that leave.
    size: Vec<f64>,
    /// By virtual machine, how often it could not be placed, plus one.
    failures: Vec<f64>,
    /// By virtual machine, its server.
    place: Vec<Option<ServerIndex>>,
    /// Tests of whether a VM fits so far.
    spent: u64,
}

/// VMs that leave a server.
struct Departure {
    weight: f64,
    server: ServerIndex,
    vms: Vec<VmIndex>,
}

impl<'s, 'p> Ejection<'s, 'p> {
    /// A search that begins with a packing of some virtual machines onto the servers.
    pub fn new(
        state: State<'p>,
        servers: &'s [ServerIndex],
        shares: &Shares,
        random: &'s mut ChaCha8Rng,
    ) -> Self {
        let problem = state.problem();
        let memory = shares.dimensions() - 1;
        let size = |vm: VmIndex| {
            let row = &shares.requests[vm.index()];
            let others: f64 =
                row[..memory].iter().zip(&shares.scarcity).map(|(share, weight)| share * weight).sum();
            0.01 + others + shares.scarcity[memory] * shares.spread_memory[vm.index()]
        };
        let mut place = vec![None; problem.vms.len()];
        for &server in servers {
            state.vms(server).iter().for_each(|vm| place[vm.index()] = Some(server));
        }
        Ejection {
            size: problem.vm_indices().map(size).collect(),
            failures: vec![1.0; problem.vms.len()],
            place,
            state,
            servers,
            random,
            spent: 0,
        }
    }

    /// Places the VMs that are left; says whether all have a server, and how much effort it took, at most about `effort`.
    pub fn run(&mut self, mut waiting: Vec<VmIndex>, effort: u64) -> (bool, u64) {
        waiting.sort_by(|one, other| self.size[one.index()].total_cmp(&self.size[other.index()]));
        while let Some(vm) = waiting.pop() {
            if self.spent >= effort {
                return (false, self.spent);
            }
            if let Some(server) = self.server_with_room(vm) {
                self.put(server, vm);
                continue;
            }
            self.failures[vm.index()] += 1.0;
            let Some(departure) = self.departure(vm) else { return (false, self.spent) };
            for &leaving in &departure.vms {
                self.state.take(departure.server, leaving);
                self.place[leaving.index()] = None;
            }
            self.put(departure.server, vm);
            waiting.extend(departure.vms);
            for _ in 0..MOST_MOVES.min(MOVES * self.place.len()) {
                self.move_at_random();
            }
        }
        (true, self.spent)
    }

    /// The servers as they are now.
    pub fn into_state(self) -> State<'p> {
        self.state
    }

    fn put(&mut self, server: ServerIndex, vm: VmIndex) {
        self.state.put(server, vm);
        self.place[vm.index()] = Some(server);
    }

    fn fits(&mut self, server: ServerIndex, vm: VmIndex) -> bool {
        self.spent += 1;
        self.state.fits(server, vm)
    }

    /// Among the servers with room one on which the virtual machine shares most; one at random of several.
    fn server_with_room(&mut self, vm: VmIndex) -> Option<ServerIndex> {
        let mut best: Option<(u64, u32, ServerIndex)> = None;
        for &server in self.servers {
            if !self.fits(server, vm) {
                continue;
            }
            let (shared, key) = (self.state.shared(server, vm), self.random.random());
            if best.is_none_or(|(most, known, _)| (shared, key) > (most, known)) {
                best = Some((shared, key, server));
            }
        }
        best.map(|(_, _, server)| server)
    }

    fn weight(&self, vm: VmIndex) -> f64 {
        self.failures[vm.index()] * self.size[vm.index()]
    }

    /// The VMs that leave, and where, so that there is room for another: one or two of the least weight, or as many as it
    /// takes where two never suffice.
    fn departure(&mut self, vm: VmIndex) -> Option<Departure> {
        let mut best: Option<Departure> = None;
        for &server in self.servers {
            self.few_leave(server, vm, &mut best);
        }
        if best.is_none() {
            for &server in self.servers {
                let departure = self.many_leave(server, vm);
                if departure
                    .as_ref()
                    .is_some_and(|new| best.as_ref().is_none_or(|best| new.weight < best.weight))
                {
                    best = departure;
                }
            }
        }
        best
    }

    fn few_leave(&mut self, server: ServerIndex, vm: VmIndex, best: &mut Option<Departure>) {
        let mut here: Vec<(f64, VmIndex)> =
            self.state.vms(server).iter().map(|&other| (self.weight(other), other)).collect();
        here.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let least = |best: &Option<Departure>| best.as_ref().map_or(f64::INFINITY, |best| best.weight);
        for (position, &(weight, first)) in here.iter().enumerate() {
            if weight >= least(best) {
                return;
            }
            self.state.release(server, first);
            if self.fits(server, vm) {
                *best = Some(Departure { weight, server, vms: vec![first] });
                self.state.claim(server, first);
                return;
            }
            for &(more, second) in &here[..position] {
                let weight = weight + more;
                if weight >= least(best) {
                    break;
                }
                self.state.release(server, second);
                if self.fits(server, vm) {
                    *best = Some(Departure { weight, server, vms: vec![second, first] });
                }
                self.state.claim(server, second);
            }
            self.state.claim(server, first);
        }
    }

    /// The lightest leave one after the other until there is room; those that can then stay after all do.
    fn many_leave(&mut self, server: ServerIndex, vm: VmIndex) -> Option<Departure> {
        let mut here = self.state.vms(server).to_vec();
        here.sort_by(|&one, &other| self.weight(one).total_cmp(&self.weight(other)));
        let mut gone = Vec::new();
        let mut has_room = self.fits(server, vm);
        for &other in &here {
            if has_room {
                break;
            }
            self.state.release(server, other);
            gone.push(other);
            has_room = self.fits(server, vm);
        }
        let mut leaving = Vec::new();
        if has_room {
            self.state.claim(server, vm);
            let mut stay = Vec::new();
            while let Some(other) = gone.pop() {
                if self.fits(server, other) {
                    self.state.claim(server, other);
                    stay.push(other);
                } else {
                    leaving.push(other);
                }
            }
            self.state.release(server, vm);
        } else {
            leaving = gone;
        }
        leaving.iter().for_each(|&other| self.state.claim(server, other));
        let weight = leaving.iter().map(|&other| self.weight(other)).sum();
        has_room.then_some(Departure { weight, server, vms: leaving })
    }

    /// Moves a virtual machine to another server, or swaps two, if there is room and, mostly, if no more pages are needed.
    fn move_at_random(&mut self) {
        let vm = VmIndex::at(self.random.random_range(0..self.place.len()));
        let (Some(from), Some(&to)) = (self.place[vm.index()], self.servers.choose(self.random)) else {
            return;
        };
        if from == to {
            return;
        }
        let willing = self.random.random_range(0..WILLING) == 0;
        let before = self.state.pages(from) + self.state.pages(to);
        self.state.release(from, vm);
        if self.fits(to, vm) {
            self.state.claim(to, vm);
            let after = self.state.pages(from) + self.state.pages(to);
            self.state.release(to, vm);
            self.state.claim(from, vm);
            if willing || after >= before {
                self.relocate(vm, from, to);
            }
            return;
        }
        let Some(&other) = self.state.vms(to).choose(self.random) else {
            self.state.claim(from, vm);
            return;
        };
        self.state.release(to, other);
        let mut swap = false;
        if self.fits(to, vm) && self.fits(from, other) {
            self.state.claim(to, vm);
            self.state.claim(from, other);
            swap = willing || self.state.pages(from) + self.state.pages(to) >= before;
            self.state.release(from, other);
            self.state.release(to, vm);
        }
        self.state.claim(to, other);
        self.state.claim(from, vm);
        if swap {
            self.state.take(from, vm);
            self.relocate(other, to, from);
            self.put(to, vm);
        }
    }

    fn relocate(&mut self, vm: VmIndex, from: ServerIndex, to: ServerIndex) {
        self.state.take(from, vm);
        self.put(to, vm);
    }
}

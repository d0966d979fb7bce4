//! The cheapest moves, by trying all that cost as little: a proof without a program where few virtual machines must move.
//!
//! Where bounds say how much hardware at least all virtual machines need together, a placement of all of them on that much is optimal up
//! to migrations, and optimal if none with cheaper moves is on that much. Starts cost nothing, so that what a GPU holds counts by
//! profile. For one total cost after the other, all choices of those that move to another machine are tried, and all machines for them
//! and for those that arrive; then, machine by machine, all choices of those that move to another GPU of theirs, and all GPUs. Of
//! machines, and of GPUs of a machine, that are alike and on which nothing runs or has been put, the first one stands for all.

mod load;
mod starts;

use super::super::asked_for::fills_asked_for;
use cluster::{BoardIndex, Cluster, GpuIndex, Placement, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use load::Load;
use mig::{Counts, FillTable, Hull, ProfileIndex};
use siavashi::{MachineIndex, Problem};
use starts::{lay_out, profile};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The most that are moved.
const MOST_MOVED: u32 = 6;
/// Steps of the search of a decision: machines and GPUs that are tried, one after the other.
const STEPS: usize = 2_000_000;

/// The cheapest moves with which everything that any machine could take has a place on so much hardware, and of several the ones that
/// change the fewest starts, as far as the steps suffice. `None` if there are none, or if it is not known after all steps.
pub fn search(problem: &Problem, hardware: i128) -> Option<Placement> {
    let is_plain = |workload| {
        !problem.is_pinned(workload)
            && (problem.current(workload).is_none() || problem.migration_weight(workload) == Amount::ONE)
    };
    let costs = (problem.costs.move_gpu, problem.costs.move_machine);
    let cost_something = costs.0 > Amount::ZERO && costs.1 > Amount::ZERO && !problem.starts_cost();
    if problem.has_rules() || !cost_something || !problem.cluster.workload_indices().all(is_plain) {
        return None;
    }
    let mut search = Search::new(problem, hardware);
    let totals = (0..=MOST_MOVED).cartesian_product(0..=MOST_MOVED);
    let totals = totals.filter(|(near, far)| near + far <= MOST_MOVED);
    let cost = |(near, far): (u32, u32)| costs.0 * i128::from(near) + costs.1 * i128::from(far);
    for (_, total) in &totals.map(|total| (cost(total), total)).sorted().chunk_by(|total| total.0) {
        for (_, (near, far)) in total {
            search.near = near;
            search.choose_far(0, far);
        }
        if search.steps == 0 || search.best.is_some() {
            break;
        }
    }
    // All that costs less was tried before.
    search.best.map(|(_, placement)| placement)
}

struct Search<'p> {
    problem: &'p Problem,
    /// By board.
    fills: Vec<FillTable>,
    residents: Vec<WorkloadIndex>,
    /// Those that arrive, and those that move to another machine; and the machine that each is on then.
    items: Vec<(WorkloadIndex, Option<MachineIndex>)>,
    /// What each GPU holds.
    counts: Vec<Counts>,
    gpu_of: Vec<Option<GpuIndex>>,
    gpus_in_use: u64,
    loads: Vec<Load>,
    /// How much hardware they need at least.
    least_hardware: u64,
    /// Machines and GPUs that may be in use.
    most: u64,
    /// How many may still move on their machine.
    near: u32,
    /// On which GPUs nothing runs now.
    vacant: Vec<bool>,
    /// For machines on which nothing runs now: the first one that is alike.
    first_alike: Vec<Option<usize>>,
    steps: usize,
    /// The fewest changes of starts, with the placement.
    best: Option<(usize, Placement)>,
}

impl<'p> Search<'p> {
    fn new(problem: &'p Problem, hardware: i128) -> Self {
        let cluster = &problem.cluster;
        let never: BTreeSet<WorkloadIndex> = problem.never_placeable().collect();
        let zero = |gpu: GpuIndex| Counts::zero(problem.board(gpu).profiles().len());
        let boards = (0..cluster.boards.len()).map(BoardIndex::at);
        let fills: Vec<FillTable> = boards.map(|board| fills_asked_for(cluster, board)).collect();
        let hulls: Vec<Option<Rc<Hull>>> = fills.iter().map(|fills| Hull::of(fills).map(Rc::new)).collect();
        let mut search = Search {
            problem,
            fills,
            residents: Vec::new(),
            items: Vec::new(),
            counts: cluster.gpu_indices().map(zero).collect(),
            gpu_of: vec![None; cluster.workloads.len()],
            gpus_in_use: 0,
            loads: problem.machines.iter().map(|machine| Load::of(cluster, machine, &hulls)).collect(),
            least_hardware: 0,
            most: u64::try_from(hardware).expect("a number of machines and GPUs"),
            near: 0,
            vacant: vec![true; cluster.gpus.len()],
            first_alike: Vec::new(),
            steps: STEPS,
            best: None,
        };
        for workload in cluster.workload_indices().filter(|workload| !never.contains(workload)) {
            match problem.current(workload) {
                Some(place) => {
                    search.enter(workload, problem.machine_of(place.gpu));
                    search.put(workload, place.gpu);
                    search.vacant[place.gpu.index()] = false;
                    search.residents.push(workload);
                }
                None => search.items.push((workload, None)),
            }
        }
        search.first_alike = search.first_alike();
        search
    }

    fn first_alike(&self) -> Vec<Option<usize>> {
        let machines = &self.problem.machines;
        let board = |gpu: &GpuIndex| self.problem.cluster.gpus[gpu.index()].board;
        let likeness = |number: usize| {
            let machine = &machines[number];
            (machine.capacities(), machine.gpus.iter().map(board).sorted().collect_vec())
        };
        let mut first = BTreeMap::new();
        (0..machines.len())
            .map(|number| {
                self.loads[number].is_empty().then(|| *first.entry(likeness(number)).or_insert(number))
            })
            .collect()
    }

    /// Tries all choices of so many that move to another machine, among those from a number on.
    fn choose_far(&mut self, from: usize, far: u32) {
        if far == 0 {
            self.assign(0);
            return;
        }
        for number in from..self.residents.len() {
            let mover = self.residents[number];
            let gpu = self.gpu_of[mover.index()].expect("it runs");
            self.take(mover, gpu);
            self.leave(mover, self.problem.machine_of(gpu));
            self.items.push((mover, None));
            self.choose_far(number + 1, far - 1);
            self.items.pop();
            self.enter(mover, self.problem.machine_of(gpu));
            self.put(mover, gpu);
            if self.is_over() {
                return;
            }
        }
    }

    /// Tries all machines for those that need another one, from a number on.
    fn assign(&mut self, number: usize) {
        if self.least_hardware > self.most || self.is_over() {
            return;
        }
        let Some(&(workload, _)) = self.items.get(number) else {
            self.settle(0);
            return;
        };
        let own = self.problem.current(workload).map(|place| self.problem.machine_of(place.gpu));
        let mut seen = Vec::new();
        for machine in self.problem.machine_indices().filter(|&machine| own != Some(machine)) {
            let load = &self.loads[machine.index()];
            let first = self.first_alike[machine.index()].filter(|_| load.is_empty());
            if first.is_some_and(|first| seen.contains(&first)) {
                continue;
            }
            seen.extend(first);
            self.steps = self.steps.saturating_sub(1);
            if self.loads[machine.index()].has_room(&self.problem.cluster, workload) {
                self.enter(workload, machine);
                self.items[number].1 = Some(machine);
                self.assign(number + 1);
                self.leave(workload, machine);
            }
        }
    }

    /// Tries all GPUs for those on machines from a number on.
    fn settle(&mut self, from: usize) {
        self.steps = self.steps.saturating_sub(1);
        if self.is_over() {
            return;
        }
        let changes = |&number: &usize| !self.loads[number].is_empty() && self.may_change(number);
        let Some(number) = (from..self.loads.len()).find(changes) else {
            self.judge();
            return;
        };
        let machine = MachineIndex::at(number);
        let comes = |item: &&(WorkloadIndex, Option<MachineIndex>)| item.1 == Some(machine);
        let mut queue = self.items.iter().filter(comes).map(|item| item.0).collect_vec();
        self.rearrange(machine, 0, &mut queue);
    }

    /// Whether some come to a machine, or moves to other GPUs of it may empty one, without which they are of no use.
    fn may_change(&self, number: usize) -> bool {
        let machine = MachineIndex::at(number);
        let in_use = |gpu: &&GpuIndex| !self.counts[gpu.index()].is_zero();
        let gpus = || self.problem.machine(machine).gpus.iter().filter(in_use).count() as u64;
        self.items.iter().any(|item| item.1 == Some(machine))
            || (self.near > 0 && self.loads[number].least_gpus() < gpus())
    }

    /// Tries all choices of those on a machine that move to another of its GPUs, among the residents from a number on.
    fn rearrange(&mut self, machine: MachineIndex, from: usize, queue: &mut Vec<WorkloadIndex>) {
        self.place(machine, 0, queue);
        for number in from..self.residents.len() {
            if self.near == 0 || self.is_over() {
                return;
            }
            let mover = self.residents[number];
            let Some(gpu) = self.gpu_of[mover.index()].filter(|&gpu| self.is_own(mover, gpu, machine)) else {
                continue;
            };
            self.take(mover, gpu);
            self.near -= 1;
            queue.push(mover);
            self.rearrange(machine, number + 1, queue);
            queue.pop();
            self.near += 1;
            self.put(mover, gpu);
        }
    }

    /// Whether a virtual machine is where it runs now, on this machine.
    fn is_own(&self, workload: WorkloadIndex, gpu: GpuIndex, machine: MachineIndex) -> bool {
        self.problem.machine_of(gpu) == machine
            && self.problem.current(workload).is_some_and(|place| place.gpu == gpu)
    }

    /// Tries all GPUs of a machine for those in a queue from a number on, and then the other machines.
    fn place(&mut self, machine: MachineIndex, number: usize, queue: &[WorkloadIndex]) {
        if self.gpus_in_use + self.machines_in_use() > self.most || self.is_over() {
            return;
        }
        let Some(&workload) = queue.get(number) else {
            self.settle(machine.index() + 1);
            return;
        };
        let (problem, from) = (self.problem, self.problem.current(workload).map(|place| place.gpu));
        let mut empty_boards = Vec::new();
        for &gpu in problem.machine(machine).gpus.iter().filter(|&&gpu| from != Some(gpu)) {
            let board = problem.cluster.gpus[gpu.index()].board;
            if self.vacant[gpu.index()] && self.counts[gpu.index()].is_zero() {
                if empty_boards.contains(&board) {
                    continue;
                }
                empty_boards.push(board);
            }
            self.steps = self.steps.saturating_sub(1);
            let fits = |profile| self.fills[board.index()].allows(&self.counts[gpu.index()].add_one(profile));
            if self.profile(workload, gpu).is_some_and(fits) {
                self.put(workload, gpu);
                self.place(machine, number + 1, queue);
                self.take(workload, gpu);
            }
        }
    }

    /// Keeps the placement on the GPUs that are chosen if it changes fewer starts than those before.
    fn judge(&mut self) {
        if self.gpus_in_use + self.machines_in_use() > self.most {
            return;
        }
        let Some((shifts, placement)) = lay_out(self.problem, &self.gpu_of, &self.counts) else { return };
        if self.best.as_ref().is_none_or(|best| shifts < best.0) {
            self.best = Some((shifts, placement));
        }
    }

    fn machines_in_use(&self) -> u64 {
        self.loads.iter().filter(|load| !load.is_empty()).count() as u64
    }

    fn is_over(&self) -> bool {
        self.steps == 0 || self.best.as_ref().is_some_and(|best| best.0 == 0)
    }

    fn profile(&self, workload: WorkloadIndex, gpu: GpuIndex) -> Option<ProfileIndex> {
        profile(self.problem, workload, gpu)
    }

    fn enter(&mut self, workload: WorkloadIndex, machine: MachineIndex) {
        self.change(machine, |load, cluster| load.add(cluster, workload));
    }

    fn leave(&mut self, workload: WorkloadIndex, machine: MachineIndex) {
        self.change(machine, |load, cluster| load.remove(cluster, workload));
    }

    fn change(&mut self, machine: MachineIndex, change: impl Fn(&mut Load, &Cluster)) {
        let load = &mut self.loads[machine.index()];
        self.least_hardware -= load.least_hardware();
        change(load, &self.problem.cluster);
        self.least_hardware += load.least_hardware();
    }

    fn put(&mut self, workload: WorkloadIndex, gpu: GpuIndex) {
        let profile = self.profile(workload, gpu).expect("the board serves it");
        let counts = &mut self.counts[gpu.index()];
        self.gpus_in_use += u64::from(counts.is_zero());
        *counts = counts.add_one(profile);
        self.gpu_of[workload.index()] = Some(gpu);
    }

    fn take(&mut self, workload: WorkloadIndex, gpu: GpuIndex) {
        let profile = self.profile(workload, gpu).expect("the board serves it");
        let counts = &mut self.counts[gpu.index()];
        *counts = counts.remove_one(profile).expect("it is there");
        self.gpus_in_use -= u64::from(counts.is_zero());
        self.gpu_of[workload.index()] = None;
    }
}

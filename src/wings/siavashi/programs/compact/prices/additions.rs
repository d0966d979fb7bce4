//! What stays on each GPU and what comes to it, as contents of machines say.

use super::super::kinds::{Detail, Kind};
use super::budgets::{Budgets, Needs, difference};
use super::content::Content;
use super::stock::{Group, Stock};
use super::view::View;
use crate::instance::{MachineIndex, Problem};
use cluster::{BoardIndex, GpuIndex, WorkloadIndex};
use mig::Counts;
use prices::Chosen;
use std::collections::BTreeMap;

/// Workloads that ask for the same of GPUs, whatever cores and memory they need.
pub struct Alike {
    kinds: Vec<Kind>,
    kind_of: Vec<Option<usize>>,
}

impl Alike {
    /// Those of a problem.
    pub fn of(problem: &Problem) -> Self {
        let kinds = Kind::joined(problem, Detail::PlacesForgotten, |_| true);
        let mut kind_of = vec![None; problem.cluster.workloads.len()];
        for (number, kind) in kinds.iter().enumerate() {
            kind.members.iter().for_each(|workload| kind_of[workload.index()] = Some(number));
        }
        Alike { kinds, kind_of }
    }

    /// The kinds.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The kind of a workload that is not pinned.
    pub fn kind_of(&self, workload: WorkloadIndex) -> usize {
        self.kind_of[workload.index()].expect("pinned workloads belong to no kind")
    }
}

/// GPUs to which the same may come: of one board, with the same pinned and the same staying.
#[derive(PartialEq)]
pub struct Class<'s> {
    board: BoardIndex,
    /// What they can hold at most.
    maximal: &'s [Counts],
    /// What stays there, by kind.
    pub stays: BTreeMap<usize, u32>,
}

/// What comes to a GPU, perhaps nothing.
#[derive(Clone)]
pub struct Addition {
    /// The number of the GPU's class.
    pub class: usize,
    /// The only machine to which it may come at first: where something leaves a GPU, and where more is told apart.
    pub only: Option<MachineIndex>,
    /// Whether that is so throughout, as something leaves a GPU.
    pub is_bound: bool,
    /// How many more are to come of each kind.
    pub missing: Vec<(usize, u32)>,
    /// What comes.
    pub workloads: Vec<WorkloadIndex>,
    /// What that needs.
    pub needs: Needs,
    /// What the GPU then holds, by kind.
    held: BTreeMap<usize, u32>,
}

impl Addition {
    /// Adds a workload that is among what the GPU holds.
    pub fn take(&mut self, budgets: &Budgets, workload: WorkloadIndex) {
        self.workloads.push(workload);
        self.needs = difference(self.needs, budgets.of(workload).map(|needs| -needs));
    }

    /// Adds a workload of a kind to what the GPU holds.
    pub fn add(&mut self, budgets: &Budgets, workload: WorkloadIndex, kind: usize) {
        self.take(budgets, workload);
        *self.held.entry(kind).or_default() += 1;
    }

    /// Whether the GPU holds nothing.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Takes a workload of a kind away.
    pub fn remove(&mut self, budgets: &Budgets, workload: WorkloadIndex, kind: usize) {
        self.workloads.retain(|&other| other != workload);
        self.needs = difference(self.needs, budgets.of(workload));
        self.forgo(kind);
    }

    /// Holds a workload of a kind less.
    pub fn forgo(&mut self, kind: usize) {
        *self.held.get_mut(&kind).expect("it is there") -= 1;
        self.held.retain(|_, number| *number > 0);
    }

    /// Replaces a workload by another one of its kind.
    pub fn replace(&mut self, budgets: &Budgets, position: usize, workload: WorkloadIndex) {
        let more = difference(budgets.of(workload), budgets.of(self.workloads[position]));
        self.needs = difference(self.needs, more.map(|more| -more));
        self.workloads[position] = workload;
    }
}

/// What contents of machines say.
pub struct Changes<'s> {
    /// The problem.
    pub problem: &'s Problem,
    view: View<'s>,
    /// The workloads that are alike.
    pub alike: &'s Alike,
    /// The classes of GPUs.
    pub classes: Vec<Class<'s>>,
    /// The GPUs to which something may come, by machine, with their classes: those in use, and where it does not matter what runs where all of
    /// machines in use.
    pub open: BTreeMap<MachineIndex, Vec<(usize, GpuIndex)>>,
    /// What comes to these.
    pub additions: Vec<Addition>,
    /// What stays on each.
    pub stay: BTreeMap<GpuIndex, Vec<WorkloadIndex>>,
    /// What leaves its machine.
    pub leave: Vec<WorkloadIndex>,
}

/// By GPU: what runs there now, by shape.
type Running = BTreeMap<GpuIndex, BTreeMap<usize, Vec<WorkloadIndex>>>;

impl<'s> Changes<'s> {
    /// What the chosen contents say.
    pub fn new(
        problem: &'s Problem,
        alike: &'s Alike,
        stock: &'s Stock,
        view: View<'s>,
        chosen: &[Chosen<Content>],
        budgets: &mut Budgets,
    ) -> Self {
        let running = |assortment: usize| -> Running {
            let mut running = Running::new();
            let kinds = stock.assortments[assortment].kinds.iter().enumerate();
            for (shape, kind) in kinds.filter(|_| view.knows_places) {
                for &workload in &kind.members {
                    let Some(place) = problem.current(workload) else { continue };
                    running.entry(place.gpu).or_default().entry(shape).or_default().push(workload);
                }
            }
            running
        };
        let running: Vec<Running> = (0..stock.assortments.len()).map(running).collect();
        let mut changes = Changes {
            problem,
            view,
            alike,
            classes: Vec::new(),
            open: BTreeMap::new(),
            additions: Vec::new(),
            stay: BTreeMap::new(),
            leave: Vec::new(),
        };
        for (number, group) in stock.groups.iter().enumerate() {
            let own = chosen.iter().filter(|chosen| chosen.part == number);
            let contents =
                own.flat_map(|chosen| std::iter::repeat_n(&chosen.content, chosen.number as usize));
            for (content, about) in contents.zip(&group.machines) {
                changes.of_machine(stock, group, about, content, &running[group.assortment], budgets);
            }
        }
        changes
    }

    /// Whether a GPU of an addition's class can hold another workload of a kind beside it.
    pub fn has_room(&self, addition: &Addition, kind: usize) -> bool {
        let class = &self.classes[addition.class];
        let board = &self.problem.cluster.boards[class.board.index()];
        let profile = |kind: usize| self.alike.kinds[kind].profile_on(self.problem, class.board);
        let mut counts = Counts::zero(board.profiles().len());
        for (kind, number) in addition.held.iter().map(|(&kind, &number)| (kind, number)).chain([(kind, 1)]) {
            let Some(profile) = profile(kind) else { return false };
            counts.set(profile, counts.get(profile) + number);
        }
        class.maximal.iter().any(|most| counts.fits_within(most))
    }

    fn of_machine(
        &mut self,
        stock: &'s Stock,
        group: &Group,
        (machine, gpus): &(MachineIndex, Vec<GpuIndex>),
        content: &Content,
        running: &Running,
        budgets: &mut Budgets,
    ) {
        let first = self.additions.len();
        let (alike, kinds) = (self.alike, &stock.assortments[group.assortment].kinds);
        let kind_of = |shape: usize| alike.kind_of(kinds[shape].example);
        let mut leave: BTreeMap<usize, Vec<WorkloadIndex>> = BTreeMap::new();
        for ((&gpu, slot), &fill) in gpus.iter().zip(&group.slots).zip(&content.fills) {
            let held: BTreeMap<usize, u32> = slot.fills.all[fill as usize].counts.iter().copied().collect();
            let mut missing = held.clone();
            let mut stays: BTreeMap<usize, u32> = BTreeMap::new();
            for (&shape, runs) in running.get(&gpu).into_iter().flatten() {
                // Of those that are alike the most modest stay.
                let mut runs = runs.clone();
                runs.sort_by_key(|&workload| (budgets.of(workload), workload));
                let number = held.get(&shape).map_or(0, |&number| runs.len().min(number as usize));
                leave.entry(shape).or_default().extend(runs.split_off(number));
                for workload in runs {
                    budgets.take(*machine, budgets.of(workload));
                    self.stay.entry(gpu).or_default().push(workload);
                }
                if number > 0 {
                    *missing.get_mut(&shape).expect("some stay") -= number as u32;
                    *stays.entry(kind_of(shape)).or_default() += number as u32;
                }
            }
            if held.is_empty() && (self.view.knows_places || content.gpus == 0) {
                continue;
            }
            let mut held_of_kinds: BTreeMap<usize, u32> = BTreeMap::new();
            for (&shape, number) in &held {
                *held_of_kinds.entry(kind_of(shape)).or_default() += number;
            }
            let pool = &stock.pools[stock.pool_of[&gpu]];
            let class = self.class(Class { board: pool.board, maximal: &pool.room.maximal, stays });
            self.open.entry(*machine).or_default().push((class, gpu));
            self.additions.push(Addition {
                class,
                only: (group.assortment > 0).then_some(*machine),
                is_bound: false,
                missing: missing.into_iter().filter(|(_, number)| *number > 0).collect(),
                workloads: Vec::new(),
                needs: [0; 2],
                held: held_of_kinds,
            });
        }
        let leaves = leave.values().any(|leave| !leave.is_empty());
        for addition in &mut self.additions[first..] {
            if leaves {
                addition.only = Some(*machine);
                addition.is_bound = true;
            }
            // What leaves a GPU comes to another one of the machine first.
            for (shape, mut number) in std::mem::take(&mut addition.missing) {
                while number > 0
                    && let Some(workload) = leave.get_mut(&shape).and_then(Vec::pop)
                {
                    number -= 1;
                    addition.take(budgets, workload);
                }
                addition.missing.push((kind_of(shape), number));
            }
        }
        self.leave.extend(leave.into_values().flatten());
    }

    /// The number of a class.
    fn class(&mut self, class: Class<'s>) -> usize {
        self.classes.iter().position(|other| *other == class).unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        })
    }
}

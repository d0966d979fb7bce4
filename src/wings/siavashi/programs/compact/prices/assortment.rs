//! Which workloads are told apart, and what GPUs can hold of them.

use super::super::kept_fills::{KeptFills, Shiftable, shiftable};
use super::super::kinds::{Detail, Kind};
use super::super::pools::Pool;
use super::budgets::{Budgets, Needs};
use super::fills::{Demand, Fills};
use super::saved::saved;
use super::terms::Shape;
use super::view::{Likes, View, likes};
use crate::instance::{MachineIndex, Problem};
use crate::section::{Goal, Residents};
use cluster::{BoardIndex, GpuIndex, WorkloadIndex};
use mig::Counts;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What decides what staying on a GPU saves: its room, its pool where something is pinned, what runs there by shape, and at which starts.
type Residency = (usize, Option<usize>, Vec<u32>, Shiftable);

/// Shapes of workloads, and what GPUs can hold of them.
pub struct Assortment {
    /// The workloads of each shape.
    pub kinds: Vec<Kind>,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// What the most modest workload of each shape needs.
    needs: Vec<Demand>,
    /// What runs on each GPU now, by shape, where that matters.
    residents: BTreeMap<GpuIndex, Vec<u32>>,
    /// The same with starts, where these cost something.
    starts: BTreeMap<GpuIndex, Shiftable>,
    rooms: BTreeMap<(BoardIndex, Vec<Counts>), usize>,
    /// The fills of each room.
    fills: Vec<Rc<Fills>>,
    kept_fills: KeptFills,
    known: BTreeMap<Residency, Rc<Vec<i64>>>,
}

impl Assortment {
    /// The shapes that all machines share. Where cores and memory of some machines alone matter, what asks for the same of GPUs is one
    /// shape; none if residents of one shape differ in weight.
    pub fn shared(problem: &Problem, view: View<'_>, budgets: &Budgets) -> Option<Self> {
        let is_joined = |workload: WorkloadIndex| {
            let likes = likes(&problem.cluster.workloads[workload.index()]);
            view.apart.is_some_and(|apart| !apart.likes.contains(&likes))
        };
        let kinds = Kind::joined(problem, Detail::PlacesForgotten, is_joined);
        let budgets = view.apart.is_none().then_some(budgets);
        Assortment::new(problem, view, kinds, |shape| shape, budgets)
    }

    /// The shapes of a machine whose cores and memory matter: what runs there now by what it needs, and what is elsewhere by what the most
    /// modest ones need, of which no other one needs less of both, or by the least that any of it needs of each.
    pub fn of_machine(
        problem: &Problem,
        view: View<'_>,
        shared: &[Kind],
        machine: MachineIndex,
        has_modest: bool,
        budgets: &Budgets,
    ) -> Option<Self> {
        let (mut kinds, mut totals) = (Vec::new(), Vec::new());
        let (mut others, mut totals_of_others) = (Vec::new(), Vec::new());
        for (total, kind) in shared.iter().enumerate() {
            let is_here = |workload: &WorkloadIndex| {
                problem.current(*workload).is_some_and(|place| problem.machine_of(place.gpu) == machine)
            };
            let (here, elsewhere): (Vec<WorkloadIndex>, Vec<WorkloadIndex>) =
                kind.members.iter().partition(|workload| is_here(workload));
            let mut parts =
                if has_modest { by_most_modest(&elsewhere, budgets) } else { vec![elsewhere] }.into_iter();
            // The first ones have the positions of the shapes that all machines share.
            kinds.push(kind.with(problem, parts.next().unwrap_or_default()));
            totals.push(total);
            let mut by_needs: BTreeMap<Needs, Vec<WorkloadIndex>> = BTreeMap::new();
            here.into_iter()
                .for_each(|workload| by_needs.entry(budgets.of(workload)).or_default().push(workload));
            for members in parts.chain(by_needs.into_values()) {
                others.push(kind.with(problem, members));
                totals_of_others.push(total);
            }
        }
        kinds.extend(others);
        totals.extend(totals_of_others);
        Assortment::new(problem, view, kinds, |shape| totals[shape], Some(budgets))
    }

    fn new(
        problem: &Problem,
        view: View<'_>,
        kinds: Vec<Kind>,
        total: impl Fn(usize) -> usize,
        budgets: Option<&Budgets>,
    ) -> Option<Self> {
        let shape = |(position, kind): (usize, &Kind)| shape(problem, kind, view, total(position));
        let shapes: Vec<Shape> = kinds.iter().enumerate().map(shape).collect::<Option<_>>()?;
        let needs = |kind: &Kind| {
            let least = |resource: usize| {
                let needs =
                    |&workload: &WorkloadIndex| budgets.map_or(0, |budgets| budgets.of(workload)[resource]);
                kind.members.iter().map(needs).min().unwrap_or(0)
            };
            (least(0), least(1))
        };
        let needs = kinds.iter().map(needs).collect();
        let residents = if view.knows_places { residents(problem, &kinds) } else { BTreeMap::new() };
        let starts = if view.knows_places { shiftable(problem, &kinds) } else { BTreeMap::new() };
        Some(Assortment {
            kinds,
            shapes,
            needs,
            residents,
            starts,
            rooms: BTreeMap::new(),
            fills: Vec::new(),
            kept_fills: KeptFills::default(),
            known: BTreeMap::new(),
        })
    }

    /// What the most modest workload of a shape has in common with those that need as much, where none of the shape runs on some GPUs.
    pub fn most_modest(&self, problem: &Problem, shape: usize, gpus: &[GpuIndex]) -> Option<Likes> {
        let members = &self.kinds[shape].members;
        let is_there = |workload: WorkloadIndex| {
            problem.current(workload).is_some_and(|place| gpus.contains(&place.gpu))
        };
        let about = |&workload: &WorkloadIndex| likes(&problem.cluster.workloads[workload.index()]);
        if members.iter().any(|&workload| is_there(workload)) {
            None
        } else {
            members.iter().map(about).min()
        }
    }

    /// The number of what GPUs of a pool can hold; none if there are too many fills.
    pub fn room(&mut self, problem: &Problem, pool: &Pool) -> Option<usize> {
        let key = (pool.board, pool.room.maximal.clone());
        if let Some(&number) = self.rooms.get(&key) {
            return Some(number);
        }
        self.fills.push(Rc::new(Fills::of(problem, pool, &self.kinds, &self.needs)?));
        self.rooms.insert(key, self.fills.len() - 1);
        Some(self.fills.len() - 1)
    }

    /// The fills of a room.
    pub fn fills(&self, room: usize) -> Rc<Fills> {
        self.fills[room].clone()
    }

    /// What runs on a GPU now, by shape, where that matters.
    pub fn runs(&self, gpu: GpuIndex) -> Vec<u32> {
        self.residents.get(&gpu).cloned().unwrap_or_else(|| vec![0; self.kinds.len()])
    }

    /// By fill of a room: what is saved by what stays on a GPU, which is one of the pool at this position.
    pub fn saved(
        &mut self,
        problem: &Problem,
        (position, pool): (usize, &Pool),
        room: usize,
        gpu: GpuIndex,
    ) -> Rc<Vec<i64>> {
        let beside_pinned = (!pool.pinned.is_empty()).then_some(position);
        let starts = self.starts.get(&gpu).cloned().unwrap_or_default();
        let key = (room, beside_pinned, self.runs(gpu), starts);
        let (kinds, shapes, fills) = (&self.kinds, &self.shapes, &self.fills[room]);
        let kept_fills = &mut self.kept_fills;
        let saved = self.known.entry(key).or_insert_with_key(|(.., runs, starts)| {
            let kept = match starts.is_empty() {
                true => Vec::new(),
                false => kept_fills.of(problem, kinds, pool, starts),
            };
            Rc::new(saved(problem, pool.board, kinds, shapes, fills, runs, &kept))
        });
        saved.clone()
    }
}

/// Divides workloads so that each part has one that needs no more than any other one of it, and no part's needs less than another's.
fn by_most_modest(workloads: &[WorkloadIndex], budgets: &Budgets) -> Vec<Vec<WorkloadIndex>> {
    let mut needs: Vec<Needs> = workloads.iter().map(|&workload| budgets.of(workload)).collect();
    needs.sort_unstable();
    let mut modest: Vec<Needs> = Vec::new();
    for needs in needs {
        if modest.last().is_none_or(|last| needs[1] < last[1]) {
            modest.push(needs);
        }
    }
    let mut parts = vec![Vec::new(); modest.len()];
    for &workload in workloads {
        let needs = budgets.of(workload);
        let part = modest.iter().position(|modest| modest[0] <= needs[0] && modest[1] <= needs[1]);
        parts[part.expect("it needs no less than itself")].push(workload);
    }
    parts
}

/// What runs on each GPU now, by shape.
fn residents(problem: &Problem, kinds: &[Kind]) -> BTreeMap<GpuIndex, Vec<u32>> {
    let mut residents: BTreeMap<GpuIndex, Vec<u32>> = BTreeMap::new();
    for (shape, kind) in kinds.iter().enumerate() {
        for place in kind.members.iter().filter_map(|&workload| problem.current(workload)) {
            residents.entry(place.gpu).or_insert_with(|| vec![0; kinds.len()])[shape] += 1;
        }
    }
    residents
}

/// The numbers of a shape; none if its residents differ in what moves cost.
fn shape(problem: &Problem, kind: &Kind, view: View<'_>, total: usize) -> Option<Shape> {
    let units = |goal, amount| i64::try_from(problem.extent.in_units(goal, amount)).ok();
    let mut residents = kind.members.iter().copied().filter(|&workload| problem.current(workload).is_some());
    let newcomers = kind.members.len() - residents.clone().count();
    let mut shape = Shape {
        total,
        number: kind.count(),
        must_stay: kind.must_stay as u32,
        newcomers: newcomers as u32,
        acceptance: units(Goal::Acceptance, problem.acceptance_weight(kind.example))?,
        leave: 0,
        move_gpu: 0,
        move_start: 0,
        inflow: 0,
    };
    let Some(first) = residents.next().filter(|_| view.knows_places) else { return Some(shape) };
    let weight = problem.migration_weight(first);
    if residents.any(|workload| problem.migration_weight(workload) != weight) {
        return None;
    }
    let cost = |cost| units(Goal::Migrations, problem.weighted(cost, first));
    let (far, near, evict) =
        (cost(problem.costs.move_machine)?, cost(problem.costs.move_gpu)?, cost(problem.costs.evict)?);
    (shape.leave, shape.inflow) = match problem.residents {
        Residents::Keep => (far, 0),
        // Only then is a resident that has left better replaced by a newcomer than by one from another machine.
        Residents::Evictable if near <= evict && evict <= far => (evict, far - evict),
        Residents::Evictable => return None,
    };
    shape.move_gpu = near;
    shape.move_start = cost(problem.costs.move_start)?;
    Some(shape)
}

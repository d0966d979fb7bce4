//! From a solution to the columns of an aggregated program, to start a solver from.

use super::columns::KindColumns;
use super::concerns::Slots;
use super::lattice::Lattice;
use super::states::{Contents, FillStateIndex, GpuClass, Kind, Occupied, addition_with};
use crate::instance::Problem;
use crate::rules::Solution;
use cluster::{GpuIndex, WorkloadIndex};
use mig::Counts;

/// Columns that stand for a valid solution; `None` when the program has no column for what happens to some GPU.
pub(super) fn aggregate(lattice: &Lattice<'_>, solution: &Solution) -> Option<Vec<f64>> {
    if solution.reading != lattice.reading {
        return None;
    }
    let mut columns = vec![0.0; lattice.program.columns.len()];
    let now_on_gpu = solution.placement.by_gpu(&lattice.problem.cluster);
    for (kind, kind_columns) in lattice.states.kinds.iter().zip(&lattice.columns) {
        let mut gpu_work = GpuWork { lattice, solution, kind, kind_columns, columns: &mut columns };
        for (class, gpus) in kind.gpu_classes.iter().enumerate() {
            for &gpu in &gpus.gpus {
                gpu_work.occupied_gpu(gpu, class, &now_on_gpu[gpu.index()])?;
            }
        }
        for &gpu in &kind.free {
            gpu_work.count_arrivals(&now_on_gpu[gpu.index()])?;
            let pattern = gpu_work.counts(&now_on_gpu[gpu.index()]);
            gpu_work.arrive(Counts::zero(kind.demand.len()), &pattern)?;
        }
    }
    for workload in solution.pending(lattice.problem) {
        let pool = lattice.states.pools.pool_of(workload);
        columns[lattice.pending[pool.index()].index] += 1.0;
    }
    if let Some(total) = lattice.total_gpus {
        columns[total.index] = lattice.columns.iter().map(|kind| columns[kind.gpus.index]).sum();
    }
    lattice.rule_columns.follow(&mut columns);
    Some(columns)
}

struct GpuWork<'w, 'p> {
    lattice: &'w Lattice<'p>,
    solution: &'w Solution,
    kind: &'w Kind,
    kind_columns: &'w KindColumns,
    columns: &'w mut [f64],
}

impl GpuWork<'_, '_> {
    fn problem(&self) -> &Problem {
        self.lattice.problem
    }

    fn counts(&self, workloads: &[WorkloadIndex]) -> Counts {
        let mut counts = Counts::zero(self.kind.demand.len());
        for &workload in workloads {
            let place = self.solution.placement.of(workload).expect("listed by location");
            let instance = self.problem().cluster.instance_at(workload, place).expect("valid solution");
            counts = counts.add_one(instance.profile);
        }
        counts
    }

    fn occupied_gpu(&mut self, gpu: GpuIndex, class: usize, now_on_gpu: &[WorkloadIndex]) -> Option<()> {
        let repartitioned = self.solution.repartitioned[gpu.index()];
        let classes = &self.kind.resident_classes;
        let pools = &self.lattice.states.pools;
        let Occupied { workloads: residents, movable, .. } =
            Occupied::on(self.problem(), classes, pools, gpu);
        let slots = self.kind.slots;
        let stays_in_slot = |workload: WorkloadIndex| {
            self.solution.placement.of(workload) == self.problem().cluster.workloads[workload.index()].current
        };
        let stays = |workload: WorkloadIndex| {
            let is_here = || self.solution.placement.of(workload).is_some_and(|place| place.gpu == gpu);
            stays_in_slot(workload) || (repartitioned && slots != Slots::Moving && is_here())
        };
        let contents = |of: &dyn Fn(WorkloadIndex) -> bool| {
            let residents = residents.iter().zip(&movable).filter(|&(&workload, _)| of(workload));
            Contents::of(classes, residents.map(|(_, &resident)| resident))
        };
        let keep = contents(&stays);
        let shifted = contents(&|workload| stays(workload) && !stays_in_slot(workload));
        let arrived = |workload: &WorkloadIndex| {
            self.problem().role(*workload).is_decided() && !(residents.contains(workload) && stays(*workload))
        };
        let arrivals: Vec<WorkloadIndex> = now_on_gpu.iter().copied().filter(arrived).collect();
        let added = self.counts(&arrivals);
        self.count_arrivals(&arrivals)?;
        let class_data = &self.kind.gpu_classes[class];
        let stays_by_slot = slots != Slots::Indifferent && !keep.is_empty();
        if !class_data.may_depart() || stays_by_slot || (!repartitioned && !now_on_gpu.is_empty()) {
            let shifted = (slots == Slots::Disrupting).then_some(&shifted);
            let option = self.cheapest_option(class_data, &keep, &added, (repartitioned, shifted))?;
            self.add_one(self.kind_columns.keep[class][option].index);
            if class_data.is_in_use(&class_data.options[option]) {
                self.add_one(self.kind_columns.gpus.index);
            }
            if !added.is_zero() {
                let state = class_data.options[option].state;
                let fill = addition_with(self.kind.state(state), &added)?;
                self.add_one(self.kind_columns.fill[state.index()][fill].index);
            }
            return Some(());
        }
        let mut contents = class_data.contents.clone();
        for (class, number) in class_data.contents.departures(&keep) {
            for _ in 0..number {
                self.add_one(self.kind_columns.leave[&(contents.clone(), class)].index);
                contents = contents.without_one(class).expect("more than kept");
            }
        }
        if !now_on_gpu.is_empty() {
            self.add_one(self.kind_columns.cross.get(&contents)?.index);
            let pattern = self.counts(now_on_gpu);
            self.arrive(self.kind.profiles_of(&contents), &pattern)?;
        }
        Some(())
    }

    fn cheapest_option(
        &self,
        class: &GpuClass,
        keep: &Contents,
        added: &Counts,
        (repartition, shifted): (bool, Option<&Contents>),
    ) -> Option<usize> {
        let fits = |state: FillStateIndex| {
            if added.is_zero() {
                return Some(0);
            }
            let additions = self.kind.state(state);
            addition_with(additions, added).map(|position| additions[position].waste)
        };
        let options = class.options.iter().enumerate();
        options
            .filter(|(_, option)| option.keep == *keep && option.repartition <= repartition)
            .filter(|(_, option)| shifted.is_none_or(|shifted| option.shifted.fits_within(shifted)))
            .filter_map(|(number, option)| fits(option.state).map(|waste| (option.waste + waste, number)))
            .min()
            .map(|(_, number)| number)
    }

    /// Lays a GPU out anew, place by place.
    fn arrive(&mut self, mut counts: Counts, pattern: &Counts) -> Option<()> {
        if pattern.is_zero() {
            return Some(());
        }
        while counts != *pattern {
            let missing = pattern.checked_sub(&counts)?;
            let (profile, _) = missing.iter().next()?;
            self.add_one(self.kind_columns.take.get(&(counts.clone(), profile))?.index);
            counts = counts.add_one(profile);
        }
        self.add_one(self.kind_columns.fresh.get(pattern)?.gpus.index);
        self.add_one(self.kind_columns.gpus.index);
        Some(())
    }

    /// Books workloads from their pools onto places of this kind.
    fn count_arrivals(&mut self, arrivals: &[WorkloadIndex]) -> Option<()> {
        for &workload in arrivals {
            let place = self.solution.placement.of(workload).expect("listed by location");
            let profile =
                self.problem().cluster.instance_at(workload, place).expect("valid solution").profile;
            let pool = self.lattice.states.pools.pool_of(workload);
            self.add_one(self.kind_columns.assign.get(&(pool, profile))?.index);
        }
        Some(())
    }

    fn add_one(&mut self, column: usize) {
        self.columns[column] += 1.0;
    }
}

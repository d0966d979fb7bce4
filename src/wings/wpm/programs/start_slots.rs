//! The indexing step: start slots for the workloads of one GPU.

use crate::instance::Problem;
use cluster::{BoardIndex, GpuIndex, Location, Placement, WorkloadIndex};
use mig::{ArrangePriority, Counts, GpuInstance, SlotMask, arrange};
use std::collections::BTreeMap;

/// The indexing step, and what it has found already: among many GPUs few questions differ.
pub(super) struct Indexing<'p> {
    problem: &'p Problem,
    known: BTreeMap<Question, Vec<GpuInstance>>,
}

/// A board, its occupied slots, what is to be added, and the instances that would rather stay.
type Question = (BoardIndex, SlotMask, Counts, Vec<GpuInstance>);

impl<'p> Indexing<'p> {
    /// Nothing laid out yet.
    pub fn new(problem: &'p Problem) -> Self {
        Indexing { problem, known: BTreeMap::new() }
    }

    /// Gives each of `workloads` a start slot on `gpu` outside `occupied`, with the least waste, then with the fewest
    /// changes of start, and records the places.
    ///
    /// # Panics
    /// When the workloads cannot be arranged there; the programs only promise what can.
    pub fn lay_out(
        &mut self,
        gpu: GpuIndex,
        occupied: SlotMask,
        workloads: &[WorkloadIndex],
        placement: &mut Placement,
    ) {
        let problem = self.problem;
        let profile_of = |workload: WorkloadIndex| {
            let request = problem.cluster.workloads[workload.index()].request;
            problem.cluster.requests[request.index()].on_board[problem.board_index(gpu).index()]
                .expect("programs send workloads only to boards that serve them")
        };
        let now_here = |workload: WorkloadIndex| -> Option<GpuInstance> {
            let here =
                problem.cluster.workloads[workload.index()].current.filter(|location| location.gpu == gpu);
            here.and_then(|location| problem.cluster.instance_at(workload, location))
        };
        let mut counts = Counts::zero(problem.board(gpu).profiles().len());
        for &workload in workloads {
            counts = counts.add_one(profile_of(workload));
        }
        let preferred = workloads.iter().filter_map(|&workload| now_here(workload)).collect();
        let mut instances = self.arrangement(gpu, (problem.board_index(gpu), occupied, counts, preferred));
        let mut waiting = Vec::new();
        let mut put = |workload, instance: GpuInstance| {
            placement.set(workload, Some(Location { gpu, start: instance.start }));
        };
        for &workload in workloads {
            let kept =
                now_here(workload).and_then(|now| instances.iter().position(|&instance| instance == now));
            match kept {
                Some(position) => put(workload, instances.remove(position)),
                None => waiting.push(workload),
            }
        }
        for workload in waiting {
            let profile = profile_of(workload);
            let position = instances
                .iter()
                .position(|instance| instance.profile == profile)
                .expect("the arrangement holds as many instances of every profile as asked for");
            put(workload, instances.remove(position));
        }
    }

    fn arrangement(&mut self, gpu: GpuIndex, question: Question) -> Vec<GpuInstance> {
        let board = self.problem.board(gpu);
        let find = |(_, occupied, counts, preferred): &Question| {
            arrange(board, *occupied, counts, preferred, ArrangePriority::LeastWaste)
                .unwrap_or_else(|| panic!("{} cannot hold {counts:?} beside {occupied:?}", board.name()))
        };
        self.known.entry(question).or_insert_with_key(find).clone()
    }
}

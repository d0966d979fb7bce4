//! Workloads that are alike count together.

use crate::instance::{MachineIndex, Problem};
use cluster::{BoardIndex, GpuIndex, GroupIndex, NodeSetIndex, RequestIndex, WorkloadIndex};
use ground::Amount;
use mig::ProfileIndex;
use std::collections::BTreeMap;

/// What makes two workloads alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Likeness {
    request: RequestIndex,
    /// Cores and memory; nothing where they do not matter.
    needs: Option<(Amount, Amount)>,
    acceptance: Amount,
    /// Weight delta_i of a resident; nothing for a newcomer, or where moves do not matter.
    resident: Option<Amount>,
    /// The nodes on which it may be, where not all.
    nodes: Option<NodeSetIndex>,
    /// Its groups.
    groups: Vec<GroupIndex>,
}

/// Whether residents differ from newcomers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// No: acceptance and hardware do not depend on where something runs now.
    PlacesForgotten,
    /// Yes: moves count.
    PlacesKnown,
}

/// Workloads that are alike; pinned ones belong to no kind.
pub struct Kind {
    /// Any of them.
    pub example: WorkloadIndex,
    /// All of them, in the cluster's order.
    pub members: Vec<WorkloadIndex>,
    /// How many of them must have a place.
    pub must_stay: usize,
    /// How many run now, by GPU; empty for newcomers and where moves do not matter.
    pub running: BTreeMap<GpuIndex, Vec<WorkloadIndex>>,
}

impl Kind {
    /// The kinds of a problem, in the order of their first members.
    pub fn all(problem: &Problem, detail: Detail) -> Vec<Kind> {
        Kind::joined(problem, detail, |_| false)
    }

    /// The same, but those that differ only in the cores and the memory that they need are one where they may be.
    pub fn joined(problem: &Problem, detail: Detail, may_be: impl Fn(WorkloadIndex) -> bool) -> Vec<Kind> {
        let mut numbers: BTreeMap<Likeness, usize> = BTreeMap::new();
        let mut kinds: Vec<Kind> = Vec::new();
        for workload in problem.cluster.workload_indices().filter(|&workload| !problem.is_pinned(workload)) {
            let about = &problem.cluster.workloads[workload.index()];
            let current = about.current.filter(|_| detail == Detail::PlacesKnown);
            let needs = (!may_be(workload)).then_some((about.cpu, about.memory));
            let likeness = Likeness {
                request: about.request,
                needs,
                acceptance: problem.acceptance_weight(workload),
                resident: current.map(|_| problem.migration_weight(workload)),
                nodes: about.particulars().nodes,
                groups: about.particulars().groups.clone(),
            };
            let number = *numbers.entry(likeness).or_insert_with(|| {
                let number = kinds.len();
                let (members, running) = (Vec::new(), BTreeMap::new());
                kinds.push(Kind { example: workload, members, must_stay: 0, running });
                number
            });
            let kind = &mut kinds[number];
            kind.members.push(workload);
            kind.must_stay += usize::from(problem.must_stay(workload));
            if let Some(current) = current {
                kind.running.entry(current.gpu).or_default().push(workload);
            }
        }
        kinds
    }

    /// Some of its members, where it does not matter where they run now.
    pub fn with(&self, problem: &Problem, members: Vec<WorkloadIndex>) -> Kind {
        let must_stay = members.iter().filter(|&&workload| problem.must_stay(workload)).count();
        Kind { example: self.example, members, must_stay, running: BTreeMap::new() }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.members.len() as u32
    }

    /// Whether they run now and moves count.
    pub fn is_resident(&self) -> bool {
        !self.running.is_empty()
    }

    /// How many run on a GPU now, whether moves matter or not.
    pub fn members_on(&self, problem: &Problem, gpu: GpuIndex) -> u32 {
        let is_there =
            |member: &&WorkloadIndex| problem.current(**member).is_some_and(|place| place.gpu == gpu);
        self.members.iter().filter(is_there).count() as u32
    }

    /// How many run on a GPU now.
    pub fn running_on_gpu(&self, gpu: GpuIndex) -> u32 {
        self.running.get(&gpu).map_or(0, |workloads| workloads.len() as u32)
    }

    /// How many run on a machine now.
    pub fn running_on_machine(&self, problem: &Problem, machine: MachineIndex) -> u32 {
        problem.machine(machine).gpus.iter().map(|&gpu| self.running_on_gpu(gpu)).sum()
    }

    /// The profile that serves them on a board.
    pub fn profile_on(&self, problem: &Problem, board: BoardIndex) -> Option<ProfileIndex> {
        let request = problem.cluster.workloads[self.example.index()].request;
        problem.cluster.requests[request.index()].on_board[board.index()]
    }

    /// Short name for columns: the first member's.
    pub fn name<'p>(&self, problem: &'p Problem) -> &'p str {
        &problem.cluster.workloads[self.example.index()].name
    }
}

//! Hosts, GPUs and workloads; where workloads are; whether that is legal.
//!
//! One description of a cluster serves every placement model: `wpm` and `siavashi` read the same instance files.
//! Names live in YAML and in answers, indices inside.

mod as_one;
mod boards;
mod builder;
mod by_gpu;
mod demand;
mod groups;
mod legality;
mod maintenance;
mod metrics;
mod node_sets;
mod one_or_many;
mod particulars;
mod placement;
mod placement_rules;
mod rules_broken;
mod sections;

pub use boards::OwnBoards;
pub use builder::{Described, build};
pub use by_gpu::ByGpu;
pub use demand::{Demands, Resource};
pub use groups::{Group, GroupSection, Site, SiteKind};
pub use legality::{HostResources, Violation, check, check_where};
pub use maintenance::Maintenance;
pub use metrics::Metrics;
pub use node_sets::{Labels, NodeSelector, NodeSet};
pub use one_or_many::OneOrMany;
pub use particulars::Particulars;
pub use placement::{Location, Placement};
pub use placement_rules::PlacementRule;
pub use rules_broken::{Changed, Part, RuleBroken, rules_broken};
pub use sections::{
    DisruptionBudgetSection, GpuSection, Handover, HostGpus, HostSection, MISPLACED, ProfileReference, Spot,
    WorkloadSection,
};

use ground::{Amount, index_type};
use mig::{Board, GpuInstance, ProfileIndex};
use std::sync::Arc;

index_type!(
    /// A host, by its position in [`Cluster::hosts`].
    HostIndex
);
index_type!(
    /// A GPU, by its position in [`Cluster::gpus`].
    GpuIndex
);
index_type!(
    /// A board type that the cluster uses, by its position in [`Cluster::boards`].
    BoardIndex
);
index_type!(
    /// A workload (one replica), by its position in [`Cluster::workloads`].
    WorkloadIndex
);
index_type!(
    /// A profile request, by its position in [`Cluster::requests`].
    RequestIndex
);
index_type!(
    /// A class of interchangeable workloads, by its position in [`Cluster::classes`].
    ClassIndex
);
index_type!(
    /// A disruption budget, by its position in [`Cluster::budgets`].
    BudgetIndex
);
index_type!(
    /// A group of workloads, by its position in [`Cluster::groups`].
    GroupIndex
);
index_type!(
    /// A set of nodes, by its position in [`Cluster::node_sets`].
    NodeSetIndex
);

/// In what main memory is counted, so that the numbers of the source stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryUnit {
    /// 2^30 bytes, as in instance files.
    #[default]
    Gibibyte,
    /// 2^20 bytes, as in traces.
    Mebibyte,
}

impl std::fmt::Display for MemoryUnit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            MemoryUnit::Gibibyte => "GiB",
            MemoryUnit::Mebibyte => "MiB",
        })
    }
}

/// A server that carries GPUs.
#[derive(Clone, Debug)]
pub struct Host {
    /// Unique name.
    pub name: String,
    /// CPU capacity in cores; `None` when the instance does not limit it.
    pub cpu: Option<Amount>,
    /// Main memory in [`Cluster::memory_unit`]; `None` when the instance does not limit it.
    pub memory: Option<Amount>,
    /// What it counts when it is in use, where the instance says so.
    pub weight: Option<Amount>,
    /// How many of the workloads that run on it may be disrupted at most, where the instance limits that.
    pub max_disrupted: Option<u32>,
}

/// A GPU in MIG mode.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// Unique name.
    pub name: String,
    /// The host that carries it; `None` for a GPU listed without a host.
    pub host: Option<HostIndex>,
    /// Its board type.
    pub board: BoardIndex,
    /// Whether it is in service, given that its host is cordoned or drained as well.
    pub maintenance: Maintenance,
}

/// Which profile a workload needs, resolved for every board of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    /// The acceptable profile names, most wanted first: as the instance gives them where a board calls a profile so, else as the first
    /// board does that has it.
    pub names: Vec<String>,
    /// Per board of [`Cluster::boards`]: the profile that serves the request there, if any.
    pub on_board: Vec<Option<ProfileIndex>>,
}

/// One replica of a workload: it needs exactly one GPU instance.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Unique name (`chat` or, with several replicas, `chat#2`).
    pub name: String,
    /// The profile it needs.
    pub request: RequestIndex,
    /// CPU demand in cores.
    pub cpu: Amount,
    /// Main memory demand in [`Cluster::memory_unit`].
    pub memory: Amount,
    /// Whether it may be moved from where it is now.
    pub movable: bool,
    /// How it gets to another place.
    pub handover: Handover,
    /// The class of those with which it is interchangeable, where they need the same profile; `None` when it is with none.
    pub class: Option<ClassIndex>,
    /// Where it runs now; `None` for a newcomer.
    pub current: Option<Location>,
    /// What few workloads have; `None` when it has nothing of that. [`Workload::particulars`] reads it.
    pub particulars: Option<Arc<Particulars>>,
}

/// How many workloads of a group may be down at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisruptionBudget {
    /// Unique name.
    pub name: String,
    /// How many of its workloads may be down at once.
    pub allowed: u32,
}

impl Workload {
    /// A movable newcomer that needs a profile and nothing else.
    pub fn newcomer(name: String, request: RequestIndex) -> Self {
        Workload {
            name,
            request,
            cpu: Amount::ZERO,
            memory: Amount::ZERO,
            movable: true,
            handover: Handover::default(),
            class: None,
            current: None,
            particulars: None,
        }
    }
}

/// A validated cluster: every index in it is in range and the current state is legal.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The instance's name.
    pub name: String,
    /// In what main memory is counted.
    pub memory_unit: MemoryUnit,
    /// Hosts in the order of the instance.
    pub hosts: Vec<Host>,
    /// GPUs: those of the hosts first, host by host, then those listed on their own.
    pub gpus: Vec<Gpu>,
    /// Board types in order of first use.
    pub boards: Vec<Arc<Board>>,
    /// Distinct profile requests in order of first use.
    pub requests: Vec<Request>,
    /// Names of the classes of interchangeable workloads in order of first use. One without a name of its own has that of its entry.
    pub classes: Vec<String>,
    /// Disruption budgets in the order of the instance.
    pub budgets: Vec<DisruptionBudget>,
    /// Groups of workloads in the order of the instance.
    pub groups: Vec<Group>,
    /// The sets of nodes to which workloads are bound, each once, in order of first use.
    pub node_sets: Vec<NodeSet>,
    /// Workloads in the order of the instance, replicas expanded.
    pub workloads: Vec<Workload>,
    /// What the instance says and may not mean, for readers of answers.
    pub notes: Vec<String>,
}

impl Cluster {
    /// The board of a GPU.
    pub fn board_of(&self, gpu: GpuIndex) -> &Arc<Board> {
        &self.boards[self.gpus[gpu.index()].board.index()]
    }

    /// The GPU instance that `workload` occupies at `location`; `None` when the board there cannot serve its request.
    pub fn instance_at(&self, workload: WorkloadIndex, location: Location) -> Option<GpuInstance> {
        let board = self.gpus[location.gpu.index()].board;
        let request = &self.requests[self.workloads[workload.index()].request.index()];
        request.on_board[board.index()].map(|profile| GpuInstance { profile, start: location.start })
    }

    /// A location by the GPU's name.
    pub fn spot(&self, location: Location) -> Spot {
        Spot { gpu: self.gpus[location.gpu.index()].name.clone(), start: location.start.0 }
    }

    /// Where every workload is now.
    pub fn current_placement(&self) -> Placement {
        Placement::new(self.workloads.iter().map(|workload| workload.current).collect())
    }

    /// Indices of all workloads, in order.
    pub fn workload_indices(&self) -> impl Iterator<Item = WorkloadIndex> + use<> {
        (0..self.workloads.len()).map(WorkloadIndex::at)
    }

    /// Indices of all GPUs, in order.
    pub fn gpu_indices(&self) -> impl Iterator<Item = GpuIndex> + use<> {
        (0..self.gpus.len()).map(GpuIndex::at)
    }

    /// The board by which a workload that has no place yet is measured: where it runs now, else the first that serves
    /// its request; `None` when no board of the cluster does.
    pub fn reference_board(&self, workload: WorkloadIndex) -> Option<BoardIndex> {
        let workload = &self.workloads[workload.index()];
        match workload.current {
            Some(location) => Some(self.gpus[location.gpu.index()].board),
            None => {
                let on_board = &self.requests[workload.request.index()].on_board;
                on_board.iter().position(Option::is_some).map(BoardIndex::at)
            }
        }
    }

    /// Memory slices that a workload's request takes on its [reference board](Cluster::reference_board).
    pub fn memory_slices(&self, workload: WorkloadIndex) -> Option<u32> {
        let board = self.reference_board(workload)?;
        let request = &self.requests[self.workloads[workload.index()].request.index()];
        request.on_board[board.index()].map(|profile| self.boards[board.index()].profile(profile).size)
    }
}

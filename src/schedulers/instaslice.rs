//! OpenShift's instaslice.

use super::scheduler::Scheduler;
use super::{starts, walk};
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Policy, Request};
use kit::{Choice, Choices, Parameter, put_choice};

/// The first GPU of a node with room, at the lowest start.
#[derive(Clone, Copy, Debug)]
pub struct Instaslice {
    /// Which node is preferred.
    pub nodes: Nodes,
}

/// Which node instaslice prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nodes {
    /// That with the greatest share of free slots.
    MostFree,
    /// The first.
    Listed,
}

impl Choices for Nodes {
    const ALL: &'static [Choice<Nodes>] = &[
        Choice {
            name: "most-free",
            help: "the greatest share of free slots in whole percent, as since June 2025",
            value: Nodes::MostFree,
        },
        Choice {
            name: "listed",
            help: "the first that has room, as in versions 0.0.2 and 0.0.3",
            value: Nodes::Listed,
        },
    ];
}

impl Instaslice {
    /// The rule since June 2025.
    pub const DEFAULT: Instaslice = Instaslice { nodes: Nodes::MostFree };
}

impl Scheduler for Instaslice {
    const PARAMETERS: &'static [Parameter<Instaslice>] = &[Parameter {
        name: "nodes",
        summary: "which node is preferred, of equal ones the first",
        choices: Nodes::entries,
        get: |instaslice| Some(instaslice.nodes.name().to_owned()),
        set: |instaslice, text| put_choice(&mut instaslice.nodes, text),
    }];

    fn name(&self) -> &'static str {
        "instaslice"
    }

    fn summary(&self) -> &'static str {
        "instaslice: the node with the greatest share of free slots, its first GPU with room, the lowest start"
    }

    fn reference(&self) -> &'static str {
        "openshift/instaslice-operator pkg/scheduler/plugins/mig/mig.go (9f4fc07, April 2026)"
    }

    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for Instaslice {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let start = walk::by_slots(fleet, starts::lowest);
        let key = |gpus: &[GpuIndex]| match self.nodes {
            Nodes::MostFree => -free_percent(fleet, gpus),
            Nodes::Listed => 0,
        };
        walk::on_best_node(fleet, key, |gpus| walk::on_first_gpu(fleet, gpus, request, &start))
    }
}

/// Share of the slots of a node that are free, in percent, rounded down.
fn free_percent(fleet: &Fleet<'_>, gpus: &[GpuIndex]) -> i64 {
    let (mut free, mut all) = (0, 0);
    for &gpu in gpus {
        let board = fleet.board_of(gpu).board();
        free += i64::from(board.free_slots(fleet.occupied(gpu)).count());
        all += i64::from(board.slots());
    }
    free * 100 / all
}

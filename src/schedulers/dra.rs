//! NVIDIA's DRA driver with dynamic MIG under kube-scheduler.

use super::scheduler::Scheduler;
use super::{hosts, starts, walk};
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Policy, Request};
use kit::{Choice, Choices, Parameter, put_choice};

/// The node by kube-scheduler's score, there the first device in the order in which the driver publishes them.
#[derive(Clone, Copy, Debug)]
pub struct Dra {
    /// How nodes are scored.
    pub nodes: Allocation,
}

/// Which node kube-scheduler prefers by CPU and main memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allocation {
    /// That of which most is left.
    Least,
    /// That of which most is used.
    Most,
    /// The first.
    Listed,
}

impl Choices for Allocation {
    const ALL: &'static [Choice<Allocation>] = &[
        Choice {
            name: "least-allocated",
            help: "most CPU and main memory left, in whole percent",
            value: Allocation::Least,
        },
        Choice {
            name: "most-allocated",
            help: "most CPU and main memory used, in whole percent",
            value: Allocation::Most,
        },
        Choice { name: "listed", help: "the first that has room", value: Allocation::Listed },
    ];
}

impl Allocation {
    /// The less, the better.
    pub fn key(self, fleet: &Fleet<'_>, gpus: &[GpuIndex], request: Request<'_>) -> i128 {
        match self {
            Allocation::Least => -hosts::least_allocated(fleet, gpus, request),
            Allocation::Most => -hosts::most_allocated(fleet, gpus, request),
            Allocation::Listed => 0,
        }
    }
}

impl Dra {
    /// As both are set up by default.
    pub const DEFAULT: Dra = Dra { nodes: Allocation::Least };
}

impl Scheduler for Dra {
    const PARAMETERS: &'static [Parameter<Dra>] = &[Parameter {
        name: "nodes",
        summary: "which node is preferred, of equal ones the first",
        choices: Allocation::entries,
        get: |dra| Some(dra.nodes.name().to_owned()),
        set: |dra, text| put_choice(&mut dra.nodes, text),
    }];

    fn name(&self) -> &'static str {
        "dra"
    }

    fn summary(&self) -> &'static str {
        "NVIDIA's DRA driver (dynamic MIG): the node that kube-scheduler scores best, its first GPU with room, the lowest start"
    }

    fn reference(&self) -> &'static str {
        "kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/{driver,mig}.go (95932046, August 2026); \
         kubernetes pkg/scheduler/framework/plugins/noderesources"
    }

    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for Dra {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let start = walk::by_slots(fleet, starts::first_by_digits);
        walk::on_best_node(
            fleet,
            |gpus| self.nodes.key(fleet, gpus, request),
            |gpus| walk::on_first_gpu(fleet, gpus, request, &start),
        )
    }
}

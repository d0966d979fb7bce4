//! KAI-Scheduler on MIG instances that are made beforehand.

use super::geometries::{all_of, balanced, start_of_unused};
use super::scheduler::Scheduler;
use super::walk;
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Policy, Request};
use kit::{Choice, Choices, Parameter, put_choice};
use mig::GpuInstance;
use num_rational::Ratio;

/// An unused instance of exactly the profile asked for, on a node by the number of unused instances.
#[derive(Clone, Copy, Debug)]
pub struct Kai {
    /// Which instances every GPU has been given.
    pub geometry: Geometry,
    /// Which node is preferred.
    pub nodes: Order,
}

/// The instances of every GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Geometry {
    /// One of 3 compute slices, if there is such a profile, one of 2 and two of 1.
    Balanced,
    /// As many as fit with so many compute slices.
    All(u32),
}

impl Choices for Geometry {
    const ALL: &'static [Choice<Geometry>] = &[
        Choice {
            name: "all-balanced",
            help: "two of 1 compute slice, one of 2, and one of 3 where there is such a profile",
            value: Geometry::Balanced,
        },
        Choice { name: "all-1g", help: "as many as fit of 1 compute slice", value: Geometry::All(1) },
        Choice { name: "all-2g", help: "as many as fit of 2 compute slices", value: Geometry::All(2) },
        Choice { name: "all-3g", help: "as many as fit of 3 compute slices", value: Geometry::All(3) },
    ];
}

/// Which node KAI prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The first.
    Listed,
    /// That with fewest unused instances.
    Binpack,
    /// That with the greatest share of unused instances.
    Spread,
}

impl Choices for Order {
    const ALL: &'static [Choice<Order>] = &[
        Choice {
            name: "listed",
            help: "the first that has room: whole GPUs alone are counted, as with the strategy mixed",
            value: Order::Listed,
        },
        Choice {
            name: "binpack",
            help: "fewest unused instances, which count as GPUs with the strategy single",
            value: Order::Binpack,
        },
        Choice { name: "spread", help: "greatest share of unused instances", value: Order::Spread },
    ];
}

impl Kai {
    /// GPUs as mig-parted lays them out for mixed use.
    pub const DEFAULT: Kai = Kai { geometry: Geometry::Balanced, nodes: Order::Listed };
}

impl Scheduler for Kai {
    const PARAMETERS: &'static [Parameter<Kai>] = &[
        Parameter {
            name: "geometry",
            summary: "the instances that every GPU has been given, by the name that mig-parted's default configuration uses",
            choices: Geometry::entries,
            get: |kai| Some(kai.geometry.name().to_owned()),
            set: |kai, text| put_choice(&mut kai.geometry, text),
        },
        Parameter {
            name: "nodes",
            summary: "which node is preferred, of equal ones the first",
            choices: Order::entries,
            get: |kai| Some(kai.nodes.name().to_owned()),
            set: |kai, text| put_choice(&mut kai.nodes, text),
        },
    ];

    fn name(&self) -> &'static str {
        "kai"
    }

    fn summary(&self) -> &'static str {
        "KAI-Scheduler: an unused instance of the profile among those that every GPU was given beforehand"
    }

    fn reference(&self) -> &'static str {
        "NVIDIA/KAI-Scheduler pkg/scheduler/plugins/nodeplacement (72de64f, March 2026); issue 194"
    }

    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        let of_gpu = |gpu| {
            let board = fleet.board_of(gpu).board();
            match self.geometry {
                Geometry::Balanced => balanced(board),
                Geometry::All(compute) => all_of(board, compute),
            }
        };
        Box::new(AtWork { nodes: self.nodes, made: fleet.gpu_indices().map(of_gpu).collect() })
    }
}

struct AtWork {
    nodes: Order,
    /// By GPU.
    made: Vec<Vec<GpuInstance>>,
}

impl AtWork {
    /// The less, the better.
    fn key(&self, fleet: &Fleet<'_>, gpus: &[GpuIndex]) -> Ratio<i64> {
        let made = |gpu: GpuIndex| self.made[gpu.index()].iter();
        let is_unused = |gpu, instance: &&GpuInstance| {
            !fleet.board_of(gpu).board().footprint(**instance).intersects(fleet.occupied(gpu))
        };
        let count_unused = |&gpu: &GpuIndex| made(gpu).filter(|instance| is_unused(gpu, instance)).count();
        let count = |number: usize| number as i64;
        let unused = count(gpus.iter().map(count_unused).sum());
        let all = count(gpus.iter().map(|&gpu| made(gpu).count()).sum());
        match self.nodes {
            Order::Listed => Ratio::from_integer(0),
            Order::Binpack => Ratio::from_integer(unused),
            Order::Spread => -Ratio::new(unused, all.max(1)),
        }
    }
}

impl Policy for AtWork {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let start = start_of_unused(fleet, &self.made);
        walk::on_best_node(
            fleet,
            |gpus| self.key(fleet, gpus),
            |gpus| walk::on_first_gpu(fleet, gpus, request, &start),
        )
    }
}
